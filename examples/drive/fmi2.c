/* The functions of FMI 2.0 for co-simulation, in one file and without its headers.

   A model is a C file that defines what stands in motor.c, and includes this one at its end. All
   variables are reals; their value references are their places in `Values`. Inputs are held over
   a step, which is solved by the classic Runge-Kutta method. The state can be saved, so that
   windows can be repeated. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define SUBSTEP 1e-3 /* s, at most */

typedef unsigned int Reference;
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef struct {
    double values[COUNT];
} Instance;

/* ---- an instance's life ---------------------------------------------------------------------- */

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }

EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
    const void *functions, int visible, int logging)
{
    (void)name, (void)type, (void)resources, (void)functions, (void)visible, (void)logging;
    Instance *c = strcmp(guid, GUID) ? NULL : malloc(sizeof *c);
    if (c) memcpy(c->values, START, sizeof START);
    return c;
}

EXPORT void fmi2FreeInstance(void *c) { free(c); }

EXPORT Status fmi2SetDebugLogging(void *c, int on, size_t n, const char *const categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return OK;
}

EXPORT Status fmi2SetupExperiment(
    void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return OK;
}

EXPORT Status fmi2EnterInitializationMode(void *c) { (void)c; return OK; }

EXPORT Status fmi2ExitInitializationMode(void *c) { (void)c; return OK; }

EXPORT Status fmi2Terminate(void *c) { (void)c; return OK; }

EXPORT Status fmi2Reset(void *c)
{
    memcpy(((Instance *)c)->values, START, sizeof START);
    return OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

EXPORT Status fmi2GetReal(void *instance, const Reference which[], size_t n, double values[])
{
    Instance *c = instance;
    outputs(c->values);
    for (size_t i = 0; i < n; ++i) {
        if (which[i] >= COUNT) return ERROR;
        values[i] = c->values[which[i]];
    }
    return OK;
}

EXPORT Status fmi2SetReal(void *instance, const Reference which[], size_t n, const double values[])
{
    Instance *c = instance;
    for (size_t i = 0; i < n; ++i) {
        if (which[i] >= COUNT) return ERROR;
        c->values[which[i]] = values[i];
    }
    return OK;
}

#define NONE_OF(Type, Value)                                                                       \
    EXPORT Status fmi2Get##Type(void *c, const Reference which[], size_t n, Value values[])        \
    {                                                                                              \
        (void)c, (void)which, (void)values;                                                        \
        return n ? ERROR : OK;                                                                     \
    }                                                                                              \
    EXPORT Status fmi2Set##Type(void *c, const Reference which[], size_t n, const Value values[])  \
    {                                                                                              \
        (void)c, (void)which, (void)values;                                                        \
        return n ? ERROR : OK;                                                                     \
    }

typedef const char *Text;
NONE_OF(Integer, int)
NONE_OF(Boolean, int)
NONE_OF(String, Text)

/* ---- steps ----------------------------------------------------------------------------------- */

static void slopes(const double *values, const double *x, double *rates)
{
    double all[COUNT];
    memcpy(all, values, sizeof all);
    for (int i = 0; i < STATES; ++i) all[STATE[i]] = x[i];
    outputs(all);
    derivatives(all, rates);
}

static void substep(double *values, double h)
{
    static const double ahead[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1, 2, 2, 1 };
    double begin[STATES], x[STATES], sum[STATES] = { 0 }, k[STATES] = { 0 };
    for (int i = 0; i < STATES; ++i) begin[i] = values[STATE[i]];
    for (int stage = 0; stage < 4; ++stage) {
        for (int i = 0; i < STATES; ++i) x[i] = begin[i] + ahead[stage] * h * k[i];
        slopes(values, x, k);
        for (int i = 0; i < STATES; ++i) sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < STATES; ++i) values[STATE[i]] = begin[i] + h / 6 * sum[i];
}

EXPORT Status fmi2DoStep(void *instance, double time, double size, int no_way_back)
{
    (void)time, (void)no_way_back;
    Instance *c = instance;
    int n = (int)ceil(size / SUBSTEP - 1e-9);
    for (int i = 0; i < n; ++i) substep(c->values, size / n);
    return OK;
}

EXPORT Status fmi2CancelStep(void *c) { (void)c; return ERROR; }

#define STATUS_OF(Kind, Value)                                                                     \
    EXPORT Status fmi2Get##Kind##Status(void *c, int kind, Value *value)                           \
    {                                                                                              \
        (void)c, (void)kind, (void)value;                                                          \
        return DISCARD;                                                                            \
    }

STATUS_OF(, Status)
STATUS_OF(Real, double)
STATUS_OF(Integer, int)
STATUS_OF(Boolean, int)
STATUS_OF(String, Text)

/* ---- states ---------------------------------------------------------------------------------- */

EXPORT Status fmi2GetFMUstate(void *c, void **state)
{
    if (!*state) *state = malloc(sizeof(Instance));
    if (!*state) return ERROR;
    memcpy(*state, c, sizeof(Instance));
    return OK;
}

EXPORT Status fmi2SetFMUstate(void *c, void *state)
{
    memcpy(c, state, sizeof(Instance));
    return OK;
}

EXPORT Status fmi2FreeFMUstate(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

EXPORT Status fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(Instance);
    return OK;
}

EXPORT Status fmi2SerializeFMUstate(void *c, void *state, char bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(Instance)) return ERROR;
    memcpy(bytes, state, sizeof(Instance));
    return OK;
}

EXPORT Status fmi2DeSerializeFMUstate(void *c, const char bytes[], size_t size, void **state)
{
    if (size != sizeof(Instance)) return ERROR;
    Status status = fmi2GetFMUstate(c, state);
    if (status == OK) memcpy(*state, bytes, size);
    return status;
}

/* ---- derivatives: none ----------------------------------------------------------------------- */

EXPORT Status fmi2GetDirectionalDerivative(void *c, const Reference unknowns[], size_t nu,
    const Reference knowns[], size_t nk, const double seed[], double sensitivity[])
{
    (void)c, (void)unknowns, (void)nu, (void)knowns, (void)nk, (void)seed, (void)sensitivity;
    return ERROR;
}

EXPORT Status fmi2SetRealInputDerivatives(
    void *c, const Reference which[], size_t n, const int order[], const double values[])
{
    (void)c, (void)which, (void)order, (void)values;
    return n ? ERROR : OK;
}

EXPORT Status fmi2GetRealOutputDerivatives(
    void *c, const Reference which[], size_t n, const int order[], double values[])
{
    (void)c, (void)which, (void)order, (void)values;
    return n ? ERROR : OK;
}
