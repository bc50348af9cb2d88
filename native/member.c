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

enum { OK = 0, WARNING = 1, DISCARD = 2 }; /* kept unsigned: what is below OK is not OK */
enum { SETTING = 1, STEPPING = 2, GETTING = 3, SAVING = 4, RESTORING = 5, REPEATING = 6,
       EARLY = 7, SLOPING = 8, FOLLOWING = 9 };

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

/* What Python fills in. Arrays belong to Python and outlive the batch. */
typedef struct dt_member {
    /* of every step, side by side */
    void *instance;
    void *set_real, *do_step, *get_real;
    const uint32_t *in_refs, *out_refs;
    int32_t version, no_set_prior;
    int32_t n_in_refs, n_out_refs;      /* variables, of which some may be arrays */
    int32_t n_in, n_out, in_at, out_at; /* scalars, and their places among those of all */
    int32_t first_wire, last_wire, plain;
    int32_t rollback; /* save the state when a window opens */
    void *get_state, *set_state, *free_state, *set_derivatives;
    void *get_real_status, *get_boolean_status; /* FMI 2 */
    dt_log *log;                                /* of one that asks for inputs inside a step */
    /* kept here */
    void *saved;
    double *inputs, *outputs, *scratch; /* of the last step: what went in, what came out */
    int32_t stepped, columns;
    int32_t again, padding; /* FMI 1: the last step is rejected, the next one begins where it began */
    int64_t evaluations, timed;
    double timed_seconds, quickest; /* of those steps that were timed */
} dt_member;

struct pool;

typedef struct dt_batch {
    int32_t n;
    dt_member *members;
    const int32_t *wire_target, *wire_source;
    const double *wire_gain, *wire_offset;
    const double *start; /* inputs that nothing feeds */
    double time, size;
    atomic_int failed; /* member + 1, of the first failure */
    atomic_int ending; /* member + 1, of one that asks to end the simulation after this step */
    int32_t status, stage;
    double reached;
    struct pool *pool;
    int64_t *first_move, *first_change; /* where a member's columns begin */
    int64_t singles;                    /* windows that were asked for one by one */
} dt_batch;

#define MAX_COLUMNS 4

EXPORT dt_batch *dt_batch_new(int32_t n, dt_member *members, const int32_t *target,
                              const int32_t *source, const double *gain, const double *offset,
                              const double *start) {
    dt_batch *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->n = n;
    b->members = members;
    b->wire_target = target;
    b->wire_source = source;
    b->wire_gain = gain;
    b->wire_offset = offset;
    b->start = start;
    for (int32_t i = 0; i < n; i++) {
        dt_member *m = members + i;
        m->inputs = calloc((size_t)m->n_in * MAX_COLUMNS + 1, sizeof(double));
        m->outputs = calloc((size_t)m->n_out + 1, sizeof(double));
        m->scratch = calloc((size_t)m->n_in * (1 + MAX_COLUMNS) + (size_t)m->n_out + 1,
                            sizeof(double)); /* values, then rows and outputs of columns */
    }
    b->first_move = calloc((size_t)n + 1, sizeof *b->first_move);
    b->first_change = calloc((size_t)n + 1, sizeof *b->first_change);
    return b;
}

static int fail(dt_batch *b, dt_member *m, int stage, int status) {
    int none = 0;
    if (atomic_compare_exchange_strong(&b->failed, &none, (int)(m - b->members) + 1)) {
        b->status = status;
        b->stage = stage;
    }
    return 1;
}

static inline int set_reals(dt_member *m, double *values) {
    if (m->n_in == 0) return OK;
    if (m->version == 3)
        return ((access_3)m->set_real)(m->instance, m->in_refs, (size_t)m->n_in_refs, values,
                                       (size_t)m->n_in);
    return ((access_12)m->set_real)(m->instance, m->in_refs, (size_t)m->n_in, values);
}

static inline int get_reals(dt_member *m, double *values) {
    if (m->n_out == 0) return OK;
    if (m->version == 3)
        return ((access_3)m->get_real)(m->instance, m->out_refs, (size_t)m->n_out_refs, values,
                                       (size_t)m->n_out);
    return ((access_12)m->get_real)(m->instance, m->out_refs, (size_t)m->n_out, values);
}

/* u' , u'' ... at the start of the window, from the coefficients of its powers. */
static int set_slopes(dt_member *m, const double *coefficients, int columns) {
    static const double factorial[MAX_COLUMNS] = {1, 1, 2, 6};
    if (!m->set_derivatives) { /* a part that only holds inputs may still be given flat ones */
        for (int i = 0; i < m->n_in * columns; i++)
            if (i % columns && coefficients[i] != 0) return 3;
        return OK;
    }
    int order[64];
    double value[64];
    for (int k = 1; k < columns; k++)
        for (int j = 0; j < m->n_in; j += 64) {
            int n = m->n_in - j < 64 ? m->n_in - j : 64;
            for (int i = 0; i < n; i++) {
                order[i] = k;
                value[i] = factorial[k] * coefficients[(j + i) * columns + k];
            }
            unsigned status = ((derive_12)m->set_derivatives)(m->instance, m->in_refs + j, (size_t)n,
                                                         order, value);
            if (status > WARNING) return status;
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

/* One genuine step from the inputs in m->inputs to the outputs in m->outputs. */
static int advance(dt_batch *b, dt_member *m) {
    int columns = m->columns;
    double *values = m->inputs;
    if (columns > 1) {
        values = m->scratch;
        for (int j = 0; j < m->n_in; j++) values[j] = m->inputs[j * columns];
    }
    m->stepped = 1; /* whatever happens now, it is no longer where it was */
    m->evaluations++;
    unsigned status = set_reals(m, values);
    if (status > WARNING) return fail(b, m, SETTING, status);
    if (m->log)
        dt_course(m->log, m->inputs, columns, b->time);
    else if (columns > 1 && m->n_in && (status = set_slopes(m, m->inputs, columns)) > WARNING)
        return fail(b, m, SLOPING, status);
    bool timing = (m->evaluations & 63) == 0 || (m->timed < FIRST_TIMED && m->evaluations > 1);
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    if (m->log && dt_followed(m->log) > WARNING) return fail(b, m, FOLLOWING, dt_followed(m->log));
    status = get_reals(m, m->outputs);
    return status > WARNING ? fail(b, m, GETTING, status) : 0;
}

/* Back to the start of the window, if it has moved. */
static int rewind_member(dt_batch *b, dt_member *m) {
    if (!m->stepped) return 0;
    if (!m->rollback) return fail(b, m, REPEATING, 0);
    unsigned status = OK;
    if (m->set_state)
        status = ((set_state)m->set_state)(m->instance, m->saved);
    else
        m->again = 1;
    int me = (int)(m - b->members) + 1;
    atomic_compare_exchange_strong(&b->ending, &me, 0);
    m->stepped = 0;
    return status > WARNING ? fail(b, m, RESTORING, status) : 0;
}

/* Most members have few signals: a call to copy or compare them costs more than doing it. */
static inline void copy(double *to, const double *from, int32_t n) {
    if (n > 8)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (int32_t i = 0; i < n; i++) to[i] = from[i];
}

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
    if (!m->stepped || m->columns != columns || !same(m->inputs, inputs, n)) {
        if (rewind_member(b, m)) return 1;
        copy(m->inputs, inputs, n);
        m->columns = columns;
        if (advance(b, m)) return 1;
    }
    if (outputs != m->outputs) copy(outputs, m->outputs, m->n_out);
    return 0;
}
