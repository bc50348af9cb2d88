/* One input clock of each kind, and a count of its ticks. `go` takes a sample and starts the
   countdown; when that ends the output clock `done` ticks. */

#define HAS_EVENTS
#define HAS_INTERVALS
#define PRIVATE                                                                                    \
    int ticks[5];                                                                                  \
    double held, steady_interval, told_pace;                                                       \
    bool told_paced, told_changing, counting, told_countdown;
#include "fmu.h"

enum { STEADY, PACED, CHANGING, COUNTDOWN, GO }; /* as in the table */

static void equations(State *s)
{
    Variables *v = &s->v;
    v->n_steady = s->ticks[STEADY] + v->steady;
    v->n_paced = s->ticks[PACED] + v->paced;
    v->n_changing = s->ticks[CHANGING] + v->changing;
    v->n_countdown = s->ticks[COUNTDOWN] + v->countdown;
    v->n_go = s->ticks[GO] + v->go;
    v->taken = v->go ? v->sample : s->held;
    v->done = v->countdown;
}

static Status advance(Instance *c, double size)
{
    (void)c, (void)size;
    return OK;
}

static double announced(const State *s)
{
    (void)s;
    return INFINITY;
}

static double next_event(const State *s) { return announced(s); }

static bool event(State *s, bool *states_changed)
{
    (void)states_changed;
    Variables *v = &s->v;
    for (int k = 0; k <= GO; ++k) s->ticks[k] += v->clock[k];
    s->held = v->taken;
    if (v->changing) s->told_changing = false;
    if (v->countdown) s->counting = false;
    if (v->go) {
        s->counting = true;
        s->told_countdown = false;
    }
    return false;
}

/* What is known of the next interval of a clock: 0 nothing yet, 1 nothing new, 2 this. */
static int interval(State *s, size_t clock, double *value)
{
    bool told = true, *remember = &told;
    switch (clock) {
    case STEADY:
        *value = s->steady_interval;
        return 1;
    case PACED:
        *value = s->v.pace;
        remember = &s->told_paced;
        *remember = *remember && s->told_pace == *value; /* somebody may have changed it since */
        s->told_pace = *value;
        break;
    case CHANGING:
        *value = 0.1 * (s->ticks[CHANGING] + 1);
        remember = &s->told_changing;
        break;
    case COUNTDOWN:
        if (!s->counting) return 0;
        *value = s->v.delay;
        remember = &s->told_countdown;
        break;
    }
    bool is_new = !*remember;
    *remember = true;
    return is_new ? 2 : 1;
}

static void set_interval(State *s, double value) { s->steady_interval = value; }

#if SCHEDULED
static bool calls_back(const State *s) { return s->v.go || s->v.countdown; }
#endif
