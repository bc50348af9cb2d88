/* ---- members with events ------------------------------------------------------------------------ */

/* Twin of src/dovetail/fmi/parts/eventful.py, src/dovetail/fmi/parts/cosimulation.py.
 * Same bits: tests/conformance/test_native_events.py. */

/* A co-simulation FMU with event mode, or whose steps may end early (FMI 3), takes part in native windows
 * as long as nothing happens in them. A window that one of its events ends, or that it ends early, is left
 * to Python as if nothing had been. */

/* Outputs that are no reals and change at events only: as bytes, before and after a step. */
typedef struct {
    void *get;
    const uint32_t *refs;
    size_t n_refs, n_values, bytes;
    char *held, *found;
} dt_look;

/* The same order as `NativeEvents` in
 * src/dovetail/fmi/native/eventful.py. `now`: the inputs that it was given last, those at the
 * end of that step, and when it began and ended; `before` and `first`: the same where a step began, and a
 * window of which that is a part. */
typedef struct dt_eventful {
    double next_event;
    double *now, *before, *first;
    const dt_look *looks;
    int32_t n_looks;
    int32_t has_mode; /* it takes part in events; else its steps end early, and that is all */
} dt_eventful;

EXPORT int64_t dt_eventful_layout(void) {
    return (int64_t)(sizeof(dt_eventful) + 1000 * sizeof(dt_look));
}

static void eventful_keep(const dt_member *m, double *to, const double *from) {
    memcpy(to, from, (2 * (size_t)m->n_in + 2) * sizeof *to);
}

/* Where a step begins that may be taken back. */
static void eventful_mark(dt_member *m) { eventful_keep(m, m->events->before, m->events->now); }

static void eventful_back(dt_member *m) { eventful_keep(m, m->events->now, m->events->before); }

/* The same for a window that may take several. */
static void eventful_begin(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->guests; i++) {
        dt_member *m = b->members + i;
        if (!m->events) continue;
        eventful_keep(m, m->events->first, m->events->now);
        eventful_mark(m);
    }
}

static void eventful_return(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->guests; i++) {
        const dt_member *m = b->members + i;
        if (m->events) eventful_keep(m, m->events->now, m->events->first);
    }
}

/* The step itself; one that stops before its end, or where something happens, is for Python. */
static int step_undisturbed(dt_batch *b, dt_member *m, double h) {
    double reached = b->time + h;
    bool event = false, terminate = false, early = false;
    unsigned status = ((step_3)m->do_step)(m->instance, b->time, h, m->no_set_prior, &event,
                                           &terminate, &early, &reached);
    if (status > WARNING) return fail(b, m, STEPPING, (int)status);
    if (early && !(reached >= b->time + h * (1 - 1e-9))) return leave_to_python(b, m);
    if (event && m->events->has_mode) return leave_to_python(b, m);
    if (terminate) atomic_store(&b->ending, (int)(m - b->members) + 1);
    return 0;
}

/* Over the window with the inputs in m->inputs, to the outputs in m->outputs. */
static int eventful_advance(dt_batch *b, dt_member *m) {
    dt_eventful *e = m->events;
    int32_t columns = m->columns, n = m->n_in;
    double h = e->has_mode ? b->stop - b->time : b->size, *values = m->scratch;
    m->evaluations++;
    if (e->next_event <= b->stop + 1e-9 * b->size) return leave_to_python(b, m);
    if (m->tuned && tunes(m->tuned, m->known, tuned_rows(m, m->inputs, columns), columns))
        return leave_to_python(b, m); /* it changes in event mode */
    for (int32_t j = 0; j < n; j++) values[j] = m->inputs[j * columns];
    m->stepped = 1; /* whatever happens now, it is no longer where it was */
    m->answered = 0;
    unsigned status = OK;
    if (m->n_set && !(e->has_mode && equal(values, e->now, n)) && (status = set_reals(m, values)) > WARNING)
        return fail(b, m, SETTING, (int)status);
    if (m->log)
        dt_course(m->log, m->inputs, columns, b->time);
    else if (columns > 1 && m->n_set && (status = set_slopes(m, b->time, h, columns)) > WARNING)
        return fail(b, m, SLOPING, (int)status);
    bool timing = (m->evaluations & 63) == 0 || (m->timed < FIRST_TIMED && m->evaluations > 1);
    double begin = timing ? seconds_now() : 0;
    if (step_undisturbed(b, m, h)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    if (m->log && dt_followed(m->log) > WARNING) return fail(b, m, FOLLOWING, dt_followed(m->log));
    status = get_reals(m, m->outputs);
    if (status > WARNING) return fail(b, m, GETTING, (int)status);
    for (int32_t k = 0; k < e->n_looks; k++) {
        const dt_look *l = e->looks + k;
        status = ((int (*)(void *, const uint32_t *, size_t, void *, size_t))l->get)(
            m->instance, l->refs, l->n_refs, l->found, l->n_values);
        if (status > WARNING) return fail(b, m, GETTING, (int)status);
        if (memcmp(l->held, l->found, l->bytes)) return leave_to_python(b, m);
    }
    inputs_at(m, h, e->now + n);
    for (int32_t j = 0; j < n; j++) e->now[j] = columns > 1 ? NAN : m->inputs[j];
    e->now[2 * n] = b->time;
    e->now[2 * n + 1] = b->stop;
    m->answered = 1;
    return 0;
}
