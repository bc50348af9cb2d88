/* The functions of FMI 2.0. Modes in which each is legal: tables of sections 3.2.3 and 4.2.4. */

#define READABLE                                                                                   \
    (INITIALIZATION | STEP | FAILED | CANCELED | EVENT | CONTINUOUS | TERMINATED | BROKEN)
#define WRITABLE (INSTANTIATED | INITIALIZATION | STEP | EVENT | CONTINUOUS)
#define KEEPABLE (READABLE | INSTANTIATED)

typedef unsigned Reference;

typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *environment, Status);
    void *environment;
} Callbacks;

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }

EXPORT const char *fmi2GetVersion(void) { return LIE_VERSION ? "1.9" : "2.0"; }

/* Whether a file URI is that of a folder. Some FMUs of others refuse to live without one. */
static bool is_folder(const char *uri)
{
    char path[4096];
    size_t n = 0;
    if (!uri || strncmp(uri, "file:///", 8)) return false;
    for (const char *p = uri + 7; *p && n + 1 < sizeof path; n++) {
        unsigned code;
        bool coded = *p == '%' && sscanf(p + 1, "%2x", &code) == 1;
        path[n] = coded ? (char)code : *p;
        p += coded ? 3 : 1;
    }
    path[n] = 0;
    struct stat found;
    return !stat(path, &found) && S_ISDIR(found.st_mode);
}

EXPORT void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources,
    const Callbacks *callbacks, int visible, int logging)
{
    (void)visible;
    if (!callbacks) return NULL;
    Instance *c = conceive(name, guid, callbacks->logger, callbacks->environment,
        MEMORY_CALLBACKS ? callbacks->allocate : calloc,
        MEMORY_CALLBACKS ? callbacks->release : free, logging);
    if (!c) return NULL;
    c->step_finished = callbacks->step_finished;
    c->model_exchange = !kind;
    if (kind ? !CO_SIMULATION : !MODEL_EXCHANGE)
        wrong(c, __func__, "this FMU is not for %s", kind ? "co-simulation" : "model exchange");
    else if (STRICT && !is_folder(resources))
        wrong(c, __func__, "'%s' is no file URI of a folder", resources ? resources : "NULL");
    else
        return c;
    c->s.mode = INSTANTIATED;
    bury(c, __func__);
    return NULL;
}

EXPORT void fmi2FreeInstance(void *instance)
{
    Instance *c = instance;
    if (c && enter_with_care(c, __func__, KEEPABLE)) bury(c, __func__);
}

EXPORT Status fmi2SetDebugLogging(void *instance, int on, size_t n, const char *const names[])
{
    ENTER(ANY_MODE);
    return choose_logs(c, __func__, on, n, names);
}

/* ---- initialization, end --------------------------------------------------------------------- */

EXPORT Status fmi2SetupExperiment(void *instance, int tolerance_defined, double tolerance,
    double start, int stop_defined, double stop)
{
    ENTER(INSTANTIATED);
    if (tolerance_defined && !(tolerance > 0))
        return wrong(c, __func__, "a tolerance must be above 0, not %g", tolerance);
    if (stop_defined && !(stop >= start))
        return wrong(c, __func__, "it would stop at %g, before it starts at %g", stop, start);
    if (FLAW_SETUP) c->s.v = START;
    begin(c, start, stop_defined, stop);
    c->set_up = true;
    return OK;
}

EXPORT Status fmi2EnterInitializationMode(void *instance)
{
    ENTER(INSTANTIATED);
    if (STRICT && !c->set_up)
        return wrong(c, __func__, "fmi2SetupExperiment must be called before");
    c->s.mode = INITIALIZATION;
    return OK;
}

EXPORT Status fmi2ExitInitializationMode(void *instance)
{
    ENTER(INITIALIZATION);
    refresh(c);
    c->s.mode = c->model_exchange ? EVENT : STEP;
    return WARN_AT_START(c);
}

EXPORT Status fmi2Terminate(void *instance)
{
    ENTER(STEP | FAILED | EVENT | CONTINUOUS);
    c->s.mode = TERMINATED;
    if (FLAW_TERMINATE) return fail(c, "the files it wrote could not be closed");
    return OK;
}

EXPORT Status fmi2Reset(void *instance)
{
    ENTER(KEEPABLE);
    return begin_anew(c);
}

/* ---- variables ------------------------------------------------------------------------------- */

#define ACCESS(Type, type, array, COUNT)                                                           \
    EXPORT Status fmi2Get##Type(void *instance, const Reference vr[], size_t n, type values[])     \
    {                                                                                              \
        ENTER(READABLE);                                                                           \
        if (!may_read(c, __func__)) return ERROR;                                                  \
        for (size_t i = 0; i < n; ++i) {                                                           \
            size_t k = locate(vr[i], 0, COUNT);                                                    \
            if (k == NOWHERE) return no_reference(c, __func__, vr[i]);                             \
            if (STRICT && !may_read_this(c, __func__, array##_role[k], array##_name[k]))           \
                return ERROR;                                                                      \
            values[i] = c->s.v.array[k];                                                           \
        }                                                                                          \
        return OK;                                                                                 \
    }                                                                                              \
    EXPORT Status fmi2Set##Type(                                                                   \
        void *instance, const Reference vr[], size_t n, const type values[])                       \
    {                                                                                              \
        ENTER(WRITABLE);                                                                           \
        int allowed = settable(c);                                                                 \
        for (size_t i = 0; i < n; ++i) {                                                           \
            size_t k = locate(vr[i], 0, COUNT);                                                    \
            if (k == NOWHERE) return no_reference(c, __func__, vr[i]);                             \
            if (!(array##_role[k] & allowed)) return not_settable(c, __func__, array##_name[k]);   \
            c->s.v.array[k] = values[i];                                                           \
        }                                                                                          \
        was_set(c);                                                                                \
        return OK;                                                                                 \
    }

ACCESS(Real, double, float64, FLOAT64_COUNT)
ACCESS(Integer, int, int32, INT32_COUNT)
ACCESS(Boolean, int, boolean, BOOLEAN_COUNT)

EXPORT Status fmi2GetString(void *instance, const Reference vr[], size_t n, const char *values[])
{
    ENTER(READABLE);
    if (!may_read(c, __func__)) return ERROR;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, STRING_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (STRICT && !may_read_this(c, __func__, string_role[k], string_name[k])) return ERROR;
#if STRING_COUNT
        values[i] = memcpy(c->lent_string[k], c->s.v.string[k], TEXT);
#else
        (void)values;
#endif
    }
    return OK;
}

EXPORT Status fmi2SetString(
    void *instance, const Reference vr[], size_t n, const char *const values[])
{
    ENTER(WRITABLE);
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

/* ---- state ----------------------------------------------------------------------------------- */

#if STATE_SAVING || !MINIMAL
EXPORT Status fmi2GetFMUstate(void *instance, void **state)
{
    ENTER(KEEPABLE);
    return take(c, __func__, state);
}

EXPORT Status fmi2SetFMUstate(void *instance, void *state)
{
    ENTER(KEEPABLE);
    return restore(c, __func__, state);
}

EXPORT Status fmi2FreeFMUstate(void *instance, void **state)
{
    ENTER(KEEPABLE);
    return drop(c, __func__, state);
}
#endif

#if SERIALIZATION || !MINIMAL
EXPORT Status fmi2SerializedFMUstateSize(void *instance, void *state, size_t *size)
{
    ENTER(KEEPABLE);
    return measure(c, __func__, state, size);
}

EXPORT Status fmi2SerializeFMUstate(void *instance, void *state, char bytes[], size_t size)
{
    ENTER(KEEPABLE);
    return pack(c, __func__, state, bytes, size);
}

EXPORT Status fmi2DeSerializeFMUstate(
    void *instance, const char bytes[], size_t size, void **state)
{
    ENTER(KEEPABLE);
    return unpack(c, __func__, bytes, size, state);
}
#endif

/* ---- derivatives ----------------------------------------------------------------------------- */

#if DIRECTIONAL || !MINIMAL
EXPORT Status fmi2GetDirectionalDerivative(void *instance, const Reference unknowns[], size_t nu,
    const Reference knowns[], size_t nk, const double seed[], double sensitivity[])
{
    ENTER(READABLE);
    ++directional_calls;
    if (!DIRECTIONAL) return wrong(c, __func__, "this FMU gives no directional derivatives");
    refresh(c);
    if (STRICT && c->s.mode == STEP && c->s.touched)
        untidy(c, __func__, "asked after a variable was set and before the next step");
    int known_roles = INPUT | STATE | TIME | (c->s.mode == INITIALIZATION ? EXACT : 0);
    for (size_t i = 0; i < nu; ++i) {
        if (locate(unknowns[i], 0, FLOAT64_COUNT) == NOWHERE)
            return no_reference(c, __func__, unknowns[i]);
        if (!(float64_role[unknowns[i]] & (OUTPUT | DERIVATIVE | UNKNOWN)))
            return wrong(c, __func__, "'%s' is not an unknown", float64_name[unknowns[i]]);
        sensitivity[i] = 0;
        for (size_t j = 0; j < nk; ++j) {
            if (locate(knowns[j], 0, FLOAT64_COUNT) == NOWHERE)
                return no_reference(c, __func__, knowns[j]);
            if (!(float64_role[knowns[j]] & known_roles))
                return wrong(c, __func__, "'%s' is not a known", float64_name[knowns[j]]);
            sensitivity[i] += partial(&c->s, unknowns[i], knowns[j]) * seed[j];
        }
    }
    return OK;
}
#endif

EXPORT Status fmi2SetRealInputDerivatives(void *instance, const Reference vr[], size_t n,
    const int order[], const double values[])
{
    ENTER(INSTANTIATED | INITIALIZATION | STEP);
    if (FLAW_DERIVATIVES) return ERROR;
    if (FLAW_DERIVATIVES_END && n && order[0] > 1) {
        c->over = true;
        return ERROR;
    }
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, FLOAT64_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(float64_role[k] & CONTINUOUS_INPUT))
            return wrong(c, __func__, "'%s' is not a continuous input", float64_name[k]);
        if (order[i] < 1 || order[i] > INPUT_ORDER)
            return wrong(c, __func__, "inputs take derivatives up to order %d, not of order %d",
                INPUT_ORDER, order[i]);
#if INPUT_ORDER
        c->s.slope[order[i] - 1][k] = values[i];
#else
        (void)values;
#endif
    }
    was_set(c);
    return OK;
}

EXPORT Status fmi2GetRealOutputDerivatives(void *instance, const Reference vr[], size_t n,
    const int order[], double values[])
{
    ENTER(STEP | FAILED | CANCELED | TERMINATED | BROKEN);
    if (!may_read(c, __func__)) return ERROR;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], 0, FLOAT64_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(float64_role[k] & OUTPUT))
            return wrong(c, __func__, "'%s' is not an output", float64_name[k]);
        if (order[i] < 1 || order[i] > OUTPUT_ORDER)
            return wrong(c, __func__, "outputs have derivatives up to order %d, not of order %d",
                OUTPUT_ORDER, order[i]);
        values[i] = rate(&c->s, k, order[i]);
    }
    return OK;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

static Status whole_step(Instance *c, const char *function, double time, double size)
{
    Status status = walk(c, function, time, size);
    if (status == DISCARD) c->s.mode = FAILED;
    if (status == FATAL) c->s.mode = DEAD;
    return status;
}

#ifdef HAS_PENDING
static Status start_step(Instance *c, double time, double size);
static void cancel_step(Instance *c);
#endif

EXPORT Status fmi2DoStep(void *instance, double time, double size, int no_way_back)
{
    ENTER(STEP);
    if (no_way_back && time > c->horizon) c->horizon = time;
    heed_flag(c, no_way_back);
    if (c->over) return ERROR;
#ifdef HAS_PENDING
    return start_step(c, time, size);
#else
    return whole_step(c, __func__, time, size);
#endif
}

EXPORT Status fmi2CancelStep(void *instance)
{
    ENTER(IN_PROGRESS);
#ifdef HAS_PENDING
    cancel_step(c);
    return OK;
#else
    return wrong(c, __func__, "no step is in progress");
#endif
}

#define STATUS (STEP | IN_PROGRESS | FAILED | TERMINATED)
enum { DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, WANTS_END };

EXPORT Status fmi2GetStatus(void *instance, int kind, Status *value)
{
    ENTER(STATUS);
#ifdef HAS_PENDING
    if (kind == DO_STEP_STATUS) {
        *value = c->s.mode == IN_PROGRESS ? PENDING : c->outcome;
        return OK;
    }
#endif
    (void)kind, (void)value;
    return DISCARD;
}

EXPORT Status fmi2GetRealStatus(void *instance, int kind, double *value)
{
    ENTER(STATUS);
    if (kind != LAST_SUCCESSFUL_TIME) return DISCARD;
    *value = c->reached;
    return OK;
}

EXPORT Status fmi2GetIntegerStatus(void *instance, int kind, int *value)
{
    ENTER(STATUS);
    (void)kind, (void)value;
    return DISCARD;
}

EXPORT Status fmi2GetBooleanStatus(void *instance, int kind, int *value)
{
    ENTER(STATUS);
    if (kind != WANTS_END) return DISCARD;
    *value = c->wants_end;
    return OK;
}

EXPORT Status fmi2GetStringStatus(void *instance, int kind, const char **value)
{
    ENTER(STATUS);
    if (kind != PENDING_STATUS) return DISCARD;
    *value = c->s.mode == IN_PROGRESS ? "still thinking" : "done";
    return OK;
}

/* ---- model exchange -------------------------------------------------------------------------- */

#if MODEL_EXCHANGE
typedef struct {
    int again, end, nominals_changed, states_changed, next_defined;
    double next;
} EventInfo;

EXPORT Status fmi2EnterEventMode(void *instance)
{
    ENTER(EVENT | CONTINUOUS);
    c->s.mode = EVENT;
    return OK;
}

EXPORT Status fmi2NewDiscreteStates(void *instance, EventInfo *info)
{
    ENTER(EVENT);
    *info = (EventInfo){ 0 };
#ifdef HAS_EVENTS
    bool changed = false;
    refresh(c);
    info->again = event(&c->s, &changed);
    info->states_changed = changed;
    info->next = announced(&c->s);
    info->next_defined = isfinite(info->next);
    c->s.stale = true;
#endif
    return OK;
}

EXPORT Status fmi2EnterContinuousTimeMode(void *instance)
{
    ENTER(EVENT);
    c->s.mode = CONTINUOUS;
    return OK;
}

EXPORT Status fmi2CompletedIntegratorStep(
    void *instance, int no_way_back, int *enter_event_mode, int *end)
{
    ENTER(CONTINUOUS);
    if (no_way_back && c->s.v.time > c->horizon) c->horizon = c->s.v.time;
    *enter_event_mode = *end = 0;
    return OK;
}

EXPORT Status fmi2SetTime(void *instance, double time)
{
    ENTER(CONTINUOUS);
    if (time > c->stop) return wrong(c, __func__, "%.17g is beyond the stop time", time);
    c->s.v.time = time;
    c->s.stale = true;
    return OK;
}

EXPORT Status fmi2SetContinuousStates(void *instance, const double x[], size_t n)
{
    ENTER(CONTINUOUS);
    if (n != STATES) return wrong(c, __func__, "there are %d states, not %zu", STATES, n);
    for (size_t i = 0; i < n; ++i) c->s.v.float64[state_place[i]] = x[i];
    c->s.stale = true;
    return OK;
}

#define READ_ALL(Function, N, modes, value)                                                        \
    EXPORT Status Function(void *instance, double values[], size_t n)                              \
    {                                                                                              \
        ENTER(modes);                                                                              \
        if (n != N) return wrong(c, __func__, "there are %d, not %zu", N, n);                      \
        refresh(c);                                                                                \
        for (size_t i = 0; i < n; ++i) values[i] = value;                                          \
        return OK;                                                                                 \
    }

READ_ALL(fmi2GetDerivatives, STATES, READABLE, c->s.v.float64[derivative_place[i]])
READ_ALL(fmi2GetContinuousStates, STATES, READABLE, c->s.v.float64[state_place[i]])
READ_ALL(fmi2GetNominalsOfContinuousStates, STATES, KEEPABLE, 1)
READ_ALL(fmi2GetEventIndicators, INDICATORS, READABLE, c->s.v.float64[indicator_place[i]])
#endif
