/* x' = u - x; says how many steps it made and how long the last one was. */

#include "fmu.h"

static void equations(State *s)
{
    s->v.der_x = s->v.u - s->v.x;
    s->v.y = s->v.x;
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    v->x = v->u + (v->x - v->u) * exp(-size);
    v->size = size;
    ++v->count;
    return OK;
}
