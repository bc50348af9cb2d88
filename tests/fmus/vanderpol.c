/* x1' = x2, x2' = mu (1 - x1^2) x2 - x1. */

#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->der_x2 = v->mu * (1 - v->x1 * v->x1) * v->x2 - v->x1;
}

static Status advance(Instance *c, double size)
{
    integrate(&c->s, size, 1e-3);
    return OK;
}
