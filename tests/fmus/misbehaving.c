/* x' = 1 + u, y = x, until the step that contains the time `at`: what happens then is said by
   BEHAVIOUR_..., one for each of these models. */

#ifdef BEHAVIOUR_pending
#define HAS_PENDING
#define PER_INSTANCE                                                                               \
    pthread_t worker;                                                                              \
    bool running;                                                                                  \
    atomic_bool done, canceled;                                                                    \
    double from, size;                                                                             \
    Status outcome;
#include <pthread.h>
#include <time.h>
#endif
#ifdef BEHAVIOUR_leak
#define PRIVATE unsigned char ballast[1 << 18]; /* so that a lost instance or state is seen */
#endif
#ifdef BEHAVIOUR_fatal
#define HAS_FATAL
#endif
#ifdef BEHAVIOUR_error
#define PER_INSTANCE bool failed_already;
#endif
#ifdef BEHAVIOUR_warning
#define WARN_AT_START(c) warn(c, "it starts")
#endif
#ifdef BEHAVIOUR_shy
#define WARN_AT_START(c) (equations(&(c)->s), OK)
#endif
#ifdef BEHAVIOUR_stillborn
#include <signal.h>
#define WARN_AT_START(c) (raise(SIGSEGV) ? ERROR : OK)
#endif
#ifdef BEHAVIOUR_dazed
#define WARN_AT_START(c) dream()
#endif
#define HAS_TRIGGER
#include "fmu.h"

static void equations(State *s)
{
    s->v.der_x = 1 + s->v.u;
    s->v.y = s->v.x;
#ifdef BEHAVIOUR_shy
    if (s->mode & (INSTANTIATED | INITIALIZATION)) s->v.y = -1;
#endif
#ifdef BEHAVIOUR_nan
    if (s->v.time > s->v.at) s->v.y = NAN;
#endif
}

#ifdef BEHAVIOUR_dazed
static Status dream(void)
{
    for (volatile unsigned i = 0; i < 2; i = 0) { }
    return OK;
}
#endif

static Status advance(Instance *c, double size)
{
    c->s.v.x += (1 + c->s.v.u) * size;
    return OK;
}

/* Whether `at` lies in the step, its start included and its end not. */
static inline bool is_time(const Instance *c, double size)
{
    const Variables *v = &c->s.v;
    bool begun = v->time <= v->at || !differ(v->time, v->at);
    return begun && v->at < v->time + size && differ(v->at, v->time + size);
}

#ifdef BEHAVIOUR_crash
static Status misbehave(Instance *c, double size)
{
    if (is_time(c, size)) {
        int *volatile nowhere = NULL;
        *nowhere = 1;
    }
    return OK;
}

#elif defined BEHAVIOUR_hang
static Status misbehave(Instance *c, double size)
{
    if (is_time(c, size))
        for (volatile unsigned i = 0;; ++i) { }
    return OK;
}

#elif defined BEHAVIOUR_slows
#include <time.h>
static Status misbehave(Instance *c, double size)
{
    if (c->s.v.time + size > c->s.v.at) nanosleep(&(struct timespec) { 0, 200000000 }, NULL);
    return OK;
}

#elif defined BEHAVIOUR_killed
#include <signal.h>
static Status misbehave(Instance *c, double size)
{
    if (is_time(c, size)) raise(SIGKILL); /* as `kill -9` from outside, at a time that is known */
    return OK;
}

#elif defined BEHAVIOUR_truncates
#include <unistd.h>
static Status misbehave(Instance *c, double size)
{
    if (is_time(c, size) && truncate("run.csv.tail", 0)) return fail(c, "there is no such file");
    return OK;
}

#elif defined BEHAVIOUR_quits
static Status misbehave(Instance *c, double size)
{
    if (is_time(c, size)) exit(0);
    return OK;
}

#elif defined BEHAVIOUR_late
/* Goes on talking when it is long gone. */
#include <pthread.h>
#include <time.h>
static struct { Logger logger; void *environment; char name[128]; } kept;
static void *talk(void *nobody)
{
    for (int k = 0; k < 50; ++k, nanosleep(&(struct timespec) { 0, 10000000 }, NULL))
#if FMI == 3
        kept.logger(kept.environment, WARNING, "late", "still here");
#else
        kept.logger(kept.environment, kept.name, WARNING, "late", "still here %d", k);
#endif
    return nobody;
}

static Status misbehave(Instance *c, double size)
{
    pthread_t thread;
    if (!is_time(c, size)) return OK;
    kept.logger = c->logger;
    kept.environment = c->environment;
    snprintf(kept.name, sizeof kept.name, "%s", c->name);
    if (!pthread_create(&thread, NULL, talk, NULL)) pthread_detach(thread);
    return OK;
}

#elif defined BEHAVIOUR_negative
static Status misbehave(Instance *c, double size)
{
    return is_time(c, size) ? (Status)-1 : OK;
}

#elif defined BEHAVIOUR_wanders
#include <unistd.h>
static Status misbehave(Instance *c, double size)
{
    if (is_time(c, size) && chdir("/")) return fail(c, "there is no other place");
    return OK;
}

#elif defined BEHAVIOUR_garbled
/* Texts that are no formats, or formats of something else, with nothing to go into them. */
static Status misbehave(Instance *c, double size)
{
    if (!is_time(c, size)) return OK;
    const char *category = category_names[LOG_ERROR];
    c->logger(c->environment, c->name, ERROR, category, "100% sure of it, %s", (char *)1);
    c->logger(c->environment, c->name, ERROR, category, "%d of %5.2f%% by \x1b[31m%s%n", 3, 99.5, "me", 1);
    c->logger(c->environment, NULL, ERROR, NULL, NULL);
    c->logger(c->environment, NULL, ERROR, NULL, "at %-6s|%*d %ld %%", "last", 4, 12, 34L);
    return ERROR;
}

#elif defined BEHAVIOUR_discard
/* Only a step of at most `limit` gets across; with `ends` it says that the run should end there. */
static Status misbehave(Instance *c, double size)
{
    Variables *v = &c->s.v;
    if (!is_time(c, size) || !differ(v->at, v->time) || size <= v->limit * (1 + 1e-9)) return OK;
    c->wants_end = v->ends;
    say(c, DISCARD, LOG_DISCARD, "no way across %g with a step of %g", v->at, size);
#if FMI < 3 /* as far as it goes; FMI 3 stays where it is */
    advance(c, v->at - v->time);
    v->time = c->reached = v->at;
    c->reached += v->boast;
    equations(&c->s);
#endif
    return DISCARD;
}

#elif defined BEHAVIOUR_error
static Status misbehave(Instance *c, double size)
{
    if (!is_time(c, size) || c->failed_already) return OK;
    c->failed_already = true;
    return fail(c, "100 %% sure: the #1 valve is stuck at %g", c->s.v.at);
}

#elif defined BEHAVIOUR_fatal
static Status misbehave(Instance *c, double size)
{
    if (!is_time(c, size)) return OK;
    say(c, FATAL, LOG_FATAL, "nothing is left at %g", c->s.v.at);
    dead = true;
    return FATAL;
}

#elif defined BEHAVIOUR_warning
/* Several messages, in several categories, one with a reference to a variable, and in FMI 2 one
   with arguments for its format. */
static Status warn(Instance *c, const char *why)
{
    say(c, WARNING, LOG_WARNING, "%s", why);
    say(c, OK, LOG_EVENTS, "this is only said, at %g", c->s.v.time);
    if (is_logged(c, LOG_WARNING)) {
        const char *category = category_names[LOG_WARNING];
#if FMI == 3
        c->logger(c->environment, WARNING, category, "#1# is near its limit");
#else
        const char *text = "#r1# is near its limit of %g %s";
        c->logger(c->environment, c->name, WARNING, category, text, 2.5, "metres");
#endif
    }
    return WARNING;
}

static Status misbehave(Instance *c, double size)
{
    return c->s.v.time + size > c->s.v.at ? warn(c, "it gets late") : OK;
}

#elif defined BEHAVIOUR_pending
static Status misbehave(Instance *c, double size)
{
    (void)c, (void)size;
    return OK;
}

static Status whole_step(Instance *c, const char *function, double time, double size);

static void *work(void *instance)
{
    Instance *c = instance;
    for (double left = c->s.v.delay; left > 0 && !c->canceled; left -= 1e-3)
        nanosleep(&(struct timespec) { 0, (long)(1e9 * fmin(left, 1e-3)) }, NULL);
    if (!c->canceled) c->outcome = walk(c, "fmi2DoStep", c->from, c->size);
    c->done = true;
    if (c->step_finished && !c->canceled) c->step_finished(c->environment, c->outcome);
    return NULL;
}

static Status start_step(Instance *c, double time, double size)
{
    if (time + size <= c->s.v.at) return whole_step(c, "fmi2DoStep", time, size);
    c->done = c->canceled = false;
    c->from = time;
    c->size = size;
    c->outcome = OK;
    c->s.mode = IN_PROGRESS;
    c->running = !pthread_create(&c->worker, NULL, work, c);
    if (!c->running) return fail(c, "no thread for the step");
    say(c, PENDING, LOG_PENDING, "thinking for %g s", c->s.v.delay);
    return PENDING;
}

static inline void finish_pending(Instance *c)
{
    if (!c->running || !c->done) return;
    if (!pthread_equal(pthread_self(), c->worker)) {
        pthread_join(c->worker, NULL);
        c->running = false;
    }
    if (c->s.mode == IN_PROGRESS) c->s.mode = c->outcome == DISCARD ? FAILED : STEP;
}

static void cancel_step(Instance *c)
{
    c->canceled = true;
    if (c->running) pthread_join(c->worker, NULL);
    c->running = false;
    c->s.mode = CANCELED;
}

#else /* nan, liar, leak: nothing happens in a step */
static Status misbehave(Instance *c, double size)
{
    (void)c, (void)size, (void)is_time;
    return OK;
}
#endif
