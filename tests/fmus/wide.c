/* x' = a x + drive + 0.05 (u1 + ... + u10), y = x: one with many inputs, a step of which is a sum. */

#define PRIVATE double size, decay, gain;
#include "fmu.h"

static double forcing(const Variables *v)
{
    double sum = v->u1 + v->u2 + v->u3 + v->u4 + v->u5;
    sum += v->u6 + v->u7 + v->u8 + v->u9 + v->u10;
    return v->drive + 0.05 * sum;
}

static void equations(State *s)
{
    Variables *v = &s->v;
    v->der_x = v->a * v->x + forcing(v);
    v->y = v->x;
}

static Status advance(Instance *c, double size)
{
    State *s = &c->s;
    Variables *v = &s->v;
    if (s->size != size) {
        s->size = size;
        s->decay = exp(v->a * size);
        s->gain = v->a != 0.0 ? expm1(v->a * size) / v->a : size;
    }
    v->x = s->decay * v->x + s->gain * forcing(v);
    return OK;
}
