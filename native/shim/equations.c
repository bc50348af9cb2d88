/* ---- parts that are equations ---------------------------------------------------------------- */

/* A Python model that was traced: a library with its functions, and one of the explicit integrators of
 * the kernel. It answers as an FMU of FMI 2 would.
 *
 * Twin of src/dovetail/models/dynamic_part.py, src/dovetail/models/algebraic.py,
 * src/dovetail/models/discrete.py, src/dovetail/models/source.py, but for rounding:
 * tests/exporting/test_equations.py. */

enum { EQUATIONS_VERSION = 2 };

/* What the library of a model gives: the same as in src/dovetail/exporting/compiled/source.py. */
typedef struct {
    int32_t version, n_x, n_u, n_y, n_p, method; /* of integration, as in solved.c */
    double rtol, size, longest;
    int64_t most;
    const double *atol;
    void (*rates)(double t, const double *x, const double *u, const double *p, double *dx);
    void (*outputs)(double t, const double *x, const double *u, const double *p, double *y);
    /* rows: derivatives of states, outputs; columns: states, inputs. NULL: there is none */
    void (*jacobian)(double t, const double *x, const double *u, const double *p, double *J);
    /* sampled, if the period is above zero: rates are the next states then. Else outputs jump at times, and
     * again after as long as the period is below zero. */
    double period, offset;
    int64_t n_jumps;
    const double *jumps;
} model_equations;

/* Values by value reference: parameters, states, inputs, outputs, and behind them rates of states. */
typedef struct {
    const model_equations *q;
    double time, now, next_size, moved; /* where it stands, where rates are asked, since when inputs move */
    int32_t columns;
    bool due, sampling, starting; /* a sample or jump was not taken; at a sample; at the start */
    int64_t passed;               /* samples or jumps that were taken */
    double origin;                /* of samples */
    double *values, *p, *x, *u, *y, *at; /* at: the states that rates are asked for */
    double *sampled;                     /* inputs at the last sample */
    double *coefficients, *there;        /* of inputs over a step; inputs at a time */
    double *room, *rates, *jacobian;
    dt_exchange exchange;
    dt_flow flow;
    dt_solved solved;
    dt_member member;
    dt_batch batch;
} equations;

static size_t values_of(const model_equations *q) {
    return (size_t)q->n_p + (size_t)q->n_x + (size_t)q->n_u + (size_t)q->n_y;
}

/* ---- samples, and outputs that jump ---- */

static bool is_sampled(const equations *m) { return m->q->period > 0; }

/* When windows have to end next. */
static double equations_next(const equations *m) {
    return is_sampled(m) ? m->origin + (double)m->passed * m->q->period : jump_at(m->q->jumps, m->q->n_jumps, m->q->period, m->passed);
}

/* A sample or jump happens, if one is due. */
static void equations_take(equations *m) {
    if (!m->due) return;
    m->due = false;
    m->passed++;
    m->sampling = is_sampled(m);
    while (!m->sampling && jump_at(m->q->jumps, m->q->n_jumps, m->q->period, m->passed) <= m->time) m->passed++;
}

/* The time of a signal on the side of the jump where it stands, whatever the clock says. */
static double on_its_side(const equations *m) {
    double t = m->time;
    if (!m->q->n_jumps) return t;
    double high = nextafter(equations_next(m), -INFINITY);
    double low = jump_at(m->q->jumps, m->q->n_jumps, m->q->period, m->passed - 1);
    return t > high ? high : t < low ? low : t;
}

/* Outputs now: of one that is sampled for these inputs at a sample, else as they were. */
static void find_outputs(equations *m) {
    size_t size = (size_t)m->q->n_u * sizeof *m->u;
    if (!is_sampled(m)) {
        m->q->outputs(on_its_side(m), m->x, m->u, m->p, m->y);
    } else if (m->sampling || m->starting) {
        if (m->sampling) memcpy(m->sampled, m->u, size);
        m->q->outputs(m->time, m->x, m->sampled, m->p, m->y);
    }
}

/* Time moves on from where it stood: what was sampled there leads to the next states. */
static void leave_sample(equations *m) {
    if (!m->sampling) {
        equations_take(m);
        return;
    }
    if (m->q->n_x) m->q->rates(m->time, m->x, m->sampled, m->p, m->rates);
    memcpy(m->x, m->rates, (size_t)m->q->n_x * sizeof *m->x);
    m->sampling = false;
}

/* Inputs at a time: held, or along a polynomial from the start of the step. */
static const double *inputs_then(equations *m, double time) {
    if (m->columns <= 1) return m->u;
    double since = time - m->moved;
    for (int32_t j = 0; j < m->q->n_u; j++) {
        const double *a = m->coefficients + (size_t)j * MAX_COLUMNS;
        double value = a[m->columns - 1];
        for (int32_t c = m->columns - 2; c >= 0; c--) value = value * since + a[c];
        m->there[j] = value;
    }
    return m->there;
}

static int equations_at(void *c, double time) {
    ((equations *)c)->now = time;
    return OK;
}

static int equations_in(void *c, double *x, size_t n) {
    memcpy(((equations *)c)->at, x, n * sizeof *x);
    return OK;
}

static int equations_rates(void *c, double *dx, size_t n) {
    equations *m = c;
    (void)n;
    m->q->rates(m->now, m->at, inputs_then(m, m->now), m->p, dx);
    return OK;
}

static int equations_set(void *c, const uint32_t *refs, size_t n, const double *values) {
    equations *m = c;
    for (size_t k = 0; k < n; k++) {
        if (refs[k] >= values_of(m->q)) return ERROR;
        m->values[refs[k]] = values[k];
    }
    m->columns = 1;
    return OK;
}

static int equations_moving(void *c, const uint32_t *refs, size_t n, const int *orders,
                            const double *values) {
    static const double factorial[MAX_COLUMNS] = {1, 1, 2, 6};
    equations *m = c;
    uint32_t first = (uint32_t)(m->u - m->values);
    for (size_t k = 0; k < n; k++) {
        int order = orders[k];
        if (order < 1 || order >= MAX_COLUMNS || refs[k] < first) return ERROR;
        if (refs[k] - first >= (uint32_t)m->q->n_u) return ERROR;
        if (m->columns <= 1) {
            memset(m->coefficients, 0, (size_t)m->q->n_u * MAX_COLUMNS * sizeof *m->coefficients);
            for (int32_t j = 0; j < m->q->n_u; j++) m->coefficients[j * MAX_COLUMNS] = m->u[j];
        }
        m->coefficients[(refs[k] - first) * MAX_COLUMNS + (uint32_t)order] =
            values[k] / factorial[order];
        if (m->columns <= order) m->columns = order + 1;
    }
    m->moved = m->time;
    return OK;
}

static int equations_get(void *c, const uint32_t *refs, size_t n, double *values) {
    equations *m = c;
    bool rated = false;
    find_outputs(m);
    for (size_t k = 0; k < n; k++) {
        size_t rate = refs[k] - values_of(m->q);
        if (refs[k] < values_of(m->q)) {
            values[k] = m->values[refs[k]];
            continue;
        }
        if (rate >= (size_t)m->q->n_x) return ERROR;
        if (!rated) m->q->rates(m->time, m->x, m->u, m->p, m->rates);
        rated = true;
        values[k] = m->rates[rate];
    }
    return OK;
}

/* The row of a rate or output, the column of a state or input. -1: there is none. */
static int64_t line_of(const equations *m, uint32_t reference, bool known) {
    int64_t r = (int64_t)reference - m->q->n_p, n_x = m->q->n_x, n_u = m->q->n_u, n_y = m->q->n_y;
    if (known) return r >= 0 && r < n_x + n_u ? r : -1;
    r -= n_x + n_u;
    return r < 0 || r >= n_y + n_x ? -1 : r < n_y ? n_x + r : r - n_y;
}

static int equations_along(void *c, const uint32_t *unknown, size_t n_unknown,
                           const uint32_t *known, size_t n_known, const double *seed,
                           double *found) {
    equations *m = c;
    int64_t width = m->q->n_x + m->q->n_u;
    if (!m->q->jacobian) return ERROR;
    m->q->jacobian(m->time, m->x, m->u, m->p, m->jacobian);
    for (size_t i = 0; i < n_unknown; i++) {
        int64_t row = line_of(m, unknown[i], false);
        if (row < 0) return ERROR;
        found[i] = 0;
        for (size_t k = 0; k < n_known; k++) {
            int64_t column = line_of(m, known[k], true);
            if (column < 0) return ERROR;
            if (seed[k] != 0) found[i] += m->jacobian[row * width + column] * seed[k];
        }
    }
    return OK;
}

static int equations_step(void *c, double time, double size, int stays) {
    equations *m = c;
    double stop = time + size;
    (void)stays;
    leave_sample(m);
    m->time = m->moved = time;
    if (m->q->n_x && !is_sampled(m)) {
        m->solved.next_size = m->next_size;
        atomic_store(&m->batch.failed, 0);
        int failed = m->q->method == BY_RK45 ? by_rk45(&m->batch, &m->member, time, stop)
                                             : by_fixed_steps(&m->batch, &m->member, time, stop);
        if (failed) return DISCARD; /* it stands where it stood */
        m->next_size = m->solved.next_size;
    }
    const double *u = inputs_then(m, stop);
    if (u != m->u) memcpy(m->u, u, (size_t)m->q->n_u * sizeof *u);
    m->columns = 1;
    m->time = stop;
    m->due = equations_next(m) <= stop + 1e-9 * size;
    return OK;
}

static int equations_start(void *c, int has, double tolerance, double start, int ends, double stop) {
    equations *m = c;
    (void)has, (void)tolerance, (void)ends, (void)stop;
    m->time = start;
    m->origin = start + m->q->offset;
    m->starting = true;
    m->sampling = is_sampled(m) && m->origin <= start;
    m->passed = is_sampled(m) ? m->sampling : jump_behind(m->q->jumps, m->q->n_jumps, m->q->period, start);
    return OK;
}

static int equations_begin(void *c) {
    ((equations *)c)->starting = false;
    return OK;
}

static int equations_nothing(void *c) {
    (void)c;
    return OK;
}

static void equations_free(void *c) {
    equations *m = c;
    if (!m) return;
    free(m->values), free(m->at), free(m->coefficients), free(m->there), free(m->room);
    free(m->rates), free(m->jacobian), free(m->sampled);
    free(m);
}

static equations *equations_new(void *library) {
    const model_equations *(*give)(void) =
        (const model_equations *(*)(void))symbol_in(library, "dovetail_equations");
    const model_equations *q = give ? give() : NULL;
    if (!q || q->version != EQUATIONS_VERSION) return NULL;
    equations *m = calloc(1, sizeof *m);
    size_t n = m ? (size_t)q->n_x : 0, in = m ? (size_t)q->n_u : 0;
    if (!m) return NULL;
    m->q = q;
    m->values = calloc(values_of(q) + 1, sizeof(double));
    m->at = calloc(n + 1, sizeof(double));
    m->coefficients = calloc(in * MAX_COLUMNS + 1, sizeof(double));
    m->there = calloc(in + 1, sizeof(double));
    m->sampled = calloc(in + 1, sizeof(double));
    m->room = calloc(15 * n + 1, sizeof(double));
    m->rates = calloc(n + 1, sizeof(double));
    m->jacobian = calloc((n + (size_t)q->n_y) * (n + in) + 1, sizeof(double));
    if (!m->values || !m->at || !m->coefficients || !m->there || !m->room || !m->rates ||
        !m->jacobian || !m->sampled) {
        equations_free(m);
        return NULL;
    }
    m->p = m->values, m->x = m->p + q->n_p, m->u = m->x + q->n_x, m->y = m->u + q->n_u;
    m->next_size = NAN;
    m->exchange = (dt_exchange){
        .instance = m, .set_time = (void *)equations_at, .set_states = (void *)equations_in,
        .get_rates = (void *)equations_rates, .floor = -INFINITY, .n = q->n_x, .version = 2,
    };
    m->flow.fmu = &m->exchange;
    m->solved = (dt_solved){
        .flow = &m->flow, .x = m->x, .room = m->room, .size = q->size, .next_size = NAN,
        .rtol = q->rtol, .longest = q->longest, .atol = q->atol, .most = q->most,
        .method = q->method,
    };
    m->member.solved = &m->solved;
    m->batch.members = &m->member;
    m->batch.n = 1;
    return m;
}
