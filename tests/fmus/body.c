/* The left body of the two-mass oscillator: m x'' = -force - k x - d x', k and d to the wall. */

#include "oscillator.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->acceleration
        = -(AT(force) + v->stiffness * v->position + v->damping * v->velocity) / v->mass;
}

static double drive(const State *s, int order)
{
    return -input_at(s, REF_force, order, 0) / s->v.mass;
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    oscillate(c, &v->position, &v->velocity, v->stiffness, v->damping, v->mass, size);
    return OK;
}
