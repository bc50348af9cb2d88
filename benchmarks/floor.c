/* The floor: what plain C loops over the same FMU binaries cost.
 *
 *   floor LIBRARY GUID IN OUT N WINDOWS STEP MODE [PARAMETER VALUE]
 *
 * A ring of N instances of an FMI 2.0 co-simulation FMU, fed from IN to OUT (value references).
 * MODE: plain (Jacobi), record (Jacobi, outputs written to memory), sweep (Gauss-Seidel),
 * curves (Jacobi, inputs along straight lines through their last two values),
 * iterate (Gauss-Seidel, two sweeps a window with get/setFMUstate), columns (as many more
 * steps as a difference Jacobian takes), threads (Jacobi, OpenMP). PARAMETER, a value reference, is
 * given VALUE before initialization.
 * Prints process seconds, wall seconds, the number of steps, and the sum of the last outputs.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*access_real)(void *, const unsigned *, size_t, double *);
typedef int (*derive)(void *, const unsigned *, size_t, const int *, const double *);
typedef int (*do_step)(void *, double, double, int);
typedef int (*state_call)(void *, void **);
typedef int (*set_state)(void *, void *);

typedef struct {
    void *logger, *allocate, *release, *finished, *environment;
} callbacks;

static void logger(void *e, const char *n, int s, const char *c, const char *m, ...) {
    (void)e, (void)n, (void)s, (void)c, (void)m;
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *find(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found;
}

int main(int argc, char **argv) {
    if (argc != 9 && argc != 11) return 2;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    unsigned in = (unsigned)atoi(argv[3]), out = (unsigned)atoi(argv[4]);
    int n = atoi(argv[5]);
    long windows = atol(argv[6]);
    double h = atof(argv[7]);
    const char *mode = argv[8];
    void *(*instantiate)(const char *, int, const char *, const char *, callbacks *, int, int) =
        find(library, "fmi2Instantiate");
    int (*setup)(void *, int, double, double, int, double) = find(library, "fmi2SetupExperiment");
    int (*enter)(void *) = find(library, "fmi2EnterInitializationMode");
    int (*leave)(void *) = find(library, "fmi2ExitInitializationMode");
    access_real set = find(library, "fmi2SetReal"), get = find(library, "fmi2GetReal");
    do_step step = find(library, "fmi2DoStep");
    state_call save = find(library, "fmi2GetFMUstate");
    set_state restore = find(library, "fmi2SetFMUstate");
    int curves = !strcmp(mode, "curves"), first = 1;
    derive slope = curves ? (derive)find(library, "fmi2SetRealInputDerivatives") : NULL;
    callbacks c = {(void *)logger, (void *)calloc, (void *)free, NULL, NULL};

    void **part = calloc((size_t)n, sizeof *part), **state = calloc((size_t)n, sizeof *state);
    double *u = calloc((size_t)n, sizeof *u), *y = calloc((size_t)n, sizeof *y);
    double *old = calloc((size_t)n, sizeof *old);
    for (int i = 0; i < n; i++) {
        part[i] = instantiate("part", 1, argv[2], "", &c, 0, 0);
        if (!part[i]) return 2;
        setup(part[i], 0, 0, 0, 0, 0);
        if (argc > 10) {
            unsigned parameter = (unsigned)atoi(argv[9]);
            double value = atof(argv[10]);
            set(part[i], &parameter, 1, &value);
        }
        enter(part[i]);
        get(part[i], &out, 1, &y[i]);
        leave(part[i]);
    }
    for (int i = 0; i < n; i++) u[(i + 1) % n] = y[i];
    size_t rows = strcmp(mode, "record") ? 1 : (size_t)windows;
    double *record = calloc(rows * (size_t)n, sizeof *record);
    memset(record, 1, rows * (size_t)n * sizeof *record); /* touched: page faults do not count */

    long steps = 0;
    double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long w = 0; w < windows; w++) {
        double t = (double)w * h;
        if (!strcmp(mode, "plain") || !strcmp(mode, "record")) {
            for (int i = 0; i < n; i++) {
                set(part[i], &in, 1, &u[i]);
                step(part[i], t, h, 1);
                get(part[i], &out, 1, &y[i]);
            }
            for (int i = 0; i < n - 1; i++) u[i + 1] = y[i];
            u[0] = y[n - 1];
            if (rows > 1) memcpy(record + (size_t)w * (size_t)n, y, (size_t)n * sizeof *y);
            steps += n;
        } else if (curves) {
            for (int i = 0; i < n; i++) {
                double rise = w ? (u[i] - old[i]) / h : 0;
                old[i] = u[i];
                set(part[i], &in, 1, &u[i]);
                slope(part[i], &in, 1, &first, &rise);
                step(part[i], t, h, 1);
                get(part[i], &out, 1, &y[i]);
            }
            for (int i = 0; i < n - 1; i++) u[i + 1] = y[i];
            u[0] = y[n - 1];
            steps += n;
        } else if (!strcmp(mode, "threads")) {
#pragma omp parallel for schedule(dynamic, 1)
            for (int i = 0; i < n; i++) {
                set(part[i], &in, 1, &u[i]);
                step(part[i], t, h, 1);
                get(part[i], &out, 1, &y[i]);
            }
            for (int i = 0; i < n; i++) u[(i + 1) % n] = y[i];
            steps += n;
        } else if (!strcmp(mode, "sweep")) {
            for (int i = 0; i < n; i++) {
                u[i] = y[(i + n - 1) % n];
                set(part[i], &in, 1, &u[i]);
                step(part[i], t, h, 1);
                get(part[i], &out, 1, &y[i]);
            }
            steps += n;
        } else { /* iterate: 2 sweeps; columns: 2 evaluations and a perturbed one */
            int passes = strcmp(mode, "columns") ? 2 : 3;
            for (int i = 0; i < n; i++) save(part[i], &state[i]);
            for (int k = 0; k < passes; k++)
                for (int i = 0; i < n; i++) {
                    if (k) restore(part[i], state[i]);
                    u[i] = y[(i + n - 1) % n];
                    set(part[i], &in, 1, &u[i]);
                    step(part[i], t, h, 0);
                    get(part[i], &out, 1, &y[i]);
                }
            steps += (long)passes * n;
        }
    }
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = now(CLOCK_MONOTONIC) - wall;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += y[i];
    printf("%.9g %.9g %ld %.17g\n", cpu, wall, steps, sum);
    return 0;
}
