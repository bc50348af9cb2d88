/* ---- members side by side ------------------------------------------------------------------ */

/* Twin of src/dovetail/fmi/parts/cosimulation.py.
 * Same bits: tests/conformance/test_ranks.py. */

/* Whose turn it is: what it is given, and where its answers go. */
typedef struct turn {
    void *instance;
    double *u, *y;
} turn;

/* Members whose turns follow one another and that differ in nothing but the instance: called in a
 * tight loop, with everything that stays the same at hand. `direct`: what they are given lies where
 * others have put it. */
typedef struct rank {
    void *set, *step, *get;
    const uint32_t *in_refs, *out_refs;
    size_t n_in_refs, n_out_refs, n_in, n_out;
    int32_t version, first, count, no_set_prior, direct;
} rank;

/* Where the inputs of a member lie one behind the other without being brought together: among what
 * others found in this window, or had found before it. NULL: nowhere. */
static double *lies_ready(const journey *g, const dt_member *m) {
    const int32_t *source = g->b->wire_source + m->first_wire;
    int32_t n = m->last_wire - m->first_wire;
    if (n == 0) return g->p->inputs + m->in_at; /* nothing feeds it */
    if (n < m->n_in) return NULL;
    double *used = (double *)g->seen.used;
    if (!g->p->plain && !g->p->sequential) return used + m->first_wire;
    if (!m->plain) return NULL;
    for (int32_t j = 1; j < n; j++)
        if (source[j] != source[0] + j) return NULL;
    return (g->p->sequential ? g->outputs : used) + source[0];
}

/* Brings the inputs of a member together; those that nothing feeds stay as they are. */
static inline void gather(const journey *g, const dt_member *m) {
    const dt_batch *b = g->b;
    const double *used = (double *)g->seen.used, *found = g->outputs;
    for (int32_t w = m->first_wire; w < m->last_wire; w++) {
        double *u = g->p->inputs + b->wire_target[w];
        if (g->p->sequential)
            *u = m->plain ? found[b->wire_source[w]] : on_wire(b, w, found);
        else
            *u = used[g->p->plain ? b->wire_source[w] : w];
    }
}

static bool alike(const dt_member *a, const dt_member *b) {
    return a->version == b->version && a->set_real == b->set_real && a->do_step == b->do_step &&
           a->get_real == b->get_real && a->no_set_prior == b->no_set_prior &&
           a->n_in == b->n_in && a->n_out == b->n_out && a->n_in_refs == b->n_in_refs &&
           a->n_out_refs == b->n_out_refs &&
           !memcmp(a->in_refs, b->in_refs, (size_t)a->n_in_refs * sizeof *a->in_refs) &&
           !memcmp(a->out_refs, b->out_refs, (size_t)a->n_out_refs * sizeof *a->out_refs);
}

static int nothing_12(void *c, const uint32_t *r, size_t n, double *v) {
    (void)c, (void)r, (void)n, (void)v;
    return OK;
}

static int nothing_3(void *c, const uint32_t *r, size_t n, double *v, size_t m) {
    (void)c, (void)r, (void)n, (void)v, (void)m;
    return OK;
}

/* Members fall in, by turns. */
static void fall_in(journey *g) {
    const dt_plan *p = g->p;
    const dt_member *last = NULL;
    for (int32_t i = 0; i < g->b->n; i++) {
        const dt_member *m = g->b->members + p->order[i];
        double *ready = lies_ready(g, m);
        rank *r = g->ranks + g->n_ranks;
        g->turns[i] = (turn){m->instance, ready ? ready : p->inputs + m->in_at, g->outputs + m->out_at};
        for (int32_t k = m->out_at; k < m->out_at + m->n_out; k++) g->turn_of[k] = i;
        if (last && alike(last, m) && r[-1].direct == (ready != NULL)) {
            r[-1].count++;
            continue;
        }
        last = m;
        g->n_ranks++;
        void *nothing = m->version == 3 ? (void *)nothing_3 : (void *)nothing_12;
        *r = (rank){
            .set = m->n_in ? m->set_real : nothing,
            .step = m->do_step,
            .get = m->n_out ? m->get_real : nothing,
            .in_refs = m->in_refs,
            .out_refs = m->out_refs,
            .n_in_refs = (size_t)m->n_in_refs,
            .n_out_refs = (size_t)m->n_out_refs,
            .n_in = (size_t)m->n_in,
            .n_out = (size_t)m->n_out,
            .version = m->version,
            .first = i,
            .count = 1,
            .no_set_prior = m->no_set_prior,
            .direct = ready != NULL,
        };
    }
}

/* A status that stops a run, unless a step was discarded because the simulation ends with it. */
static __attribute__((noinline, cold)) int stops(const journey *g, const turn *one, int stage,
                                                 int status) {
    dt_batch *b = g->b;
    dt_member *m = b->members + g->p->order[one - g->turns];
    if (stage == STEPPING && status == DISCARD && m->version < 3)
        return discarded(b, m, b->time, b->size);
    return fail(b, m, stage, status);
}

static __attribute__((noinline, cold)) int ends(const journey *g, const turn *one, bool terminate,
                                                bool early, double last) {
    dt_batch *b = g->b;
    double t = b->time, h = b->size;
    return ended(b, b->members + g->p->order[one - g->turns], t, h, early ? last : t + h, terminate);
}

/* One window of one rank: each sets, steps, gets. */
static inline __attribute__((always_inline)) int march(const journey *g, const rank *r, double t,
                                                       double h, const int version,
                                                       const bool direct) {
    const uint32_t *in = r->in_refs, *out = r->out_refs;
    size_t n_in = r->n_in, n_out = r->n_out;
    unsigned status;
    int prior = r->no_set_prior;
    for (const turn *k = g->turns + r->first, *end = k + r->count; k < end; k++) {
        if (!direct) gather(g, g->b->members + g->p->order[k - g->turns]);
        status = version == 3 ? ((access_3)r->set)(k->instance, in, r->n_in_refs, k->u, n_in)
                              : ((access_12)r->set)(k->instance, in, n_in, k->u);
        if (status > WARNING) return stops(g, k, SETTING, status);
        if (version == 3) {
            bool event = false, terminate = false, early = false;
            double last = t + h;
            status = ((step_3)r->step)(k->instance, t, h, prior, &event, &terminate, &early, &last);
            if (status <= WARNING && (early | terminate) && ends(g, k, terminate, early, last))
                return 1;
        } else {
            status = version == 2 ? ((step_2)r->step)(k->instance, t, h, prior)
                                  : ((step_1)r->step)(k->instance, t, h, 1);
        }
        if (status > WARNING && stops(g, k, STEPPING, status)) return 1;
        status = version == 3 ? ((access_3)r->get)(k->instance, out, r->n_out_refs, k->y, n_out)
                              : ((access_12)r->get)(k->instance, out, n_out, k->y);
        if (status > WARNING) return stops(g, k, GETTING, status);
    }
    return 0;
}

/* One window of all of them. */
static int march_all(const journey *g, double t, double h) {
    for (const rank *r = g->ranks, *end = r + g->n_ranks; r < end; r++) {
        int failed;
        if (r->version == 3)
            failed = r->direct ? march(g, r, t, h, 3, true) : march(g, r, t, h, 3, false);
        else if (r->version == 2)
            failed = r->direct ? march(g, r, t, h, 2, true) : march(g, r, t, h, 2, false);
        else
            failed = march(g, r, t, h, 1, false);
        if (failed) return failed;
    }
    return 0;
}
