/* ---- an instance ------------------------------------------------------------------------------ */

typedef void (*logger_2)(void *, const char *, int, const char *, const char *, ...);
typedef void (*logger_3)(void *, int, const char *, const char *);

enum { /* where it stands, as bits */
    INSTANTIATED = 1,
    STARTING = 2,
    UNDER_WAY = 4,
    ENDED = 8,
    WRONG = 16, /* a call failed: it may be reset, freed, or set back */
};
#define ALIVE (INSTANTIATED | STARTING | UNDER_WAY | ENDED)

enum { /* kinds of frames, as docs/protocol.md has them */
    HELLO = 1,
    WELCOME = 3,
    REFUSED = 4,
    SNAPSHOT = 23,
    RESTORE = 24,
    DROP = 25,
    CLOSE = 26,
    MAKE = 32,
    SETUP,
    ENTER,
    LEAVE,
    SET,
    GET,
    STEP,
    DERIVE,
    DUMP,
    LOAD,
    RESET,
    TERMINATE,
    DONE = 96,
    FAILED,
    LOG,
};

#define FIRST_PATIENCE 120.0 /* seconds for Python to start, on a machine that is busy */

typedef struct {
    int fmi, mode;
    bool logging, terminated;
    char *name, *resources, *python, *needs;
    void *logger, *environment;
    child child;
    uint64_t requests, keys;
    bytes out, in;
    char **texts; /* strings that were handed out, until the next ones are */
    size_t n_texts;
    double time;
} beside;

static void tell(const beside *e, int status, const char *format, ...) {
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusDiscard",
                                             "logStatusError", "logStatusFatal"};
    char text[4096], plain[8192];
    const char *category = categories[status];
    va_list arguments;
    if (!e->logger || (status == OK && !e->logging)) return;
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

static bool allowed(beside *e, const char *call, int modes) {
    if (e && e->mode & modes) return true;
    if (e) tell(e, ERROR, "%s must not be called now", call);
    return false;
}

/* It is gone: said once, with how it ended. */
static int lost(beside *e, const char *call, const char *what) {
    char how[128];
    child_end(&e->child, true, how, sizeof how);
    e->mode = WRONG;
    tell(e, ERROR, "the Python process of '%s' %s%s%s in %s; fmi%dReset starts another one", e->name,
         what, *how ? " " : "", how, call, e->fmi);
    return ERROR;
}

/* Ask what is in `out`; the answer is in `in`. */
static int asked(beside *e, uint32_t kind, const char *call) {
    frame_head head;
    bool sent = child_is_ours(&e->child) && !e->out.short_of;
    if (e->child.id && !sent) {
        tell(e, ERROR, "'%s' belongs to another process, or memory is short (%s)", e->name, call);
        return ERROR;
    }
    sent = sent && frame_sent(&e->child, kind, ++e->requests, &e->out);
    e->out.n = 0;
    if (!e->child.id) {
        tell(e, ERROR, "'%s' has no Python process any more (%s)", e->name, call);
        return ERROR;
    }
    do {
        if (!sent || frame_received(&e->child, &head, &e->in, -1) != 1)
            return lost(e, call, "ended");
        if (head.kind == LOG) tell(e, OK, "%s", (const char *)e->in.data);
    } while (head.kind == LOG);
    if (head.kind == DONE && head.number == e->requests) return OK;
    if (head.kind != FAILED || head.number != e->requests) return lost(e, call, "wrote nonsense and ended");
    tell(e, ERROR, "%s", (const char *)e->in.data);
    return ERROR;
}

/* The same for a call that moves it, after whose failure it stands nowhere. */
static int moved(beside *e, uint32_t kind, const char *call) {
    int status = asked(e, kind, call);
    if (status != OK) e->mode = WRONG;
    return status;
}

/* Greet the process that was just started; what stands against it is said. */
static bool greeted(beside *e) {
    static const char hello[] = "{\"protocol\": [1, 1], \"role\": \"user\", \"nonce\": \"\"}";
    frame_head head = {.kind = 0};
    char how[128], *why;
    put(&e->out, hello, sizeof hello - 1);
    bool sent = frame_sent(&e->child, HELLO, 0, &e->out);
    int got = 1;
    e->out.n = 0;
    while (sent && got == 1 && head.kind != WELCOME && head.kind != REFUSED)
        got = frame_received(&e->child, &head, &e->in, FIRST_PATIENCE);
    if (sent && got == 1 && head.kind == WELCOME) return true;
    why = got == 1 && head.kind == REFUSED ? json_text((const char *)e->in.data, "why") : NULL;
    child_end(&e->child, true, how, sizeof how);
    if (why)
        tell(e, ERROR, "'%s' cannot run in %s: %s", e->name, e->python, why);
    else if (got == -1)
        tell(e, ERROR, "the Python of '%s', %s, did not answer in %g s", e->name, e->python,
             FIRST_PATIENCE);
    else
        tell(e, ERROR, "the Python of '%s', %s, ended %s before it answered; it needs %s; set "
             "DOVETAIL_PYTHON to the path of such a Python", e->name, e->python, how, e->needs);
    free(why);
    return false;
}

static bool has_started(beside *e) {
    char why[256] = "", *script = joined_text(e->resources, "/beside.py", "");
    bool right = script && child_start(&e->child, e->python, script, why, sizeof why);
    free(script);
    if (!right) {
        tell(e, ERROR, "the Python of '%s', %s, cannot be started: %s; it needs %s; set "
             "DOVETAIL_PYTHON to the path of such a Python", e->name, e->python, why, e->needs);
        return false;
    }
    if (!greeted(e)) return false;
    put(&e->out, e->name, strlen(e->name));
    return asked(e, MAKE, "instantiation") == OK;
}

/* What resources say: who it is, and which Python it needs. */
static bool reads_resources(beside *e, const char *token) {
    uint64_t size = 0;
    char *path = joined_text(e->resources, RESOURCE_MARK, ""), *json, *known = NULL;
    const char *chosen = getenv("DOVETAIL_PYTHON");
    json = path ? (char *)content_of(path, &size) : NULL;
    free(path);
    char *ended = json ? realloc(json, size + 1) : NULL;
    if (ended) {
        ended[size] = 0;
        known = json_text(ended, "token");
        e->needs = json_text(ended, "needs");
        e->python = chosen && *chosen ? joined_text(chosen, "", "") : json_text(ended, "python");
    }
    free(ended ? ended : json);
    bool right = known && token && !strcmp(known, token);
    if (!known || !e->needs || !e->python) tell(e, ERROR, "%s" RESOURCE_MARK " cannot be read", e->resources);
    else if (!right) tell(e, ERROR, "the token %s is not that of this FMU", token ? token : "(none)");
    free(known);
    return right && e->needs && e->python;
}

static void beside_free(beside *e) {
    char how[128];
    if (!e) return;
    if (child_is_ours(&e->child)) {
        e->out.n = 0;
        frame_sent(&e->child, CLOSE, ++e->requests, &e->out);
    }
    child_end(&e->child, false, how, sizeof how);
    for (size_t k = 0; k < e->n_texts; k++) free(e->texts[k]);
    free(e->texts), free(e->out.data), free(e->in.data);
    free(e->name), free(e->resources), free(e->python), free(e->needs);
    free(e);
}

static beside *beside_new(int fmi, const char *name, const char *token, const char *resources,
                          bool logging, void *environment, void *logger) {
    beside *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->fmi = fmi, e->logging = logging, e->environment = environment, e->logger = logger;
    e->mode = INSTANTIATED;
    e->name = joined_text(name && *name ? name : "instance", "", "");
    e->resources = resources_of(resources);
    if (!e->resources) tell(e, ERROR, "its resources are neither where %s says nor beside its library",
                            resources && *resources ? resources : "nothing");
    if (e->name && e->resources && reads_resources(e, token) && has_started(e)) return e;
    beside_free(e);
    return NULL;
}
