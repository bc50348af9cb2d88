/* A counterflow heat exchanger of ten volumes per row: two streams and the wall between them.

   Both streams are counted from their inlet, the wall like stream a. Papadopoulos and Leva (2014),
   with c_w = 500 and w = 1, which the article's figures are made of. */

#include "fmu.h"

static void equations(State *s)
{
    enum { N = 10 };
    Variables *v = &s->v;
    const double *a = &v->Ta_1, *w = &v->Tw_1, *b = &v->Tb_1;
    double *da = &v->der_Ta_1, *dw = &v->der_Tw_1, *db = &v->der_Tb_1;
    double Ga = v->Ga / N, Gb = v->Gb / N;
    for (int i = 0; i < N; ++i) {
        int j = N - 1 - i; /* the volume of stream b on the other side of wall i */
        double before_a = i ? a[i - 1] : AT(inlet_a), before_b = j ? b[j - 1] : AT(inlet_b);
        double from_a = Ga * (a[i] - w[i]), to_b = Gb * (w[i] - b[j]);
        da[i] = (v->wa * v->ca * (before_a - a[i]) - from_a) / (v->ca * v->Ma / N);
        dw[i] = (from_a - to_b) / (v->cw * v->Mw / N);
        db[j] = (v->wb * v->cb * (before_b - b[j]) + to_b) / (v->cb * v->Mb / N);
    }
}

static Status advance(Instance *c, double size)
{
    integrate(&c->s, size, 1e-3);
    return OK;
}
