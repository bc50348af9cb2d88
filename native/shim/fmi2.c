/* ---- FMI 2.0 ---------------------------------------------------------------------------------- */

typedef struct {
    logger_2 logger;
    void *allocate, *release, *step_finished, *environment;
} given_2;

FMI_EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI_EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

FMI_EXPORT int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const names[]) {
    exported *e = c;
    (void)n, (void)names; /* all or nothing; the list may be NULL */
    if (!e) return ERROR;
    e->logging = on != 0;
    return OK;
}

FMI_EXPORT void *fmi2Instantiate(const char *name, int type, const char *token,
                                 const char *resources, const given_2 *given, int visible, int on) {
    (void)visible;
    void *logger = NULL;
    if (given) memcpy(&logger, &given->logger, sizeof logger);
    void *environment = given ? given->environment : NULL;
    exported *e = exported_new(2, name, token, resources, on != 0, environment, logger);
    return type == 1 ? e : for_exchange(e); /* 1: co-simulation */
}

FMI_EXPORT void fmi2FreeInstance(void *c) { exported_free(c); }

FMI_EXPORT int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start,
                                   int has_stop, double stop) {
    exported *e = c;
    (void)has_stop, (void)stop;
    if (!allowed(e, "fmi2SetupExperiment", BEFORE)) return ERROR;
    e->has_tolerance = has_tolerance && tolerance > 0;
    e->tolerance = tolerance;
    e->start = e->time = start;
    return isfinite(start) ? OK : ERROR;
}

FMI_EXPORT int fmi2EnterInitializationMode(void *c) {
    exported *e = c;
    if (!allowed(e, "fmi2EnterInitializationMode", BEFORE)) return ERROR;
    return finished_call(e, enter_initialization(e));
}

FMI_EXPORT int fmi2ExitInitializationMode(void *c) {
    exported *e = c;
    if (!allowed(e, "fmi2ExitInitializationMode", STARTING)) return ERROR;
    return finished_call(e, leave_initialization(e));
}

FMI_EXPORT int fmi2Terminate(void *c) {
    exported *e = c;
    if (!allowed(e, "fmi2Terminate", WHILE_STEPPED)) return ERROR;
    return terminated(e);
}

FMI_EXPORT int fmi2Reset(void *c) {
    exported *e = c;
    if (!allowed(e, "fmi2Reset", WHILE_ALIVE | WRONG)) return ERROR;
    return finished_call(e, reset(e));
}

/* ---- variables ---- */

FMI_EXPORT int fmi2GetReal(void *c, const uint32_t *refs, size_t n, double *values) {
    exported *e = c;
    int status = OK;
    if (!allowed(e, "fmi2GetReal", WHILE_ALIVE | WRONG)) return ERROR;
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++)
        status = variable_got(e, refs[k], AS_REAL, values + k, NULL);
    return status;
}

static int whole_2(exported *e, const char *call, const uint32_t *refs, size_t n, int *values,
                   int type) {
    int status = OK;
    double number = 0;
    if (!allowed(e, call, WHILE_ALIVE | WRONG)) return ERROR;
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++) {
        status = variable_got(e, refs[k], type, &number, NULL);
        values[k] = (int)number;
    }
    return status;
}

FMI_EXPORT int fmi2GetInteger(void *c, const uint32_t *refs, size_t n, int *values) {
    return whole_2(c, "fmi2GetInteger", refs, n, values, AS_INT32);
}

FMI_EXPORT int fmi2GetBoolean(void *c, const uint32_t *refs, size_t n, int *values) {
    return whole_2(c, "fmi2GetBoolean", refs, n, values, AS_BOOLEAN);
}

static int strings_got(exported *e, const char *call, const uint32_t *refs, size_t n,
                       const char **values) {
    int status = OK;
    double number;
    if (!allowed(e, call, WHILE_ALIVE | WRONG)) return ERROR;
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++)
        status = variable_got(e, refs[k], AS_STRING, &number, values + k);
    return status;
}

FMI_EXPORT int fmi2GetString(void *c, const uint32_t *refs, size_t n, const char **values) {
    return strings_got(c, "fmi2GetString", refs, n, values);
}

FMI_EXPORT int fmi2SetReal(void *c, const uint32_t *refs, size_t n, const double *values) {
    exported *e = c;
    int status = OK;
    if (!allowed(e, "fmi2SetReal", BEFORE | STARTING | WHILE_STEPPED)) return ERROR;
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++)
        status = variable_set(e, refs[k], AS_REAL, values[k], NULL);
    return status;
}

static int whole_set_2(exported *e, const char *call, const uint32_t *refs, size_t n,
                       const int *values, int type) {
    int status = OK;
    if (!allowed(e, call, BEFORE | STARTING | WHILE_STEPPED)) return ERROR;
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++)
        status = variable_set(e, refs[k], type, values[k], NULL);
    return status;
}

FMI_EXPORT int fmi2SetInteger(void *c, const uint32_t *refs, size_t n, const int *values) {
    return whole_set_2(c, "fmi2SetInteger", refs, n, values, AS_INT32);
}

FMI_EXPORT int fmi2SetBoolean(void *c, const uint32_t *refs, size_t n, const int *values) {
    return whole_set_2(c, "fmi2SetBoolean", refs, n, values, AS_BOOLEAN);
}

static int strings_set(exported *e, const char *call, const uint32_t *refs, size_t n,
                       const char *const *values) {
    int status = OK;
    if (!allowed(e, call, BEFORE | STARTING | WHILE_STEPPED)) return ERROR;
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++)
        status = variable_set(e, refs[k], AS_STRING, 0, values[k]);
    return status;
}

FMI_EXPORT int fmi2SetString(void *c, const uint32_t *refs, size_t n, const char *const *values) {
    return strings_set(c, "fmi2SetString", refs, n, values);
}

/* ---- states ---- */

FMI_EXPORT int fmi2GetFMUstate(void *c, void **state) {
    return allowed(c, "fmi2GetFMUstate", WHILE_ALIVE) ? state_got(c, state) : ERROR;
}

FMI_EXPORT int fmi2SetFMUstate(void *c, void *state) {
    return allowed(c, "fmi2SetFMUstate", WHILE_ALIVE | WRONG) ? state_set(c, state) : ERROR;
}

FMI_EXPORT int fmi2FreeFMUstate(void *c, void **state) {
    if (c && state) {
        snapshot_free(c, *state);
        *state = NULL;
    }
    return OK;
}

FMI_EXPORT int fmi2SerializedFMUstateSize(void *c, void *state, size_t *size) {
    return c && state ? state_size(c, state, size) : ERROR;
}

FMI_EXPORT int fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size) {
    return c && state ? state_serialized(c, state, bytes, size) : ERROR;
}

FMI_EXPORT int fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state) {
    return c && state ? state_deserialized(c, bytes, size, state) : ERROR;
}

/* ---- steps ---- */

FMI_EXPORT int fmi2DoStep(void *c, double time, double size, int stays) {
    exported *e = c;
    (void)stays; /* states that are kept are counted */
    if (!allowed(e, "fmi2DoStep", WHILE_STEPPED)) return ERROR;
    int status = stepped(e, time, size);
    if (status == OK && e->terminated) return DISCARD;
    return finished_call(e, status);
}

FMI_EXPORT int fmi2GetRealStatus(void *c, int kind, double *value) {
    exported *e = c;
    if (!e || kind != 2) return DISCARD; /* the last successful time */
    *value = e->time;
    return OK;
}

FMI_EXPORT int fmi2GetBooleanStatus(void *c, int kind, int *value) {
    exported *e = c;
    if (!e || kind != 3) return DISCARD; /* terminated */
    *value = e->terminated;
    return OK;
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

/* ---- model exchange ---- */

FMI_EXPORT int fmi2GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t n_unknown,
                                            const uint32_t *known, size_t n_known,
                                            const double *seed, double *found) {
    return directional(c, unknown, n_unknown, known, n_known, seed, found);
}

FMI_EXPORT int fmi2NewDiscreteStates(void *c, event_info *info) {
    if (!exchanged(c, "fmi2NewDiscreteStates")) return ERROR;
    *info = (event_info){0, 0, 0, 0, 0, 0};
    return OK;
}

FMI_EXPORT int fmi2EnterEventMode(void *c) {
    return exchanged(c, "fmi2EnterEventMode") ? OK : ERROR;
}

FMI_EXPORT int fmi2EnterContinuousTimeMode(void *c) {
    return exchanged(c, "fmi2EnterContinuousTimeMode") ? OK : ERROR;
}

FMI_EXPORT int fmi2CompletedIntegratorStep(void *c, int stays, int *event, int *terminate) {
    (void)stays;
    if (!exchanged(c, "fmi2CompletedIntegratorStep")) return ERROR;
    *event = *terminate = 0;
    return OK;
}

FMI_EXPORT int fmi2SetTime(void *c, double time) { return stand_at(c, "fmi2SetTime", time); }

FMI_EXPORT int fmi2SetContinuousStates(void *c, const double *x, size_t n) {
    return states_set(c, "fmi2SetContinuousStates", x, n);
}

FMI_EXPORT int fmi2GetContinuousStates(void *c, double *x, size_t n) {
    return states_got(c, "fmi2GetContinuousStates", x, n);
}

FMI_EXPORT int fmi2GetDerivatives(void *c, double *dx, size_t n) {
    return rates_got(c, "fmi2GetDerivatives", dx, n);
}

FMI_EXPORT int fmi2GetNominalsOfContinuousStates(void *c, double *values, size_t n) {
    return nominals_got(c, "fmi2GetNominalsOfContinuousStates", values, n);
}

FMI_EXPORT int fmi2GetEventIndicators(void *c, double *values, size_t n) {
    (void)values;
    return exchanged(c, "fmi2GetEventIndicators") && !n ? OK : ERROR;
}
