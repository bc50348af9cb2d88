/* Steps two test FMUs through a compiled kernel, without Python, and prints what came out bit by bit.

   driver KERNEL  LIBRARY TOKEN (FMI 2)  LIBRARY TOKEN (FMI 3)  JACOBI GAUSS_SEIDEL NEWTON

   The two feed each other as three plans say, files that `dovetail check --plan-file` writes: by Jacobi,
   on one thread and on two, by Gauss-Seidel, by Newton's method, and window by window with a rollback.
   The structures are those of the kernel's own sources; its functions are taken from the library alone. */

#include "kernel.c"

#ifdef _WIN32
static void *opened(const char *path) { return LoadLibraryA(path); }
static void *symbol(void *library, const char *name) {
    return (void *)GetProcAddress(library, name);
}
#else
#include <dlfcn.h>
static void *opened(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *symbol(void *library, const char *name) { return dlsym(library, name); }
#endif

enum { WINDOWS = 3000, PARTS = 2, RECORDED = 4 };

static void *native;

static void *load(const char *path) {
    void *library = opened(path);
    if (!library) {
        fprintf(stderr, "%s cannot be loaded\n", path);
        exit(2);
    }
    return library;
}

static void *found(void *library, const char *name) {
    void *function = symbol(library, name);
    if (!function) {
        fprintf(stderr, "there is no %s\n", name);
        exit(2);
    }
    return function;
}

#define KERNEL(name) ((__typeof__(&name))found(native, #name))

static void must(int status, const char *what) {
    if (status > 1) {
        fprintf(stderr, "%s answers %d\n", what, status);
        exit(3);
    }
}

static void show(const char *what, const double *values, int n) {
    printf("%s", what);
    for (int k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, values + k, sizeof bits);
        printf(" %08lx%08lx", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffff));
    }
    printf("\n");
}

/* ---- instances ------------------------------------------------------------------------------- */

typedef struct {
    void *logger, *allocate, *release, *step_finished, *environment;
} callbacks;

static void *made2(void *library, const char *token, dt_log *log, callbacks *own) {
    void *(*make)(const char *, int, const char *, const char *, const callbacks *, int, int) =
        found(library, "fmi2Instantiate");
    int (*set_up)(void *, int, double, double, int, double) = found(library, "fmi2SetupExperiment");
    int (*enter)(void *) = found(library, "fmi2EnterInitializationMode");
    int (*leave)(void *) = found(library, "fmi2ExitInitializationMode");
    *own = (callbacks){found(native, "dt_logger2"), (void *)calloc, (void *)free, NULL, log};
    void *one = make("two", 1, token, "", own, 0, 1);
    must(one ? 0 : 3, "fmi2Instantiate");
    must(set_up(one, 0, 0, 0, 0, 0), "fmi2SetupExperiment");
    must(enter(one), "fmi2EnterInitializationMode");
    must(leave(one), "fmi2ExitInitializationMode");
    return one;
}

static void *made3(void *library, const char *token, dt_log *log) {
    void *(*make)(const char *, const char *, const char *, bool, bool, bool, bool,
                  const uint32_t *, size_t, void *, void *, void *) =
        found(library, "fmi3InstantiateCoSimulation");
    int (*enter)(void *, bool, double, double, bool, double) =
        found(library, "fmi3EnterInitializationMode");
    int (*leave)(void *) = found(library, "fmi3ExitInitializationMode");
    void *one = make("three", token, "", false, true, false, false, NULL, 0, log,
                     found(native, "dt_logger3"), NULL);
    must(one ? 0 : 3, "fmi3InstantiateCoSimulation");
    must(enter(one, false, 0, 0, false, 0), "fmi3EnterInitializationMode");
    must(leave(one), "fmi3ExitInitializationMode");
    return one;
}

/* ---- the two, coupled ------------------------------------------------------------------------ */

typedef struct {
    dt_member members[PARTS];
    callbacks own;
    dt_batch *batch;
} couple;

/* What is bound to a member; the plan says the rest. */
static dt_member member_of(void *library, void *instance, int version) {
    bool two = version == 2;
    return (dt_member){
        .instance = instance,
        .set_real = found(library, two ? "fmi2SetReal" : "fmi3SetFloat64"),
        .do_step = found(library, two ? "fmi2DoStep" : "fmi3DoStep"),
        .get_real = found(library, two ? "fmi2GetReal" : "fmi3GetFloat64"),
        .get_state = found(library, two ? "fmi2GetFMUstate" : "fmi3GetFMUState"),
        .set_state = found(library, two ? "fmi2SetFMUstate" : "fmi3SetFMUState"),
        .free_state = found(library, two ? "fmi2FreeFMUstate" : "fmi3FreeFMUState"),
    };
}

static size_t content(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    must(file ? 0 : 3, path);
    size_t n = fread(bytes, 1, room, file);
    fclose(file);
    return n;
}

static void join(couple *c, char **given, const char *plan, dt_log *log) {
    static unsigned char bytes[1 << 16];
    char why[256];
    size_t size = content(plan, bytes, sizeof bytes);
    void *library[] = {load(given[0]), load(given[2])};
    c->members[0] = member_of(library[0], made2(library[0], given[1], log, &c->own), 2);
    c->members[1] = member_of(library[1], made3(library[1], given[3], log), 3);
    c->batch = KERNEL(dt_batch_new)(bytes, size, c->members, PARTS, why, sizeof why);
    if (!c->batch) fprintf(stderr, "%s: %s\n", plan, why);
    must(c->batch ? 0 : 3, "dt_batch_new");
    bytes[size / 2] ^= 1; /* the kernel has a copy, and refuses what is damaged */
    must(KERNEL(dt_batch_new)(bytes, size, c->members, PARTS, why, sizeof why) ? 3 : 0, why);
}

/* Many windows in one call. */
static void fused(const char *what, char **given, const char *plan, dt_log *log, int threads) {
    static double lines[WINDOWS * (1 + RECORDED)];
    couple c;
    join(&c, given, plan, log);
    KERNEL(dt_threads)(c.batch, threads);
    double in[2] = {0, 0}, out[2] = {0, 0}, worst[2] = {0, 0}, when[2] = {0, 0}, trial[8] = {0};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    double bend[2] = {0, 0}, bent[2] = {0, 0}, off[2] = {0, 0}, way[2] = {0, 0};
    double turn[2] = {0, 0}, moved[2] = {0, 0}, turned[2] = {0, 0};
    int32_t known = 0;
    dt_memory memory = {
        .inputs = in, .outputs = out, .worst = worst, .when = when, .low = low, .high = high,
        .bend = bend, .bent = bent, .off = off, .way = way, .turn = turn, .moved = moved,
        .turned = turned, .known = &known, .trial = trial,
    };
    for (int64_t at = 0; at < WINDOWS;) {
        double first = (double)at * 0.01, next = (double)(at + 1) * 0.01;
        dt_stretch stretch = {first, 0.01, next, at, WINDOWS - at, 1 + RECORDED};
        int64_t done =
            KERNEL(dt_run)(c.batch, &memory, &stretch, lines + at * (1 + RECORDED), 60.0);
        must(done > 0 ? 0 : 3, "dt_run");
        at += done;
    }
    printf("%s\n", what);
    for (int k = 0; k < WINDOWS; k += 100) show(" ", lines + k * (1 + RECORDED), 1 + RECORDED);
    show("  end", lines + (WINDOWS - 1) * (1 + RECORDED), 1 + RECORDED);
    show("  low", low, 2);
    show("  high", high, 2);
    KERNEL(dt_batch_free)(c.batch);
}

/* Window by window: half of it, back, and all of it. */
static void driven_singly(char **given, const char *plan, dt_log *log) {
    couple c;
    join(&c, given, plan, log);
    int32_t both[] = {0, 1};
    dt_question question = {.batch = c.batch, .members = both, .count = 2};
    double inputs[2] = {0.5, -0.5}, outputs[2];
    printf("rollback\n");
    for (int k = 0; k < 100; k++) {
        must(2 * KERNEL(dt_open)(c.batch, 0.02 * k, 0.02), "dt_open");
        must(2 * KERNEL(dt_ask)(&question, inputs, 1, outputs), "dt_ask");
        must(2 * KERNEL(dt_abandon)(c.batch), "dt_abandon");
        inputs[0] = outputs[1], inputs[1] = outputs[0];
        must(2 * KERNEL(dt_ask)(&question, inputs, 1, outputs), "dt_ask");
        if (k % 10 == 0) show(" ", outputs, 2);
    }
    KERNEL(dt_batch_free)(c.batch);
}

/* A message with a string that is not there, and a percent sign that means nothing. */
static void logged(dt_log *log) {
    char text[LOG_ROOM];
    void (*logger)(void *, const char *, int, const char *, const char *, ...) =
        found(native, "dt_logger2");
    size_t n = KERNEL(dt_log_take)(log, text, sizeof text);
    printf("%u bytes before\n", (unsigned)n);
    logger(log, "two", 1, "all", "%d of %s, %5.2f, 100% sure", 7, "nine", 2.5);
    logger(log, "two", 1, "all", "from nowhere: %s", (char *)(uintptr_t)64);
    n = KERNEL(dt_log_take)(log, text, sizeof text);
    printf("%.*s", (int)n, text);
}

int main(int count, char **given) {
    if (count != 9) {
        fprintf(stderr, "usage: driver KERNEL (LIBRARY TOKEN) of FMI 2, of FMI 3, three plans\n");
        return 2;
    }
    native = load(given[1]);
    char **parts = given + 2, **plans = given + 6;
    dt_log *log = KERNEL(dt_log_new)("two");
    printf("layout %lld\n", (long long)KERNEL(dt_layout)());
    fused("Jacobi", parts, plans[0], log, 1);
    fused("Jacobi on two threads", parts, plans[0], log, 2);
    fused("Gauss-Seidel", parts, plans[1], log, 1);
    fused("Newton", parts, plans[2], log, 1);
    driven_singly(parts, plans[2], log);
    logged(log);
    KERNEL(dt_log_free)(log);
    return 0;
}
