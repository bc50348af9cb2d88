/* Exact steps of x'' = w(t) - (k x + d x') / m, w a polynomial in time. */

#define PRIVATE double size, E[2][3 + INPUT_ORDER];
#include "fmu.h"

/* `w` holds w and its derivatives at the start of the step. */
static void oscillate(
    State *s, double *x, double *v, double k, double d, double m, const double w[], double h)
{
    enum { N = INPUT_ORDER + 3 };
    if (s->size != h) {
        double M[N][N] = { { 0, h }, { -k / m * h, -d / m * h } };
        for (int i = 1; i < N - 1; ++i) M[i][i + 1] = h;
        exponential(N, M);
        memcpy(s->E, M, sizeof s->E);
        s->size = h;
    }
    double y[2];
    for (int i = 0; i < 2; ++i) {
        y[i] = s->E[i][0] * *x + s->E[i][1] * *v;
        for (int j = 0; j <= INPUT_ORDER; ++j) y[i] += s->E[i][2 + j] * w[j];
    }
    *x = y[0];
    *v = y[1];
}
