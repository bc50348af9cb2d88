/* ---- FMI 3.0 ---------------------------------------------------------------------------------- */

FMI_EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

FMI_EXPORT int fmi3SetDebugLogging(void *c, bool on, size_t n, const char *const names[]) {
    return fmi2SetDebugLogging(c, on, n, names);
}

FMI_EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token,
                                             const char *resources, bool visible, bool on,
                                             bool event_mode, bool may_return, const uint32_t *refs,
                                             size_t n, void *environment, void *logger,
                                             void *intermediate) {
    (void)visible, (void)event_mode, (void)may_return, (void)refs, (void)n, (void)intermediate;
    return exported_new(3, name, token, resources, on, environment, logger);
}

FMI_EXPORT void fmi3FreeInstance(void *c) { exported_free(c); }

FMI_EXPORT int fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance,
                                           double start, bool has_stop, double stop) {
    exported *e = c;
    (void)has_stop, (void)stop;
    if (!allowed(e, "fmi3EnterInitializationMode", BEFORE) || !isfinite(start)) return ERROR;
    e->has_tolerance = has_tolerance && tolerance > 0;
    e->tolerance = tolerance;
    e->start = e->time = start;
    return finished_call(e, enter_initialization(e));
}

FMI_EXPORT int fmi3ExitInitializationMode(void *c) {
    exported *e = c;
    if (!allowed(e, "fmi3ExitInitializationMode", STARTING)) return ERROR;
    return finished_call(e, leave_initialization(e));
}

FMI_EXPORT int fmi3Terminate(void *c) {
    exported *e = c;
    if (!allowed(e, "fmi3Terminate", WHILE_STEPPED)) return ERROR;
    return terminated(e);
}

FMI_EXPORT int fmi3Reset(void *c) { return fmi2Reset(c); }

FMI_EXPORT int fmi3DoStep(void *c, double time, double size, bool stays, bool *event,
                          bool *terminate, bool *early, double *reached) {
    exported *e = c;
    (void)stays; /* states that are kept are counted */
    if (!allowed(e, "fmi3DoStep", WHILE_STEPPED)) return ERROR;
    int status = stepped(e, time, size);
    bool whole = e->time >= time + size - 1e-9 * e->block.size;
    if (event) *event = false;
    if (terminate) *terminate = e->terminated;
    if (early) *early = e->terminated && !whole;
    if (reached) *reached = whole ? time + size : e->time;
    return finished_call(e, status);
}

/* ---- variables ---- */

FMI_EXPORT int fmi3GetFloat64(void *c, const uint32_t *refs, size_t n, double *values, size_t m) {
    return n == m ? fmi2GetReal(c, refs, n, values) : ERROR;
}

FMI_EXPORT int fmi3SetFloat64(void *c, const uint32_t *refs, size_t n, const double *values,
                              size_t m) {
    return n == m ? fmi2SetReal(c, refs, n, values) : ERROR;
}

#define NUMBERS(word, kind, as)                                                                  \
    FMI_EXPORT int fmi3Get##word(void *c, const uint32_t *refs, size_t n, kind *values, size_t m) { \
        int status = OK;                                                                           \
        double number = 0;                                                                         \
        if (!allowed(c, "fmi3Get" #word, WHILE_ALIVE | WRONG) || n != m) return ERROR;                   \
        for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++) {                            \
            status = variable_got(c, refs[k], as, &number, NULL);                                  \
            values[k] = (kind)number;                                                              \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    FMI_EXPORT int fmi3Set##word(void *c, const uint32_t *refs, size_t n, const kind *values,      \
                                 size_t m) {                                                       \
        int status = OK;                                                                           \
        if (!allowed(c, "fmi3Set" #word, BEFORE | STARTING | WHILE_STEPPED) || n != m) return ERROR;       \
        for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++)                              \
            status = variable_set(c, refs[k], as, (double)values[k], NULL);                        \
        return status;                                                                             \
    }

NUMBERS(Int32, int32_t, AS_INT32)
NUMBERS(Int64, int64_t, AS_INT64)
NUMBERS(Boolean, bool, AS_BOOLEAN)

FMI_EXPORT int fmi3GetString(void *c, const uint32_t *refs, size_t n, const char **values,
                             size_t m) {
    return n == m ? strings_got(c, "fmi3GetString", refs, n, values) : ERROR;
}

FMI_EXPORT int fmi3SetString(void *c, const uint32_t *refs, size_t n, const char *const *values,
                             size_t m) {
    return n == m ? strings_set(c, "fmi3SetString", refs, n, values) : ERROR;
}

/* ---- states ---- */

FMI_EXPORT int fmi3GetFMUState(void *c, void **state) { return fmi2GetFMUstate(c, state); }
FMI_EXPORT int fmi3SetFMUState(void *c, void *state) { return fmi2SetFMUstate(c, state); }
FMI_EXPORT int fmi3FreeFMUState(void *c, void **state) { return fmi2FreeFMUstate(c, state); }

FMI_EXPORT int fmi3SerializedFMUStateSize(void *c, void *state, size_t *size) {
    return fmi2SerializedFMUstateSize(c, state, size);
}

FMI_EXPORT int fmi3SerializeFMUState(void *c, void *state, uint8_t *bytes, size_t size) {
    return fmi2SerializeFMUstate(c, state, (char *)bytes, size);
}

FMI_EXPORT int fmi3DeserializeFMUState(void *c, const uint8_t *bytes, size_t size, void **state) {
    return fmi2DeSerializeFMUstate(c, (const char *)bytes, size, state);
}

/* ---- what there is not: the standard wants all names to be there ---- */

#define LACKING(name)                                      \
    FMI_EXPORT int name(void *c) { return lacking(c, #name); }

LACKING(fmi3EnterStepMode)
LACKING(fmi3EnterConfigurationMode)
LACKING(fmi3ExitConfigurationMode)
LACKING(fmi3EvaluateDiscreteStates)
LACKING(fmi3GetFloat32)
LACKING(fmi3GetInt8)
LACKING(fmi3GetUInt8)
LACKING(fmi3GetInt16)
LACKING(fmi3GetUInt16)
LACKING(fmi3GetUInt32)
LACKING(fmi3GetUInt64)
LACKING(fmi3GetBinary)
LACKING(fmi3GetClock)
LACKING(fmi3SetFloat32)
LACKING(fmi3SetInt8)
LACKING(fmi3SetUInt8)
LACKING(fmi3SetInt16)
LACKING(fmi3SetUInt16)
LACKING(fmi3SetUInt32)
LACKING(fmi3SetUInt64)
LACKING(fmi3SetBinary)
LACKING(fmi3SetClock)
LACKING(fmi3GetIntervalDecimal)
LACKING(fmi3GetIntervalFraction)
LACKING(fmi3GetShiftDecimal)
LACKING(fmi3GetShiftFraction)
LACKING(fmi3SetIntervalDecimal)
LACKING(fmi3SetIntervalFraction)
LACKING(fmi3SetShiftDecimal)
LACKING(fmi3SetShiftFraction)
LACKING(fmi3GetNumberOfVariableDependencies)
LACKING(fmi3GetVariableDependencies)
LACKING(fmi3GetAdjointDerivative)
LACKING(fmi3GetOutputDerivatives)
LACKING(fmi3ActivateModelPartition)

/* ---- model exchange ---- */

FMI_EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token,
                                              const char *resources, bool visible, bool on,
                                              void *environment, void *logger) {
    (void)visible;
    return for_exchange(exported_new(3, name, token, resources, on, environment, logger));
}

FMI_EXPORT int fmi3GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t n_unknown,
                                            const uint32_t *known, size_t n_known,
                                            const double *seed, size_t n_seed, double *found,
                                            size_t n_found) {
    if (n_seed != n_known || n_found != n_unknown) return ERROR;
    return directional(c, unknown, n_unknown, known, n_known, seed, found);
}

FMI_EXPORT int fmi3EnterEventMode(void *c) {
    return exchanged(c, "fmi3EnterEventMode") ? OK : ERROR;
}

FMI_EXPORT int fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals,
                                        bool *values, bool *has_next, double *next) {
    if (!exchanged(c, "fmi3UpdateDiscreteStates")) return ERROR;
    *again = *terminate = *nominals = *values = *has_next = false;
    *next = 0;
    return OK;
}

FMI_EXPORT int fmi3EnterContinuousTimeMode(void *c) {
    return exchanged(c, "fmi3EnterContinuousTimeMode") ? OK : ERROR;
}

FMI_EXPORT int fmi3CompletedIntegratorStep(void *c, bool stays, bool *event, bool *terminate) {
    (void)stays;
    if (!exchanged(c, "fmi3CompletedIntegratorStep")) return ERROR;
    *event = *terminate = false;
    return OK;
}

FMI_EXPORT int fmi3SetTime(void *c, double time) { return stand_at(c, "fmi3SetTime", time); }

FMI_EXPORT int fmi3SetContinuousStates(void *c, const double *x, size_t n) {
    return states_set(c, "fmi3SetContinuousStates", x, n);
}

FMI_EXPORT int fmi3GetContinuousStates(void *c, double *x, size_t n) {
    return states_got(c, "fmi3GetContinuousStates", x, n);
}

FMI_EXPORT int fmi3GetContinuousStateDerivatives(void *c, double *dx, size_t n) {
    return rates_got(c, "fmi3GetContinuousStateDerivatives", dx, n);
}

FMI_EXPORT int fmi3GetNominalsOfContinuousStates(void *c, double *values, size_t n) {
    return nominals_got(c, "fmi3GetNominalsOfContinuousStates", values, n);
}

FMI_EXPORT int fmi3GetEventIndicators(void *c, double *values, size_t n) {
    (void)values;
    return exchanged(c, "fmi3GetEventIndicators") && !n ? OK : ERROR;
}

FMI_EXPORT int fmi3GetNumberOfEventIndicators(void *c, size_t *n) {
    *n = 0;
    return allowed(c, "fmi3GetNumberOfEventIndicators", WHILE_ALIVE) ? OK : ERROR;
}

FMI_EXPORT int fmi3GetNumberOfContinuousStates(void *c, size_t *n) {
    equations *m = allowed(c, "fmi3GetNumberOfContinuousStates", WHILE_ALIVE) ? only_equations(c) : NULL;
    *n = m ? (size_t)m->q->n_x : 0;
    return OK;
}

FMI_EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                                   const char *resources, bool visible, bool on,
                                                   void *environment, void *logger, void *update,
                                                   void *lock_preemption, void *unlock_preemption) {
    (void)name, (void)token, (void)resources, (void)visible, (void)on, (void)environment;
    (void)logger, (void)update, (void)lock_preemption, (void)unlock_preemption;
    return NULL;
}
