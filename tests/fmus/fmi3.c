/* The functions of FMI 3.0. Modes in which each is legal: sections 2.3, 3.2 and 4.2. */

#define READABLE                                                                                   \
    (INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS | STEP | TERMINATED | INTERMEDIATE)
#define WRITABLE                                                                                   \
    (INSTANTIATED | CONFIGURATION | INITIALIZATION | EVENT | CONTINUOUS | STEP | INTERMEDIATE)
#define KEEPABLE                                                                                   \
    (INSTANTIATED | CONFIGURATION | INITIALIZATION | EVENT | CONTINUOUS | STEP | TERMINATED)

typedef uint32_t Reference;

EXPORT const char *fmi3GetVersion(void) { return LIE_VERSION ? "2.9" : "3.0"; }

EXPORT Status fmi3SetDebugLogging(void *instance, bool on, size_t n, const char *const names[])
{
    ENTER(KEEPABLE);
    return choose_logs(c, __func__, on, n, names);
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    return !path || (*path == '/' && path[strlen(path) - 1] == '/');
}

static Instance *make(const char *function, bool offered, const char *name, const char *token,
    const char *resources, bool logging, void *environment, Logger logger)
{
    Instance *c = conceive(name, token, logger, environment, calloc, free, logging);
    if (!c) return NULL;
    if (!offered)
        wrong(c, function, "this FMU does not have this interface type");
    else if (STRICT && !is_folder(resources))
        wrong(c, function, "'%s' is no absolute path of a folder, with / at its end", resources);
    else
        return c;
    c->s.mode = INSTANTIATED;
    bury(c, function);
    return NULL;
}

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
    bool visible, bool logging, bool event_mode, bool may_return_early, const Reference required[],
    size_t n_required, void *environment, Logger logger, IntermediateUpdate intermediate)
{
    (void)visible;
    Instance *c
        = make(__func__, CO_SIMULATION, name, token, resources, logging, environment, logger);
    if (!c) return NULL;
    c->event_mode = event_mode;
    c->may_return_early = may_return_early;
    c->intermediate = intermediate;
    for (size_t i = 0; i < n_required; ++i) {
        size_t k = locate(required[i], 0, FLOAT64_COUNT);
        if (k != NOWHERE && INTERMEDIATE_UPDATE) c->required[k] = true;
        else wrong(c, __func__, "variable %u knows no intermediate update", required[i]);
    }
    if (event_mode && !EVENT_MODE) wrong(c, __func__, "this FMU has no event mode");
    if (CLOCK_COUNT && !event_mode) wrong(c, __func__, "a clocked FMU needs event mode");
    if (n_required && !intermediate) wrong(c, __func__, "variables but no callback are given");
    if (c->s.mode == INSTANTIATED) return c;
    c->s.mode = INSTANTIATED;
    bury(c, __func__);
    return NULL;
}

EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token,
    const char *resources, bool visible, bool logging, void *environment, Logger logger)
{
    (void)visible;
    Instance *c
        = make(__func__, MODEL_EXCHANGE, name, token, resources, logging, environment, logger);
    if (c) c->model_exchange = c->event_mode = true;
    return c;
}

EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token,
    const char *resources, bool visible, bool logging, void *environment, Logger logger,
    void (*clock_update)(void *), void (*lock)(void), void (*unlock)(void))
{
    (void)visible;
    Instance *c = make(__func__, SCHEDULED, name, token, resources, logging, environment, logger);
    if (!c) return NULL;
    if (clock_update && lock && unlock) {
        c->clock_update = clock_update;
        return c;
    }
    wrong(c, __func__, "a callback is missing");
    c->s.mode = INSTANTIATED;
    bury(c, __func__);
    return NULL;
}

EXPORT void fmi3FreeInstance(void *instance)
{
    Instance *c = instance;
    if (c && enter_with_care(c, __func__, KEEPABLE)) bury(c, __func__);
}

EXPORT Status fmi3EnterInitializationMode(void *instance, bool tolerance_defined, double tolerance,
    double start, bool stop_defined, double stop)
{
    ENTER(INSTANTIATED);
    if (tolerance_defined && !(tolerance > 0))
        return wrong(c, __func__, "a tolerance must be above 0, not %g", tolerance);
    if (stop_defined && !(stop >= start))
        return wrong(c, __func__, "it would stop at %g, before it starts at %g", stop, start);
    begin(c, start, stop_defined, stop);
    c->s.mode = INITIALIZATION;
    return OK;
}

EXPORT Status fmi3ExitInitializationMode(void *instance)
{
    ENTER(INITIALIZATION);
    refresh(c);
    c->s.mode = c->event_mode ? EVENT : STEP;
    return WARN_AT_START(c);
}

EXPORT Status fmi3EnterConfigurationMode(void *instance)
{
    ENTER(INSTANTIATED);
    if (!STRUCTURAL_COUNT) return wrong(c, __func__, "there are no structural parameters");
    c->s.mode = CONFIGURATION;
    return OK;
}

EXPORT Status fmi3ExitConfigurationMode(void *instance)
{
    ENTER(CONFIGURATION);
    c->s.mode = INSTANTIATED;
    return OK;
}

EXPORT Status fmi3Terminate(void *instance)
{
    ENTER(STEP | EVENT | CONTINUOUS);
    c->s.mode = TERMINATED;
    if (FLAW_TERMINATE) return fail(c, "the files it wrote could not be closed");
    return OK;
}

EXPORT Status fmi3Reset(void *instance)
{
    ENTER(KEEPABLE);
    return begin_anew(c);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Only variables of type Float64 may be arrays; they lie one after the other, at their largest. */
static inline size_t size_here(const State *s, size_t k)
{
#if ARRAYS
    return float64_shape[k].fixed * (float64_shape[k].by_size ? s->v.uint64[0] : 1);
#else
    (void)s, (void)k;
    return 1;
#endif
}

static inline size_t place_here(size_t k)
{
#if ARRAYS
    return float64_shape[k].place;
#else
    return k;
#endif
}
static Status bad_size(Instance *c, const char *function, size_t n)
{
    return wrong(c, function, "%zu values do not fit the variables", n);
}

/* Whether a clocked variable may be used: while its clock is active. */
static bool is_awake(Instance *c, const char *function, int clock, const char *name)
{
    if (!STRICT || clock < 0 || c->s.mode & (INSTANTIATED | INITIALIZATION)) return true;
#if CLOCK_COUNT
    if (SCHEDULED ? c->activated == clock || !c->s.touched : c->s.v.clock[clock]) return true;
#endif
    wrong(c, function, "'%s' must not be used while its clock is not active", name);
    return false;
}

static bool is_required(Instance *c, const char *function, size_t k, bool allowed)
{
    if (c->s.mode != INTERMEDIATE || (allowed && k <= FLOAT64_COUNT && c->required[k])) return true;
    wrong(c, function, "this variable must not be used in this intermediate update");
    return false;
}

EXPORT Status fmi3GetFloat64(
    void *instance, const Reference vr[], size_t n, double values[], size_t n_values)
{
    ENTER(READABLE);
    if (!may_read(c, __func__)) return ERROR;
    size_t done = 0;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], FLOAT64_BASE, FLOAT64_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (STRICT && !is_required(c, __func__, k, c->may_get)) return ERROR;
        if (!is_awake(c, __func__, float64_clock[k], float64_name[k])) return ERROR;
        for (size_t j = 0, m = size_here(&c->s, k); j < m; ++j) {
            if (done == n_values) return bad_size(c, __func__, n_values);
            values[done++] = c->s.v.float64[place_here(k) + j];
        }
    }
    return done == n_values ? OK : bad_size(c, __func__, n_values);
}

EXPORT Status fmi3SetFloat64(
    void *instance, const Reference vr[], size_t n, const double values[], size_t n_values)
{
    ENTER(WRITABLE);
    int allowed = settable(c);
    size_t done = 0;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], FLOAT64_BASE, FLOAT64_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(float64_role[k] & allowed)) return not_settable(c, __func__, float64_name[k]);
        if (STRICT && !is_required(c, __func__, k, c->may_set)) return ERROR;
        if (!SCHEDULED && !is_awake(c, __func__, float64_clock[k], float64_name[k])) return ERROR;
        for (size_t j = 0, m = size_here(&c->s, k); j < m; ++j) {
            if (done == n_values) return bad_size(c, __func__, n_values);
            c->s.v.float64[place_here(k) + j] = values[done++];
        }
    }
    was_set(c);
    return done == n_values ? OK : bad_size(c, __func__, n_values);
}

/* The other types of fixed width, all alike. */
typedef struct {
    size_t base, count, width, offset;
    const short *role, *clock;
    const char *const *name;
} Group;

COLD Status get_any(void *instance, const char *function, Group g, const Reference vr[], size_t n,
    void *values, size_t n_values)
{
    ENTER_AS(function, READABLE);
    if (!may_read(c, function)) return ERROR;
    if (n != n_values) return bad_size(c, function, n_values);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], g.base, g.count);
        if (k == NOWHERE) return no_reference(c, function, vr[i]);
        if (!is_required(c, function, NOWHERE, false)) return ERROR;
        if (!is_awake(c, function, g.clock[k], g.name[k])) return ERROR;
        memcpy((char *)values + i * g.width, (char *)&c->s.v + g.offset + k * g.width, g.width);
    }
    return OK;
}

COLD Status set_any(void *instance, const char *function, Group g, const Reference vr[], size_t n,
    const void *values, size_t n_values)
{
    ENTER_AS(function, WRITABLE);
    if (n != n_values) return bad_size(c, function, n_values);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], g.base, g.count);
        if (k == NOWHERE) return no_reference(c, function, vr[i]);
        if (!(g.role[k] & settable(c))) return not_settable(c, function, g.name[k]);
        if (g.role[k] & STRUCTURAL && (*(uint64_t *)values < 1 || *(uint64_t *)values > LARGEST))
            return wrong(c, function, "'%s' must be from 1 to %d", g.name[k], LARGEST);
        memcpy((char *)&c->s.v + g.offset + k * g.width, (char *)values + i * g.width, g.width);
    }
    was_set(c);
    return OK;
}

#define ACCESS(Type, type, array, NAME)                                                            \
    static const Group array##_group = { NAME##_BASE, NAME##_COUNT, sizeof(type),                  \
        offsetof(Variables, array), array##_role, array##_clock, array##_name };                                  \
    EXPORT Status fmi3Get##Type(                                                                   \
        void *instance, const Reference vr[], size_t n, type values[], size_t n_values)            \
    {                                                                                              \
        return get_any(instance, __func__, array##_group, vr, n, values, n_values);                \
    }                                                                                              \
    EXPORT Status fmi3Set##Type(                                                                   \
        void *instance, const Reference vr[], size_t n, const type values[], size_t n_values)      \
    {                                                                                              \
        return set_any(instance, __func__, array##_group, vr, n, values, n_values);                \
    }

ACCESS(Float32, float, float32, FLOAT32)
ACCESS(Int8, int8_t, int8, INT8)
ACCESS(UInt8, uint8_t, uint8, UINT8)
ACCESS(Int16, int16_t, int16, INT16)
ACCESS(UInt16, uint16_t, uint16, UINT16)
ACCESS(Int32, int32_t, int32, INT32)
ACCESS(UInt32, uint32_t, uint32, UINT32)
ACCESS(Int64, int64_t, int64, INT64)
ACCESS(UInt64, uint64_t, uint64, UINT64)
ACCESS(Boolean, bool, boolean, BOOLEAN)

EXPORT Status fmi3GetString(
    void *instance, const Reference vr[], size_t n, const char *values[], size_t n_values)
{
    ENTER(READABLE);
    if (!may_read(c, __func__)) return ERROR;
    if (n != n_values) return bad_size(c, __func__, n_values);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], STRING_BASE, STRING_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
#if STRING_COUNT
        values[i] = memcpy(c->lent_string[k], c->s.v.string[k], TEXT);
#else
        (void)values;
#endif
    }
    return OK;
}

EXPORT Status fmi3SetString(
    void *instance, const Reference vr[], size_t n, const char *const values[], size_t n_values)
{
    ENTER(WRITABLE);
    if (n != n_values) return bad_size(c, __func__, n_values);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], STRING_BASE, STRING_COUNT);
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

EXPORT Status fmi3GetBinary(void *instance, const Reference vr[], size_t n, size_t sizes[],
    const uint8_t *values[], size_t n_values)
{
    ENTER(READABLE);
    if (!may_read(c, __func__)) return ERROR;
    if (n != n_values) return bad_size(c, __func__, n_values);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], BINARY_BASE, BINARY_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
#if BINARY_COUNT
        sizes[i] = c->s.v.binary[k].size;
        values[i] = memcpy(c->lent_binary[k], c->s.v.binary[k].bytes, TEXT);
#else
        (void)sizes, (void)values;
#endif
    }
    return OK;
}

EXPORT Status fmi3SetBinary(void *instance, const Reference vr[], size_t n, const size_t sizes[],
    const uint8_t *const values[], size_t n_values)
{
    ENTER(WRITABLE);
    if (n != n_values) return bad_size(c, __func__, n_values);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], BINARY_BASE, BINARY_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(binary_role[k] & settable(c))) return not_settable(c, __func__, binary_name[k]);
        if (sizes[i] > TEXT)
            return wrong(c, __func__, "'%s' takes up to %d bytes", binary_name[k], TEXT);
#if BINARY_COUNT
        c->s.v.binary[k].size = sizes[i];
        if (sizes[i]) memcpy(c->s.v.binary[k].bytes, values[i], sizes[i]);
#else
        (void)values;
#endif
    }
    was_set(c);
    return OK;
}

EXPORT Status fmi3GetNumberOfVariableDependencies(void *instance, Reference vr, size_t *n)
{
    ENTER(ANY_MODE);
    (void)vr, (void)n;
    return wrong(c, __func__, "dependencies of single elements are not given");
}

EXPORT Status fmi3GetVariableDependencies(void *instance, Reference dependent, size_t elements[],
    Reference independents[], size_t independent_elements[], int kinds[], size_t n)
{
    ENTER(ANY_MODE);
    (void)dependent, (void)elements, (void)independents, (void)independent_elements;
    (void)kinds, (void)n;
    return wrong(c, __func__, "dependencies of single elements are not given");
}

/* ---- state ----------------------------------------------------------------------------------- */

#if STATE_SAVING || !MINIMAL
EXPORT Status fmi3GetFMUState(void *instance, void **state)
{
    ENTER(KEEPABLE);
    return take(c, __func__, state);
}

EXPORT Status fmi3SetFMUState(void *instance, void *state)
{
    ENTER(KEEPABLE);
    return restore(c, __func__, state);
}

EXPORT Status fmi3FreeFMUState(void *instance, void **state)
{
    ENTER(KEEPABLE);
    return drop(c, __func__, state);
}
#endif

#if SERIALIZATION || !MINIMAL
EXPORT Status fmi3SerializedFMUStateSize(void *instance, void *state, size_t *size)
{
    ENTER(KEEPABLE);
    return measure(c, __func__, state, size);
}

EXPORT Status fmi3SerializeFMUState(void *instance, void *state, uint8_t bytes[], size_t size)
{
    ENTER(KEEPABLE);
    return pack(c, __func__, state, bytes, size);
}

EXPORT Status fmi3DeserializeFMUState(
    void *instance, const uint8_t bytes[], size_t size, void **state)
{
    ENTER(KEEPABLE);
    return unpack(c, __func__, bytes, size, state);
}
#endif

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Values of several variables, laid out one after the other: how many, and where each lies. */
static size_t spread(Instance *c, const Reference vr[], size_t n, int roles, size_t places[])
{
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], FLOAT64_BASE, FLOAT64_COUNT);
        if (k == NOWHERE || !(float64_role[k] & roles)) return NOWHERE;
        for (size_t j = 0; j < size_here(&c->s, k) && m < FLOAT64_SIZE; ++j)
            places[m++] = place_here(k) + j;
    }
    return m;
}

static Status differentiate(Instance *c, const char *function, bool adjoint,
    const Reference unknowns[], size_t nu, const Reference knowns[], size_t nk, const double seed[],
    size_t n_seed, double sensitivity[], size_t n_sensitivity)
{
    size_t rows[FLOAT64_SIZE], columns[FLOAT64_SIZE];
    refresh(c);
    if (STRICT && c->s.mode == STEP && c->s.touched)
        untidy(c, function, "asked after a variable was set and before the next step");
    size_t n_rows = spread(c, unknowns, nu, OUTPUT | DERIVATIVE | UNKNOWN, rows);
    size_t n_columns = spread(c, knowns, nk, INPUT | STATE | EXACT | TIME, columns);
    if (n_rows == NOWHERE) return wrong(c, function, "not all unknowns are unknowns");
    if (n_columns == NOWHERE) return wrong(c, function, "not all knowns are knowns");
    if (n_seed != (adjoint ? n_rows : n_columns) || n_sensitivity != (adjoint ? n_columns : n_rows))
        return wrong(c, function, "seed or sensitivity do not fit the variables");
    for (size_t i = 0; i < n_sensitivity; ++i) {
        sensitivity[i] = 0;
        for (size_t j = 0; j < n_seed; ++j)
            sensitivity[i] += seed[j]
                * partial(&c->s, rows[adjoint ? j : i], columns[adjoint ? i : j]);
    }
    return OK;
}

#if DIRECTIONAL || !MINIMAL
EXPORT Status fmi3GetDirectionalDerivative(void *instance, const Reference unknowns[], size_t nu,
    const Reference knowns[], size_t nk, const double seed[], size_t n_seed, double sensitivity[],
    size_t n_sensitivity)
{
    ENTER(INITIALIZATION | EVENT | CONTINUOUS | STEP | TERMINATED);
    ++directional_calls;
    if (!DIRECTIONAL) return wrong(c, __func__, "this FMU gives no directional derivatives");
    return differentiate(c, __func__, false, unknowns, nu, knowns, nk, seed, n_seed, sensitivity,
        n_sensitivity);
}
#endif

#if ADJOINT || !MINIMAL
EXPORT Status fmi3GetAdjointDerivative(void *instance, const Reference unknowns[], size_t nu,
    const Reference knowns[], size_t nk, const double seed[], size_t n_seed, double sensitivity[],
    size_t n_sensitivity)
{
    ENTER(INITIALIZATION | EVENT | CONTINUOUS | STEP | TERMINATED);
    ++adjoint_calls;
    if (!ADJOINT) return wrong(c, __func__, "this FMU gives no adjoint derivatives");
    return differentiate(c, __func__, true, unknowns, nu, knowns, nk, seed, n_seed, sensitivity,
        n_sensitivity);
}
#endif

EXPORT Status fmi3GetOutputDerivatives(void *instance, const Reference vr[], size_t n,
    const int32_t orders[], double values[], size_t n_values)
{
    ENTER(STEP | TERMINATED | INTERMEDIATE);
    if (STRICT && c->s.touched)
        untidy(c, __func__, "asked after a variable was set and before the next step");
    size_t done = 0;
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], FLOAT64_BASE, FLOAT64_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(float64_role[k] & OUTPUT))
            return wrong(c, __func__, "'%s' is not an output", float64_name[k]);
        if (orders[i] < 1 || orders[i] > OUTPUT_ORDER)
            return wrong(c, __func__, "outputs have derivatives up to order %d, not of order %d",
                OUTPUT_ORDER, orders[i]);
        if (STRICT && !is_required(c, __func__, k, c->may_get)) return ERROR;
        for (size_t j = 0; j < size_here(&c->s, k); ++j) {
            if (done == n_values) return bad_size(c, __func__, n_values);
            values[done++] = rate(&c->s, place_here(k) + j, orders[i]);
        }
    }
    return done == n_values ? OK : bad_size(c, __func__, n_values);
}

/* ---- events and clocks ----------------------------------------------------------------------- */

EXPORT Status fmi3EnterEventMode(void *instance)
{
    ENTER(STEP | CONTINUOUS);
    if (!c->event_mode) return wrong(c, __func__, "instantiated without event mode");
    c->s.mode = EVENT;
    c->s.touched = c->s.event_due = false;
    c->s.stale = true;
    return OK;
}

EXPORT Status fmi3EvaluateDiscreteStates(void *instance)
{
    ENTER(EVENT);
    return OK;
}

EXPORT Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *end,
    bool *nominals_changed, bool *states_changed, bool *next_defined, double *next)
{
    ENTER(EVENT);
    *again = *end = *nominals_changed = *states_changed = *next_defined = false;
    *next = 0;
    refresh(c);
#ifdef HAS_EVENTS
    *again = event(&c->s, states_changed);
    if (*states_changed) ++c->updates;
    *nominals_changed = NEW_NOMINALS && *states_changed;
    double when = announced(&c->s);
    *next_defined = isfinite(when);
    if (*next_defined) *next = when;
#endif
#if CLOCK_COUNT
    memset(c->s.v.clock, 0, sizeof c->s.v.clock);
#endif
    c->s.stale = true;
    return OK;
}

EXPORT Status fmi3EnterStepMode(void *instance)
{
    ENTER(EVENT);
    refresh(c);
    c->s.mode = STEP;
    return OK;
}

EXPORT Status fmi3GetClock(void *instance, const Reference vr[], size_t n, bool values[])
{
    ENTER(SCHEDULED ? STEP : EVENT);
    if (STRICT && SCHEDULED && !c->calling_back)
        return wrong(c, __func__, "clocks may be asked for in a clock update only");
    refresh(c);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], CLOCK_BASE, CLOCK_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!SCHEDULED && !is_awake(c, __func__, clock_clock[k], clock_name[k])) return ERROR;
        values[i] = c->s.v.clock[k];
        if (SCHEDULED) c->s.v.clock[k] = false; /* told once */
    }
    return OK;
}

EXPORT Status fmi3SetClock(void *instance, const Reference vr[], size_t n, const bool values[])
{
    ENTER(EVENT);
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], CLOCK_BASE, CLOCK_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
        if (!(clock_role[k] & INPUT)) return not_settable(c, __func__, clock_name[k]);
        c->s.v.clock[k] = values[i];
    }
    c->s.stale = true;
    return OK;
}

/* Without HAS_INTERVALS all input clocks have a constant one, which the description gives. */
EXPORT Status fmi3GetIntervalDecimal(
    void *instance, const Reference vr[], size_t n, double intervals[], int qualifiers[])
{
    ENTER(INITIALIZATION | EVENT | (SCHEDULED ? STEP : 0));
    for (size_t i = 0; i < n; ++i) {
        size_t k = locate(vr[i], CLOCK_BASE, CLOCK_COUNT);
        if (k == NOWHERE) return no_reference(c, __func__, vr[i]);
#ifdef HAS_INTERVALS
        qualifiers[i] = interval(&c->s, k, &intervals[i]);
#else
        intervals[i] = CLOCK_INTERVAL;
        qualifiers[i] = 1; /* unchanged */
#endif
    }
    return OK;
}

EXPORT Status fmi3GetIntervalFraction(void *instance, const Reference vr[], size_t n,
    uint64_t counters[], uint64_t resolutions[], int qualifiers[])
{
    ENTER(INITIALIZATION | EVENT);
#ifdef HAS_FRACTIONS
    for (size_t i = 0; i < n; ++i) {
        fraction(&c->s, locate(vr[i], CLOCK_BASE, CLOCK_COUNT), &counters[i], &resolutions[i]);
        qualifiers[i] = 2; /* changed */
    }
    return OK;
#else
    (void)vr, (void)n, (void)counters, (void)resolutions, (void)qualifiers;
    return wrong(c, __func__, "intervals are given as decimals");
#endif
}

EXPORT Status fmi3GetShiftDecimal(void *instance, const Reference vr[], size_t n, double shifts[])
{
    ENTER(INITIALIZATION);
    (void)vr;
    for (size_t i = 0; i < n; ++i) shifts[i] = 0;
    return OK;
}

EXPORT Status fmi3GetShiftFraction(void *instance, const Reference vr[], size_t n,
    uint64_t counters[], uint64_t resolutions[])
{
    ENTER(INITIALIZATION);
#ifdef HAS_FRACTIONS
    for (size_t i = 0; i < n; ++i) {
        fraction(&c->s, locate(vr[i], CLOCK_BASE, CLOCK_COUNT), &counters[i], &resolutions[i]);
        resolutions[i] *= 2; /* the first beat comes after half an interval */
    }
    return OK;
#else
    (void)vr, (void)n, (void)counters, (void)resolutions;
    return wrong(c, __func__, "shifts are given as decimals");
#endif
}

EXPORT Status fmi3SetIntervalDecimal(
    void *instance, const Reference vr[], size_t n, const double intervals[])
{
    ENTER(INITIALIZATION | EVENT);
#ifdef HAS_INTERVALS
    for (size_t i = 0; i < n; ++i)
        if (locate(vr[i], CLOCK_BASE, CLOCK_COUNT) != 0)
            return wrong(c, __func__, "this interval is not to be set");
    set_interval(&c->s, intervals[0]);
    return OK;
#else
    (void)vr, (void)n, (void)intervals;
    return wrong(c, __func__, "the interval is constant");
#endif
}

EXPORT Status fmi3SetIntervalFraction(void *instance, const Reference vr[], size_t n,
    const uint64_t counters[], const uint64_t resolutions[])
{
    ENTER(INITIALIZATION | EVENT);
    (void)vr, (void)n, (void)counters, (void)resolutions;
    return wrong(c, __func__, "the interval is constant");
}

EXPORT Status fmi3SetShiftDecimal(
    void *instance, const Reference vr[], size_t n, const double shifts[])
{
    ENTER(INITIALIZATION);
    (void)vr, (void)n, (void)shifts;
    return wrong(c, __func__, "the shift is constant");
}

EXPORT Status fmi3SetShiftFraction(void *instance, const Reference vr[], size_t n,
    const uint64_t counters[], const uint64_t resolutions[])
{
    ENTER(INITIALIZATION);
    (void)vr, (void)n, (void)counters, (void)resolutions;
    return wrong(c, __func__, "the shift is constant");
}

EXPORT Status fmi3ActivateModelPartition(void *instance, Reference clock, double time)
{
#if SCHEDULED
    ENTER(STEP);
    size_t k = locate(clock, CLOCK_BASE, CLOCK_COUNT);
    if (k == NOWHERE) return no_reference(c, __func__, clock);
    if (!(clock_role[k] & INPUT)) return wrong(c, __func__, "'%s' is no input", clock_name[k]);
    if (STRICT && c->ran[k] && !(time > c->last_run[k]))
        return wrong(c, __func__, "'%s' has been activated at %g before", clock_name[k], time);
    c->ran[k] = true;
    c->last_run[k] = c->s.v.time = time;
    c->activated = (int)k;
    c->s.touched = false;
    memset(c->s.v.clock, 0, sizeof c->s.v.clock);
    c->s.v.clock[k] = true;
    equations(&c->s);
    bool changed, calls = calls_back(&c->s);
    event(&c->s, &changed);
    if (calls) {
        c->calling_back = true;
        c->clock_update(c->environment);
        c->calling_back = false;
    }
    memset(c->s.v.clock, 0, sizeof c->s.v.clock);
    equations(&c->s);
    c->s.stale = false;
    return OK;
#else
    ENTER(0);
    (void)clock, (void)time;
    return wrong(c, __func__, "this FMU is not for scheduled execution");
#endif
}

/* ---- co-simulation --------------------------------------------------------------------------- */

EXPORT Status fmi3DoStep(void *instance, double time, double size, bool no_way_back,
    bool *wants_event, bool *wants_end, bool *returned_early, double *reached)
{
    ENTER(STEP);
    if (!wants_event || !wants_end || !returned_early || !reached)
        return wrong(c, __func__, "results have nowhere to go");
    if (no_way_back && time > c->horizon) c->horizon = time;
    heed_flag(c, no_way_back);
    c->wants_end = false;
    Status status = walk(c, __func__, time, size);
    if (status == FATAL) c->s.mode = DEAD;
    *wants_event = c->s.event_due;
    *wants_end = c->wants_end;
    *returned_early = c->returned_early;
    *reached = c->reached;
    return status;
}

/* ---- model exchange -------------------------------------------------------------------------- */

#if MODEL_EXCHANGE || !MINIMAL
#define ENTER_EXCHANGE(legal)                                                                      \
    ENTER(legal);                                                                                  \
    if (!c->model_exchange) return wrong(c, __func__, "only for model exchange")

EXPORT Status fmi3EnterContinuousTimeMode(void *instance)
{
    ENTER_EXCHANGE(EVENT);
    refresh(c);
    c->s.mode = CONTINUOUS;
    return OK;
}

EXPORT Status fmi3CompletedIntegratorStep(
    void *instance, bool no_way_back, bool *enter_event_mode, bool *end)
{
    ENTER_EXCHANGE(CONTINUOUS);
    if (no_way_back && c->s.v.time > c->horizon) c->horizon = c->s.v.time;
    *enter_event_mode = *end = false;
    return OK;
}

EXPORT Status fmi3SetTime(void *instance, double time)
{
    ENTER_EXCHANGE(CONTINUOUS);
    if (time > c->stop) return wrong(c, __func__, "%.17g is beyond the stop time", time);
    c->s.v.time = time;
    c->s.stale = true;
    return OK;
}

/* Those of some places that belong to variables at their present size; how many. */
static inline size_t present(const Instance *c, const size_t all[], size_t n, size_t places[])
{
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
#if ARRAYS
        for (size_t k = 0; k < FLOAT64_COUNT; ++k)
            if (all[i] - place_here(k) < size_here(&c->s, k)) places[m++] = all[i];
#else
        (void)c;
        places[m++] = all[i];
#endif
    }
    return m;
}

EXPORT Status fmi3SetContinuousStates(void *instance, const double x[], size_t n)
{
    ENTER_EXCHANGE(CONTINUOUS);
    size_t places[STATES + 1], all = present(c, state_place, STATES, places);
    if (n != all) return wrong(c, __func__, "there are %zu states, not %zu", all, n);
    for (size_t i = 0; i < n; ++i) c->s.v.float64[places[i]] = x[i];
    c->s.stale = true;
    return OK;
}

#define EXCHANGED (INITIALIZATION | EVENT | CONTINUOUS | TERMINATED)
#define READ_ALL(Function, N, all_places, value)                                                   \
    EXPORT Status Function(void *instance, double values[], size_t n)                              \
    {                                                                                              \
        ENTER_EXCHANGE(EXCHANGED);                                                                 \
        size_t places[N + 1], all = present(c, all_places, N, places);                             \
        if (n != all) return wrong(c, __func__, "there are %zu, not %zu", all, n);                 \
        refresh(c);                                                                                \
        for (size_t i = 0; i < n; ++i) values[i] = value;                                          \
        return OK;                                                                                 \
    }

READ_ALL(fmi3GetContinuousStateDerivatives, STATES, derivative_place, c->s.v.float64[places[i]])
READ_ALL(fmi3GetContinuousStates, STATES, state_place, c->s.v.float64[places[i]])
READ_ALL(fmi3GetNominalsOfContinuousStates, STATES, state_place, NEW_NOMINALS && c->updates ? 1e3 : 1)
READ_ALL(fmi3GetEventIndicators, INDICATORS, indicator_place, c->s.v.float64[places[i]])

EXPORT Status fmi3GetNumberOfContinuousStates(void *instance, size_t *n)
{
    ENTER_EXCHANGE(ANY_MODE);
    size_t places[STATES + 1];
    *n = present(c, state_place, STATES, places) + (LIE_STATES && c->updates);
    return OK;
}

EXPORT Status fmi3GetNumberOfEventIndicators(void *instance, size_t *n)
{
    ENTER_EXCHANGE(ANY_MODE);
    size_t places[INDICATORS + 1];
    *n = present(c, indicator_place, INDICATORS, places) + (LIE_INDICATORS && c->updates);
    return OK;
}
#endif
