/* The functions of FMI 1.0 for co-simulation, their names prefixed with that of the model. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAMED(function) JOIN(MODEL, function)

typedef unsigned Reference;

typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *instance, Status);
} Callbacks;

EXPORT const char *NAMED(fmiGetTypesPlatform)(void) { return "standard32"; }

EXPORT const char *NAMED(fmiGetVersion)(void) { return "1.0"; }

EXPORT void *NAMED(fmiInstantiateSlave)(const char *name, const char *guid, const char *location,
    const char *mime, double timeout, char visible, char interactive, Callbacks callbacks,
    char logging)
{
    (void)location, (void)mime, (void)timeout, (void)visible, (void)interactive;
    Instance *c = conceive(name, guid, callbacks.logger, NULL,
        MEMORY_CALLBACKS ? callbacks.allocate : calloc,
        MEMORY_CALLBACKS ? callbacks.release : free, logging);
    if (c) c->environment = c; /* the logger is given the instance */
    return c;
}

EXPORT Status NAMED(fmiInitializeSlave)(
    void *instance, double start, char stop_defined, double stop)
{
    ENTER(INSTANTIATED);
    begin(c, start, stop_defined, stop);
    c->s.stale = true;
    refresh(c);
    c->s.mode = STEP;
    return OK;
}

EXPORT Status NAMED(fmiTerminateSlave)(void *instance)
{
    ENTER(STEP | FAILED);
    c->s.mode = TERMINATED;
    return OK;
}

EXPORT Status NAMED(fmiResetSlave)(void *instance)
{
    ENTER(ANY_MODE);
    return begin_anew(c);
}

EXPORT void NAMED(fmiFreeSlaveInstance)(void *instance)
{
    Instance *c = instance;
    if (c && enter_with_care(c, __func__, ANY_MODE)) bury(c, __func__);
}

EXPORT Status NAMED(fmiSetDebugLogging)(void *instance, char on)
{
    ENTER(ANY_MODE);
    return choose_logs(c, __func__, on, 0, NULL);
}

#define ACCESS(Type, type, array, COUNT)                                                           \
    EXPORT Status NAMED(fmiGet##Type)(                                                             \
        void *instance, const Reference vr[], size_t n, type values[])                             \
    {                                                                                              \
        ENTER(ANY_MODE);                                                                           \
        if (!may_read(c, __func__)) return ERROR;                                                  \
        for (size_t i = 0; i < n; ++i) {                                                           \
            size_t k = locate(vr[i], 0, COUNT);                                                    \
            if (k == NOWHERE) return no_reference(c, __func__, vr[i]);                             \
            values[i] = (type)c->s.v.array[k];                                                     \
        }                                                                                          \
        return OK;                                                                                 \
    }                                                                                              \
    EXPORT Status NAMED(fmiSet##Type)(                                                             \
        void *instance, const Reference vr[], size_t n, const type values[])                       \
    {                                                                                              \
        ENTER(ANY_MODE);                                                                           \
        for (size_t i = 0; i < n; ++i) {                                                           \
            size_t k = locate(vr[i], 0, COUNT);                                                    \
            if (k == NOWHERE) return no_reference(c, __func__, vr[i]);                             \
            if (!(array##_role[k] & settable(c)))                                                  \
                return not_settable(c, __func__, array##_name[k]);                                 \
            c->s.v.array[k] = values[i];                                                           \
        }                                                                                          \
        was_set(c);                                                                                \
        return OK;                                                                                 \
    }

ACCESS(Real, double, float64, FLOAT64_COUNT)
ACCESS(Integer, int, int32, INT32_COUNT)
ACCESS(Boolean, char, boolean, BOOLEAN_COUNT)

EXPORT Status NAMED(fmiGetString)(
    void *instance, const Reference vr[], size_t n, const char *values[])
{
    ENTER(ANY_MODE);
    if (!may_read(c, __func__)) return ERROR;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, STRING_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
#if STRING_COUNT
        values[i] = memcpy(c->lent_string[k], c->s.v.string[k], TEXT);
#else
        (void)values;
#endif
    }
    return OK;
}

EXPORT Status NAMED(fmiSetString)(
    void *instance, const Reference vr[], size_t n, const char *const values[])
{
    ENTER(ANY_MODE);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, STRING_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(string_role[k] & settable(c))) return not_settable(c, __func__, string_name[k]);
        if (!values[i] || strlen(values[i]) >= TEXT)
            return wrong(c, __func__, "'%s' takes up to %d bytes", string_name[k], TEXT - 1);
#if STRING_COUNT
        strcpy(c->s.v.string[k], values[i]);
#endif
    }
    was_set(c);
    return OK;
}

EXPORT Status NAMED(fmiSetRealInputDerivatives)(void *instance, const Reference vr[], size_t n,
    const int order[], const double values[])
{
    ENTER(ANY_MODE);
    if (FLAW_DERIVATIVES) return ERROR;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, FLOAT64_COUNT);
        if (k == NOWHERE || !(float64_role[k] & INPUT)) return no_reference(c, __func__, vr[i]);
        if (order[i] < 1 || order[i] > INPUT_ORDER)
            return wrong(c, __func__, "inputs take derivatives up to order %d", INPUT_ORDER);
#if INPUT_ORDER
        c->s.slope[order[i] - 1][k] = values[i];
#else
        (void)values;
#endif
    }
    was_set(c);
    return OK;
}

EXPORT Status NAMED(fmiGetRealOutputDerivatives)(void *instance, const Reference vr[], size_t n,
    const int order[], double values[])
{
    ENTER(ANY_MODE);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, FLOAT64_COUNT);
        if (k == NOWHERE || !(float64_role[k] & OUTPUT)) return no_reference(c, __func__, vr[i]);
        if (order[i] < 1 || order[i] > OUTPUT_ORDER)
            return wrong(c, __func__, "outputs have derivatives up to order %d", OUTPUT_ORDER);
        values[i] = rate(&c->s, k, order[i]);
    }
    return OK;
}

/* With `fresh` false the last step is taken back and done again, with the inputs set since. */
EXPORT Status NAMED(fmiDoStep)(void *instance, double time, double size, char fresh)
{
    ENTER(STEP);
#if STATE_SAVING /* here: may take back one step */
    if (!fresh) {
        State now = c->s;
        c->s = c->begun;
        if (FLAW_RESTORE) keep_states(&c->s, &now);
        for (size_t k = 0; k < FLOAT64_COUNT; ++k)
            if (float64_role[k] & INPUT) c->s.v.float64[k] = now.v.float64[k];
#if INPUT_ORDER
        memcpy(c->s.slope, now.slope, sizeof now.slope);
#endif
    }
    c->begun = c->s;
#else
    if (!fresh) return wrong(c, __func__, "this FMU cannot reject steps");
#endif
    return walk(c, __func__, time, size);
}

EXPORT Status NAMED(fmiCancelStep)(void *instance)
{
    ENTER(ANY_MODE);
    return wrong(c, __func__, "no step is in progress");
}

EXPORT Status NAMED(fmiGetStatus)(void *instance, int kind, Status *value)
{
    ENTER(ANY_MODE);
    (void)kind, (void)value;
    return DISCARD;
}

EXPORT Status NAMED(fmiGetRealStatus)(void *instance, int kind, double *value)
{
    ENTER(ANY_MODE);
    if (kind != 2) return DISCARD; /* the last successful time */
    *value = c->reached;
    return OK;
}

EXPORT Status NAMED(fmiGetIntegerStatus)(void *instance, int kind, int *value)
{
    ENTER(ANY_MODE);
    (void)kind, (void)value;
    return DISCARD;
}

EXPORT Status NAMED(fmiGetBooleanStatus)(void *instance, int kind, char *value)
{
    ENTER(ANY_MODE);
    (void)kind, (void)value;
    return DISCARD;
}

EXPORT Status NAMED(fmiGetStringStatus)(void *instance, int kind, const char **value)
{
    ENTER(ANY_MODE);
    (void)kind, (void)value;
    return DISCARD;
}

/* ---- model exchange: there are no modes, an event is one call -------------------------------- */

#if MODEL_EXCHANGE
typedef struct {
    char converged, references_changed, values_changed, end, upcoming;
    double next;
} EventInfo;

typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
} ModelCallbacks;

EXPORT const char *NAMED(fmiGetModelTypesPlatform)(void) { return "standard32"; }

EXPORT void *NAMED(fmiInstantiateModel)(
    const char *name, const char *guid, ModelCallbacks callbacks, char logging)
{
    Instance *c = conceive(name, guid, callbacks.logger, NULL,
        MEMORY_CALLBACKS ? callbacks.allocate : calloc,
        MEMORY_CALLBACKS ? callbacks.release : free, logging);
    if (!c) return NULL;
    c->environment = c;
    c->model_exchange = true;
    return c;
}

EXPORT void NAMED(fmiFreeModelInstance)(void *instance)
{
    Instance *c = instance;
    if (c && enter_with_care(c, __func__, ANY_MODE)) bury(c, __func__);
}

EXPORT Status NAMED(fmiTerminate)(void *instance)
{
    ENTER(CONTINUOUS);
    c->s.mode = TERMINATED;
    return OK;
}

EXPORT Status NAMED(fmiSetTime)(void *instance, double time)
{
    ENTER(INSTANTIATED | CONTINUOUS);
    c->s.v.time = time;
    c->s.stale = true;
    c->s.touched = true; /* a step is in progress */
    return OK;
}

static void happen(Instance *c, EventInfo *info)
{
    *info = (EventInfo){ .converged = 1 };
    refresh(c);
#ifdef HAS_EVENTS
    bool changed = false;
    for (int rounds = 0; event(&c->s, &changed); ++rounds)
        if (rounds > 1000) {
            info->converged = 0;
            break;
        }
    info->values_changed = changed;
    info->next = announced(&c->s);
    info->upcoming = isfinite(info->next);
    c->s.stale = true;
#endif
}

EXPORT Status NAMED(fmiInitialize)(
    void *instance, char tolerance_controlled, double tolerance, EventInfo *info)
{
    ENTER(INSTANTIATED);
    (void)tolerance_controlled, (void)tolerance;
    begin(c, c->s.v.time, false, 0);
    c->s.stale = true;
    happen(c, info);
    c->s.mode = CONTINUOUS;
    c->s.touched = false;
    return OK;
}

EXPORT Status NAMED(fmiEventUpdate)(void *instance, char intermediate, EventInfo *info)
{
    ENTER(CONTINUOUS);
    (void)intermediate;
    if (STRICT && c->s.touched)
        return wrong(c, __func__, "the step that is in progress must be completed before");
    happen(c, info);
    return OK;
}

EXPORT Status NAMED(fmiCompletedIntegratorStep)(void *instance, char *call_event_update)
{
    ENTER(CONTINUOUS);
    *call_event_update = 0;
    c->s.touched = false;
    return OK;
}

EXPORT Status NAMED(fmiSetContinuousStates)(void *instance, const double x[], size_t n)
{
    ENTER(CONTINUOUS);
    if (n != STATES) return wrong(c, __func__, "there are %d states, not %zu", STATES, n);
    for (size_t i = 0; i < n; ++i) c->s.v.float64[state_place[i]] = x[i];
    c->s.stale = true;
    return OK;
}

#define READ_ALL(Function, type, N, value)                                                         \
    EXPORT Status NAMED(Function)(void *instance, type values[], size_t n)                         \
    {                                                                                              \
        ENTER(CONTINUOUS | TERMINATED);                                                            \
        if (n != N) return wrong(c, __func__, "there are %d, not %zu", N, n);                      \
        refresh(c);                                                                                \
        for (size_t i = 0; i < n; ++i) values[i] = value;                                          \
        return OK;                                                                                 \
    }

READ_ALL(fmiGetDerivatives, double, STATES, c->s.v.float64[derivative_place[i]])
READ_ALL(fmiGetContinuousStates, double, STATES, c->s.v.float64[state_place[i]])
READ_ALL(fmiGetNominalContinuousStates, double, STATES, 1)
READ_ALL(fmiGetEventIndicators, double, INDICATORS, c->s.v.float64[indicator_place[i]])
READ_ALL(fmiGetStateValueReferences, Reference, STATES, (Reference)state_place[i])
#endif
