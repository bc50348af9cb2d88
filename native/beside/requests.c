/* ---- what is asked of the Python process ------------------------------------------------------ */

enum { AS_REAL, AS_WHOLE, AS_BOOLEAN, AS_STRING }; /* types of values in frames */

static int entered(beside *e, bool has_tolerance, double tolerance, double start, const char *call) {
    if (!isfinite(start)) return ERROR;
    e->time = start;
    put_number(&e->out, start);
    put_number(&e->out, has_tolerance && tolerance > 0 ? tolerance : (double)NAN);
    return asked(e, SETUP, call);
}

static void put_references(bytes *b, const uint32_t *refs, size_t n) {
    put_count(b, n);
    put(b, refs, n * sizeof *refs);
}

/* Values of one type; numbers all travel as reals or as 64-bit integers, `at(k)` gives the k-th. */
static void ask_values(beside *e, uint32_t type, const uint32_t *refs, size_t n) {
    put(&e->out, &type, sizeof type);
    put_references(&e->out, refs, n);
}

static int got(beside *e, const char *call, uint32_t type, const uint32_t *refs, size_t n) {
    if (!allowed(e, call, ALIVE)) return ERROR;
    ask_values(e, type, refs, n);
    return asked(e, GET, call);
}

static int reals_got(beside *e, const char *call, const uint32_t *refs, size_t n, double *values) {
    int status = got(e, call, AS_REAL, refs, n);
    if (status == OK) take(&e->in, values, n * sizeof *values);
    return status == OK && e->in.short_of ? ERROR : status;
}

static int reals_set(beside *e, const char *call, const uint32_t *refs, size_t n,
                     const double *values) {
    if (!allowed(e, call, ALIVE)) return ERROR;
    ask_values(e, AS_REAL, refs, n);
    put(&e->out, values, n * sizeof *values);
    return asked(e, SET, call);
}

static int strings_got(beside *e, const char *call, const uint32_t *refs, size_t n,
                       const char **values) {
    int status = got(e, call, AS_STRING, refs, n);
    if (status != OK) return status;
    for (size_t k = 0; k < e->n_texts; k++) free(e->texts[k]);
    free(e->texts);
    e->n_texts = 0;
    e->texts = calloc(n + 1, sizeof *e->texts);
    for (size_t k = 0; e->texts && k < n; k++) {
        uint64_t size = 0;
        take(&e->in, &size, sizeof size);
        char *text = e->in.short_of || size > e->in.n ? NULL : calloc(size + 1, 1);
        if (!text) return ERROR;
        take(&e->in, text, size);
        values[k] = e->texts[e->n_texts++] = text;
    }
    return e->texts && !e->in.short_of ? OK : ERROR;
}

static int strings_set(beside *e, const char *call, const uint32_t *refs, size_t n,
                       const char *const *values) {
    if (!allowed(e, call, ALIVE)) return ERROR;
    ask_values(e, AS_STRING, refs, n);
    for (size_t k = 0; k < n; k++) put_text(&e->out, values[k]);
    return asked(e, SET, call);
}

/* ---- steps ---- */

static int stepped(beside *e, double time, double size, const char *call) {
    uint8_t ends = 0;
    if (!(size >= 0) || !isfinite(time)) {
        tell(e, ERROR, "a step of %g s from %g s on is none", size, time);
        return ERROR;
    }
    put_number(&e->out, time);
    put_number(&e->out, size);
    int status = moved(e, STEP, call);
    if (status != OK) return status;
    e->time = take_number(&e->in);
    take(&e->in, &ends, 1);
    e->terminated = ends != 0;
    return OK;
}

static int again(beside *e, const char *call) {
    if (!allowed(e, call, ALIVE | WRONG)) return ERROR;
    int status = child_is_ours(&e->child) ? asked(e, RESET, call) : has_started(e) ? OK : ERROR;
    e->terminated = false;
    e->mode = status == OK ? INSTANTIATED : WRONG;
    return status;
}

/* ---- states: kept on the other side, by keys ---- */

typedef struct {
    uint64_t key;
    int mode;
    double time;
    unsigned char *data; /* serialized, once it was asked for */
    size_t n;
} saved;

static int keyed(beside *e, uint32_t kind, uint64_t key, const char *call) {
    put(&e->out, &key, sizeof key);
    return asked(e, kind, call);
}

static int state_got(beside *e, void **state, const char *call) {
    if (!allowed(e, call, ALIVE) || !state) return ERROR;
    saved *s = *state ? *state : calloc(1, sizeof *s);
    if (!s) return ERROR;
    if (!s->key) s->key = ++e->keys;
    s->mode = e->mode, s->time = e->time;
    free(s->data);
    s->data = NULL, s->n = 0;
    int status = keyed(e, SNAPSHOT, s->key, call);
    if (status != OK && !*state) free(s);
    else *state = s;
    return status;
}

static int state_set(beside *e, void *state, const char *call) {
    saved *s = state;
    if (!allowed(e, call, ALIVE | WRONG) || !s) return ERROR;
    int status = keyed(e, RESTORE, s->key, call);
    if (status == OK) e->mode = s->mode, e->time = s->time, e->terminated = false;
    return status;
}

static int state_freed(beside *e, void **state) {
    if (!e || !state || !*state) return OK;
    saved *s = *state;
    if (child_is_ours(&e->child)) keyed(e, DROP, s->key, "freeing a state");
    free(s->data), free(s);
    *state = NULL;
    return OK;
}

static int state_size(beside *e, void *state, size_t *size, const char *call) {
    saved *s = state;
    if (!allowed(e, call, ALIVE) || !s) return ERROR;
    if (!s->data) {
        int status = keyed(e, DUMP, s->key, call);
        if (status != OK) return status;
        int32_t mode = s->mode;
        s->n = sizeof mode + sizeof s->time + e->in.n;
        s->data = malloc(s->n);
        if (!s->data) return ERROR;
        memcpy(s->data, &mode, sizeof mode);
        memcpy(s->data + sizeof mode, &s->time, sizeof s->time);
        memcpy(s->data + sizeof mode + sizeof s->time, e->in.data, e->in.n);
    }
    *size = s->n;
    return OK;
}

static int state_serialized(beside *e, void *state, void *to, size_t size, const char *call) {
    saved *s = state;
    size_t needed = 0;
    int status = state_size(e, state, &needed, call);
    if (status != OK || size < needed) return ERROR;
    memcpy(to, s->data, needed);
    return OK;
}

static int state_deserialized(beside *e, const void *from, size_t size, void **state,
                              const char *call) {
    int32_t mode;
    saved *s = *state ? *state : calloc(1, sizeof *s);
    if (!allowed(e, call, ALIVE) || !s || size < sizeof mode + sizeof s->time) return ERROR;
    if (!s->key) s->key = ++e->keys;
    free(s->data);
    s->data = NULL, s->n = 0;
    memcpy(&mode, from, sizeof mode);
    memcpy(&s->time, (const char *)from + sizeof mode, sizeof s->time);
    s->mode = mode;
    put(&e->out, &s->key, sizeof s->key);
    put(&e->out, (const char *)from + sizeof mode + sizeof s->time, size - sizeof mode - sizeof s->time);
    int status = asked(e, LOAD, call);
    if (status != OK && !*state) free(s);
    else *state = s;
    return status;
}

/* ---- derivatives ---- */

static int derived(beside *e, const char *call, const uint32_t *unknown, size_t n_unknown,
                   const uint32_t *known, size_t n_known, const double *seed, double *found) {
    if (!allowed(e, call, STARTING | UNDER_WAY)) return ERROR;
    put_references(&e->out, unknown, n_unknown);
    put_references(&e->out, known, n_known);
    put(&e->out, seed, n_known * sizeof *seed);
    int status = asked(e, DERIVE, call);
    if (status == OK) take(&e->in, found, n_unknown * sizeof *found);
    return status == OK && e->in.short_of ? ERROR : status;
}

static int lacking(beside *e, const char *call) {
    if (e) tell(e, ERROR, "there is no %s in this FMU", call);
    return ERROR;
}
