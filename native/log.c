/* ---- log messages of FMUs, kept until they are read --------------------------------------- */

/* Twin of src/dovetail/fmi/calls/log.py, src/dovetail/fmi/calls/intermediate.py.
 * Same bits: tests/conformance/test_reports.py, tests/conformance/test_curves.py. */

#define LOG_ROOM 16384

/* Inputs that an FMI 3 instance asks for inside a step: powers of the time since its start. */
typedef struct {
    void *set, *instance;
    const uint32_t *refs;
    size_t n_refs, n;
    double *values; /* room for n */
    const double *coefficients;
    int columns, failed;
    double start;
} course;

typedef struct dt_log {
    lock lock;
    size_t used;
    char name[256];
    char text[LOG_ROOM]; /* lines "status category message\n"; the newest stay */
    struct dt_log *next, *beside; /* of all, of those on its shelf */
    course course; /* the environment of an instance is its log: what is asked there finds it here */
} dt_log;

static lock all_logs_lock = LOCK_OPEN;
static dt_log *all_logs = NULL;

/* The same by address: an instance of FMI 3 may ask for inputs many times in a step. */
#define SHELVES 4096
static dt_log *shelves[SHELVES];

static dt_log **shelf_of(const void *address) {
    return shelves + (((uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15)) >> 52);
}

EXPORT dt_log *dt_log_new(const char *name) {
    dt_log *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    lock_new(&log->lock);
    snprintf(log->name, sizeof log->name, "%s", name);
    lock_take(&all_logs_lock);
    log->next = all_logs;
    all_logs = log;
    dt_log **shelf = shelf_of(log);
    log->beside = *shelf;
    *shelf = log;
    lock_leave(&all_logs_lock);
    return log;
}

EXPORT void dt_log_free(dt_log *log) {
    lock_take(&all_logs_lock);
    for (dt_log **p = &all_logs; *p; p = &(*p)->next)
        if (*p == log) {
            *p = log->next;
            break;
        }
    for (dt_log **p = shelf_of(log); *p; p = &(*p)->beside)
        if (*p == log) {
            *p = log->beside;
            break;
        }
    lock_leave(&all_logs_lock);
    lock_free(&log->lock);
    free(log);
}

/* In a process that may die any time its messages go to a file descriptor as well, at once. */
static int echo = -1;

EXPORT void dt_log_echo(int to) { echo = to; }

static void echo_line(const dt_log *log, const char *category, const char *message) {
#ifdef _WIN32
    (void)log, (void)category, (void)message; /* there are no hosts */
#else
    char line[2048];
    int n = snprintf(line, sizeof line, "'%s' logged: %s%s%s\n", log->name,
                     category ? category : "", category && *category ? ": " : "", message);
    size_t size = n < 0 ? 0 : (size_t)n >= sizeof line ? sizeof line - 1 : (size_t)n;
    for (size_t k = 0; k + 1 < size; k++)
        if (line[k] == '\n' || line[k] == '\r') line[k] = ' ';
    if (size) line[size - 1] = '\n';
    if (write(echo, line, size) < 0) echo = -1;
#endif
}

static void log_line(dt_log *log, int status, const char *category, const char *message) {
    if (echo >= 0) echo_line(log, category, message ? message : "");
    char line[2048];
    int n = snprintf(line, sizeof line, "%d\t%s\t%s\n", status, category ? category : "",
                     message ? message : "");
    size_t size = n < 0 ? 0 : (size_t)n >= sizeof line ? sizeof line - 1 : (size_t)n;
    if (size && line[size - 1] != '\n') line[size - 1] = '\n';
    for (size_t k = 0; k + 1 < size; k++)
        if (line[k] == '\n' || line[k] == '\r') line[k] = ' ';
    lock_take(&log->lock);
    if (log->used + size > LOG_ROOM) { /* drop the older half */
        size_t keep = log->used / 2;
        memmove(log->text, log->text + log->used - keep, keep);
        log->used = keep;
    }
    memcpy(log->text + log->used, line, size);
    log->used += size;
    lock_leave(&log->lock);
}

/* Copies the text out and empties the log; the number of bytes. */
EXPORT size_t dt_log_take(dt_log *log, char *out, size_t room) {
    lock_take(&log->lock);
    size_t n = log->used < room ? log->used : room;
    memcpy(out, log->text + log->used - n, n);
    log->used = 0;
    lock_leave(&log->lock);
    return n;
}

/* The log that an FMU means: that of its environment, or, as some hand over something else there,
 * of its name. */
static dt_log *found_log(const void *environment, const char *name) {
    lock_take(&all_logs_lock);
    dt_log *log = *shelf_of(environment);
    while (log && log != environment) log = log->beside;
    if (!log && name)
        for (log = all_logs; log && strcmp(log->name, name);) log = log->next;
    lock_leave(&all_logs_lock);
    return log;
}

/* FMI 2: the environment is the log. */
EXPORT void dt_logger2(void *environment, const char *name, int status, const char *category,
                       const char *message, ...) {
    dt_log *log = found_log(environment, name);
    if (!log || !message) return;
    char text[1536];
    va_list arguments;
    va_start(arguments, message);
    formatted(text, sizeof text, message, arguments);
    va_end(arguments);
    log_line(log, status, category, text);
}

/* FMI 1 has no environment: the log is found by the instance's name. */
EXPORT void dt_logger1(void *component, const char *name, int status, const char *category,
                       const char *message, ...) {
    (void)component;
    dt_log *log = name ? found_log(NULL, name) : NULL;
    if (!log || !message) return;
    char text[1536];
    va_list arguments;
    va_start(arguments, message);
    formatted(text, sizeof text, message, arguments);
    va_end(arguments);
    log_line(log, status, category, text);
}

/* FMI 3. */
EXPORT void dt_logger3(void *environment, int status, const char *category, const char *message) {
    dt_log *log = found_log(environment, NULL);
    if (log) log_line(log, status, category, message);
}

/* ---- inputs inside a step ------------------------------------------------------------------ */

/* Which inputs an instance may ask for; `values` is room for them. */
EXPORT void dt_follow(dt_log *log, void *set, void *instance, const uint32_t *refs, size_t n_refs,
                      double *values, size_t n) {
    log->course = (course){set, instance, refs, n_refs, n, values, NULL, 0, 0, 0};
}

/* What they do from `start` on. */
EXPORT void dt_course(dt_log *log, const double *coefficients, int columns, double start) {
    log->course.coefficients = coefficients;
    log->course.columns = columns;
    log->course.start = start;
    log->course.failed = 0;
}

/* How setting them went: a status. */
EXPORT int dt_followed(dt_log *log) { return log->course.failed; }

EXPORT void dt_intermediate(void *environment, double time, bool set_requested, bool get_allowed,
                            bool finished, bool can_return, bool *requested, double *when) {
    (void)get_allowed, (void)finished, (void)can_return, (void)when;
    if (requested) *requested = false;
    dt_log *log = found_log(environment, NULL);
    if (!log || !set_requested || !log->course.set || log->course.columns < 2) return;
    course *c = &log->course;
    double since = time - c->start;
    for (size_t j = 0; j < c->n; j++) {
        const double *a = c->coefficients + j * (size_t)c->columns;
        double value = a[c->columns - 1];
        for (int k = c->columns - 2; k >= 0; k--) value = value * since + a[k];
        c->values[j] = value;
    }
    int (*set)(void *, const uint32_t *, size_t, const double *, size_t) =
        (int (*)(void *, const uint32_t *, size_t, const double *, size_t))c->set;
    int status = set(c->instance, c->refs, c->n_refs, c->values, c->n);
    if (status < 0) status = 3; /* no status at all: an error */
    if (status > c->failed) c->failed = status;
}
