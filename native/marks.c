/* ---- back to where a window began --------------------------------------------------------------- */

/* Twin of src/dovetail/assembly/assembly.py, src/dovetail/fmi/native/marks.py,
 * src/dovetail/estimators/rollback_check.py.
 * Same bits: tests/conformance/test_native_control.py. */

/* Where a member keeps its state, side by side for those that are only stepped. */
typedef struct {
    void *instance, *saved, *get, *set;
} keeper;

/* A run under a controller, and room for the window that is tried. */
typedef struct {
    journey g;
    dt_control *c;
    dt_plan plan;   /* with members of a kind one behind the other, where their order is free */
    int32_t *order;
    keeper *keepers;
    int64_t *evaluations;  /* where the window begins */
    int32_t until, spent;  /* rollbacks until one is checked, and made since that was counted */
    int32_t prior, told;   /* what members are told of going back, where nothing is kept outside */
    int32_t culprit;       /* the member whose step failed, and may not in a shorter window; + 1 */
    bool counted_each;     /* a step of this window has failed: members have counted it */
    bool checks;           /* this window's rollback is checked */
    bool swapped;          /* the state at the window's start is with the keepers */
    int64_t passes;        /* that members have not counted */
    double *start, *fed, *seen;   /* outputs, inputs, what is watched, at the start */
    double *ahead, *middle, *end; /* outputs after each step */
    double *used, *last;          /* inputs as they were used for the halves */
    double *low, *high;           /* ranges with this window */
    double *values, *found;       /* the past of inputs; what a longer window found of them */
    dt_curves past;
    double *slopes;               /* with cubics, at the start: derivatives of outputs, ends of windows */
    dt_slopes ends;
    dt_bonds *bonds;                  /* NULL: none are watched */
    double *bonds_now, *bonds_middle; /* of the step that was made, and of one before it */
} sized;

static inline size_t bytes(int32_t n) { return (size_t)n * sizeof(double); }

enum { MOST_KINDS = 8 };

/* Which members share a library and its references, and step in a tight loop then. */
static int32_t *by_kind(const dt_batch *b) {
    int32_t *order = malloc(((size_t)b->n + 1) * sizeof *order), kinds[MOST_KINDS], count = 0, at = 0;
    for (int32_t i = 0; i < b->n && order; i++) {
        int32_t k = 0;
        while (k < count && !alike(b->members + kinds[k], b->members + i)) k++;
        if (k < count) continue;
        if (count == MOST_KINDS) break; /* of no use */
        kinds[count++] = i;
    }
    for (int32_t k = 0; k < count && order; k++)
        for (int32_t i = kinds[k]; i < b->n; i++)
            if (alike(b->members + kinds[k], b->members + i)) order[at++] = i;
    if (at == b->n) return order;
    free(order);
    return NULL;
}

static bool room_new(sized *r) {
    const journey *g = &r->g;
    const dt_plan *p = g->p;
    size_t in = (size_t)p->n_inputs, out = (size_t)p->n_outputs, watched = 2 * (size_t)g->seen.pairs;
    bool cubic = p->iteration && follows_cubics(p->iteration);
    size_t columns = p->curves ? (size_t)p->curves->columns : cubic ? MAX_COLUMNS : 2;
    r->bonds = watched_bonds(p);
    size_t bonds = r->bonds ? (size_t)bonds_width(r->bonds) : 0;
    const size_t sizes[] = {out, in, watched, out, out, out, in, in, out + in, out + in,
                            columns * in, columns * in, cubic ? 3 * out : 0, bonds, bonds};
    double **rooms[] = {&r->start, &r->fed,  &r->seen, &r->ahead, &r->middle, &r->end,
                        &r->used,  &r->last, &r->low,  &r->high,  &r->values, &r->found, &r->slopes,
                        &r->bonds_now, &r->bonds_middle};
    size_t all = 1, count = sizeof sizes / sizeof *sizes;
    for (size_t k = 0; k < count; k++) all += sizes[k];
    double *at = calloc(all, sizeof *at);
    for (size_t k = 0; k < count && at; at += sizes[k++]) *rooms[k] = at;
    r->keepers = calloc((size_t)g->b->n + 1, sizeof *r->keepers);
    r->evaluations = calloc((size_t)g->b->n + 1, sizeof *r->evaluations);
    return r->start && r->keepers && r->evaluations;
}

/* Rollbacks that were made meanwhile count towards the next check. */
static void count_rollbacks(sized *r) {
    dt_batch *b = r->g.b;
    int32_t until = INT32_MAX;
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        m->until_check -= r->spent;
        if (m->until_check < until) until = m->until_check;
    }
    r->until = until;
    r->spent = 0;
}

static void sized_free(sized *r) {
    dt_batch *b = r->g.b;
    bool lost = atomic_load(&b->failed) && b->status == FATAL; /* nothing is called any more */
    if (r->keepers && r->evaluations && r->start) {
        count_rollbacks(r);
        for (int32_t i = 0; i < b->n; i++) {
            dt_member *m = b->members + i;
            m->no_set_prior = r->prior;
            if (!r->g.by_input) {
                if (r->c->rejects) m->saved = r->keepers[i].saved;
                m->evaluations += r->passes;
                copy(m->outputs, r->g.outputs + m->out_at, m->n_out);
            } else if (r->keepers[i].saved && m->free_state && !lost) {
                ((get_state)m->free_state)(m->instance, &r->keepers[i].saved);
            }
        }
    }
    b->keeps = b->counts_apart = false;
    b->covering = NULL;
    free(r->start);
    free(r->keepers);
    free(r->evaluations);
    free(r->order);
    journey_free(&r->g);
}

static bool sized_new(sized *r, dt_batch *b, dt_plan *p, dt_control *c) {
    *r = (sized){.c = c, .plan = *p, .prior = b->members[0].no_set_prior};
    if (!p->sequential && !p->curves && !p->iteration && c->rejects) r->order = by_kind(b);
    if (r->order) r->plan.order = r->order;
    if (!journey_new(&r->g, b, &r->plan)) {
        free(r->order);
        return false;
    }
    if (!room_new(r)) {
        sized_free(r);
        return false;
    }
    for (int32_t i = 0; i < b->n; i++) {
        const dt_member *m = b->members + i;
        void *get = m->rollback ? m->get_state : NULL;
        r->keepers[i] = (keeper){m->instance, r->g.by_input ? NULL : m->saved, get, m->set_state};
    }
    count_rollbacks(r);
    r->told = r->prior;
    b->counts_apart = true;
    return true;
}

/* Whether members may be brought back to before where they stand: `back`, into this window. */
static void tell_prior(sized *r, bool back, bool everyone) {
    journey *g = &r->g;
    int32_t now = r->prior && !back;
    for (int32_t k = 0; k < g->n_ranks; k++) g->ranks[k].no_set_prior = now;
    if (!everyone || r->told == now) return;
    for (int32_t i = 0; i < g->b->n; i++) g->b->members[i].no_set_prior = now;
    r->told = now;
}

/* Members save their states: a window begins. */
static int keep_states(sized *r, const window *w) {
    journey *g = &r->g;
    dt_batch *b = g->b;
    b->keeps = r->swapped = false;
    if (!r->c->rejects || g->p->iteration) return 0; /* those save where they begin */
    b->stop = w->stop;
    if (g->by_input) return open_window(b, w->start, w->size, true) ? FAILED : 0;
    b->time = w->start;
    b->size = w->size;
    r->checks = r->until <= r->spent;
    if (r->checks) count_rollbacks(r);
    for (int32_t i = 0; i < b->n; i++) {
        keeper *k = r->keepers + i;
        dt_member *m = b->members + i;
        unsigned status = OK;
        if (m->solved) {
            m->saved = k->saved;
            if (solved_open(b, m)) return FAILED;
            k->saved = m->saved;
        } else {
            status = ((get_state)k->get)(k->instance, &k->saved);
        }
        if (status > WARNING) return fail(b, m, SAVING, (int)status);
        if (!r->checks) continue;
        m->saved = k->saved;
        copy(m->outputs, r->start + m->out_at, m->n_out);
        copy(m->outputs + 2 * m->n_out, m->outputs, m->n_out);
    }
    return 0;
}

static void swap_states(sized *r) {
    for (int32_t i = 0; i < r->g.b->n; i++) {
        dt_member *m = r->g.b->members + i;
        void *mine = m->saved;
        m->saved = r->keepers[i].saved;
        r->keepers[i].saved = mine;
    }
    r->swapped = !r->swapped;
}

/* Members go back to the start of the window. `counted`: after its first step, where now and then one
 * is looked at. */
static int states_back(sized *r, bool counted) {
    journey *g = &r->g;
    dt_batch *b = g->b;
    bool halfway = r->swapped; /* who has not moved since stands in the middle of the window */
    if (halfway) swap_states(r);
    bool each = g->by_input || (counted && r->checks);
    if (!r->c->rejects && !g->by_input) return 0; /* who left the window has left it */
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        keeper *k = r->keepers + i;
        if (each) {
            int failed = counted ? rewind_member(b, m)
                         : (halfway || m->stepped) && restore_member(b, m);
            if (failed) return BROKEN;
            continue;
        }
        if (m->solved && !has_memory(m)) continue;
        unsigned status = ((set_state)k->set)(k->instance, k->saved);
        if (status > WARNING) return fail(b, m, RESTORING, (int)status), BROKEN;
    }
    solvers_home(b);
    if (!each)
        r->spent += counted;
    else if (!g->by_input) /* those count for themselves */
        count_rollbacks(r);
    r->checks = r->checks && !counted;
    eventful_return(b);
    tuned_return(b);
    return 0;
}

/* With cubics: what is known of derivatives, kept, and known again. */
static void keep_slopes(sized *r) {
    size_t n = bytes(r->g.p->n_outputs);
    r->ends = r->g.p->iteration->slopes;
    memcpy(r->slopes, r->ends.now, n);
    memcpy(r->slopes + r->g.p->n_outputs, r->ends.rows, 2 * n);
}

static void slopes_back(sized *r) {
    size_t n = bytes(r->g.p->n_outputs);
    r->g.p->iteration->slopes = r->ends;
    memcpy(r->ends.now, r->slopes, n);
    memcpy(r->ends.rows, r->slopes + r->g.p->n_outputs, 2 * n);
}

/* The rest of what there is goes back as well. */
static void signals_back(sized *r) {
    journey *g = &r->g;
    dt_plan *p = g->p;
    copy(g->outputs, r->start, p->n_outputs);
    copy((double *)g->seen.used, r->seen, 2 * g->seen.pairs);
    if (!g->by_input) return;
    if (p->iteration && p->iteration->known)
        recall_lessons(p->iteration->known, p->iteration->before_tries, p->iteration->n_groups);
    copy(p->inputs, r->fed, p->n_inputs);
    if (p->iteration && follows_cubics(p->iteration)) slopes_back(r);
    if (!p->curves || p->curves->ramps) return;
    *p->curves = r->past;
    memcpy(p->curves->values, r->values, bytes(p->n_inputs * p->curves->columns));
}
