/* Counts its steps while it is open and fills meanwhile: values of many types that no one else computes. */

#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->shut = v->count >= v->limit;
    v->mode_out = v->mode;
    v->small = (uint8_t)(v->count % 100);
    memcpy(v->label_out, v->label, TEXT);
    v->der_level = v->rate;
}

static Status advance(Instance *c, double size)
{
    Variables *v = &c->s.v;
    v->rate = v->open ? (double)v->add + v->u : -0.1;
    v->level += size * v->rate;
    if (v->open) v->count += v->add;
    return OK;
}
