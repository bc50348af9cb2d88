/* A bouncing ball: h'' = -g; where it hits the ground, h' := -e h'; slow, it stays there. */

#define HAS_EVENTS
#include <float.h>
#include "fmu.h"

static void equations(State *s)
{
    s->v.der_v = s->v.resting ? 0 : -s->v.g;
    s->v.above = s->v.resting ? 1 : s->v.h;
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    if (v->resting) return OK;
    v->h += size * (v->v - v->g * size / 2);
    v->v -= v->g * size;
    return OK;
}

static double next_event(const State *s)
{
    const Variables *v = &s->v;
    if (v->resting) return INFINITY;
    return v->time + (v->v + sqrt(v->v * v->v + 2 * v->g * fmax(v->h, 0))) / v->g;
}

static double announced(const State *s)
{
    (void)s;
    return INFINITY;
}

static bool event(State *s, bool *states_changed)
{
    Variables *v = &s->v;
    if (v->resting || v->h > 1e-9 || v->v >= 0) return false;
    v->h = DBL_MIN; /* above the ground, by as little as can be */
    v->v *= -v->e;
    if (v->v < v->v_min) {
        v->v = v->h = 0;
        v->resting = true;
    }
    ++v->bounces;
    *states_changed = true;
    return false;
}
