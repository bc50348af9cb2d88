/* ---- one instance of an export --------------------------------------------------------------- */

enum { AT_ONCE = 1024 }; /* windows of one call of the kernel */
enum { INSTANTIATED, INITIALIZING, UNDER_WAY, TERMINATED, ERRED, DEAD };

/* FMI 1 and 2, by their order in the standard. */
typedef struct {
    void *logger, *allocate, *release, *step_finished, *environment;
} callbacks_2;

typedef struct {
    void *logger, *allocate, *release, *step_finished;
} callbacks_1;

/* A part: an FMU inside. */
typedef struct {
    void *library, *instance;
    dt_log *log;
    callbacks_2 callbacks;
    char *home; /* its folder */
    char *name, *where; /* as it was told them */
    double *tried, *followed; /* inputs that were set last; room for those it asks for in a step */
    bool has_tried, started; /* started: it has values to read; FMI 1 only when it is initialized */
} part;

typedef void (*logger_2)(void *, const char *, int, const char *, const char *, ...);
typedef void (*logger_3)(void *, int, const char *, const char *);

typedef struct {
    int fmi, mode;
    bool logging, has_tolerance, exchange; /* exchange: the importer solves its equations */
    bool dirty, jumping; /* values changed while time stands still; at an event */
    char *name, *resources;
    void *environment, *logger;
    exported_block block;
    part *parts;
    dt_member *members;
    dt_batch *batch;
    struct junctions *junctions; /* NULL: there are none */
    dt_memory memory;
    journey single; /* room for windows that are made one by one */
    size_t n_vectors;
    double *vectors; /* all that `memory` points to, one behind the other */
    int32_t known;
    double *lines, *route, *found; /* room: times of windows, inputs of a part, residuals */
    dt_control control;
    double *sized;   /* what a controller of sizes goes on from; see sized.c */
    double *carried; /* what wires carry that are no reals */
    double *numbers; /* values of parts, as they were given here */
    char **texts;
    unsigned char *given;
    const char **shown; /* strings that were asked for, as parts gave them */
    double start, time, stop, tolerance;
    double cut; /* what windows are limited to while iterations do not converge, else infinite */
    int32_t calm;
    int beside; /* the status of what failed in a window beside the steps of parts; it was told */
    int64_t states; /* of importers, alive */
    int32_t horizon; /* parts were told that they never go back, or 0 */
    bool terminated, has_equations, lined; /* lined: time stands on `line` of the windows */
    int64_t line;
} exported;

/* What is told to the importer. Formats are not trusted to be left alone: signs of percent go. */
static void tell(const exported *e, int status, const char *format, ...) {
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusDiscard",
                                             "logStatusError", "logStatusFatal"};
    char text[1024], plain[1024];
    const char *category = categories[status < 0 || status > FATAL ? ERROR : status];
    va_list arguments;
    if (!e->logger) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t n = 0;
    for (const char *c = text; *c && n + 2 < sizeof plain; c++) {
        plain[n++] = *c;
        if (*c == '%' && e->fmi == 2) plain[n++] = '%';
    }
    plain[n] = 0;
    if (e->fmi == 2)
        ((logger_2)e->logger)(e->environment, e->name, status, category, plain);
    else
        ((logger_3)e->logger)(e->environment, status, category, plain);
}

/* What a part has logged, handed on. */
static void hand_on(const exported *e, int32_t i, int least) {
    char text[LOG_ROOM], *line = text;
    const part *p = e->parts + i;
    if (!p->log || !p->log->used) return;
    size_t n = dt_log_take(p->log, text, sizeof text - 1);
    text[n] = 0;
    for (char *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        int status = *line >= '0' && *line <= '4' ? *line - '0' : OK;
        char *category = strchr(line, '\t'), *message = category ? strchr(category + 1, '\t') : NULL;
        if (message && status >= least) tell(e, status, "%s: %s", e->block.names[i], message + 1);
    }
}

static void hand_on_all(const exported *e) {
    for (int32_t i = 0; i < e->block.n_parts; i++) hand_on(e, i, e->logging ? OK : WARNING);
}

/* A call of a part did not go well. */
static int failed_in(const exported *e, int32_t i, const char *call, int status) {
    hand_on(e, i, OK);
    tell(e, status, "part '%s' returned status %d from %s", e->block.names[i], status, call);
    return status > FATAL || status < 0 ? ERROR : status;
}

static char *joined_text(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *found = malloc(size);
    if (found) snprintf(found, size, "%s%s%s", a, b, c);
    return found;
}
