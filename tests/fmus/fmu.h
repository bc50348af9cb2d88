/* What every test FMU has in common, whatever the version of FMI.

   One translation unit makes one FMU: definitions made by build.py from the table of the model (the
   struct Variables, one array of roles and names per type, switches for the capabilities), then the
   model (equations() and advance()), then fmi1.c, fmi2.c or fmi3.c. Everything is static, so that a
   step of a small model costs a handful of operations.

   The FMI functions are declared here and there from the facts of the standard; none of its headers
   is used. */

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if STRICT || STRING_COUNT || BINARY_COUNT || defined HAS_PENDING || defined HAS_FATAL
#define CAREFUL 1 /* there is something to do at each call */
#else
#define CAREFUL 0
#endif
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define COLD static __attribute__((noinline, cold, unused)) /* rarely called, not worth inlining */
#ifndef WARN_AT_START
#define WARN_AT_START(c) OK
#endif
#ifndef PRIVATE
#define PRIVATE /* what a model remembers besides its variables, saved and restored with them */
#endif

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;

/* Where in the standard's state machine an instance is. */
enum {
    INSTANTIATED = 1,
    INITIALIZATION = 2,
    STEP = 4,         /* "step complete" in FMI 2, "step mode" in FMI 3 */
    IN_PROGRESS = 8,
    FAILED = 16,      /* after Discard */
    CANCELED = 32,
    TERMINATED = 64,
    BROKEN = 128,     /* after Error, in FMI 2 */
    DEAD = 256,       /* after Fatal */
    CONFIGURATION = 512,
    EVENT = 1024,
    CONTINUOUS = 2048,
    INTERMEDIATE = 4096, /* inside the callback of FMI 3 */
    ANY_MODE = 0x1fff & ~DEAD
};
#if FMI == 3
#define AFTER_ERROR TERMINATED
#else
#define AFTER_ERROR BROKEN
#endif

/* All that a simulation goes on from: what get and set state copy, and serialize writes. */
typedef struct {
    Variables v;
#if INPUT_ORDER
    double slope[INPUT_ORDER][FLOAT64_SIZE]; /* time derivatives of inputs, as they were set */
#endif
    double since; /* the time since inputs were set: the size of the last step, or 0 */
    double first; /* size of the first step, where all must be equal */
    int mode;
    bool stale;   /* outputs are to be computed before they are read */
    bool touched; /* something was set in step mode since the last step */
    bool event_due; /* the last step ended with an event that waits to be handled */
    PRIVATE
} State;

#if FMI == 3
typedef void (*Logger)(void *environment, Status, const char *category, const char *message);
typedef void (*IntermediateUpdate)(void *environment, double time, bool set_requested,
    bool get_allowed, bool step_finished, bool can_return_early, bool *return_requested,
    double *return_time);
#else
typedef void (*Logger)(void *environment, const char *instance, Status, const char *category,
    const char *message, ...);
#endif

typedef struct Instance Instance;
typedef struct Snapshot {
    State state;
    Instance *owner;
    struct Snapshot *previous, *next;
} Snapshot;

struct Instance {
    State s;
    double stop;    /* no step beyond this */
    double horizon; /* the importer promised not to go back before this */
    double reached; /* how far the last step came */
    bool over; /* FLAW_DERIVATIVES_END: it does not get over a refused derivative */
    bool set_up, event_mode, may_return_early, wants_end, returned_early;
    bool model_exchange;
    int updates; /* of discrete states; the first belongs to the start */
    unsigned categories; /* one bit for each log category that is switched on */
    char name[128];
    char first_wrong[256];
    Logger logger;
    void *environment;
    Snapshot *snapshots;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
#if FMI < 3
    void (*step_finished)(void *environment, Status);
#endif
#if FMI == 3
    IntermediateUpdate intermediate;
    bool may_set, may_get;
    bool required[FLOAT64_COUNT + 1]; /* may be used in the callback */
    int activated; /* the clock of the partition that ran last */
    bool calling_back;
    void (*clock_update)(void *environment);
    bool ran[CLOCK_COUNT + 1];
    double last_run[CLOCK_COUNT + 1];
#endif
#if FMI == 1
    State begun; /* where the last step began, to take it back */
#endif
#if STRING_COUNT
    char lent_string[STRING_COUNT][TEXT];
#endif
#if BINARY_COUNT
    unsigned char lent_binary[BINARY_COUNT][TEXT];
#endif
#if FLAW_RESTORE_NEXT
    double ended; /* where the last step did, whatever was restored since */
    bool has_ended, lost;
#endif
#if FLAW_FLAG
    State origin; /* where the first step began that may be taken back */
    bool has_origin;
#endif
#ifdef PER_INSTANCE
    PER_INSTANCE /* what a model keeps per instance and does not restore */
#endif
};

/* What a model gives. */
static void equations(State *s);                   /* outputs and derivatives, from all the rest */
static Status advance(Instance *c, double size);   /* moves the states by `size` from v.time */
#ifdef HAS_EVENTS
static double next_event(const State *s);          /* when, if no input changes; INFINITY: never */
static bool event(State *s, bool *states_changed); /* true: once more */
static double announced(const State *s);           /* time event known in advance, or INFINITY */
#endif
#ifdef HAS_TRIGGER
static Status misbehave(Instance *c, double size);
#endif

/* ---- counters, for tests to look at ---------------------------------------------------------- */

static atomic_long instances_alive, snapshots_alive, wrong_calls, untidy_calls, calls_when_dead;
static atomic_long directional_calls, adjoint_calls, snapshots_taken;
static char last_wrong[512];
static bool dead;
#if FLAW_GLOBALS
static long steps_taken; /* by all instances */
#endif

/* `what`: instances, states, violations, untidy, calls after fatal. */
EXPORT long dovetail_count(const char *what)
{
    return !strcmp(what, "instances") ? instances_alive
        : !strcmp(what, "states") ? snapshots_alive
        : !strcmp(what, "violations") ? wrong_calls
        : !strcmp(what, "untidy") ? untidy_calls
        : !strcmp(what, "calls after fatal") ? calls_when_dead
        : !strcmp(what, "directional derivatives") ? directional_calls
        : !strcmp(what, "adjoint derivatives") ? adjoint_calls
        : !strcmp(what, "states taken") ? snapshots_taken
        : -1;
}

EXPORT const char *dovetail_last_violation(void) { return last_wrong; }

/* ---- log messages ---------------------------------------------------------------------------- */

enum { LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL, LOG_PENDING, LOG_EVENTS, LOG_STEPS, LOGS };
static const char *const category_names[LOGS] = { "logStatusWarning", "logStatusDiscard",
    "logStatusError", "logStatusFatal", "logStatusPending", "logEvents", "logSteps" };
enum { ALL_LOGS = (1 << LOGS) - 1 };

/* FMI 3 keeps silent unless logging is on; before, errors are always told. */
static inline bool is_logged(const Instance *c, int category)
{
    return c->logger
        && (c->categories >> category & 1
            || (FMI < 3 && (category == LOG_ERROR || category == LOG_FATAL)));
}

COLD void say_all(Instance *c, Status status, int category, const char *format, va_list a)
{
    char text[512], escaped[1024];
    if (!is_logged(c, category)) return;
    vsnprintf(text, sizeof text, format, a);
    char *to = escaped;
    for (const char *from = text; *from && to < escaped + sizeof escaped - 2; ++from) {
        if (*from == '#' || (FMI < 3 && *from == '%')) *to++ = *from;
        *to++ = *from;
    }
    *to = 0;
    void *environment = LIE_ENVIRONMENT ? (void *)2 : c->environment;
#if FMI == 3
    c->logger(environment, status, category_names[category], escaped);
#else
    c->logger(environment, c->name, status, category_names[category], escaped);
#endif
}

COLD void say(Instance *c, Status status, int category, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    say_all(c, status, category, format, a);
    va_end(a);
}

/* The model cannot go on. */
COLD Status fail(Instance *c, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    say_all(c, ERROR, LOG_ERROR, format, a);
    va_end(a);
    c->s.mode = AFTER_ERROR;
    return ERROR;
}

/* The importer did what it must not. */
COLD Status wrong(Instance *c, const char *function, const char *format, ...)
{
    char text[400];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    ++wrong_calls;
    snprintf(last_wrong, sizeof last_wrong, "%s: %s", function, text);
    if (!*c->first_wrong) snprintf(c->first_wrong, sizeof c->first_wrong, "%.255s", last_wrong);
    return fail(c, "%s", last_wrong);
}

/* Legal, but not how a careful importer leaves things. */
COLD void untidy(Instance *c, const char *function, const char *text)
{
    ++untidy_calls;
    snprintf(last_wrong, sizeof last_wrong, "%s: %s", function, text);
    say(c, WARNING, LOG_WARNING, "%s", last_wrong);
}

COLD Status choose_logs(
    Instance *c, const char *function, bool on, size_t n, const char *const names[])
{
    unsigned chosen = n ? 0 : ALL_LOGS;
    for (size_t i = 0; i < n; ++i) {
        int k = 0;
        while (k < LOGS && strcmp(names[i], category_names[k])) ++k;
        if (k == LOGS) return wrong(c, function, "there is no log category '%s'", names[i]);
        chosen |= 1u << k;
    }
    c->categories = on ? c->categories | chosen : c->categories & ~chosen;
    return OK;
}

/* ---- what may be called when ----------------------------------------------------------------- */

COLD const char *mode_name(int mode)
{
    switch (mode) {
    case INSTANTIATED: return "state 'instantiated'";
    case INITIALIZATION: return "initialization mode";
    case STEP: return "step mode";
    case IN_PROGRESS: return "a step in progress";
    case FAILED: return "state 'step failed'";
    case CANCELED: return "state 'step canceled'";
    case TERMINATED: return "state 'terminated'";
    case BROKEN: return "state 'error'";
    case CONFIGURATION: return "configuration mode";
    case EVENT: return "event mode";
    case CONTINUOUS: return "continuous-time mode";
    case INTERMEDIATE: return "the intermediate update callback";
    default: return "state 'fatal'";
    }
}

#ifdef HAS_PENDING
static inline void finish_pending(Instance *c);
#endif

COLD bool enter_with_care(Instance *c, const char *function, int legal)
{
#if STRING_COUNT /* strings and binaries live until the next call: spoil them */
    for (size_t i = 0; i < STRING_COUNT; ++i) memset(c->lent_string[i], '?', TEXT - 1);
#endif
#if BINARY_COUNT
    memset(c->lent_binary, '?', sizeof c->lent_binary);
#endif
#ifdef HAS_PENDING
    finish_pending(c);
#endif
    if (dead) {
        ++calls_when_dead;
        return false;
    }
    if (!STRICT || c->s.mode & legal) return true;
    bool again = c->s.mode == AFTER_ERROR && *c->first_wrong;
    wrong(c, function, again ? "not allowed in %s (%s)" : "not allowed in %s", mode_name(c->s.mode),
        c->first_wrong);
    return false;
}

/* Every function with an instance begins here; `legal` are the modes in which it may be called. */
#define ENTER_AS(function, legal)                                                                  \
    Instance *c = instance;                                                                        \
    if (!c || (CAREFUL && !enter_with_care(c, function, (legal)))) return dead ? FATAL : ERROR
#define ENTER(legal) ENTER_AS(__func__, legal)

/* Where a value reference lies in the array of its type. */
#define NOWHERE ((size_t)-1)
static inline size_t locate(size_t reference, size_t base, size_t count)
{
    return reference - base < count ? reference - base : NOWHERE;
}

static inline int settable(const Instance *c)
{
    switch (c->s.mode) {
    case INSTANTIATED: return FMI == 2 && STRICT ? EXACT : EXACT | INPUT;
    case INITIALIZATION: return EXACT | INPUT;
    case STEP: return c->event_mode ? INPUT : INPUT | TUNABLE; /* in event mode, where there is one */
    case CONFIGURATION: return STRUCTURAL;
    case EVENT: return INPUT | TUNABLE | (FMI == 3 && c->model_exchange ? STATE : 0);
    case CONTINUOUS: return CONTINUOUS_INPUT | STATE;
    case INTERMEDIATE: return CONTINUOUS_INPUT;
    default: return 0;
    }
}

COLD Status not_settable(Instance *c, const char *function, const char *name)
{
    static const char *const rules[] = { "parameters and start values", "parameters, start values "
        "and inputs", "inputs and tunable parameters", "structural parameters", "continuous inputs"
        " and states", "inputs", "nothing" };
    int allowed = settable(c);
    int rule = allowed == EXACT ? 0 : allowed == (EXACT | INPUT) ? 1 : allowed & TUNABLE ? 2
        : allowed == STRUCTURAL ? 3 : allowed & CONTINUOUS_INPUT ? 4 : allowed == INPUT ? 5 : 6;
    return wrong(c, function, "'%s' must not be set in %s, only %s", name, mode_name(c->s.mode),
        rules[rule]);
}

/* After a setter: in step mode the next step uses the values; elsewhere they count at once. */
static inline void was_set(Instance *c)
{
#if FLAW_DEAF || FLAW_LIMITS
    for (size_t k = 0; k < FLOAT64_COUNT; ++k) {
        if (!(float64_role[k] & PARAMETER)) continue;
        if (FLAW_DEAF) c->s.v.float64[k] = START.float64[k];
        else if (c->s.v.float64[k] > 1.5) c->s.v.float64[k] = 1.5;
    }
#endif
    if (c->s.mode & (STEP | INTERMEDIATE))
        c->s.touched = true;
    else
        c->s.stale = true;
}

static inline void refresh(Instance *c)
{
    if (!c->s.stale) return;
    equations(&c->s);
    c->s.stale = false;
}

/* Before a getter. */
static inline bool may_read(Instance *c, const char *function)
{
    if (STRICT && c->s.mode & (STEP | INTERMEDIATE) && c->s.touched) {
        wrong(c, function, "not allowed after a variable was set and before the next step");
        return false;
    }
    refresh(c);
    return true;
}

COLD bool may_read_this(Instance *c, const char *function, int role, const char *name)
{
    if (FMI == 2 && c->s.mode == INITIALIZATION
        && !(role & (OUTPUT | STATE | DERIVATIVE | UNKNOWN))) {
        wrong(c, function, "'%s' must not be read in initialization mode: it is neither an output "
            "nor an initial unknown", name);
        return false;
    }
    return true;
}

COLD Status no_reference(Instance *c, const char *function, unsigned reference)
{
    return wrong(c, function, "there is no such variable: value reference %u", reference);
}

/* ---- the inputs over a step, and derivatives ------------------------------------------------- */

/* An input, or its derivative of some order, `since` after it was set. */
static inline double input_at(const State *s, size_t k, int order, double since)
{
#if INPUT_ORDER
    double value = 0;
    for (int i = INPUT_ORDER; i >= order; --i)
        value = value * since / (i - order + 1) + (i ? s->slope[i - 1][k] : s->v.float64[k]);
    return value;
#else
    (void)since;
    return order ? 0 : s->v.float64[k];
#endif
}
#define AT(name) input_at(s, REF_##name, 0, s->since)

/* A partial derivative by central differences: exact but for rounding, since no equation of these
   models is of higher than second degree in any input or state. */
COLD double partial(const State *s, size_t unknown, size_t known)
{
    if (unknown == known) return 1;
    State left = *s, right = *s;
    double value = s->v.float64[known];
    double width = float64_flat_role[known] & PARAMETER ? 1e-5 * (1 + fabs(value)) : 1;
    right.v.float64[known] = value + width;
    left.v.float64[known] = value - width;
    width = right.v.float64[known] - left.v.float64[known];
    equations(&left);
    equations(&right);
    return (right.v.float64[unknown] - left.v.float64[unknown]) / width;
}

/* A time derivative: order 1 always, higher orders where the equations are linear. */
COLD double rate(const State *s, size_t k, int order)
{
    if (!order) return float64_flat_role[k] & INPUT ? input_at(s, k, 0, s->since) : s->v.float64[k];
    if (float64_flat_role[k] & INPUT) return input_at(s, k, order, s->since);
    for (int i = 0; i < STATES; ++i)
        if (state_place[i] == k) return rate(s, derivative_place[i], order - 1);
    double sum = 0;
    for (size_t i = 0; i < FLOAT64_SIZE; ++i)
        if (float64_flat_role[i] & (STATE | INPUT)) sum += partial(s, k, i) * rate(s, i, order);
    return sum;
}

/* e^M in place, by scaling, Taylor and squaring: for exact steps of linear models. */
COLD void exponential(int n, double M[n][n])
{
    double norm = 0, E[n][n], T[n][n], P[n][n];
    int halvings = 0;
    for (int i = 0; i < n; ++i) {
        double row = 0;
        for (int j = 0; j < n; ++j) row += fabs(M[i][j]);
        norm = fmax(norm, row);
    }
    for (; norm > 0.5; norm /= 2) ++halvings;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            M[i][j] = ldexp(M[i][j], -halvings);
            E[i][j] = T[i][j] = i == j;
        }
    for (int term = 1; term <= 16 + halvings; ++term) {
        if (term > 16) memcpy(T, E, sizeof E);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                P[i][j] = 0;
                for (int k = 0; k < n; ++k)
                    P[i][j] += T[i][k] * (term > 16 ? E[k][j] : M[k][j] / term);
            }
        memcpy(T, P, sizeof P);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) E[i][j] = term > 16 ? P[i][j] : E[i][j] + P[i][j];
    }
    memcpy(M, E, sizeof E);
}

/* Runge-Kutta of order 4 in steps of at most `largest`, for models without a closed form. */
COLD void integrate(State *s, double size, double largest)
{
    int n = (int)ceil(size / largest - 1e-9);
    double h = size / n, start = s->v.time;
    double x[STATES + 1], k[4][STATES + 1];
    for (int step = 0; step < n; ++step) {
        static const double at[4] = { 0, 0.5, 0.5, 1 };
        for (int i = 0; i < STATES; ++i) x[i] = s->v.float64[state_place[i]];
        for (int stage = 0; stage < 4; ++stage) {
            for (int i = 0; i < STATES && stage; ++i)
                s->v.float64[state_place[i]] = x[i] + at[stage] * h * k[stage - 1][i];
            s->since = (step + at[stage]) * h;
            s->v.time = start + s->since;
            equations(s);
            for (int i = 0; i < STATES; ++i) k[stage][i] = s->v.float64[derivative_place[i]];
        }
        for (int i = 0; i < STATES; ++i)
            s->v.float64[state_place[i]]
                = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

static inline bool differ(double a, double b)
{
    return isfinite(a) && isfinite(b) ? fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)) : a != b;
}

COLD bool step_is_legal(Instance *c, const char *function, double time, double size)
{
    double now = c->s.v.time;
    if (!(size > 0))
        wrong(c, function, "a step must be longer than 0, not %.17g", size);
    else if (c->s.event_due)
        wrong(c, function, "the event at %.17g must be handled before", now);
    else if (!isfinite(time) || (differ(time, now) && fabs(time - now) > 1e-9 * size))
        wrong(c, function, "the step begins at %.17g but the FMU is at %.17g", time, now);
    else
        return true;
    return false;
}

/* Moves on from `time` to `time + size` or as far as the model comes: c->reached. */
static inline Status walk(Instance *c, const char *function, double time, double size)
{
    State *s = &c->s;
    double end = time + size;
    (void)function;
    c->reached = time;
    c->returned_early = false;
#if STRICT
    if (!step_is_legal(c, function, time, size)) return ERROR;
#endif
    if (end > c->stop) return wrong(c, function, "%.17g is beyond the stop time", end);
#if !VARIABLE_STEP
    if (s->first && differ(s->first, size)) {
#if REFUSE_BY_DISCARD
        say(c, DISCARD, LOG_DISCARD, "step of %.17g refused: all must be %.17g", size, s->first);
        return DISCARD;
#else
        return fail(c, "step of %.17g refused: all must be %.17g", size, s->first);
#endif
    }
    s->first = size;
#endif
    Status status = OK;
    s->v.time = time;
#ifdef HAS_TRIGGER
    status = misbehave(c, size);
    if (status > WARNING) return status;
#endif
#ifdef HAS_EVENTS
    for (int rounds = 0;; ++rounds) {
        double next = fmax(next_event(s), s->v.time);
        bool inside = next < end && differ(next, end);
        double target = inside ? next : end;
        if (target > s->v.time) {
            Status moved = advance(c, target - s->v.time);
            if (moved > WARNING) return moved;
        }
        s->v.time = target;
        s->since = target - time;
        if (next > end && differ(next, end)) break;
        if (c->event_mode && (c->may_return_early || !inside)) {
            s->event_due = true;
            c->returned_early = inside;
            end = target;
            break;
        }
        bool changed = false;
        while (event(s, &changed))
            if (++rounds > 1000) return fail(c, "events at %.17g do not end", target);
        if (rounds > 1000) return fail(c, "events at %.17g do not end", target);
        if (!inside) break;
        if (c->may_return_early && target > time) { /* just to be seen, without event mode */
            c->returned_early = true;
            end = target;
            break;
        }
    }
#else
    Status moved = advance(c, size);
    if (moved > WARNING) return moved;
    if (moved > status) status = moved;
#if FLAW_GLOBALS
    s->v.float64[state_place[0]] += 1e-3 * (double)++steps_taken;
#endif
#if FLAW_RESTORE_NEXT
    bool goes_on = !c->has_ended || !differ(time, c->ended);
    if (goes_on && c->lost) s->v.float64[state_place[0]] += 0.1 * size;
    c->lost |= !goes_on;
    c->has_ended = true;
    c->ended = time + size;
#endif
    if (c->returned_early) end = c->reached;
    s->since = c->returned_early ? end - time : size;
#endif
    s->v.time = c->reached = end;
    s->touched = s->stale = false;
    equations(s);
    if (is_logged(c, LOG_STEPS))
        say(c, OK, LOG_STEPS, "step from %g to %g", time, s->v.time);
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

COLD void reset(Instance *c)
{
    memset(&c->s, 0, sizeof c->s);
    c->s.v = START;
    c->s.mode = INSTANTIATED;
    c->s.stale = true;
    c->stop = INFINITY;
    c->horizon = -INFINITY;
    c->set_up = false;
    *c->first_wrong = 0;
}

/* The room for an instance; NULL with a reason told where the names are not as they must be. */
COLD Instance *conceive(const char *name, const char *token, Logger logger,
    void *environment, void *(*allocate)(size_t, size_t), void (*release)(void *), bool logging)
{
    Instance none = { .logger = logger, .environment = environment };
    none.categories = logging ? ALL_LOGS : 0;
    if (!name || !name[strspn(name, " \t\r\n")]) {
        wrong(&none, "instantiate", "an instance needs a name");
        return NULL;
    }
    snprintf(none.name, sizeof none.name, "%.127s", name);
    if (!token || strcmp(token, TOKEN)) {
        wrong(&none, "instantiate", "the binary belongs to %s, the description to %s", TOKEN,
            token ? token : "nothing");
        return NULL;
    }
    Instance *c = allocate ? allocate(1, sizeof *c) : NULL;
    if (!c) {
        wrong(&none, "instantiate", "no memory, or no function to get it from");
        return NULL;
    }
    *c = none;
    c->allocate = allocate;
    c->release = release;
    reset(c);
    if (FLAW_CROWD && instances_alive) abort();
    ++instances_alive;
    return c;
}

COLD void begin(Instance *c, double start, bool stop_defined, double stop)
{
    c->s.v.time = start;
    c->stop = stop_defined ? stop + 1e-9 * (fabs(stop) + fabs(stop - start)) : INFINITY;
}

COLD void bury(Instance *c, const char *function)
{
    if (STRICT && c->s.mode & (STEP | FAILED | EVENT | CONTINUOUS))
        untidy(c, function, "freed without having been terminated");
    if (STRICT && c->snapshots) untidy(c, function, "freed before the states taken from it");
    while (c->snapshots) {
        Snapshot *next = c->snapshots->next;
        c->release(c->snapshots);
        c->snapshots = next;
        --snapshots_alive;
    }
#ifdef HAS_PENDING
    if (c->running) pthread_join(c->worker, NULL);
#endif
    --instances_alive;
    c->release(c);
}

#if FLAW_RESET || FLAW_RESET_LATER
static inline void keep_states(State *to, const State *from);
static int resets;
#endif
#if FLAW_RESET_HANGS
#include <unistd.h>
#endif

/* Reset as an importer calls it, with what some make of that. */
COLD Status begin_anew(Instance *c)
{
    if (FLAW_RESET_REFUSED) return fail(c, "it was not made for this");
    if (FLAW_RESET_CRASH) abort();
#if FLAW_RESET_HANGS
    for (;;) pause();
#endif
#if FLAW_RESET || FLAW_RESET_LATER
    State stood = c->s;
    reset(c);
    if (FLAW_RESET || ++resets > 20) keep_states(&c->s, &stood);
#else
    reset(c);
#endif
    return OK;
}

/* ---- saving the state ------------------------------------------------------------------------ */

COLD bool is_alive(const Instance *c, const void *state)
{
    for (const Snapshot *p = c->snapshots; p; p = p->next)
        if (p == state) return true;
    return false;
}

COLD Snapshot *new_snapshot(Instance *c)
{
    Snapshot *p = c->allocate(1, sizeof *p);
    if (!p) return NULL;
    p->owner = c;
    p->previous = NULL;
    p->next = c->snapshots;
    if (p->next) p->next->previous = p;
    c->snapshots = p;
    ++snapshots_alive;
    ++snapshots_taken;
    return p;
}

static inline Status take(Instance *c, const char *function, void **state)
{
    if (!STATE_SAVING) return wrong(c, function, "this FMU cannot save its state");
    if (FLAW_SAVE_REFUSED) return fail(c, "it was not made for this");
    if (!state || (STRICT && *state && !is_alive(c, *state)))
        return wrong(c, function, "not a state of this instance, nor NULL");
    Snapshot *p = *state ? *state : new_snapshot(c);
    if (!p) return fail(c, "no memory for a state");
    p->state = c->s;
    *state = p;
    return OK;
}

/* What an FMU does that forgets its continuous states when it saves the rest. */
static inline void keep_states(State *to, const State *from)
{
#if STATES
    for (size_t k = 0; k < STATES; ++k)
        to->v.float64[state_place[k]] = from->v.float64[state_place[k]];
#else
    (void)to, (void)from;
#endif
}

/* FLAW_FLAG: a step that may be taken back begins where the first such step began. */
static inline void heed_flag(Instance *c, bool no_way_back)
{
#if FLAW_FLAG
    if (no_way_back) c->has_origin = false;
    else if (c->has_origin) keep_states(&c->s, &c->origin);
    else c->has_origin = true, c->origin = c->s;
#else
    (void)c, (void)no_way_back;
#endif
}

static inline Status restore(Instance *c, const char *function, void *state)
{
    if (!STATE_SAVING) return wrong(c, function, "this FMU cannot save its state");
    if (FLAW_RESTORE_CRASH) abort();
    if (!state || (STRICT && !is_alive(c, state)))
        return wrong(c, function, "not a state of this instance");
    const State *from = &((Snapshot *)state)->state;
    bool started = !(from->mode & (INSTANTIATED | INITIALIZATION));
    if (STRICT && started && from->v.time < c->horizon - 1e-9 * fabs(c->horizon))
        return wrong(c, function, "back to %.17g, promised not to go back before %.17g",
            from->v.time, c->horizon);
    State stood = c->s;
    c->s = *from;
    if (FLAW_RESTORE || (FLAW_RESTORE_LATER && stood.v.time > 10)) keep_states(&c->s, &stood);
    *c->first_wrong = 0;
    return OK;
}

static inline Status drop(Instance *c, const char *function, void **state)
{
    if (!STATE_SAVING) return wrong(c, function, "this FMU cannot save its state");
    if (!state || !*state) return OK;
    if (STRICT && !is_alive(c, *state)) return wrong(c, function, "not a state of this instance");
    Snapshot *p = *state;
    if (p->next) p->next->previous = p->previous;
    if (p->previous) p->previous->next = p->next;
    else p->owner->snapshots = p->next;
    c->release(p);
    --snapshots_alive;
    *state = NULL;
    return OK;
}

COLD Status measure(Instance *c, const char *function, void *state, size_t *size)
{
    if (!SERIALIZATION) return wrong(c, function, "this FMU cannot serialize its state");
    if (!state || !size || (STRICT && !is_alive(c, state)))
        return wrong(c, function, "not a state of this instance");
#if LIE_SIZE
    *size = 8;
#else
    *size = sizeof(State);
#endif
    return OK;
}

COLD Status pack(Instance *c, const char *function, void *state, void *bytes, size_t size)
{
    if (!SERIALIZATION) return wrong(c, function, "this FMU cannot serialize its state");
    if (!state || !bytes || (STRICT && !is_alive(c, state)))
        return wrong(c, function, "not a state of this instance");
    if (size != sizeof(State))
        return wrong(c, function, "a state has %zu bytes, not %zu", sizeof(State), size);
    memcpy(bytes, &((Snapshot *)state)->state, size);
    return OK;
}

COLD Status unpack(
    Instance *c, const char *function, const void *bytes, size_t size, void **state)
{
    if (!SERIALIZATION) return wrong(c, function, "this FMU cannot serialize its state");
    if (!bytes || size != sizeof(State))
        return wrong(c, function, "a state has %zu bytes, not %zu", sizeof(State), size);
    if (!state || (STRICT && *state && !is_alive(c, *state)))
        return wrong(c, function, "not a state of this instance, nor NULL");
    Snapshot *p = *state ? *state : new_snapshot(c);
    if (!p) return fail(c, "no memory for a state");
    memcpy(&p->state, bytes, size);
    *state = p;
    return OK;
}
