/* The right body with the spring between the two: m x'' = force - k x - d x' (wall),
   force = stiffness (position - x) + damping (velocity - x'), of which the inputs are the left end.
   From `switch_time` on the output force is -1000 whatever the spring does. */

#include "oscillator.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    double force = v->stiffness * (AT(position) - v->x) + v->damping * (AT(velocity) - v->v);
    v->a = (force - v->wall_stiffness * v->x - v->wall_damping * v->v) / v->mass;
    v->force = v->time >= v->switch_time ? -1000 : force;
}

static Status advance(Instance *c, double size)
{
    State *s = &c->s;
    Variables *v = &s->v;
    double w[INPUT_ORDER + 1];
    for (int i = 0; i <= INPUT_ORDER; ++i)
        w[i] = (v->stiffness * input_at(s, REF_position, i, 0)
                   + v->damping * input_at(s, REF_velocity, i, 0))
            / v->mass;
    oscillate(s, &v->x, &v->v, v->stiffness + v->wall_stiffness, v->damping + v->wall_damping,
        v->mass, w, size);
    return OK;
}
