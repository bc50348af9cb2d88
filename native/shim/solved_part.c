/* ---- parts whose equations are solved here: FMUs of FMI 2 for model exchange ---------------------- */

/* Twin of src/dovetail/fmi/parts/modelexchange.py, src/dovetail/fmi/parts/event_mode.py,
 * src/dovetail/fmi/native/solved.py.
 * Same bits: tests/exporting/test_inner_exchange.py.
 *
 * To all else it is an FMU for co-simulation that takes inputs, steps and gives outputs. It has no event
 * indicators; where it asks for an event after all, the step fails with a sentence. */

static void *function_of(const exported *e, int32_t i, const char *suffix);

/* What `fmi2NewDiscreteStates` tells. */
typedef struct {
    int again, terminate, nominals, values, has_next;
    double next;
} event_info;

enum { MOST_UPDATES = 100 };

typedef struct solved_part {
    exported *e;
    int32_t i;
    bool running, stale; /* stale: inputs were set since outputs were found */
    int32_t columns;
    double *u, *y, *curves; /* inputs, outputs, powers of time of inputs that move */
    double *room;
    ptrdiff_t *places;
    dt_exchange exchange;
    dt_inlet inlet;
    dt_flow flow;
    dt_solved solved;
    dt_member member; /* the FMU itself */
    dt_batch batch;
} solved_part;

static solved_part *solved_in_part(const exported *e, int32_t i) {
    return e->block.kinds[i] == IS_SOLVED ? e->members[i].instance : NULL;
}

static int solved_set(void *c, const uint32_t *refs, size_t n, double *values) {
    solved_part *s = c;
    memcpy(s->u, values, n * sizeof *values);
    s->columns = 1;
    s->stale = true;
    return s->running ? OK : ((access_12)s->member.set_real)(s->member.instance, refs, n, values);
}

static int solved_slopes(void *c, const uint32_t *refs, size_t n, const int *orders, const double *values) {
    static const double factorial[MAX_COLUMNS] = {1, 1, 2, 6};
    solved_part *s = c;
    int32_t in = s->member.n_in;
    for (size_t k = 0; k < n; k++) {
        int32_t j = 0;
        while (j < in && s->member.in_refs[j] != refs[k]) j++;
        if (j == in || orders[k] < 1 || orders[k] >= MAX_COLUMNS) return ERROR;
        if (s->columns <= 1) memset(s->curves, 0, (size_t)in * MAX_COLUMNS * sizeof *s->curves);
        s->curves[j * MAX_COLUMNS + orders[k]] = values[k] / factorial[orders[k]];
        if (s->columns <= orders[k]) s->columns = orders[k] + 1;
    }
    return OK;
}

static int solved_get(void *c, const uint32_t *refs, size_t n, double *values) {
    solved_part *s = c;
    dt_member *m = &s->member;
    if (!s->running) return ((access_12)m->get_real)(m->instance, refs, n, values);
    if (s->stale) {
        int status = set_reals(m, s->u), other;
        if ((unsigned)status > WARNING) return status;
        if (move_there(&s->flow, s->solved.time, s->solved.x, &other)) return ERROR;
        if ((unsigned)(status = get_reals(m, s->y)) > WARNING) return status;
        copy(s->solved.u, s->u, m->n_in);
        s->stale = false;
    }
    memcpy(values, s->y, n * sizeof *values);
    return OK;
}

static int solved_stopped(solved_part *s, double time) {
    const char *name = s->e->block.names[s->i];
    int stage = s->batch.stage;
    atomic_store(&s->batch.failed, 0);
    if (stage == LEFT) {
        tell(s->e, ERROR, "part '%s' has an event behind t = %.17g s, and exports make none of FMUs for "
             "model exchange", name, time);
        return ERROR;
    }
    tell(s->e, WARNING, "the equations of part '%s' cannot be solved behind t = %.17g s", name, time);
    return DISCARD;
}

static int solved_step(void *c, double time, double size, int stays) {
    solved_part *s = c;
    dt_member *m = &s->member;
    dt_batch *b = &s->batch;
    const dt_batch *all = s->e->batch;
    int32_t columns = m->columns = s->columns;
    (void)stays;
    b->time = time, b->size = size;
    b->stop = time == all->time && size == all->size ? all->stop : time + size;
    if (s->solved.next_event <= b->stop + 1e-9 * size) {
        b->stage = LEFT;
        return solved_stopped(s, time);
    }
    for (int32_t j = 0; j < m->n_in; j++)
        for (int32_t k = 0; k < columns; k++)
            m->inputs[j * columns + k] = k ? s->curves[j * MAX_COLUMNS + k] : s->u[j];
    s->columns = 1;
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    if (solved_advance(b, m)) return solved_stopped(s, time);
    if (atomic_load(&b->ending)) atomic_store(&s->e->batch->ending, s->i + 1);
    copy(s->u, s->solved.u, m->n_in);
    copy(s->y, m->outputs, m->n_out);
    s->stale = false;
    return OK;
}

/* ---- states: where it stands, and that of the FMU where it has one -------------------------------- */

typedef struct {
    void *own;
    double *numbers;
} solved_kept;

static size_t solved_numbers(const solved_part *s) {
    return 3 + (size_t)s->exchange.n + 2 * (size_t)s->member.n_in + (size_t)s->member.n_out;
}

static int solved_forget(void *c, void **state) {
    solved_part *s = c;
    solved_kept *kept = *state;
    if (!kept) return OK;
    if (kept->own && s->member.free_state)
        ((get_state)s->member.free_state)(s->member.instance, &kept->own);
    free(kept->numbers);
    free(kept);
    *state = NULL;
    return OK;
}

static int solved_save(void *c, void **state) {
    solved_part *s = c;
    solved_kept *kept = *state ? *state : calloc(1, sizeof *kept);
    if (kept && !kept->numbers) kept->numbers = malloc(solved_numbers(s) * sizeof(double));
    if (!kept || !kept->numbers) {
        free(kept);
        return ERROR;
    }
    *state = kept;
    double *at = kept->numbers;
    *at++ = s->solved.time, *at++ = s->solved.next_size, *at++ = s->stale + 2 * s->running;
    memcpy(at, s->solved.x, (size_t)s->exchange.n * sizeof *at), at += s->exchange.n;
    memcpy(at, s->u, (size_t)s->member.n_in * sizeof *at), at += s->member.n_in;
    memcpy(at, s->solved.u, (size_t)s->member.n_in * sizeof *at), at += s->member.n_in;
    memcpy(at, s->y, (size_t)s->member.n_out * sizeof *at);
    if (!s->member.get_state) return OK;
    return ((get_state)s->member.get_state)(s->member.instance, &kept->own);
}

static int solved_return(void *c, void *state) {
    solved_part *s = c;
    const solved_kept *kept = state;
    const double *at = kept->numbers;
    s->solved.time = *at++, s->solved.next_size = *at++;
    s->stale = (int)*at & 1, s->running = (int)*at & 2, at++;
    memcpy(s->solved.x, at, (size_t)s->exchange.n * sizeof *at), at += s->exchange.n;
    memcpy(s->u, at, (size_t)s->member.n_in * sizeof *at), at += s->member.n_in;
    memcpy(s->solved.u, at, (size_t)s->member.n_in * sizeof *at), at += s->member.n_in;
    memcpy(s->y, at, (size_t)s->member.n_out * sizeof *at);
    s->columns = 1;
    if (!s->member.set_state) return OK;
    return ((set_state)s->member.set_state)(s->member.instance, kept->own);
}

/* ---- its life --------------------------------------------------------------------------------------- */

/* Initialization is over: the first event, and where continuous time begins. */
static int solved_begin(exported *e, int32_t i) {
    solved_part *s = solved_in_part(e, i);
    void *c = s->member.instance;
    int (*update)(void *, event_info *) = (int (*)(void *, event_info *))function_of(e, i, "NewDiscreteStates");
    int (*enter)(void *) = (int (*)(void *))function_of(e, i, "EnterContinuousTimeMode");
    vector_fn states = (vector_fn)function_of(e, i, "GetContinuousStates");
    vector_fn nominals = (vector_fn)function_of(e, i, "GetNominalsOfContinuousStates");
    size_t n = (size_t)s->exchange.n;
    event_info info = {.again = 1};
    if (!update || !enter || !states || !nominals) return failed_in(e, i, "model exchange", ERROR);
    for (int round = 0; round < MOST_UPDATES && info.again; round++) {
        int status = update(c, &info);
        if ((unsigned)status > WARNING) return failed_in(e, i, "NewDiscreteStates", status);
    }
    s->solved.next_event = info.has_next ? info.next : INFINITY;
    int status = enter(c);
    if ((unsigned)status > WARNING) return failed_in(e, i, "EnterContinuousTimeMode", status);
    if ((unsigned)(status = nominals(c, s->solved.there, n)) > WARNING)
        return failed_in(e, i, "GetNominalsOfContinuousStates", status);
    double *atol = (double *)s->solved.atol, *usual = s->solved.there;
    for (size_t k = 0; k < n; k++) {
        usual[k] = fabs(usual[k]);
        if (!isfinite(usual[k]) || !(usual[k] > 0)) usual[k] = 1;
        atol[k] = e->block.solver_numbers[5 * i + 1] * usual[k];
    }
    if ((unsigned)(status = states(c, s->solved.x, n)) > WARNING)
        return failed_in(e, i, "GetContinuousStates", status);
    s->solved.time = e->start;
    s->running = s->stale = true;
    return OK;
}

static void solved_free(solved_part *s) {
    if (!s) return;
    free(s->room), free(s->places);
    free(s);
}

/* What the kernel is to know of it instead of the FMU; NULL without memory. */
static solved_part *solved_new(exported *e, int32_t i, void *fmu) {
    const dt_member *outer = e->members + i;
    const double *given = e->block.solver_numbers + 5 * i;
    size_t n = (size_t)e->block.solver_states[i], in = (size_t)outer->n_in, out = (size_t)outer->n_out;
    solved_part *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    double *at = s->room = calloc(19 * n + (9 + 2 * MAX_COLUMNS) * in + 5 * out + 16, sizeof *at);
    s->places = calloc(in + 1, sizeof *s->places);
    if (!s->room || !s->places) {
        solved_free(s);
        return NULL;
    }
#define TAKE(place, count) place = at, at += count
    TAKE(s->solved.x, n), TAKE(s->solved.x0, n), TAKE(s->solved.there, n), TAKE(s->solved.atol, n);
    TAKE(s->solved.room, 15 * n);
    TAKE(s->solved.u, in), TAKE(s->solved.u0, in), TAKE(s->solved.held, in), TAKE(s->solved.held0, in);
    TAKE(s->solved.tested, in), TAKE(s->u, in), TAKE(s->inlet.values, in), TAKE(s->member.scratch, in);
    TAKE(s->curves, MAX_COLUMNS * in), TAKE(s->member.inputs, MAX_COLUMNS * in);
    TAKE(s->y, out), TAKE(s->member.outputs, 4 * out);
#undef TAKE
    for (size_t j = 0; j < in; j++) s->places[j] = (ptrdiff_t)j;
    s->e = e, s->i = i, s->columns = 1;
    dt_member *m = &s->member;
    m->instance = fmu;
    m->set_real = function_of(e, i, "SetReal"), m->get_real = function_of(e, i, "GetReal");
    if (e->block.solver_told[i] & 2) {
        m->get_state = function_of(e, i, "GetFMUstate"), m->set_state = function_of(e, i, "SetFMUstate");
        m->free_state = function_of(e, i, "FreeFMUstate");
        if (!m->get_state || !m->set_state || !m->free_state) m->get_state = m->set_state = NULL;
    }
    m->in_refs = outer->in_refs, m->out_refs = outer->out_refs;
    m->n_in = m->n_set = m->n_in_refs = outer->n_in, m->n_out = m->n_out_refs = outer->n_out;
    m->version = 2, m->solved = &s->solved;
    s->exchange = (dt_exchange){
        .instance = fmu, .set_time = function_of(e, i, "SetTime"),
        .set_states = function_of(e, i, "SetContinuousStates"), .get_rates = function_of(e, i, "GetDerivatives"),
        .completed = function_of(e, i, "CompletedIntegratorStep"), .floor = -INFINITY,
        .n = (int32_t)n, .version = 2, .no_way_back = !(e->block.solver_told[i] & 2),
    };
    s->inlet.set = m->set_real, s->inlet.refs = m->in_refs, s->inlet.places = s->places;
    s->inlet.n_refs = s->inlet.n = m->n_in;
    s->flow.fmu = &s->exchange, s->flow.inlets = &s->inlet;
    s->flow.watches_steps = e->block.solver_told[i] & 1;
    s->solved.flow = &s->flow, s->solved.method = e->block.solver_method[i];
    s->solved.rtol = given[0], s->solved.size = given[2], s->solved.longest = given[3];
    s->solved.most = (int64_t)given[4], s->solved.next_size = NAN, s->solved.there_at = -INFINITY;
    s->solved.next_event = INFINITY, s->solved.n_inlets = m->n_in > 0;
    s->batch.members = m, s->batch.n = 1;
    bool whole = s->exchange.set_time && s->exchange.set_states && s->exchange.get_rates && s->exchange.completed;
    if (whole && m->set_real && m->get_real) return s;
    solved_free(s);
    return NULL;
}

static void solved_bind(dt_member *m) {
    m->set_real = (void *)solved_set, m->get_real = (void *)solved_get, m->do_step = (void *)solved_step;
    m->get_state = (void *)solved_save, m->set_state = (void *)solved_return;
    m->free_state = (void *)solved_forget, m->set_derivatives = (void *)solved_slopes;
    m->get_real_status = m->get_boolean_status = NULL;
}
