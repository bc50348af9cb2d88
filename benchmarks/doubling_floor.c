/* The floor for windows that follow their error: step doubling in a plain C loop.
 *
 *   doubling_floor PREY GUID PREDATOR GUID IN OUT N STOP TOLERANCE MODE
 *
 * N parts in pairs of an FMI 2.0 prey and predator, fed from OUT to IN (value references), up to STOP.
 * MODE: jacobi, seidel (one sweep), sweeps (Gauss-Seidel until two sweeps agree, five at the most),
 * adaptive (such sweeps, in windows that are twice as long each, up to 0.05, with nothing to compare).
 * Each window is one long step and two half steps, with get/setFMUstate, the difference at the end and
 * the slope check in the middle over all outputs; the next size follows from them, and the outputs
 * of both halves go to memory. That is what MasterSim and dv.StepDoubling do.
 * Prints process seconds, windows that stand, steps of parts, and the sum of the last outputs.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*access_real)(void *, const unsigned *, size_t, double *);
typedef int (*do_step)(void *, double, double, int);
typedef int (*state_call)(void *, void **);
typedef int (*set_state)(void *, void *);

typedef struct {
    void *logger, *allocate, *release, *finished, *environment;
} callbacks;

typedef struct {
    access_real set, get;
    do_step step;
    state_call save;
    set_state restore;
    void *instance, *start, *middle;
} part;

enum { JACOBI, SEIDEL, SWEEPS };
enum { MOST_SWEEPS = 5 };

static part *parts;
static int n, mode, doubles = 1, agreed;
static unsigned in, out;
static double tolerance, *u, *y;

static void logger(void *e, const char *i, int s, const char *c, const char *m, ...) {
    (void)e, (void)i, (void)s, (void)c, (void)m;
}

static void *find(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found;
}

static part started(const char *path, const char *guid) {
    static callbacks c = {(void *)logger, (void *)calloc, (void *)free, NULL, NULL};
    void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l) exit(2);
    void *(*instantiate)(const char *, int, const char *, const char *, callbacks *, int, int) =
        find(l, "fmi2Instantiate");
    int (*setup)(void *, int, double, double, int, double) = find(l, "fmi2SetupExperiment");
    int (*enter)(void *) = find(l, "fmi2EnterInitializationMode");
    int (*leave)(void *) = find(l, "fmi2ExitInitializationMode");
    part p = {find(l, "fmi2SetReal"),     find(l, "fmi2GetReal"),     find(l, "fmi2DoStep"),
              find(l, "fmi2GetFMUstate"), find(l, "fmi2SetFMUstate"), NULL, NULL, NULL};
    p.instance = instantiate("part", 1, guid, "", &c, 0, 0);
    if (!p.instance) exit(2);
    setup(p.instance, 0, 0, 0, 0, 0);
    enter(p.instance);
    leave(p.instance);
    return p;
}

static void one(const part *p, int i, double t, double h, int prior) {
    p->set(p->instance, &in, 1, &u[i]);
    p->step(p->instance, t, h, prior);
    p->get(p->instance, &out, 1, &y[i]);
}

/* A step of all parts. States where it begins are saved, `middle` or start. */
static long advance(double t, double h, int middle) {
    int prior = !middle;
    if (mode == JACOBI) {
        for (int i = 0; i < n; i++) u[i] = y[i ^ 1];
        for (int i = 0; i < n; i++) one(parts + i, i, t, h, prior);
        return n;
    }
    if (mode == SEIDEL) {
        for (int i = 0; i < n; i++) {
            u[i] = y[i ^ 1];
            one(parts + i, i, t, h, prior);
        }
        return n;
    }
    long steps = 0;
    agreed = 1;
    for (int i = 0; i < n; i += 2) /* each pair is a cycle of its own */
        for (int k = 0; k <= MOST_SWEEPS; k++) {
            if (k == MOST_SWEEPS) {
                agreed = 0;
                break;
            }
            double sum = 0;
            for (int j = i; j < i + 2; j++) {
                const part *p = parts + j;
                double before = y[j], given = y[j ^ 1];
                if (!k || given != u[j]) {
                    if (k) p->restore(p->instance, middle ? p->middle : p->start);
                    u[j] = given;
                    one(p, j, t, h, prior);
                    steps++;
                }
                double off = (y[j] - before) / (fabs(before) * tolerance + tolerance);
                sum += off * off;
            }
            if (sqrt(sum / 2) <= 1) break;
        }
    return steps;
}

int main(int argc, char **argv) {
    if (argc != 11) return 2;
    in = (unsigned)atoi(argv[5]), out = (unsigned)atoi(argv[6]), n = atoi(argv[7]);
    double stop = atof(argv[8]), t = 0, h = 0.01;
    tolerance = atof(argv[9]);
    mode = !strcmp(argv[10], "jacobi") ? JACOBI : !strcmp(argv[10], "seidel") ? SEIDEL : SWEEPS;
    doubles = strcmp(argv[10], "adaptive") != 0;
    size_t bytes = (size_t)n * sizeof(double), room = (size_t)1 << 20, rows = 0;
    double *begin = malloc(bytes), *whole = malloc(bytes), *half = malloc(bytes);
    u = malloc(bytes), y = malloc(bytes);
    double *record = malloc(room), *line = record;
    memset(record, 1, room); /* written over again and again: page faults do not count */
    parts = calloc((size_t)n, sizeof *parts);
    for (int i = 0; i < n; i++) {
        parts[i] = started(argv[1 + 2 * (i & 1)], argv[2 + 2 * (i & 1)]);
        parts[i].get(parts[i].instance, &out, 1, &y[i]);
    }
    long steps = 0, windows = 0;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    while (t < stop) {
        double first = 0, second = 0;
        if (h > stop - t) h = stop - t;
        memcpy(begin, y, bytes);
        for (int i = 0; i < n; i++) parts[i].save(parts[i].instance, &parts[i].start);
        steps += advance(t, h, 0);
        if (!doubles) {
            if (!agreed) return 3; /* not in this example */
            if ((char *)(line + n + 1) > (char *)record + room) line = record;
            *line++ = t += h;
            memcpy(line, y, bytes), line += n;
            rows++, windows++;
            h = 2 * h < 0.05 ? 2 * h : 0.05;
            continue;
        }
        memcpy(whole, y, bytes);
        memcpy(y, begin, bytes);
        for (int i = 0; i < n; i++) parts[i].restore(parts[i].instance, parts[i].start);
        steps += advance(t, h / 2, 0);
        memcpy(half, y, bytes);
        for (int i = 0; i < n && mode == SWEEPS; i++)
            parts[i].save(parts[i].instance, &parts[i].middle);
        steps += advance(t + h / 2, h / 2, 1);
        for (int i = 0; i < n; i++) {
            double weight = fabs(y[i]) * tolerance + tolerance;
            double off = (y[i] - whole[i]) / weight;
            double bent = (half[i] - (whole[i] + begin[i]) / 2) / weight;
            first += off * off;
            second += bent * bent;
        }
        double error = sqrt((first > second ? first : second) / n);
        double factor = error > 0 ? 0.9 / pow(error, 0.5) : 2;
        double next = h * (factor < 0.2 ? 0.2 : factor > 2 ? 2 : factor);
        if (error <= 1) {
            if ((char *)(line + 2 * (n + 1)) > (char *)record + room) line = record;
            *line++ = t + h / 2;
            memcpy(line, half, bytes), line += n;
            *line++ = t + h;
            memcpy(line, y, bytes), line += n;
            rows += 2;
            t += h;
            windows++;
        } else {
            for (int i = 0; i < n; i++) parts[i].restore(parts[i].instance, parts[i].start);
            memcpy(y, begin, bytes);
        }
        h = next < 10 ? next : 10;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += y[i];
    printf("%.9g %ld %ld %.17g\n", (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec),
           windows, steps, sum);
    return rows == 0;
}
