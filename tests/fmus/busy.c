/* x' = u - x, y = x, by one Euler step; each step takes `work` rounds of arithmetic. */

#include "fmu.h"

static void equations(State *s)
{
    s->v.der_x = s->v.u - s->v.x;
    s->v.y = s->v.x;
}

static Status advance(Instance *c, double size)
{
    double z = 1;
    for (double k = 0; k < c->s.v.work; ++k) z = 0.999 * z + 1e-9;
    c->s.v.x += size * (c->s.v.u - c->s.v.x) + (z > 1e300);
    return OK;
}
