/* x' = 1, y = x; from the time `at` on its events do not end: `stuck` wants one more round each
   time, `endless` announces the next event for right now. */

#define HAS_EVENTS
#include "fmu.h"

static void equations(State *s)
{
    s->v.der_x = 1;
    s->v.y = s->v.x;
}

static Status advance(Instance *c, double size)
{
    c->s.v.x += size;
    return OK;
}

static double announced(const State *s)
{
    bool before = s->v.time < s->v.at && differ(s->v.time, s->v.at);
#ifdef BEHAVIOUR_stuck
    return before ? s->v.at : INFINITY;
#else
    return before ? s->v.at : s->v.time;
#endif
}

static double next_event(const State *s)
{
    return s->v.time < s->v.at ? s->v.at : s->v.time;
}

static bool event(State *s, bool *states_changed)
{
    (void)states_changed;
#ifdef BEHAVIOUR_stuck
    return s->v.time >= s->v.at || !differ(s->v.time, s->v.at);
#else
    (void)s;
    return false;
#endif
}
