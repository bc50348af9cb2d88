/* x' = (rate + gain u) x: prey and predator. A step is exact for inputs polynomial in time. */

#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->der_x = (v->rate + v->gain * AT(u)) * v->x;
}

static Status advance(Instance *c, double size)
{
    State *s = &c->s;
    double integral = 0, power = 1;
    for (int k = 0; k <= INPUT_ORDER; ++k) {
        power *= size / (k + 1);
        integral += power * input_at(s, REF_u, k, 0);
    }
    s->v.x *= exp(s->v.rate * size + s->v.gain * integral);
    return OK;
}
