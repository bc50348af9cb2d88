/* A relay with hysteresis: on above `high`, off below `low`. */

#define HAS_EVENTS
#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->margin = v->on ? v->u - v->low : v->high - v->u;
    v->y = v->on ? 1 : -1;
}

static Status advance(Instance *c, double size)
{
    (void)c, (void)size;
    return OK;
}

/* The input is constant over a step: it switches at once, or not at all. */
static double next_event(const State *s)
{
    const Variables *v = &s->v;
    return (v->on ? v->u < v->low : v->u > v->high) ? v->time : INFINITY;
}

static double announced(const State *s)
{
    (void)s;
    return INFINITY;
}

static bool event(State *s, bool *states_changed)
{
    (void)states_changed;
    if (isfinite(next_event(s))) s->v.on = !s->v.on;
    equations(s);
    return false;
}
