/* Exact steps of x'' = w(t) - (k x + d x') / m, w a polynomial in time. In FMI 2 its coefficients come
   with the derivatives of inputs; in FMI 3, with intermediate update, it is the cubic through what
   the callback says at thirds of the step. */

#ifndef MORE
#define MORE
#endif
#define PRIVATE double size, E[2][6]; MORE
#include "fmu.h"

enum { CURVE = FMI == 3 && INTERMEDIATE_UPDATE ? 3 : INPUT_ORDER };

/* w, or its derivative of some order, from the inputs as they were set. */
static double drive(const State *s, int order);

#if FMI == 3
/* Has the inputs set to what they are at `time`. */
static void inquire(Instance *c, double time)
{
    bool requested = false;
    double when = time;
    c->s.v.time = time;
    c->s.mode = INTERMEDIATE;
    c->s.touched = false;
    c->may_set = true;
    c->may_get = false;
    equations(&c->s);
    c->intermediate(c->environment, time, true, false, false, false, &requested, &when);
    if (c->s.mode == INTERMEDIATE) c->s.mode = STEP;
}
#endif

/* w and its derivatives at the start of a step. */
static void course(Instance *c, double size, double w[])
{
#if FMI == 3
    if (CURVE && c->intermediate) {
        double start = c->s.v.time, third = size / 3, q[4] = { drive(&c->s, 0) };
        for (int i = 1; i < 4; ++i) {
            inquire(c, start + i * third);
            q[i] = drive(&c->s, 0);
        }
        c->s.v.time = start;
        double d1 = q[1] - q[0], d2 = q[2] - 2 * q[1] + q[0], d3 = q[3] - 3 * (q[2] - q[1]) - q[0];
        w[0] = q[0];
        w[1] = (d1 - d2 / 2 + d3 / 3) / third;
        w[2] = (d2 - d3) / (third * third);
        w[3] = d3 / (third * third * third);
        return;
    }
#endif
    (void)size;
    for (int i = 0; i <= CURVE; ++i) w[i] = drive(&c->s, i);
}

static void oscillate(Instance *c, double *x, double *v, double k, double d, double m, double h)
{
    enum { N = CURVE + 3 };
    State *s = &c->s;
    double w[CURVE + 1];
    course(c, h, w);
    if (s->size != h) {
        double M[N][N] = { { 0, h }, { -k / m * h, -d / m * h } };
        for (int i = 1; i < N - 1; ++i) M[i][i + 1] = h;
        exponential(N, M);
        for (int i = 0; i < 2; ++i) memcpy(s->E[i], M[i], sizeof M[i]);
        s->size = h;
    }
    double y[2];
    for (int i = 0; i < 2; ++i) {
        y[i] = s->E[i][0] * *x + s->E[i][1] * *v;
        for (int j = 0; j <= CURVE; ++j) y[i] += s->E[i][2 + j] * w[j];
    }
    *x = y[0];
    *v = y[1];
}
