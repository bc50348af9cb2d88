/* ---- members whose equations are solved here ------------------------------------------------ */
/* Over 250 lines: one kind of member, from where a window opens to where it ends or is left. */

/* Twin of src/dovetail/fmi/parts/modelexchange.py, src/dovetail/integrators/cvode.py,
 * src/dovetail/integrators/fixed.py.
 * Same bits: tests/conformance/test_native_exchange.py. */

/* A model-exchange FMU takes part in native windows as long as nothing happens in them. A window in
 * which there is an event, or might be, is left to Python as if nothing had been. What must not be
 * repeated is kept: a CVODE that goes on from window to window stands in the midst of its way, and
 * Python takes it from there. */

enum { BY_CVODE = 0, BY_EULER, BY_SEMI_IMPLICIT, BY_HEUN, BY_MIDPOINT, BY_RK4, BY_RK45 };

/* The same order as `NativeSolved` in kernel.py. */
typedef struct dt_solved {
    dt_flow *flow;
    int (*start_anew)(void *, double, void *); /* CVodeReInit */
    double *x, *u, *held;    /* where it stands: states, inputs; those of the last window */
    double *x0, *u0, *held0; /* the same where the window began */
    double *x1, *u1;         /* and where a window began that takes several */
    double *there;           /* the states where CVODE stands */
    double *tested;          /* inputs that carry no indicator to its other side where it stands */
    double *room;            /* of explicit steps: fifteen times the states */
    double time, time0, there_at, next_event;
    double size;                  /* of fixed steps, at the most */
    double left_start, left_stop; /* the window that CVODE stands in */
    double next_size, next_size0, next_size1; /* of rk45: what to try next */
    double span, span0, span1, time1;         /* how long the last window was */
    double rtol, longest;
    const double *atol; /* of each state */
    int64_t most, evaluations, steps, evaluations0, steps0;
    int64_t stiff_steps, stiff_steps0, evaluations1, steps1, stiff_steps1;
    int32_t method, locate, n_inlets;
    int32_t tight;            /* its CVODE is one for starts other than the first */
    int32_t is_held, was_held; /* the last window's inputs did not move, and nothing came between */
    int32_t is_tested, ending, ended, ended1;
    int32_t why;              /* its last steps ended */
    int32_t left;             /* it stands in the midst of a window, for this reason, plus one */
    int32_t leaves;           /* rk45 ends where equations are stiff */
    int32_t padding;
} dt_solved;

EXPORT int64_t dt_solved_layout(void) { return (int64_t)sizeof(dt_solved); }

static double ulp_of(double x) {
    double above = nextafter(fabs(x), INFINITY);
    return isinf(above) ? fabs(x) - nextafter(fabs(x), 0) : above - fabs(x);
}

/* The window is for Python. */
static int leave_to_python(dt_batch *b, dt_member *m) { return fail(b, m, LEFT, 0); }

static int solving_failed(dt_batch *b, dt_member *m, int why) {
    m->solved->why = why;
    return fail(b, m, SOLVING, why);
}

/* Inputs at a time since the start of the window; parameters do not move. */
static void inputs_at(const dt_member *m, double since, double *values) {
    int columns = m->columns;
    const double *a = m->inputs;
    for (int32_t j = 0; j < m->n_in; j++, a += columns) {
        double value = a[columns - 1];
        for (int c = columns - 2; c >= 0; c--) value = value * since + a[c];
        values[j] = j < m->n_set ? value : a[0];
    }
}

static bool equal(const double *a, const double *b, int32_t n) { /* as numbers */
    for (int32_t i = 0; i < n; i++)
        if (!(a[i] == b[i])) return false;
    return true;
}

/* ---- a window opens, and is taken back ------------------------------------------------------- */

static int solved_stand(dt_batch *b, dt_member *m) {
    dt_solved *s = m->solved;
    unsigned status = set_reals(m, s->u);
    int other;
    if (status > WARNING) return fail(b, m, SETTING, status);
    return move_there(s->flow, s->time, s->x, &other) ? solving_failed(b, m, FLOW_FAILED) : 0;
}

static bool has_memory(const dt_member *m) { /* that is no state, and can be saved */
    bool repeats = m->rollback || m->solved->method != BY_CVODE;
    return repeats && m->get_state && (m->tuned || m->solved->flow->watches_steps);
}

/* Before any member opens a window: what counts as nothing if it is dropped. */
static void solved_mark(dt_member *m) {
    dt_solved *s = m->solved;
    m->stepped = 0;
    s->ended = s->ending;
    s->evaluations0 = s->evaluations;
    s->steps0 = s->steps;
    s->stiff_steps0 = s->stiff_steps;
    s->left = 0;
}

/* Whether its CVODE, which is for the first start only, goes on as far as is known before anybody has
 * moved. */
static bool surely_goes_on(const dt_batch *b, const dt_member *m) {
    const dt_solved *s = m->solved;
    return s->is_held && !m->rollback && s->there_at == b->time && m->first_wire == m->last_wire &&
           equal(s->there, s->x, s->flow->fmu->n) && equal(s->held, b->start + m->in_at, m->n_in);
}

static int solved_open(dt_batch *b, dt_member *m) {
    dt_solved *s = m->solved;
    double widest = fabs(b->time) > fabs(b->stop) ? fabs(b->time) : fabs(b->stop);
    bool all_return = b->early || b->guests == b->n; /* also after they have moved */
    if (s->next_event <= b->stop + 1e-9 * b->size) return leave_to_python(b, m);
    if (s->method == BY_CVODE && b->stop - b->time < 4 * ulp_of(widest)) return leave_to_python(b, m);
    if (s->method == BY_CVODE && !s->tight && !all_return && !surely_goes_on(b, m))
        return leave_to_python(b, m);
    if (s->method == BY_SEMI_IMPLICIT && s->flow->fmu->n % 2) return leave_to_python(b, m);
    if (has_memory(m)) {
        if (solved_stand(b, m)) return 1;
        unsigned status = ((get_state)m->get_state)(m->instance, &m->saved);
        if (status > WARNING) return fail(b, m, SAVING, status);
    }
    return 0;
}

static void keep_start(dt_member *m) {
    dt_solved *s = m->solved;
    copy(s->x0, s->x, s->flow->fmu->n);
    copy(s->u0, s->u, m->n_in);
    copy(s->held0, s->held, m->n_in);
    s->time0 = s->time;
    s->next_size0 = s->next_size;
    s->span0 = s->span;
    s->was_held = s->is_held;
}

/* Back to where the window began. What it cost counts. */
static int solved_restore(dt_batch *b, dt_member *m) {
    dt_solved *s = m->solved;
    copy(s->x, s->x0, s->flow->fmu->n);
    copy(s->u, s->u0, m->n_in);
    copy(s->held, s->held0, m->n_in);
    s->time = s->time0;
    s->next_size = s->next_size0;
    s->span = s->span0;
    s->is_held = m->rollback ? 0 : s->was_held;
    s->ending = s->ended;
    s->is_tested = 0;
    m->stepped = 0;
    if (has_memory(m)) {
        unsigned status = ((set_state)m->set_state)(m->instance, m->saved);
        if (status > WARNING) return fail(b, m, RESTORING, status);
    }
    return 0;
}

/* A window begins that may take several steps, or tries: where all stand, and what it costs. */
static void solvers_begin(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->guests; i++) {
        const dt_member *m = b->members + i;
        dt_solved *s = m->solved;
        if (!s) continue;
        copy(s->x1, s->x, s->flow->fmu->n);
        copy(s->u1, s->u, m->n_in);
        s->time1 = s->time;
        s->next_size1 = s->next_size;
        s->span1 = s->span;
        s->ended1 = s->ending;
        s->evaluations1 = s->evaluations;
        s->steps1 = s->steps;
        s->stiff_steps1 = s->stiff_steps;
    }
}

/* Back to where it began those that roll back; what it has cost counts. */
static void solvers_home(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->guests; i++) {
        dt_member *m = b->members + i;
        dt_solved *s = m->solved;
        if (!s || !m->rollback) continue;
        copy(s->x, s->x1, s->flow->fmu->n);
        copy(s->u, s->u1, m->n_in);
        s->time = s->time1;
        s->next_size = s->next_size1;
        s->span = s->span1;
        s->ending = s->ended1;
        s->is_held = s->is_tested = 0;
        m->stepped = 0;
    }
}

/* As if it had not begun. */
static void solvers_uncount(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->guests; i++) {
        dt_solved *s = b->members[i].solved;
        if (!s) continue;
        s->evaluations = s->evaluations1;
        s->steps = s->steps1;
        s->stiff_steps = s->stiff_steps1;
    }
}

/* A window is left to Python, which counts itself: what cannot be repeated stays as it is. */
static int solved_drop(dt_batch *b, dt_member *m) {
    dt_solved *s = m->solved;
    bool moved = m->stepped;
    int failed = moved ? solved_restore(b, m) : 0;
    s->evaluations = s->evaluations0;
    s->steps = s->steps0;
    s->stiff_steps = s->stiff_steps0;
    if (moved && !m->rollback && s->method == BY_CVODE) {
        s->left = s->why + 1;
        s->left_start = b->time;
        s->left_stop = b->stop;
    }
    return failed;
}

/* ---- indicators ------------------------------------------------------------------------------ */

/* Whether inputs carry an indicator to its other side where it stands: 1; 0, or 1 for what failed or
 * is left. */
static int carries(dt_batch *b, dt_member *m, double *values) {
    dt_solved *s = m->solved;
    dt_flow *f = s->flow;
    int32_t inlets = f->n_inlets;
    if (s->is_tested && same(s->tested, values, m->n_in)) return 0;
    unsigned status = set_reals(m, values);
    if (status > WARNING) return fail(b, m, SETTING, status);
    f->n_inlets = 0;
    int failed = indicate(f, s->time, s->x, f->row);
    f->n_inlets = inlets;
    if (failed) return solving_failed(b, m, FLOW_FAILED);
    for (int32_t k = 0; k < f->n_indicators; k++)
        if (!(f->armed[k] * f->row[k] >= 0)) return leave_to_python(b, m);
    copy(s->tested, values, m->n_in);
    s->is_tested = 1;
    return 0;
}

/* Whether an indicator is at zero where it stands, but for rounding; as in `_arrived`. */
static int arrives_at_zero(dt_batch *b, dt_member *m) {
    dt_solved *s = m->solved;
    dt_flow *f = s->flow;
    int32_t n = f->fmu->n, nz = f->n_indicators;
    double ahead = 1e-6 * b->size, *dx = s->room, *later = s->room + n;
    if (derive(f, s->time, s->x, dx) < 0 || indicate(f, s->time, s->x, f->row))
        return solving_failed(b, m, FLOW_FAILED);
    for (int32_t i = 0; i < n; i++) later[i] = s->x[i] + ahead * dx[i];
    double *z = s->room + 2 * n;
    if (indicate(f, s->time + ahead, later, z)) return solving_failed(b, m, FLOW_FAILED);
    for (int32_t k = 0; k < nz; k++)
        if (fabs(f->row[k]) <= 8 * ulp_of(s->time) * fabs(z[k] - f->row[k]) / ahead)
            return leave_to_python(b, m);
    return 0;
}

/* ---- the ways through a window --------------------------------------------------------------- */

static const double slice = 0.05; /* seconds, then a look at Ctrl-C */

static int by_cvode(dt_batch *b, dt_member *m, double start, double stop, bool goes_on) {
    dt_solved *s = m->solved;
    dt_flow *f = s->flow;
    int32_t n = f->fmu->n;
    goes_on = goes_on && s->there_at == start && equal(s->there, s->x, n);
    if (!goes_on && !s->tight) return leave_to_python(b, m);
    m->stepped = 1;
    f->evaluations = f->bad = f->steps = 0;
    if (!goes_on) {
        copy(f->numbers(f->y), s->x, n);
        if (dt_flow_begin(f, start) == FLOW_FAILED || s->start_anew(f->mem, start, f->y) < 0)
            return solving_failed(b, m, FLOW_FAILED);
    }
    s->there_at = -INFINITY;
    f->time = start;
    f->most = s->most;
    do s->why = dt_flow_steps(f, stop, slice);
        while (s->why == FLOW_PAUSED && !atomic_load(&b->interrupted));
    if (s->why == FLOW_PAUSED) return fail(b, m, INTERRUPTED, 0);
    if (s->why == FLOW_LOOK || s->why == FLOW_WISHED) return leave_to_python(b, m);
    if (s->why != FLOW_ARRIVED) return solving_failed(b, m, s->why);
    copy(s->x, f->numbers(f->y), n);
    copy(s->there, s->x, n);
    s->there_at = stop;
    s->evaluations += f->evaluations;
    if (f->n_indicators) s->steps += f->steps;
    return 0;
}

static int by_fixed_steps(dt_batch *b, dt_member *m, double start, double stop);
static int by_rk45(dt_batch *b, dt_member *m, double start, double stop);

/* ---- what a member does ---------------------------------------------------------------------- */

/* Over the window with the inputs in m->inputs, to the outputs in m->outputs. */
static int solved_advance(dt_batch *b, dt_member *m) {
    dt_solved *s = m->solved;
    dt_flow *f = s->flow;
    double start = b->time, stop = b->stop, *values = m->scratch;
    bool held = true;
    m->stepped = 0;
    if (m->rollback) s->is_held = 0; /* whoever may roll back starts anew, whether it does or not */
    keep_start(m);
    for (int32_t j = 0; j < m->n_set * m->columns; j++)
        if (j % m->columns && m->inputs[j] != 0) held = false;
    f->ending = f->failed = 0;
    f->n_inlets = 0;
    inputs_at(m, 0, values);
    if (m->tuned && tunes(m->tuned, s->u + m->n_set, values + m->n_set, 1)) return leave_to_python(b, m);
    if (f->n_indicators && carries(b, m, values)) return 1;
    unsigned status = set_reals(m, values);
    if (status > WARNING) return fail(b, m, SETTING, status);
    if (m->columns > 1 && m->n_set) {
        f->coefficients = m->inputs;
        f->columns = m->columns;
        f->began = start;
        f->n_inlets = s->n_inlets;
    }
    bool goes_on = s->is_held && held && equal(s->held, values, m->n_in);
    s->is_held = held;
    copy(s->held, values, m->n_in);
    s->is_tested = 0;
    if (s->method == BY_CVODE  ? by_cvode(b, m, start, stop, goes_on)
        : s->method == BY_RK45 ? by_rk45(b, m, start, stop)
                               : by_fixed_steps(b, m, start, stop)) {
        if (!m->stepped) solved_restore(b, m);
        return 1;
    }
    s->time = stop;
    s->span = b->size;
    inputs_at(m, stop - start, s->u);
    f->n_inlets = 0;
    status = set_reals(m, s->u);
    if (status > WARNING) return fail(b, m, SETTING, status);
    if (f->n_indicators && arrives_at_zero(b, m)) return 1;
    if (f->ending) {
        s->ending = 1;
        atomic_store(&b->ending, (int)(m - b->members) + 1);
    }
    if (move_there(f, s->time, s->x, &(int){0})) return solving_failed(b, m, FLOW_FAILED);
    status = get_reals(m, m->outputs);
    return status > WARNING ? fail(b, m, GETTING, status) : 0;
}

/* After a window: whether what the others gave throws a switch somewhere, or is another parameter. */
static int throws(dt_batch *b, const double *outputs) {
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        if (!m->solved || !(m->solved->flow->n_indicators || m->tuned)) continue;
        route(b, m, outputs, m->scratch);
        if (m->tuned && tunes(m->tuned, m->solved->u + m->n_set, m->scratch + m->n_set, 1))
            return leave_to_python(b, m);
        if (m->solved->flow->n_indicators && carries(b, m, m->scratch)) return FAILED;
    }
    return 0;
}

/* A window opens for all members, where nothing iterates. */
static int open_pass(dt_batch *b) {
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        m->stepped = 0;
        b->counted[i] = m->evaluations;
        if (m->solved) solved_mark(m);
        if (m->events) eventful_mark(m);
        if (m->tuned) tuned_mark(m);
    }
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        if (m->solved && solved_open(b, m)) return FAILED;
        if (m->solved || !b->early || !m->rollback || !m->get_state) continue;
        unsigned status = ((get_state)m->get_state)(m->instance, &m->saved);
        if (status > WARNING) return fail(b, m, SAVING, status);
    }
    return 0;
}

/* Whether the last failure is none, but a window for Python; it is forgotten then. */
static bool is_left(dt_batch *b) {
    if (!atomic_load(&b->failed) || b->stage != LEFT) return false;
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    return true;
}

/* Everybody back to where the window began. */
static int drop_window(dt_batch *b) {
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        if (m->solved ? solved_drop(b, m) : m->stepped && restore_member(b, m)) return FAILED;
    }
    return HANDED_OVER;
}

/* The same, and what it has cost counts; whether one could not go back. */
static bool back_again(dt_batch *b) {
    for (int32_t i = 0; i < b->n; i++)
        if (b->members[i].stepped && restore_member(b, b->members + i)) return true;
    return false;
}
