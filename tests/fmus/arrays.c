/* u[n] -> y[n] = gain u, x[n]' = u, and both side by side in the matrix pair[n][2]; the size n is
   a structural parameter. */

#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    for (size_t i = 0; i < v->n; ++i) {
        v->der_x[i] = v->u[i];
        v->pair[2 * i] = v->y[i] = v->gain[i] * v->u[i];
        v->pair[2 * i + 1] = v->x[i];
    }
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    for (size_t i = 0; i < v->n; ++i) v->x[i] += size * v->u[i];
    return OK;
}
