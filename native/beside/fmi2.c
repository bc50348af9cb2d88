/* ---- FMI 2.0 ---------------------------------------------------------------------------------- */

typedef struct {
    logger_2 logger;
    void *allocate, *release, *step_finished, *environment;
} given_2;

FMI_EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI_EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

FMI_EXPORT int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const names[]) {
    beside *e = c;
    (void)n, (void)names; /* all or nothing; the list may be NULL */
    if (!e) return ERROR;
    e->logging = on != 0;
    return OK;
}

FMI_EXPORT void *fmi2Instantiate(const char *name, int type, const char *token,
                                 const char *resources, const given_2 *given, int visible, int on) {
    (void)visible;
    void *logger = NULL;
    if (type != 1) return NULL; /* co-simulation only */
    if (given) memcpy(&logger, &given->logger, sizeof logger);
    return beside_new(2, name, token, resources, on != 0, given ? given->environment : NULL, logger);
}

FMI_EXPORT void fmi2FreeInstance(void *c) { beside_free(c); }

FMI_EXPORT int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start,
                                   int has_stop, double stop) {
    (void)has_stop, (void)stop;
    if (!allowed(c, "fmi2SetupExperiment", INSTANTIATED)) return ERROR;
    return entered(c, has_tolerance != 0, tolerance, start, "fmi2SetupExperiment");
}

static int mode_changed(beside *e, int from, uint32_t kind, int to, const char *call) {
    if (!allowed(e, call, from)) return ERROR;
    int status = moved(e, kind, call);
    if (status == OK) e->mode = to;
    return status;
}

FMI_EXPORT int fmi2EnterInitializationMode(void *c) {
    return mode_changed(c, INSTANTIATED, ENTER, STARTING, "fmi2EnterInitializationMode");
}

FMI_EXPORT int fmi2ExitInitializationMode(void *c) {
    return mode_changed(c, STARTING, LEAVE, UNDER_WAY, "fmi2ExitInitializationMode");
}

FMI_EXPORT int fmi2Terminate(void *c) {
    return mode_changed(c, UNDER_WAY, TERMINATE, ENDED, "fmi2Terminate");
}

FMI_EXPORT int fmi2Reset(void *c) { return again(c, "fmi2Reset"); }

/* ---- variables ---- */

FMI_EXPORT int fmi2GetReal(void *c, const uint32_t *refs, size_t n, double *values) {
    return reals_got(c, "fmi2GetReal", refs, n, values);
}

FMI_EXPORT int fmi2SetReal(void *c, const uint32_t *refs, size_t n, const double *values) {
    return reals_set(c, "fmi2SetReal", refs, n, values);
}

FMI_EXPORT int fmi2GetString(void *c, const uint32_t *refs, size_t n, const char **values) {
    return strings_got(c, "fmi2GetString", refs, n, values);
}

FMI_EXPORT int fmi2SetString(void *c, const uint32_t *refs, size_t n, const char *const *values) {
    return strings_set(c, "fmi2SetString", refs, n, values);
}

/* Integers of all kinds and booleans travel as 64-bit integers. */
#define WHOLE(get, set, kind, as)                                                                 \
    static int get##_whole(void *c, const uint32_t *refs, size_t n, kind *values) {               \
        beside *e = c;                                                                            \
        int status = got(e, #get, as, refs, n);                                                   \
        for (size_t k = 0; status == OK && k < n; k++) {                                          \
            int64_t number = 0;                                                                   \
            take(&e->in, &number, sizeof number);                                                 \
            values[k] = (kind)number;                                                             \
        }                                                                                         \
        return status == OK && e->in.short_of ? ERROR : status;                                   \
    }                                                                                             \
    static int set##_whole(void *c, const uint32_t *refs, size_t n, const kind *values) {         \
        beside *e = c;                                                                            \
        if (!allowed(e, #set, ALIVE)) return ERROR;                                               \
        ask_values(e, as, refs, n);                                                               \
        for (size_t k = 0; k < n; k++) put(&e->out, &(int64_t){values[k]}, sizeof(int64_t));      \
        return asked(e, SET, #set);                                                               \
    }

#define WHOLE_2(get, set, as)                                                                     \
    WHOLE(get, set, int, as)                                                                      \
    FMI_EXPORT int get(void *c, const uint32_t *refs, size_t n, int *values) {                    \
        return get##_whole(c, refs, n, values);                                                   \
    }                                                                                             \
    FMI_EXPORT int set(void *c, const uint32_t *refs, size_t n, const int *values) {              \
        return set##_whole(c, refs, n, values);                                                   \
    }

WHOLE_2(fmi2GetInteger, fmi2SetInteger, AS_WHOLE)
WHOLE_2(fmi2GetBoolean, fmi2SetBoolean, AS_BOOLEAN)

/* ---- states ---- */

FMI_EXPORT int fmi2GetFMUstate(void *c, void **state) {
    return state_got(c, state, "fmi2GetFMUstate");
}

FMI_EXPORT int fmi2SetFMUstate(void *c, void *state) {
    return state_set(c, state, "fmi2SetFMUstate");
}

FMI_EXPORT int fmi2FreeFMUstate(void *c, void **state) { return state_freed(c, state); }

FMI_EXPORT int fmi2SerializedFMUstateSize(void *c, void *state, size_t *size) {
    return state_size(c, state, size, "fmi2SerializedFMUstateSize");
}

FMI_EXPORT int fmi2SerializeFMUstate(void *c, void *state, char *to, size_t size) {
    return state_serialized(c, state, to, size, "fmi2SerializeFMUstate");
}

FMI_EXPORT int fmi2DeSerializeFMUstate(void *c, const char *from, size_t size, void **state) {
    return state_deserialized(c, from, size, state, "fmi2DeSerializeFMUstate");
}

/* ---- steps ---- */

FMI_EXPORT int fmi2DoStep(void *c, double time, double size, int stays) {
    beside *e = c;
    (void)stays;
    if (!allowed(e, "fmi2DoStep", UNDER_WAY)) return ERROR;
    int status = stepped(e, time, size, "fmi2DoStep");
    return status == OK && e->terminated ? DISCARD : status;
}

FMI_EXPORT int fmi2GetRealStatus(void *c, int kind, double *value) {
    beside *e = c;
    if (!e || kind != 2) return DISCARD; /* the last successful time */
    *value = e->time;
    return OK;
}

FMI_EXPORT int fmi2GetBooleanStatus(void *c, int kind, int *value) {
    beside *e = c;
    if (!e || kind != 3) return DISCARD; /* terminated */
    *value = e->terminated;
    return OK;
}

FMI_EXPORT int fmi2GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t n_unknown,
                                            const uint32_t *known, size_t n_known,
                                            const double *seed, double *found) {
    return derived(c, "fmi2GetDirectionalDerivative", unknown, n_unknown, known, n_known, seed,
                   found);
}

/* ---- what there is not ---- */

FMI_EXPORT int fmi2GetStatus(void *c, int kind, int *value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI_EXPORT int fmi2GetIntegerStatus(void *c, int kind, int *value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI_EXPORT int fmi2GetStringStatus(void *c, int kind, const char **value) {
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI_EXPORT int fmi2CancelStep(void *c) { return lacking(c, "fmi2CancelStep"); }

FMI_EXPORT int fmi2SetRealInputDerivatives(void *c, const uint32_t *refs, size_t n,
                                           const int *orders, const double *values) {
    (void)refs, (void)orders, (void)values;
    return n ? lacking(c, "fmi2SetRealInputDerivatives") : OK;
}

FMI_EXPORT int fmi2GetRealOutputDerivatives(void *c, const uint32_t *refs, size_t n,
                                            const int *orders, double *values) {
    (void)refs, (void)orders, (void)values;
    return n ? lacking(c, "fmi2GetRealOutputDerivatives") : OK;
}
