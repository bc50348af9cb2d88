/* Counts the ticks of its input clock by `stride`; an output clock ticks with each full ten. */

#define HAS_EVENTS
#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->count = v->previous_count + (v->tick ? v->stride : 0);
    v->ten = v->tick && v->count / 10 != v->previous_count / 10;
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
    s->v.previous_count = s->v.count;
    return false;
}
