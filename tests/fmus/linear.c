/* x' = a x + b u + drive, y = c x + d u. A step is exact for inputs that are polynomials in time.

   With the start values a ring of any number of these comes to rest at x = 2. */

#define PRIVATE double size, decay, gain[INPUT_ORDER + 1];
#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    double u = AT(u);
    v->der_x = v->a * v->x + v->b * u + v->drive;
    v->y = v->c * v->x + v->d * u;
}

/* gain[k] is the integral of e^(a (h - t)) t^k / k! from 0 to h. */
static void prepare(State *s, double h)
{
    enum { N = INPUT_ORDER + 2 };
    double M[N][N] = { { 0 } };
    M[0][0] = s->v.a * h;
    for (int k = 0; k <= INPUT_ORDER; ++k) M[k][k + 1] = h;
    exponential(N, M);
    s->decay = M[0][0];
    for (int k = 0; k <= INPUT_ORDER; ++k) s->gain[k] = M[0][k + 1];
    s->size = h;
}

static Status advance(Instance *c, double size)
{
    State *s = &c->s;
    Variables *v = &s->v;
    if (s->size != size) prepare(s, size);
    double x = s->decay * v->x + s->gain[0] * (v->b * v->u + v->drive);
    for (int k = 1; k <= INPUT_ORDER; ++k) x += s->gain[k] * v->b * input_at(s, REF_u, k, 0);
    v->x = x;
    return OK;
}
