/* The right body with the spring between the two: m x'' = force - k x - d x' (wall),
   force = stiffness (position - x) + damping (velocity - x'), of which the inputs are the left end.
   From `switch_time` on the output force is -1000 whatever the spring does. With event mode that
   is an event; without, the FMU has switched when a step ends there. */

#define HAS_EVENTS
#define MORE bool switched;
#include "oscillator.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    double force = v->stiffness * (AT(position) - v->x) + v->damping * (AT(velocity) - v->v);
    v->a = (force - v->wall_stiffness * v->x - v->wall_damping * v->v) / v->mass;
    v->force = s->switched ? -1000 : force;
}

static double drive(const State *s, int order)
{
    const Variables *v = &s->v;
    double pull = v->stiffness * input_at(s, REF_position, order, 0);
    return (pull + v->damping * input_at(s, REF_velocity, order, 0)) / v->mass;
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    oscillate(c, &v->x, &v->v, v->stiffness + v->wall_stiffness, v->damping + v->wall_damping,
        v->mass, size);
    return OK;
}

static double announced(const State *s)
{
    return s->switched || s->v.switch_time >= 1e30 ? INFINITY : s->v.switch_time;
}

static double next_event(const State *s) { return announced(s); }

static bool event(State *s, bool *states_changed)
{
    (void)states_changed;
    double when = announced(s);
    if (s->v.time >= when || !differ(s->v.time, when)) s->switched = true;
    equations(s);
    return false;
}
