/* The limit of benchmarks/compiled.py: the ring of oscillators as one C loop, with the same explicit steps.
 *
 *     compiled N WINDOWS     prints seconds of process time, and one state at the end
 *
 * Gauss-Seidel along the ring; each part takes one step of Dormand and Prince a window with its input held,
 * and estimates its error as the part does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double A[6][6] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double E[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static void rates(const double *x, double u, double k, double *dx) {
    dx[0] = x[1];
    dx[1] = u - k * sin(x[0]) - 0.3 * x[1];
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    long windows = argc > 2 ? atol(argv[2]) : 1000;
    double h = 0.01, worst = 0, *x = calloc(2 * (size_t)n, sizeof *x);
    for (int i = 0; i < n; i++) x[2 * i] = 1.0;
    double began = now();
    for (long w = 0; w < windows; w++)
        for (int i = 0; i < n; i++) {
            double *s = x + 2 * i, u = 0.5 * x[2 * ((i + n - 1) % n)], k[7][2], at[2], wrong = 0;
            rates(s, u, 4.0 + 0.1 * i, k[0]);
            for (int r = 0; r < 6; r++) {
                for (int j = 0; j < 2; j++) {
                    double sum = 0;
                    for (int q = 0; q <= r; q++) sum += A[r][q] * k[q][j];
                    at[j] = s[j] + h * sum;
                }
                rates(at, u, 4.0 + 0.1 * i, k[r + 1]);
            }
            for (int j = 0; j < 2; j++) {
                double sum = 0, big = fabs(s[j]) > fabs(at[j]) ? fabs(s[j]) : fabs(at[j]);
                for (int q = 0; q < 7; q++) sum += E[q] * k[q][j];
                sum *= h / (1e-9 + 1e-6 * big);
                wrong += sum * sum;
            }
            wrong = 0.9 * pow(1e-4, 0.04) / pow(sqrt(wrong / 2) + 1e-300, 0.17);
            worst = wrong > worst ? wrong : worst;
            s[0] = at[0], s[1] = at[1];
        }
    printf("%.9f %.17g %g\n", now() - began, x[0], worst);
    free(x);
    return 0;
}
