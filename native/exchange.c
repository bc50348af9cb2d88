/* Model exchange: the calls of one evaluation, in one call out of Python. */
/* Twin of src/dovetail/fmi/parts/evaluation.py.
 * Same bits: tests/conformance/test_native_steps.py. */

typedef int (*set_time_fn)(void *, double);
typedef int (*vector_fn)(void *, double *, size_t);
typedef int (*completed_1)(void *, char *);
typedef int (*completed_2)(void *, int, int *, int *);
typedef int (*completed_3)(void *, bool, bool *, bool *);

/* The same order as `NativeExchange` in kernel.py. */
typedef struct {
    void *instance;
    void *set_time, *set_states, *get_rates, *completed, *get_indicators;
    double floor; /* the FMU had an event there, and is not evaluated before it */
    int32_t n, version, no_way_back, data_at; /* where a NumPy array keeps its address */
    int32_t n_indicators, padding;
} dt_exchange;

/* What is below OK is no status, and counts as an error. */
static int worst_of(int a, int b) {
    enum { FAULT = 3 };
    if (b < 0) b = FAULT;
    return a > b ? a : b;
}

static int stand(const dt_exchange *e, double time, double *x) {
    int status = ((set_time_fn)e->set_time)(e->instance, time > e->floor ? time : e->floor);
    if (worst_of(0, status) > 1) return worst_of(0, status);
    return worst_of(status, ((vector_fn)e->set_states)(e->instance, x, (size_t)e->n));
}

/* The numbers of a NumPy array that is whole, and of doubles. */
static double *doubles(const dt_exchange *e, void *array) {
    return *(double **)((char *)array + e->data_at);
}

/* dx = f(time, x); the worst status, plus ENDLESS where something in dx is no finite number. */
enum { WANTED = 256, ENDING = 512, ENDLESS = 1024 };

static int rates_at(const dt_exchange *e, double time, double *x, double *dx) {
    int status = stand(e, time, x);
    if (status > 1) return status;
    status = worst_of(status, ((vector_fn)e->get_rates)(e->instance, dx, (size_t)e->n));
    double nothing = 0; /* 0 times Inf or NaN is NaN */
    for (int32_t i = 0; i < e->n; i++) nothing += 0 * dx[i];
    return nothing == 0 ? status : status + ENDLESS;
}

EXPORT int dt_rates(const dt_exchange *e, double time, void *states, void *into) {
    return rates_at(e, time, doubles(e, states), doubles(e, into));
}

/* z = h(time, x); the worst status, plus UNPLACED where the FMU could not be led there. */
enum { UNPLACED = 256, DISCARDED = 2 };

static int indicators_at(const dt_exchange *e, double time, double *x, double *z) {
    int status = ((set_time_fn)e->set_time)(e->instance, time > e->floor ? time : e->floor);
    status = worst_of(worst_of(0, status), ((vector_fn)e->set_states)(e->instance, x, (size_t)e->n));
    if (status > 1 && status != DISCARDED) return status + UNPLACED;
    vector_fn get = (vector_fn)e->get_indicators;
    return worst_of(status, get(e->instance, z, (size_t)e->n_indicators));
}

EXPORT int dt_indicators(const dt_exchange *e, double time, void *states, void *into) {
    return indicators_at(e, time, doubles(e, states), doubles(e, into));
}

/* A step of the integrator ended there: the worst status, plus WANTED if the FMU asks for an
   event, plus ENDING if it asks to end the simulation. */
static int completed_at(const dt_exchange *e, double time, double *x) {
    int status = stand(e, time, x), wanted = 0, end = 0;
    if (status > 1) return status;
    if (e->version == 1) {
        char asked = 0;
        status = worst_of(status, ((completed_1)e->completed)(e->instance, &asked));
        wanted = asked != 0;
    } else if (e->version == 2) {
        completed_2 completed = (completed_2)e->completed;
        status = worst_of(status, completed(e->instance, e->no_way_back, &wanted, &end));
    } else {
        bool asked = false, last = false;
        completed_3 completed = (completed_3)e->completed;
        status = worst_of(status, completed(e->instance, e->no_way_back != 0, &asked, &last));
        wanted = asked;
        end = last;
    }
    return status + (wanted ? WANTED : 0) + (end ? ENDING : 0);
}

EXPORT int dt_completed(const dt_exchange *e, double time, void *states) {
    return completed_at(e, time, doubles(e, states));
}
