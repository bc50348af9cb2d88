/* ---- equations: their states, and their functions by name ---------------------------------------- */

/* No twin: Python keeps states of its models as values. */

static size_t equations_bytes(const equations *m) { return 8 * (values_of(m->q) + 2); }

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
    kept[0] = m->time;
    kept[1] = m->next_size;
    memcpy(kept + 2, m->values, 8 * values_of(m->q));
    *state = kept;
    return OK;
}

static int equations_restore(void *c, void *state) {
    equations *m = c;
    const double *kept = state;
    m->time = kept[0];
    m->next_size = kept[1];
    m->columns = 1;
    memcpy(m->values, kept + 2, 8 * values_of(m->q));
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
        KNOWN("ExitInitializationMode", equations_nothing),
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
