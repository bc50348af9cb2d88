/* A heated room: tau x' = outside - x + power, if it is on; on where it feels below `low`, off above
   `high`. What it feels depends on the outside, so that an input may throw the switch. At `night` the
   power is lowered. */

#define HAS_EVENTS
#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->der_x = (v->outside - v->x + (v->on ? v->power : 0)) / v->tau;
    v->felt = v->x + v->share * v->outside;
    v->margin = v->on ? v->high - v->felt : v->felt - v->low;
}

static double target(const State *s)
{
    const Variables *v = &s->v;
    return v->outside + (v->on ? v->power : 0);
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    v->x = target(&c->s) + (v->x - target(&c->s)) * exp(-size / v->tau);
    return OK;
}

static double next_event(const State *s)
{
    const Variables *v = &s->v;
    double goal = (v->on ? v->high : v->low) - v->share * v->outside;
    double share = (goal - target(s)) / (v->x - target(s));
    if (v->on ? v->x >= goal : v->x <= goal) return v->time;
    double switches = share > 0 && share < 1 ? v->time - v->tau * log(share) : INFINITY;
    return v->saving ? switches : fmin(switches, v->night);
}

static double announced(const State *s)
{
    return s->v.saving ? INFINITY : s->v.night;
}

static bool event(State *s, bool *states_changed)
{
    Variables *v = &s->v;
    double felt = v->x + v->share * v->outside, near = 1e-6;
    (void)states_changed;
    if (v->on ? felt > v->high - near : felt < v->low + near) {
        v->on = !v->on;
        ++v->switched;
    }
    if (!v->saving && v->time >= v->night) {
        v->saving = true;
        v->power *= 0.9;
    }
    equations(s);
    return false;
}
