/* Twin of src/dovetail/fmi/parts/cosimulation.py.
 * Same bits: tests/conformance/test_agreement.py. */

/* Whether all are numbers: what is not, is not zero when subtracted from itself. */
static inline bool finite_all(const double *values, int32_t n) {
    uint64_t bad = 0;
    for (int32_t i = 0; i < n; i++) {
        double nothing = values[i] - values[i];
        uint64_t bits;
        memcpy(&bits, &nothing, sizeof bits);
        bad |= bits;
    }
    return !bad;
}

/* ---- members ------------------------------------------------------------------------------ */

enum { OK = 0, WARNING = 1, DISCARD = 2, ERROR = 3, FATAL = 4 }; /* kept unsigned: what is below OK is not OK */
enum { SETTING = 1, STEPPING = 2, GETTING = 3, SAVING = 4, RESTORING = 5, REPEATING = 6,
       EARLY = 7, SLOPING = 8, FOLLOWING = 9, DIFFERING = 10, INTERRUPTED = 11,
       DIFFERING_NEXT = 12, LEFT = 13, SOLVING = 14, LOST = 15 };

typedef int (*access_12)(void *, const uint32_t *, size_t, double *);
typedef int (*access_3)(void *, const uint32_t *, size_t, double *, size_t);
typedef int (*derive_12)(void *, const uint32_t *, size_t, const int *, const double *);
typedef int (*step_1)(void *, double, double, char);
typedef int (*step_2)(void *, double, double, int);
typedef int (*step_3)(void *, double, double, bool, bool *, bool *, bool *, double *);
typedef int (*get_state)(void *, void **);
typedef int (*set_state)(void *, void *);
typedef int (*real_status)(void *, int, double *);
typedef int (*boolean_status)(void *, int, int *);

/* Bound from outside: the instance, its functions, its log. The rest is filled in from the plan, and
 * kept here. The same order as `NativeMember` in kernel.py. */
typedef struct dt_member {
    /* of every step, side by side */
    void *instance;                        /* bound */
    void *set_real, *do_step, *get_real;   /* bound */
    const uint32_t *in_refs, *out_refs;
    int32_t version, no_set_prior;
    int32_t n_in_refs, n_out_refs;      /* variables, of which some may be arrays */
    int32_t n_in, n_out, in_at, out_at; /* scalars, and their places among those of all */
    int32_t n_set, padding; /* inputs that are set for each step: all but connected parameters */
    int32_t first_wire, last_wire, plain;
    int32_t rollback; /* save the state when a window opens */
    void *get_state, *set_state, *free_state, *set_derivatives; /* bound, and the next two */
    void *get_real_status, *get_boolean_status;                 /* FMI 2 */
    dt_log *log; /* bound, of one that asks for inputs inside a step */
    /* kept here */
    void *saved;
    /* of the last step: what went in, what came out; behind it room for a check of rollback: what
     * came out first, what it was before, what came out of one more step */
    double *inputs, *outputs, *scratch;
    int32_t stepped, columns;
    int32_t again; /* FMI 1: the last step is rejected, the next one begins where it began */
    int32_t until_check; /* rollbacks until one is checked */
    int32_t answered, ahead; /* the last step went well; one more did, for a check */
    int32_t highest, refused; /* order of input derivatives that it takes; that it refused, or 0 */
    int64_t evaluations, timed;
    double timed_seconds, quickest; /* of those steps that were timed */
    double refused_until; /* it refused a derivative: the end of that step, and half of one more */
    struct dt_solved *solved;       /* of one whose equations are solved here; see solved.c */
    int64_t early;                  /* it may end a window before its end */
    struct dt_remote *remote;       /* of one that lives in a host; see hosted.c */
    void *get_slopes;               /* bound, where its derivatives of outputs are asked for */
    struct dt_cubic *cubic;         /* of one whose inputs are cubics; see cubic.c */
    struct dt_eventful *events;     /* of one that may leave a window at an event; see eventful.c */
    double *known;                  /* bound: what it has of connected parameters, see tuned.c */
    struct dt_tuned *tuned;         /* of one with such */
    int64_t unusual;                /* any of these: plain ones are asked about all of them at once */
} dt_member;

struct pool;
struct dt_plan;
struct dt_block;
struct dt_host;

typedef struct dt_batch {
    int32_t n, n_inputs, n_outputs, n_wires;
    dt_member *members;
    const int32_t *orders; /* by member: the highest power of time its inputs follow; -1: any */
    const int32_t *wire_target, *wire_source;
    const double *wire_gain, *wire_offset;
    double *start;         /* inputs that nothing feeds */
    struct dt_plan *plan;  /* NULL: windows are asked for from outside */
    struct dt_block *block; /* what all this was read from */
    double time, size, stop;
    int32_t guests, early; /* members that are solved here or have events; that may leave windows */
    int32_t n_tuned;       /* members with connected parameters */
    atomic_int failed; /* member + 1, of the first failure */
    atomic_int ending; /* member + 1, of one that asks to end the simulation after this step */
    atomic_int interrupted; /* by Ctrl-C: no further step, the window is dropped */
    int32_t status, stage;
    double reached;
    struct pool *pool;
    struct dt_host *hosts; /* where some members live; NULL: all are here */
    int64_t *first_move, *first_change; /* where a member's columns begin */
    int64_t *counted;                   /* evaluations where the window opened */
    int64_t singles;                    /* windows that were asked for one by one */
    bool counts_apart;      /* evaluations where a window begins are kept by whoever runs it */
    bool keeps;             /* what members have saved is where they stand: not again */
    const double *covering; /* inputs that a longer window found, as powers of time; or NULL */
    double since;           /* how much later than that this one begins */
    struct dt_slopes *slopes; /* where inputs are cubics; see cubic.c */
} dt_batch;

#define MAX_COLUMNS 4

static bool is_lost(const dt_member *m);

static int fail(dt_batch *b, dt_member *m, int stage, int status) {
    int none = 0;
    if (is_lost(m) && stage != INTERRUPTED) stage = LOST;
    if (atomic_compare_exchange_strong(&b->failed, &none, (int)(m - b->members) + 1)) {
        b->status = status;
        b->stage = stage;
    }
    return 1;
}

/* Storing what other threads read takes as long as a near-free step: not where it is so already. */
static inline void none_failed(dt_batch *b) {
    if (atomic_load_explicit(&b->failed, memory_order_relaxed)) atomic_store(&b->failed, 0);
}

static inline int set_reals(dt_member *m, double *values) {
    if (m->n_set == 0) return OK;
    if (m->version == 3)
        return ((access_3)m->set_real)(m->instance, m->in_refs, (size_t)m->n_in_refs, values,
                                       (size_t)m->n_set);
    return ((access_12)m->set_real)(m->instance, m->in_refs, (size_t)m->n_set, values);
}

static inline int get_reals(dt_member *m, double *values) {
    if (m->n_out == 0) return OK;
    if (m->version == 3)
        return ((access_3)m->get_real)(m->instance, m->out_refs, (size_t)m->n_out_refs, values,
                                       (size_t)m->n_out);
    return ((access_12)m->get_real)(m->instance, m->out_refs, (size_t)m->n_out, values);
}

/* u' , u'' ... at the start of the window, from the coefficients of its powers. */
static int set_slopes(dt_member *m, double t, double h, int columns) {
    const double *coefficients = m->inputs;
    static const double factorial[MAX_COLUMNS] = {1, 1, 2, 6};
    if (!m->set_derivatives) { /* a part that only holds inputs may still be given flat ones */
        for (int i = 0; i < m->n_set * columns; i++)
            if (i % columns && coefficients[i] != 0) return 3;
        return OK;
    }
    int order[64];
    double value[64];
    for (int k = 1; k < columns && k <= m->highest; k++)
        for (int j = 0; j < m->n_set; j += 64) {
            int n = m->n_set - j < 64 ? m->n_set - j : 64;
            for (int i = 0; i < n; i++) {
                order[i] = k;
                value[i] = factorial[k] * coefficients[(j + i) * columns + k];
            }
            unsigned status = ((derive_12)m->set_derivatives)(m->instance, m->in_refs + j, (size_t)n,
                                                         order, value);
            if (status > ERROR) return status;
            if (status > WARNING) { /* it takes fewer than it says: lower ones are left */
                m->highest = k - 1;
                m->refused = k;
                m->refused_until = t + 1.5 * h;
                break;
            }
        }
    return OK;
}

/* A step that ended at `reached`: one that asks for the end there is fine if the step is
 * complete. An early return is not ours to handle here. */
static int ended(dt_batch *b, dt_member *m, double t, double h, double reached, bool terminate) {
    if (reached >= t + h * (1 - 1e-9)) {
        if (terminate) atomic_store(&b->ending, (int)(m - b->members) + 1);
        return 0;
    }
    b->reached = reached;
    return fail(b, m, EARLY, terminate);
}

/* FMI 1 and 2 report an early end by discarding the step. */
static int discarded(dt_batch *b, dt_member *m, double t, double h) {
    double reached = t;
    int terminated = 0;
    bool knows = m->get_real_status &&
                 (unsigned)((real_status)m->get_real_status)(m->instance, 2, &reached) <= WARNING;
    bool stops = m->get_boolean_status &&
                 (unsigned)((boolean_status)m->get_boolean_status)(m->instance, 3, &terminated) <=
                     WARNING &&
                 terminated;
    bool moved = t < reached && reached <= t + h;
    if (!knows || !(moved || stops)) return fail(b, m, STEPPING, DISCARD);
    return ended(b, m, t, h, moved ? reached : t, stops); /* a stop needs no time */
}

static inline int step(dt_batch *b, dt_member *m, double t, double h) {
    unsigned status;
    if (m->version == 2) {
        status = ((step_2)m->do_step)(m->instance, t, h, m->no_set_prior);
        if (status == DISCARD) return discarded(b, m, t, h);
    } else if (m->version == 3) {
        bool event = false, terminate = false, early = false;
        double last = t + h;
        status = ((step_3)m->do_step)(m->instance, t, h, m->no_set_prior, &event, &terminate,
                                      &early, &last);
        if (status <= WARNING && (early || terminate)) {
            return ended(b, m, t, h, early ? last : t + h, terminate);
        }
    } else {
        char new_step = !m->again;
        m->again = 0;
        status = ((step_1)m->do_step)(m->instance, t, h, new_step);
        if (status == DISCARD) return discarded(b, m, t, h);
    }
    return status > WARNING ? fail(b, m, STEPPING, status) : 0;
}

enum { FIRST_TIMED = 3 }; /* steps that are timed soon, to know whether threads pay */

static inline void note_time(dt_member *m, double seconds) {
    m->timed_seconds += seconds;
    if (!m->timed++ || seconds < m->quickest) m->quickest = seconds;
}

static void solved_mark(dt_member *m);
static int solved_open(dt_batch *b, dt_member *m);
static int solved_advance(dt_batch *b, dt_member *m);
static int solved_restore(dt_batch *b, dt_member *m);
static int eventful_advance(dt_batch *b, dt_member *m);
static void eventful_mark(dt_member *m);
static void eventful_back(dt_member *m);
static unsigned set_tuned(dt_member *m);
static void tuned_mark(dt_member *m);
static void tuned_back(dt_member *m);

/* A step of a member whose equations are solved here. */
static int advance_solved(dt_batch *b, dt_member *m) {
    m->evaluations++;
    bool timing = (m->evaluations & 63) == 0 || m->timed < FIRST_TIMED;
    double begin = timing ? seconds_now() : 0;
    if (solved_advance(b, m)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    return 0;
}

static int advance_cubic(dt_batch *b, dt_member *m);
static unsigned step_on_cubic(dt_batch *b, dt_member *m, double *outputs);
static int remote_advance(dt_batch *b, dt_member *m);
static unsigned remote_step_on(dt_batch *b, dt_member *m, double *outputs);
static void unpost(dt_member *m);

/* One genuine step from the inputs in m->inputs to the outputs in m->outputs. */
static int advance(dt_batch *b, dt_member *m) {
    int columns = m->columns;
    double *values = m->inputs;
    if (atomic_load(&b->interrupted)) return fail(b, m, INTERRUPTED, 0);
    if (m->unusual) {
        if (m->solved) return advance_solved(b, m);
        if (m->remote) return remote_advance(b, m);
        if (m->events) return eventful_advance(b, m);
        if (m->cubic && columns > 1) return advance_cubic(b, m);
    }
    if (columns > 1) {
        values = m->scratch;
        for (int j = 0; j < m->n_in; j++) values[j] = m->inputs[j * columns];
    }
    m->stepped = 1; /* whatever happens now, it is no longer where it was */
    m->answered = 0;
    m->evaluations++;
    unsigned status = set_reals(m, values);
    if (status <= WARNING && m->unusual && m->tuned) status = set_tuned(m);
    if (status > WARNING) return fail(b, m, SETTING, status);
    if (m->log)
        dt_course(m->log, m->inputs, columns, b->time);
    else if (columns > 1 && m->n_set && (status = set_slopes(m, b->time, b->size, columns)) > WARNING)
        return fail(b, m, SLOPING, status);
    bool timing = (m->evaluations & 63) == 0 || (m->timed < FIRST_TIMED && m->evaluations > 1);
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    if (m->log && dt_followed(m->log) > WARNING) return fail(b, m, FOLLOWING, dt_followed(m->log));
    status = get_reals(m, m->outputs);
    if (status > WARNING) return fail(b, m, GETTING, status);
    m->answered = 1;
    return 0;
}

/* Most members have few signals: a call to copy or compare them costs more than doing it. */
static inline void copy(double *to, const double *from, int32_t n) {
    if (n > 8)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (int32_t i = 0; i < n; i++) to[i] = from[i];
}

static int restore_member(dt_batch *b, dt_member *m) {
    unsigned status = OK;
    if (m->unusual && m->solved) {
        if (solved_restore(b, m)) return 1;
    } else if (m->set_state)
        status = ((set_state)m->set_state)(m->instance, m->saved);
    else
        m->again = 1;
    if (m->unusual) {
        if (m->remote) unpost(m);
        if (m->events) eventful_back(m);
        if (m->tuned) tuned_back(m);
    }
    int me = (int)(m - b->members) + 1;
    if (atomic_load_explicit(&b->ending, memory_order_relaxed) == me)
        atomic_compare_exchange_strong(&b->ending, &me, 0);
    m->stepped = 0;
    return status > WARNING ? fail(b, m, RESTORING, status) : 0;
}

/* A step whose failure says nothing yet; an early end is a discarded one. */
static unsigned raw_step(dt_member *m, double t, double h) {
    if (m->version < 3) return (unsigned)((step_2)m->do_step)(m->instance, t, h, 0);
    bool event = false, terminate = false, early = false;
    double last = t + h;
    unsigned status =
        ((step_3)m->do_step)(m->instance, t, h, false, &event, &terminate, &early, &last);
    return status <= WARNING && (early || terminate) ? DISCARD : status;
}

/* One more step of the same kind, from where the last one ended: its outputs. The status of the
 * first call that did not go well. */
static unsigned step_on(dt_batch *b, dt_member *m, double *outputs) {
    if (m->remote) return remote_step_on(b, m, outputs);
    if (m->cubic) return step_on_cubic(b, m, outputs);
    double t = b->time + b->size, h = b->size;
    double *values = m->scratch;
    int columns = m->columns;
    unsigned status;
    for (int j = 0; j < m->n_in; j++) values[j] = m->inputs[j * columns];
    if ((status = set_reals(m, values)) > WARNING) return status;
    if (m->log)
        dt_course(m->log, m->inputs, columns, t);
    else if (columns > 1 && m->n_set && (status = set_slopes(m, t, h, columns)) > WARNING)
        return status;
    status = raw_step(m, t, h);
    if (status <= WARNING && m->log) status = (unsigned)dt_followed(m->log);
    return status > WARNING ? status : (unsigned)get_reals(m, outputs);
}

/* Whether two answers to the same question differ by more than solvers inside may. */
static int differs(dt_batch *b, dt_member *m, const double *first, const double *again,
                   const double *before, int stage) {
    for (int32_t i = 0; i < m->n_out; i++) {
        double x = first[i], y = again[i];
        double near = 1e-6 * fmax(fabs(x), fabs(y)) + 1e-2 * fabs(x - before[i]);
        if (isfinite(x) && !(fabs(x - y) <= near)) {
            b->reached = y;
            return fail(b, m, stage, i);
        }
    }
    return 0;
}

/* Before it rolls back: what the step after the last one gives where nothing was restored. */
static int look_ahead(dt_batch *b, dt_member *m) {
    m->ahead = 0;
    if (!m->answered || !m->set_state || atomic_load(&b->ending)) return 0;
    unsigned status = step_on(b, m, m->outputs + 3 * m->n_out);
    if (status > ERROR) return fail(b, m, STEPPING, (int)status);
    m->ahead = status <= WARNING;
    return 0;
}

/* The last step once more, from where it began: it must give the same, and so must the one after
 * it. Twin of src/dovetail/estimators/rollback_check.py. */
static int check_rollback(dt_batch *b, dt_member *m) {
    double *first = m->outputs + m->n_out, *before = first + m->n_out, *next = before + m->n_out;
    if (!m->answered) return 0;
    copy(first, m->outputs, m->n_out);
    for (int round = 0; round < 1 + (m->ahead != 0); round++) {
        int failed = advance(b, m);
        m->evaluations--;
        if (failed || differs(b, m, first, m->outputs, before, DIFFERING)) return 1;
        if (round) {
            if (step_on(b, m, m->outputs) > WARNING) m->outputs[0] = NAN; /* it could before */
            if (m->n_out && differs(b, m, next, m->outputs, first, DIFFERING_NEXT)) return 1;
        }
        if (restore_member(b, m)) return 1;
    }
    copy(m->outputs, first, m->n_out);
    return 0;
}

enum { CHECK_EVERY = 1000 }; /* rollbacks */

/* Whether this rollback is one to check; counts it. */
static inline bool is_due(dt_member *m) {
    if (m->until_check-- > 0) return false;
    m->until_check = CHECK_EVERY - 1;
    return true;
}

/* Back to the start of the window, if it has moved. */
static int rewind_member(dt_batch *b, dt_member *m) {
    if (!m->stepped) return 0;
    if (!m->rollback) return fail(b, m, REPEATING, 0);
    bool due = is_due(m);
    if ((due && look_ahead(b, m)) || restore_member(b, m)) return 1;
    return due ? check_rollback(b, m) : 0;
}

static bool is_posted(const dt_member *m);

static inline bool same(const double *a, const double *b, int32_t n) { /* to the last bit */
    if (n > 8) return !memcmp(a, b, (size_t)n * sizeof *a);
    uint64_t differ = 0;
    for (int32_t i = 0; i < n; i++) {
        uint64_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        differ |= x ^ y;
    }
    return !differ;
}

/* The outputs for these inputs: from memory if they are those of the last step. */
static inline int answer(dt_batch *b, dt_member *m, const double *inputs, int columns,
                         double *outputs) {
    int32_t n = m->n_in * columns;
    if (m->remote && is_posted(m)) {
        if (advance(b, m)) return 1;
    } else if (!m->stepped || m->columns != columns || !same(m->inputs, inputs, n)) {
        if (rewind_member(b, m)) return 1;
        copy(m->inputs, inputs, n);
        m->columns = columns;
        if (advance(b, m)) return 1;
    }
    if (outputs != m->outputs) copy(outputs, m->outputs, m->n_out);
    return 0;
}
