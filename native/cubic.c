/* ---- inputs along cubics ------------------------------------------------------------------------ */

/* Twin of src/dovetail/core/signals.py, src/dovetail/subsystems/sampling.py,
 * src/dovetail/estimators/differences.py. Of the first it is `Waveform.hermite`.
 * Same bits: tests/conformance/test_native_cubics.py. */

/* Derivatives of all outputs where the run stands, and what those are made of that no member gives:
 * outputs at the ends of the last windows, the newest first. */
typedef struct dt_slopes {
    double *now;    /* NaN where they are not known */
    double *rows;   /* outputs of two ends, one behind the other */
    double times[2];
    int32_t row[2]; /* which of the rows holds each */
    int32_t count;  /* of ends that are known */
    double weight[3]; /* of the outputs at this window's end, and of those */
} dt_slopes;

/* What a member needs that is given cubics. */
typedef struct dt_cubic {
    int32_t substeps; /* that a step is cut into, where it can only hold its inputs */
    int32_t told;     /* it gives the derivatives of its outputs */
    double *slopes;   /* of its outputs, at the end of its last step */
    int32_t *orders;  /* 1 for each of these */
} dt_cubic;

typedef int (*output_derivatives_12)(void *, const uint32_t *, size_t, const int32_t *, double *);
typedef int (*output_derivatives_3)(void *, const uint32_t *, size_t, const int32_t *, double *,
                                    size_t);

/* A cubic that meets values and derivatives at both ends. Where a derivative is NaN, a parabola through
 * what is known; where neither is known, a line. */
static inline void hermite(double begin, double first, double end, double last, double size,
                           double *row) {
    double rise = (end - begin) / size;
    if (isnan(first) || isnan(last)) {
        if (isnan(first)) first = 2 * rise - last;
        if (isnan(last)) last = 2 * rise - first;
        if (isnan(first)) first = rise;
        if (isnan(last)) last = rise;
    }
    row[0] = begin;
    row[1] = first;
    row[2] = (3 * rise - 2 * first - last) / size;
    row[3] = (first + last - 2 * rise) / (size * size);
}

/* Its value, and its derivative, at a time behind its beginning. */
static inline double cubic_at(const double *row, double time) {
    return ((row[3] * time + row[2]) * time + row[1]) * time + row[0];
}

static inline double cubic_slope(const double *row, double time) {
    return (3 * row[3] * time + 2 * row[2]) * time + row[1];
}

/* The same cubic with its time counted from a later one. */
static inline void cubic_from(const double *row, double time, double *found) {
    memcpy(found, row, MAX_COLUMNS * sizeof *found);
    for (int lowest = 0; lowest < MAX_COLUMNS - 1; lowest++)
        for (int k = MAX_COLUMNS - 2; k >= lowest; k--) found[k] += time * found[k + 1];
}

/* What a cubic adds to its first value, integrated up to a time. */
static inline double gathered(const double *row, double time) {
    return ((row[3] / 4 * time + row[2] / 3) * time + row[1] / 2) * time * time;
}

static inline double mean_of(const double *row, int32_t k, double size) {
    return row[0] + (gathered(row, size * (k + 1)) - gathered(row, size * k)) / size;
}

/* What an input is held at over substep `k`: its mean; over the last the value at the end, for which the
 * one before makes up. */
static inline double held_at(const double *row, int32_t k, int32_t count, double size) {
    if (k < count - 2) return mean_of(row, k, size);
    double end = cubic_at(row, count * size);
    if (k == count - 1) return end;
    return mean_of(row, k, size) + (mean_of(row, k + 1, size) - end);
}

/* Weights of the derivative at the end of a window that opens. */
static void weigh_slopes(dt_slopes *s, double stop) {
    double first = stop - s->times[0], second = stop - s->times[1], gap = second - first;
    if (s->count < 2) {
        s->weight[0] = 1 / first;
        s->weight[1] = -1 / first;
        return;
    }
    s->weight[0] = 1 / first + 1 / second;
    s->weight[1] = -second / (first * gap);
    s->weight[2] = first / (second * gap);
}

/* A window stands: its outputs are the newest. */
static void remember_outputs(dt_slopes *s, const double *outputs, int32_t n, double stop) {
    int32_t oldest = s->count < 2 ? s->count : s->row[1];
    s->times[1] = s->times[0];
    s->row[1] = s->row[0];
    s->times[0] = stop;
    s->row[0] = oldest;
    memcpy(s->rows + (size_t)oldest * (size_t)n, outputs, (size_t)n * sizeof *outputs);
    if (s->count < 2) s->count++;
}

/* What a member is given for substep `k` of a step that begins at `t`. */
static unsigned give_cubics(dt_member *m, int32_t k, double t, double size) {
    double *values = m->scratch;
    int32_t count = m->cubic->substeps;
    for (int32_t j = 0; j < m->n_in; j++) {
        const double *row = m->inputs + MAX_COLUMNS * (size_t)j;
        values[j] = count > 1 ? held_at(row, k, count, size) : row[0];
    }
    unsigned status = set_reals(m, values);
    if (status > WARNING || count > 1) return status;
    if (m->log)
        dt_course(m->log, m->inputs, MAX_COLUMNS, t);
    else if (m->n_in)
        status = set_slopes(m, t, size, MAX_COLUMNS);
    return status;
}

/* The derivatives of a member's outputs, right after its step. */
static unsigned find_slopes(const dt_slopes *s, dt_member *m, int32_t n_outputs) {
    dt_cubic *c = m->cubic;
    if (c->told && m->n_out) {
        size_t n = (size_t)m->n_out_refs;
        if (m->version == 3)
            return ((output_derivatives_3)m->get_slopes)(m->instance, m->out_refs, n, c->orders,
                                                         c->slopes, n);
        return ((output_derivatives_12)m->get_slopes)(m->instance, m->out_refs, n, c->orders,
                                                      c->slopes);
    }
    for (int32_t i = 0; i < m->n_out; i++) {
        double found = 0.0 + s->weight[0] * m->outputs[i];
        for (int32_t k = 0; k < s->count; k++) {
            const double *then = s->rows + (size_t)s->row[k] * (size_t)n_outputs;
            found = found + s->weight[k + 1] * then[m->out_at + i];
        }
        c->slopes[i] = found;
    }
    return OK;
}

/* `advance`, with cubics. Only the last substep may ask for the end: who asks before has been told. */
static int advance_cubic(dt_batch *b, dt_member *m) {
    int32_t count = m->cubic->substeps;
    double size = b->size / count;
    m->stepped = 1;
    m->answered = 0;
    m->evaluations++;
    bool timing = (m->evaluations & 63) == 0 || (m->timed < FIRST_TIMED && m->evaluations > 1);
    double begin = timing ? seconds_now() : 0;
    for (int32_t k = 0; k < count; k++) {
        double t = b->time + k * size;
        int me = (int)(m - b->members) + 1;
        if (k && atomic_load_explicit(&b->ending, memory_order_relaxed) == me)
            atomic_compare_exchange_strong(&b->ending, &me, 0);
        unsigned status = give_cubics(m, k, t, size);
        if (status > WARNING) return fail(b, m, SETTING, (int)status);
        if (step(b, m, t, size)) return 1;
        if (m->log && dt_followed(m->log) > WARNING) return fail(b, m, FOLLOWING, dt_followed(m->log));
    }
    if (timing) note_time(m, seconds_now() - begin);
    unsigned status = get_reals(m, m->outputs);
    if (status <= WARNING) status = find_slopes(b->slopes, m, b->n_outputs);
    if (status > WARNING) return fail(b, m, GETTING, (int)status);
    m->answered = 1;
    return 0;
}

/* `step_on`, with cubics. */
static unsigned step_on_cubic(dt_batch *b, dt_member *m, double *outputs) {
    int32_t count = m->cubic->substeps;
    double size = b->size / count, start = b->time + b->size;
    for (int32_t k = 0; k < count; k++) {
        double t = start + k * size;
        unsigned status = give_cubics(m, k, t, size);
        if (status > WARNING || (status = raw_step(m, t, size)) > WARNING) return status;
        if (m->log && (status = (unsigned)dt_followed(m->log)) > WARNING) return status;
    }
    return (unsigned)get_reals(m, outputs);
}
