/* x' = k u + p - x, y = x, and some variables of other types. It is built with STRICT: any call
   that the standard does not allow at that moment is answered with Error and a message. */

#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->der_x = v->k * AT(u) + v->p - v->x;
    v->y = v->x;
    v->twice = 2 * v->k;
    v->w = v->two * v->x;
    v->count_out = v->count + v->steps;
    v->on_out = v->on;
    memcpy(v->label_out, v->label, TEXT);
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    double rest = v->k * v->u + v->p;
    v->x = rest + (v->x - rest) * exp(-size);
    ++v->steps;
    return OK;
}
