/* ---- equations: their states, and their functions by name ---------------------------------------- */

/* No twin: Python keeps states of its models as values. */

enum { STATE_NUMBERS = 6 }; /* beside values and what was sampled */

static size_t equations_bytes(const equations *m) {
    return 8 * (values_of(m->q) + (size_t)m->q->n_u + STATE_NUMBERS);
}

static int equations_write(void *c, void *state, char *bytes, size_t size) {
    const equations *m = c;
    if (size < equations_bytes(m)) return ERROR;
    memcpy(bytes, state, equations_bytes(m));
    return OK;
}

static int equations_save(void *c, void **state) {
    const equations *m = c;
    double *kept = *state ? *state : malloc(equations_bytes(m));
    if (!kept) return ERROR;
    const double numbers[STATE_NUMBERS] = {m->time, m->next_size, (double)m->passed, m->origin,
                                           m->due, m->sampling + 2 * m->starting};
    memcpy(kept, numbers, sizeof numbers);
    memcpy(kept + STATE_NUMBERS, m->values, 8 * values_of(m->q));
    memcpy(kept + STATE_NUMBERS + values_of(m->q), m->sampled, 8 * (size_t)m->q->n_u);
    *state = kept;
    return OK;
}

static int equations_restore(void *c, void *state) {
    equations *m = c;
    const double *kept = state;
    m->time = kept[0];
    m->next_size = kept[1];
    m->passed = (int64_t)kept[2];
    m->origin = kept[3];
    m->due = kept[4] != 0;
    m->sampling = (int)kept[5] & 1;
    m->starting = (int)kept[5] & 2;
    m->columns = 1;
    memcpy(m->values, kept + STATE_NUMBERS, 8 * values_of(m->q));
    memcpy(m->sampled, kept + STATE_NUMBERS + values_of(m->q), 8 * (size_t)m->q->n_u);
    return OK;
}

static int equations_forget(void *c, void **state) {
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

static int equations_size(void *c, void *state, size_t *size) {
    (void)state;
    *size = equations_bytes(c);
    return OK;
}

static int equations_read(void *c, const char *bytes, size_t size, void **state) {
    const equations *m = c;
    if (size != equations_bytes(m)) return ERROR;
    double passed;
    memcpy(&passed, bytes + 16, sizeof passed);
    bool ends = m->q->period == 0; /* its jumps do */
    if (!(fabs(passed) < 9e15) || (passed < 0 && !(m->q->period < 0))) return ERROR;
    if (ends && passed > (double)m->q->n_jumps) return ERROR;
    double *kept = *state ? *state : malloc(size);
    if (!kept) return ERROR;
    memcpy(kept, bytes, size);
    *state = kept;
    return OK;
}

/* Its functions by the names of FMI 2. */
static void *equations_function(const char *name) {
    static const struct {
        const char *name;
        void (*function)(void);
    } known[] = {
#define KNOWN(name, function) {name, (void (*)(void))function}
        KNOWN("SetReal", equations_set), KNOWN("GetReal", equations_get),
        KNOWN("DoStep", equations_step), KNOWN("SetRealInputDerivatives", equations_moving),
        KNOWN("SetupExperiment", equations_start),
        KNOWN("EnterInitializationMode", equations_nothing),
        KNOWN("ExitInitializationMode", equations_begin),
        KNOWN("GetDirectionalDerivative", equations_along),
        KNOWN("Terminate", equations_nothing), KNOWN("FreeInstance", equations_free),
        KNOWN("GetFMUstate", equations_save), KNOWN("SetFMUstate", equations_restore),
        KNOWN("FreeFMUstate", equations_forget),
        KNOWN("SerializedFMUstateSize", equations_size),
        KNOWN("SerializeFMUstate", equations_write),
        KNOWN("DeSerializeFMUstate", equations_read),
#undef KNOWN
    };
    void *found = NULL;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].name, name)) memcpy(&found, &known[k].function, sizeof found);
    return found;
}
