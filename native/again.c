/* ---- another run of the same members ------------------------------------------------------------ */

/* Twin of src/dovetail/run/repeated_run.py, src/dovetail/fmi/parts/restart.py,
 * src/dovetail/assembly/consistent.py, src/dovetail/assembly/standstill.py.
 * Same bits: tests/studies/test_whole_runs.py. */

/* Variables that are set or read by one call. The same order as `NativeAccess` in whole_runs.py. */
typedef struct {
    void *function;
    const uint32_t *refs;
    size_t n_refs, n; /* variables, of which some may be arrays; their scalars */
    void *values;
    const void *given; /* where it is read: what it is to be */
    int64_t bytes;     /* of that; 0: it is doubles */
} dt_access;

/* How a member begins anew: its functions, its values, and how far it came. The same order as
 * `NativeRestart` in whole_runs.py. */
typedef struct {
    void *terminate, *reset, *listen, *set_up, *enter, *leave;
    const void *categories; /* of messages that are asked for */
    dt_log *log;
    const dt_access *first, *inputs, *kept;
    double tolerance;
    int32_t n_categories, n_first, n_inputs, n_kept;
    int32_t knows_tolerance;
    int32_t running, status; /* whether it may be stepped; what the last call returned */
    int32_t padding;
} dt_restart;

/* Runs that differ in values. The same order as `NativeRuns` in whole_runs.py. */
typedef struct {
    dt_batch *batch;
    dt_memory *memory;
    dt_restart *restarts;
    const dt_member *fresh; /* members as they are before their first window */
    const int32_t *turns;   /* who is asked for outputs at the start, one after another */
    const double *blank;    /* outputs before anyone is asked */
    double *tried;          /* inputs that members were given last, before the first window */
    const dt_stretch *stretches;
    double *lines;
    double start;
    int64_t n_turns, n_stretches;
    int64_t windows, evaluations; /* counted */
    int64_t held;                 /* inputs are held over windows */
} dt_runs;

typedef int (*plain_call)(void *);
typedef int (*listen_2)(void *, int, size_t, const void *);
typedef int (*listen_3)(void *, bool, size_t, const void *);
typedef int (*begin_1)(void *, double, char, double);
typedef int (*set_up_2)(void *, int, double, double, int, double);
typedef int (*enter_3)(void *, bool, double, double, bool, double);
typedef int (*reach_12)(void *, const uint32_t *, size_t, void *);
typedef int (*reach_3)(void *, const uint32_t *, size_t, void *, size_t);

enum { MADE = 0, OUT_OF_ORDINARY = 1, NOT_SO = 2 }; /* a run; the last: they begin in another way */

/* Whether a call went well. */
static bool well(dt_restart *r, int status) {
    r->status = status;
    return (unsigned)status <= WARNING;
}

static bool called(dt_restart *r, const dt_member *m, void *function) {
    return function && well(r, ((plain_call)function)(m->instance));
}

/* Set or read; the same call. */
static bool reached(dt_restart *r, const dt_member *m, const dt_access *a) {
    if (!a->function) return false;
    int status = m->version == 3
                     ? ((reach_3)a->function)(m->instance, a->refs, a->n_refs, a->values, a->n)
                     : ((reach_12)a->function)(m->instance, a->refs, a->n_refs, a->values);
    return well(r, status);
}

static bool all_reached(dt_restart *r, const dt_member *m, const dt_access *all, int32_t n) {
    for (int32_t k = 0; k < n; k++)
        if (!reached(r, m, all + k)) return false;
    return true;
}

static void hear(const dt_restart *r, const dt_member *m) {
    if (!r->listen || !r->n_categories || m->version == 1) return;
    size_t n = (size_t)r->n_categories;
    if (m->version == 3)
        ((listen_3)r->listen)(m->instance, true, n, r->categories);
    else
        ((listen_2)r->listen)(m->instance, 1, n, r->categories);
}

static void forget_messages(dt_log *log) {
    if (!log) return;
    lock_take(&log->lock);
    log->used = 0;
    lock_leave(&log->lock);
}

/* Back to where it was made, with its values, and into initialization; in FMI 1 that comes later. */
static bool begins(const dt_runs *all, dt_restart *r, const dt_member *m) {
    double tolerance = r->tolerance;
    int known = r->knows_tolerance;
    forget_messages(r->log);
    if (r->running && !called(r, m, r->terminate)) return false;
    if (!called(r, m, r->reset)) return false;
    r->running = 0;
    hear(r, m);
    if (m->version == 2 &&
        (!r->set_up ||
         !well(r, ((set_up_2)r->set_up)(m->instance, known, tolerance, all->start, 0, 0.0))))
        return false;
    if (!all_reached(r, m, r->first, r->n_first)) return false;
    if (m->version == 2 && !called(r, m, r->enter)) return false;
    if (m->version == 3 &&
        (!r->enter ||
         !well(r, ((enter_3)r->enter)(m->instance, known, tolerance, all->start, false, 0.0))))
        return false;
    return all_reached(r, m, r->inputs, r->n_inputs);
}

/* What outputs make of the inputs of one member; inputs that nothing feeds stand there already. */
static void feed(const dt_batch *b, const dt_member *m, const double *outputs, double *inputs) {
    for (int32_t w = m->first_wire; w < m->last_wire; w++)
        inputs[b->wire_target[w]] = m->plain ? outputs[b->wire_source[w]] : on_wire(b, w, outputs);
}

/* Outputs of one member while initialization goes on, for the inputs that the others' make. */
static bool asked(const dt_runs *all, int32_t which, double *outputs, bool first) {
    const dt_batch *b = all->batch;
    dt_member *m = b->members + which;
    dt_restart *r = all->restarts + which;
    double *inputs = all->memory->inputs + m->in_at, *tried = all->tried + m->in_at;
    feed(b, m, outputs, all->memory->inputs);
    if ((first || !equal(inputs, tried, m->n_in)) && !well(r, set_reals(m, inputs))) return false;
    copy(tried, inputs, m->n_in);
    if (m->version == 1 && !r->running) {
        if (!r->enter || !well(r, ((begin_1)r->enter)(m->instance, all->start, 0, 0.0))) return false;
        r->running = 1;
    }
    return well(r, get_reals(m, outputs + m->out_at)) && finite_all(outputs + m->out_at, m->n_out);
}

/* Whether it has what it was given. */
static bool keeps(const dt_access *a) {
    if (a->bytes) return !memcmp(a->values, a->given, (size_t)a->bytes);
    return equal(a->values, a->given, (int32_t)a->n);
}

/* Initialization is over: MADE, or why it is not as usual. */
static int leaves_start(dt_restart *r, const dt_member *m) {
    if (m->version != 1) {
        if (!called(r, m, r->leave)) return OUT_OF_ORDINARY;
        r->running = 1;
    }
    for (int32_t k = 0; k < r->n_kept; k++)
        if (!reached(r, m, r->kept + k) || !keeps(r->kept + k)) return NOT_SO;
    return MADE;
}

/* Outputs as initialization has left them, in m->outputs: MADE where they are no others. */
static int tells_late(dt_restart *r, dt_member *m, const double *outputs) {
    copy(m->outputs, outputs, m->n_out);
    if (m->version == 1) return MADE;
    if (!well(r, get_reals(m, m->outputs)) || !finite_all(m->outputs, m->n_out))
        return OUT_OF_ORDINARY;
    return equal(m->outputs, outputs, m->n_out) ? MADE : NOT_SO;
}

/* Nothing was seen yet, and no window was made. */
static void nothing_seen(const dt_runs *all) {
    dt_memory *m = all->memory;
    dt_batch *b = all->batch;
    for (int32_t j = 0; j < b->n_inputs; j++) {
        m->worst[j] = m->bend[j] = m->off[j] = m->way[j] = m->turn[j] = 0;
        m->moved[j] = m->turned[j] = 0;
        m->when[j] = m->bent[j] = NAN;
        m->low[j] = INFINITY;
        m->high[j] = -INFINITY;
    }
    *m->known = 0;
    m->points = 0;
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    b->singles = 0;
    for (int32_t i = 0; i < b->n; i++) b->members[i] = all->fresh[i];
}

/* All members at the start, with values that agree. */
static int stands(const dt_runs *all) {
    dt_batch *b = all->batch;
    double *outputs = all->memory->outputs, *inputs = all->memory->inputs;
    for (int32_t i = 0; i < b->n; i++)
        if (!begins(all, all->restarts + i, b->members + i)) return OUT_OF_ORDINARY;
    memcpy(outputs, all->blank, (size_t)b->n_outputs * sizeof *outputs);
    memcpy(inputs, b->start, (size_t)b->n_inputs * sizeof *inputs);
    for (int round = 0; round < 2; round++)
        for (int64_t k = 0; k < all->n_turns; k++)
            if (!asked(all, all->turns[k], outputs, !round)) return OUT_OF_ORDINARY;
    for (int32_t i = 0; i < b->n; i++) {
        int found = leaves_start(all->restarts + i, b->members + i);
        if (found != MADE) return found;
    }
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        int found = tells_late(all->restarts + i, m, outputs + m->out_at);
        if (found != MADE) return found;
    }
    journey g = {.b = b, .p = b->plan, .outputs = outputs};
    route_all(&g, inputs);
    return MADE;
}

/* Windows of another size: what was seen of moves is what would be of theirs. */
static void scale(dt_memory *m, int32_t n, double before, double now) {
    if (!*m->known || now == before) return;
    double ratio = now / before;
    for (int32_t j = 0; j < n; j++) {
        m->moved[j] *= ratio;
        m->turned[j] *= ratio * ratio;
    }
}

/* One stretch of windows, however long it takes; false where it did not reach its end. */
static bool made(const dt_runs *all, dt_stretch s, double *lines) {
    dt_batch *b = all->batch;
    dt_memory *m = all->memory;
    while (s.count) {
        int64_t done = dt_run(b, m, &s, lines, INFINITY);
        if (done <= 0 || m->handed_over || m->doubtful || atomic_load(&b->failed) ||
            atomic_load(&b->ending))
            return false;
        for (int32_t j = 0; all->held && j < b->n_inputs; j++)
            if (m->worst[j] > m->bend[j]) {
                m->bend[j] = m->worst[j];
                m->bent[j] = m->when[j];
            }
        s.line += done;
        s.count -= done;
        lines += done * s.width;
        s.start = b->plan->origin + (double)s.line * s.size;
        s.stop = b->plan->origin + (double)(s.line + 1) * s.size;
    }
    return true;
}

/* A run with the values that were put in place: its rows, and what was seen of it. */
EXPORT int dt_again(dt_runs *all) {
    dt_batch *b = all->batch;
    dt_memory *m = all->memory;
    all->windows = all->evaluations = 0;
    nothing_seen(all);
    int found = stands(all);
    if (found != MADE) return found;
    journey g = {.b = b, .p = b->plan, .outputs = m->outputs};
    take_up(b->plan, m);
    record(&g, all->start, all->lines);
    double before = 0;
    for (int64_t k = 0; k < all->n_stretches; k++) {
        const dt_stretch *s = all->stretches + k;
        scale(m, b->n_inputs, before, s->size);
        before = s->size;
        if (!made(all, *s, all->lines + (1 + all->windows) * s->width)) return OUT_OF_ORDINARY;
        all->windows += s->count;
    }
    for (int32_t i = 0; i < b->n; i++) {
        if (b->members[i].refused) return OUT_OF_ORDINARY;
        all->evaluations += b->members[i].evaluations;
    }
    return MADE;
}

/* Whether Python and this library mean the same structures. */
EXPORT int64_t dt_again_layout(void) {
    return (int64_t)(sizeof(dt_access) + 1000 * sizeof(dt_restart) + 1000000 * sizeof(dt_runs));
}
