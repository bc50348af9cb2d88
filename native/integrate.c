/* Model exchange: CVODE of SUNDIALS over an FMU, step after step with no Python in between.
 *
 * SUNDIALS is not linked: its functions come as addresses out of the library that scikit-sundae
 * brings, its objects are plain pointers. Whatever is decided or raised is left to Python; this
 * file only reports why it returned. The arithmetic is that of the Python path, call by call.
 *
 * Twin of src/dovetail/integrators/cvode.py.
 * Same bits: tests/conformance/test_native_steps.py.
 */

enum { ONE_STEP = 2 }; /* CV_ONE_STEP of CVODE */
enum { /* why steps end */
    FLOW_ARRIVED, FLOW_PAUSED, FLOW_LOOK, FLOW_WISHED, FLOW_TOO_MANY, FLOW_REFUSED, FLOW_FAILED
};
enum { IN_RATES = 1, IN_STATES, IN_INDICATORS, IN_COMPLETED, IN_DERIVATIVES, NO_NUMBERS, IN_INPUTS };
enum { BEYOND = 1 << 20 }; /* instead of a status: a value that its type has no room for */
enum { TOO_BAD = 1000 }; /* evaluations that are not finite, in one run */

/* Inputs of one type that move; the same order as `Inlet` in flow.py. */
typedef struct {
    void *set;
    const uint32_t *refs;
    const ptrdiff_t *places; /* rows of the coefficients */
    const double *factors;   /* -1 where an alias is negated; NULL: nowhere */
    void *values;
    int32_t n_refs, n, single, padding;
} dt_inlet;

/* df/dx, colour by colour; the same order as `Matrix` in flow.py. */
typedef struct {
    void *function; /* directional or adjoint derivatives; NULL: differences */
    const uint32_t *unknowns, *knowns;
    double *seed, *result, *moves, *moved;
    const double *nominal;
    const ptrdiff_t *colour_at, *colours;            /* lines of each colour */
    const ptrdiff_t *entry_at, *found, *rows, *columns; /* entries of each colour */
    int32_t n_unknowns, n_knowns, n_colours, whole;
    /* a sparse one, column by column: how SUNDIALS gives its arrays, what is in them, and where each
       entry stands; `data_of` NULL: it is full */
    double *(*data_of)(void *);
    void *(*rows_of)(void *), *(*begins_of)(void *);
    const void *indices, *begins;
    const ptrdiff_t *places;
    int64_t n_indices, n_begins; /* in bytes */
} dt_matrix;

/* The same order as `NativeFlow` in flow.py. */
typedef struct {
    void *mem, *y, *between; /* a CVODE, its states, room for others */
    int (*cvode)(void *, double, void *, double *, int);
    int (*interpolate)(void *, double, int, void *);
    int (*set_stop)(void *, double);
    int (*clear_stop)(void *);
    double *(*numbers)(void *);
    double **(*columns_of)(void *);
    const dt_exchange *fmu;
    const dt_inlet *inlets;
    const double *coefficients;
    const dt_matrix *matrix;
    const int32_t *armed;   /* the side of each indicator; 0: it stands at zero */
    double *x, *z, *row;    /* states and indicators at `time`; room for indicators */
    double began;           /* where the local time of the inputs is zero */
    double time, end;       /* the last step */
    double failed_at;
    int64_t evaluations, bad, steps, most;
    int32_t n_inlets, columns, n_indicators, watches_steps;
    int32_t failed, status, flag, ending;
} dt_flow;

EXPORT int64_t dt_flow_layout(void) {
    return (int64_t)(sizeof(dt_inlet) + sizeof(dt_matrix) + sizeof(dt_flow));
}

static int broken(dt_flow *s, int where, int status, double time) {
    s->failed = where;
    s->status = status;
    s->failed_at = time;
    return -1;
}

static void fill_nan(double *values, int32_t n) {
    for (int32_t i = 0; i < n; i++) values[i] = NAN;
}

typedef int (*set_reals_12)(void *, const uint32_t *, size_t, void *);
typedef int (*set_reals_3)(void *, const uint32_t *, size_t, void *, size_t);

/* Inputs as they are at a time; nothing to do where they are held. */
static int hand_over(dt_flow *s, double time) {
    double since = time - s->began;
    for (int32_t i = 0; i < s->n_inlets; i++) {
        const dt_inlet *in = s->inlets + i;
        for (int32_t k = 0; k < in->n; k++) {
            const double *a = s->coefficients + in->places[k] * s->columns;
            double value = a[s->columns - 1];
            for (int32_t c = s->columns - 2; c >= 0; c--) value = value * since + a[c];
            if (in->single) {
                float rounded = (float)value;
                if (isinf(rounded) && isfinite(value)) return broken(s, IN_INPUTS + i, BEYOND, time);
                ((float *)in->values)[k] = in->factors ? rounded * (float)in->factors[k] : rounded;
            } else {
                ((double *)in->values)[k] = in->factors ? value * in->factors[k] : value;
            }
        }
        void *instance = s->fmu->instance;
        int status = s->fmu->version == 3
                         ? ((set_reals_3)in->set)(instance, in->refs, (size_t)in->n_refs,
                                                  in->values, (size_t)in->n)
                         : ((set_reals_12)in->set)(instance, in->refs, (size_t)in->n_refs,
                                                   in->values);
        if (worst_of(0, status) > 1) return broken(s, IN_INPUTS + i, status, time);
    }
    return 0;
}

/* dx = f(time, x), without a number in it where the FMU discards; below 0: it failed. Above 0:
   something is not finite. */
static int derive(dt_flow *s, double time, double *x, double *dx) {
    int status = rates_at(s->fmu, time, x, dx);
    if (status <= 1) return 0;
    if (status % ENDLESS > 1) {
        if (status % ENDLESS != DISCARDED) return broken(s, IN_RATES, status % ENDLESS, time);
        fill_nan(dx, s->fmu->n);
    }
    return 1;
}

static int move_there(dt_flow *s, double time, double *x, int *status) {
    const dt_exchange *e = s->fmu;
    *status = ((set_time_fn)e->set_time)(e->instance, time > e->floor ? time : e->floor);
    *status = worst_of(worst_of(0, *status), ((vector_fn)e->set_states)(e->instance, x, (size_t)e->n));
    return *status > 1 && *status != DISCARDED ? broken(s, IN_STATES, *status, time) : 0;
}

/* Event indicators at a time. */
static int indicate(dt_flow *s, double time, double *x, double *z) {
    if (hand_over(s, time)) return -1;
    int status = indicators_at(s->fmu, time, x, z);
    if (status <= 1) return 0;
    if (status >= UNPLACED) return broken(s, IN_STATES, status - UNPLACED, time);
    if (status != DISCARDED) return broken(s, IN_INDICATORS, status, time);
    fill_nan(z, s->n_indicators);
    return 0;
}

/* ---- what CVODE calls ---------------------------------------------------------------------- */

EXPORT int dt_flow_rates(double time, void *y, void *dy, void *data) {
    dt_flow *s = data;
    s->evaluations++;
    int found = hand_over(s, time) ? -1 : derive(s, time, s->numbers(y), s->numbers(dy));
    if (found > 0) { /* CVODE tries a shorter step, without end */
        if (++s->bad > TOO_BAD) return broken(s, NO_NUMBERS, 0, time);
        return 0;
    }
    return found;
}

typedef int (*along_12)(void *, const uint32_t *, size_t, const uint32_t *, size_t, double *, double *);
typedef int (*along_3)(void *, const uint32_t *, size_t, const uint32_t *, size_t, double *, size_t,
                        double *, size_t);

/* One colour by derivatives of the FMU, into `result`. */
static int derive_colour(dt_flow *s, double time, ptrdiff_t g) {
    const dt_matrix *m = s->matrix;
    const dt_exchange *e = s->fmu;
    const size_t n = (size_t)e->n, nu = (size_t)m->n_unknowns, nk = (size_t)m->n_knowns;
    for (ptrdiff_t k = m->colour_at[g]; k < m->colour_at[g + 1]; k++) m->seed[m->colours[k]] = 1;
    int status = e->version == 3 ? ((along_3)m->function)(e->instance, m->unknowns, nu, m->knowns, nk,
                                                           m->seed, n, m->result, n)
                                 : ((along_12)m->function)(e->instance, m->unknowns, nu, m->knowns,
                                                            nk, m->seed, m->result);
    for (ptrdiff_t k = m->colour_at[g]; k < m->colour_at[g + 1]; k++) m->seed[m->colours[k]] = 0;
    return worst_of(0, status) > 1 ? broken(s, IN_DERIVATIVES, status, time) : 0;
}

/* One colour by central differences, not yet divided, into `result`. */
static int move_colour(dt_flow *s, double time, const double *x, ptrdiff_t g) {
    const dt_matrix *m = s->matrix;
    const int32_t n = s->fmu->n;
    for (int side = 1; side >= -1; side -= 2) {
        memcpy(m->moved, x, (size_t)n * sizeof *x);
        for (ptrdiff_t k = m->colour_at[g]; k < m->colour_at[g + 1]; k++) {
            double half = 0.5 * m->moves[m->colours[k]];
            m->moved[m->colours[k]] = side > 0 ? x[m->colours[k]] + half : x[m->colours[k]] - half;
        }
        if (derive(s, time, m->moved, side > 0 ? m->result : m->seed) < 0) return -1;
    }
    for (int32_t i = 0; i < n; i++) m->result[i] -= m->seed[i];
    return 0;
}

/* The entries of a sparse matrix, which is empty when it comes. */
static int sparse_entries(dt_flow *s, double time, const double *x, void *matrix) {
    const dt_matrix *m = s->matrix;
    double *data = m->data_of(matrix);
    memcpy(m->rows_of(matrix), m->indices, (size_t)m->n_indices);
    memcpy(m->begins_of(matrix), m->begins, (size_t)m->n_begins);
    for (int32_t g = 0; g < m->n_colours; g++) {
        if (m->function ? derive_colour(s, time, g) : move_colour(s, time, x, g)) return -1;
        for (ptrdiff_t k = m->entry_at[g]; k < m->entry_at[g + 1]; k++) {
            double entry = m->result[m->found[k]];
            data[m->places[k]] = m->function ? entry : entry / m->moves[m->columns[k]];
        }
    }
    return 0;
}

EXPORT int dt_flow_matrix(double time, void *y, void *dy, void *matrix, void *data, void *a, void *b,
                          void *c) {
    (void)dy, (void)a, (void)b, (void)c;
    dt_flow *s = data;
    const dt_matrix *m = s->matrix;
    const int32_t n = s->fmu->n;
    double *x = s->numbers(y), **into = m->data_of ? NULL : s->columns_of(matrix);
    int status;
    if (hand_over(s, time)) return -1;
    for (int32_t j = 0; j < n && into; j++) memset(into[j], 0, (size_t)n * sizeof **into);
    if (m->function) {
        if (move_there(s, time, x, &status)) return -1;
    } else {
        for (int32_t i = 0; i < n; i++) {
            double size = fabs(x[i]), least = 1e-3 * m->nominal[i];
            double wanted = 2 * 6e-6 * (size > least || isnan(size) ? size : least);
            m->moves[i] = (x[i] + 0.5 * wanted) - (x[i] - 0.5 * wanted);
        }
    }
    if (!into) return sparse_entries(s, time, x, matrix);
    for (int32_t g = 0; g < m->n_colours; g++) {
        if (m->function ? derive_colour(s, time, g) : move_colour(s, time, x, g)) return -1;
        for (ptrdiff_t k = m->entry_at[g]; k < m->entry_at[g + 1]; k++)
            into[m->columns[k]][m->rows[k]] = m->result[m->found[k]];
    }
    if (m->function) return 0;
    if (m->whole) {
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < n; i++) into[j][i] /= m->moves[j];
    } else {
        for (ptrdiff_t k = 0; k < m->entry_at[m->n_colours]; k++)
            into[m->columns[k]][m->rows[k]] /= m->moves[m->columns[k]];
    }
    return 0;
}

/* ---- what Python calls --------------------------------------------------------------------- */

/* Before CVODE starts anew with the states in `y`: FLOW_FAILED where there is no start. */
EXPORT int dt_flow_begin(dt_flow *s, double start) {
    s->failed = 0;
    s->evaluations++;
    if (hand_over(s, start)) return FLOW_FAILED;
    int found = derive(s, start, s->numbers(s->y), s->numbers(s->between));
    if (found > 0) broken(s, NO_NUMBERS, 0, start);
    return found ? FLOW_FAILED : FLOW_ARRIVED;
}

/* Whether any indicator changes sign in the step, or would have to be looked at for another reason:
   1; below 0: it failed. */
static int stirs(dt_flow *s) {
    static const double quarters[] = {0.25, 0.5, 0.75, 1.0};
    for (int32_t k = 0; k < s->n_indicators; k++)
        if (!s->armed[k]) return 1;
    double size = s->end - s->time;
    for (int q = 0; q < 4; q++) {
        double time = q < 3 ? s->time + quarters[q] * size : s->end;
        void *there = q < 3 ? s->between : s->y;
        if (q < 3 && s->interpolate(s->mem, time, 0, s->between) < 0) return 1;
        if (indicate(s, time, s->numbers(there), s->row)) return -1;
        for (int32_t k = 0; k < s->n_indicators; k++)
            if (isnan(s->row[k]) || s->armed[k] * s->row[k] < 0) return 1;
    }
    return 0;
}

/* The indicators at a time in the last step, into `row`; FLOW_FAILED where there are none. */
EXPORT int dt_flow_glance(dt_flow *s, double time) {
    s->failed = 0;
    s->flag = s->interpolate(s->mem, time, 0, s->between);
    if (s->flag < 0) return FLOW_REFUSED;
    return indicate(s, time, s->numbers(s->between), s->row) ? FLOW_FAILED : FLOW_ARRIVED;
}

/* The end of a step; whether the FMU wants an event there: 1; below 0: it failed. */
static int step_completed(dt_flow *s) {
    if (hand_over(s, s->end)) return -1;
    int status = completed_at(s->fmu, s->end, s->numbers(s->y));
    if (status % WANTED > 1) return broken(s, IN_COMPLETED, status % WANTED, s->end);
    if (status & ENDING) s->ending = 1;
    return (status & WANTED) != 0;
}

static int one_step(dt_flow *s, double stop) {
    if (s->steps == s->most) return FLOW_TOO_MANY;
    s->end = s->time;
    s->flag = s->cvode(s->mem, stop, s->y, &s->end, ONE_STEP);
    if (s->failed) return FLOW_FAILED;
    if (s->flag < 0) return FLOW_REFUSED;
    s->steps++;
    if (s->end <= s->time) return FLOW_PAUSED; /* a step below rounding */
    if (s->n_indicators) {
        int found = stirs(s);
        if (found) return found < 0 ? FLOW_FAILED : FLOW_LOOK;
        memcpy(s->x, s->numbers(s->y), (size_t)s->fmu->n * sizeof *s->x);
        memcpy(s->z, s->row, (size_t)s->n_indicators * sizeof *s->z);
    }
    if (s->watches_steps) {
        int found = step_completed(s);
        if (found) return found < 0 ? FLOW_FAILED : FLOW_WISHED;
    }
    s->time = s->end;
    return s->end >= stop ? FLOW_ARRIVED : FLOW_PAUSED;
}

/* Steps from `time` on until `stop`, or until Python has to look; returns after so many seconds in
   any case, for Ctrl-C. */
EXPORT int dt_flow_steps(dt_flow *s, double stop, double seconds) {
    double until = seconds_now() + seconds;
    int why = FLOW_REFUSED;
    s->failed = 0;
    s->flag = s->set_stop(s->mem, stop);
    if (s->flag >= 0) do why = one_step(s, stop);
        while (why == FLOW_PAUSED && seconds_now() < until);
    s->clear_stop(s->mem);
    return why;
}
