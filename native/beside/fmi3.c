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
    return beside_new(3, name, token, resources, on, environment, logger);
}

FMI_EXPORT void fmi3FreeInstance(void *c) { beside_free(c); }

FMI_EXPORT int fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance,
                                           double start, bool has_stop, double stop) {
    static const char call[] = "fmi3EnterInitializationMode";
    (void)has_stop, (void)stop;
    if (!allowed(c, call, INSTANTIATED)) return ERROR;
    int status = entered(c, has_tolerance, tolerance, start, call);
    return status == OK ? mode_changed(c, INSTANTIATED, ENTER, STARTING, call) : status;
}

FMI_EXPORT int fmi3ExitInitializationMode(void *c) {
    return mode_changed(c, STARTING, LEAVE, UNDER_WAY, "fmi3ExitInitializationMode");
}

FMI_EXPORT int fmi3Terminate(void *c) {
    return mode_changed(c, UNDER_WAY, TERMINATE, ENDED, "fmi3Terminate");
}

FMI_EXPORT int fmi3Reset(void *c) { return again(c, "fmi3Reset"); }

FMI_EXPORT int fmi3DoStep(void *c, double time, double size, bool stays, bool *event,
                          bool *terminate, bool *early, double *reached) {
    beside *e = c;
    (void)stays;
    if (!allowed(e, "fmi3DoStep", UNDER_WAY)) return ERROR;
    int status = stepped(e, time, size, "fmi3DoStep");
    bool whole = e->time >= time + size;
    if (event) *event = false;
    if (terminate) *terminate = e->terminated;
    if (early) *early = e->terminated && !whole;
    if (reached) *reached = whole ? time + size : e->time;
    return status;
}

/* ---- variables ---- */

FMI_EXPORT int fmi3GetFloat64(void *c, const uint32_t *refs, size_t n, double *values, size_t m) {
    return n == m ? reals_got(c, "fmi3GetFloat64", refs, n, values) : ERROR;
}

FMI_EXPORT int fmi3SetFloat64(void *c, const uint32_t *refs, size_t n, const double *values,
                              size_t m) {
    return n == m ? reals_set(c, "fmi3SetFloat64", refs, n, values) : ERROR;
}

#define WHOLE_3(word, kind, as)                                                                   \
    WHOLE(fmi3Get##word, fmi3Set##word, kind, as)                                                 \
    FMI_EXPORT int fmi3Get##word(void *c, const uint32_t *refs, size_t n, kind *values, size_t m) { \
        return n == m ? fmi3Get##word##_whole(c, refs, n, values) : ERROR;                        \
    }                                                                                             \
    FMI_EXPORT int fmi3Set##word(void *c, const uint32_t *refs, size_t n, const kind *values,     \
                                 size_t m) {                                                      \
        return n == m ? fmi3Set##word##_whole(c, refs, n, values) : ERROR;                        \
    }

WHOLE_3(Int32, int32_t, AS_WHOLE)
WHOLE_3(Int64, int64_t, AS_WHOLE)
WHOLE_3(Boolean, bool, AS_BOOLEAN)

FMI_EXPORT int fmi3GetString(void *c, const uint32_t *refs, size_t n, const char **values,
                             size_t m) {
    return n == m ? strings_got(c, "fmi3GetString", refs, n, values) : ERROR;
}

FMI_EXPORT int fmi3SetString(void *c, const uint32_t *refs, size_t n, const char *const *values,
                             size_t m) {
    return n == m ? strings_set(c, "fmi3SetString", refs, n, values) : ERROR;
}

/* ---- states and derivatives ---- */

FMI_EXPORT int fmi3GetFMUState(void *c, void **state) {
    return state_got(c, state, "fmi3GetFMUState");
}

FMI_EXPORT int fmi3SetFMUState(void *c, void *state) {
    return state_set(c, state, "fmi3SetFMUState");
}

FMI_EXPORT int fmi3FreeFMUState(void *c, void **state) { return state_freed(c, state); }

FMI_EXPORT int fmi3SerializedFMUStateSize(void *c, void *state, size_t *size) {
    return state_size(c, state, size, "fmi3SerializedFMUStateSize");
}

FMI_EXPORT int fmi3SerializeFMUState(void *c, void *state, uint8_t *to, size_t size) {
    return state_serialized(c, state, to, size, "fmi3SerializeFMUState");
}

FMI_EXPORT int fmi3DeserializeFMUState(void *c, const uint8_t *from, size_t size, void **state) {
    return state_deserialized(c, from, size, state, "fmi3DeserializeFMUState");
}

FMI_EXPORT int fmi3GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t n_unknown,
                                            const uint32_t *known, size_t n_known,
                                            const double *seed, size_t n_seed, double *found,
                                            size_t n_found) {
    if (n_seed != n_known || n_found != n_unknown) return ERROR;
    return derived(c, "fmi3GetDirectionalDerivative", unknown, n_unknown, known, n_known, seed,
                   found);
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
LACKING(fmi3EnterEventMode)
LACKING(fmi3UpdateDiscreteStates)
LACKING(fmi3EnterContinuousTimeMode)
LACKING(fmi3CompletedIntegratorStep)
LACKING(fmi3SetTime)
LACKING(fmi3SetContinuousStates)
LACKING(fmi3GetContinuousStates)
LACKING(fmi3GetContinuousStateDerivatives)
LACKING(fmi3GetNominalsOfContinuousStates)
LACKING(fmi3GetEventIndicators)
LACKING(fmi3GetNumberOfEventIndicators)
LACKING(fmi3GetNumberOfContinuousStates)

FMI_EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token,
                                              const char *resources, bool visible, bool on,
                                              void *environment, void *logger) {
    (void)name, (void)token, (void)resources, (void)visible, (void)on, (void)environment;
    (void)logger;
    return NULL;
}

FMI_EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                                   const char *resources, bool visible, bool on,
                                                   void *environment, void *logger, void *update,
                                                   void *lock_preemption, void *unlock_preemption) {
    (void)name, (void)token, (void)resources, (void)visible, (void)on, (void)environment;
    (void)logger, (void)update, (void)lock_preemption, (void)unlock_preemption;
    return NULL;
}
