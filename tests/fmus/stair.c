/* A stepped source: y grows by `rise` each `period`, at times known in advance. */

#define HAS_EVENTS
#include "fmu.h"

static void equations(State *s)
{
    s->v.y = s->v.rise * s->v.level;
}

static Status advance(Instance *c, double size)
{
    (void)c, (void)size;
    return OK;
}

static double announced(const State *s) { return (s->v.level + 1) * s->v.period; }

static double next_event(const State *s) { return announced(s); }

static bool event(State *s, bool *states_changed)
{
    (void)states_changed;
    if (s->v.time >= announced(s) || !differ(s->v.time, announced(s))) ++s->v.level;
    equations(s);
    return false;
}
