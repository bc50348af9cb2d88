/* The left body of the two-mass oscillator: m x'' = -force - k x - d x', k and d to the wall. */

#include "oscillator.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->acceleration
        = -(AT(force) + v->stiffness * v->position + v->damping * v->velocity) / v->mass;
}

static Status advance(Instance *c, double size)
{
    State *s = &c->s;
    Variables *v = &s->v;
    double w[INPUT_ORDER + 1];
    for (int i = 0; i <= INPUT_ORDER; ++i) w[i] = -input_at(s, REF_force, i, 0) / v->mass;
    oscillate(s, &v->position, &v->velocity, v->stiffness, v->damping, v->mass, w, size);
    return OK;
}
