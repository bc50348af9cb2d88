/* ---- states ---------------------------------------------------------------------------------- */

/* No twin: Python keeps the parts and the run apart. */

/* All that a simulation goes on from: what the parts saved, and what lies between them. */
typedef struct {
    double time, start, cut;
    int32_t calm, mode, known;
    bool dirty;
    dt_memory memory; /* only what is no pointer */
    double *vectors, *inputs, *numbers;
    unsigned char *given;
    void **parts; /* states of the parts */
    bool *started;
} snapshot;

static size_t n_inputs_of(const exported *e) { return (size_t)e->batch->n_inputs; }

static bool saves(const exported *e, int least) {
    for (int32_t i = 0; i < e->block.n_parts; i++)
        if (e->block.saves[i] < least || !e->members[i].get_state || !e->members[i].set_state)
            return false;
    return true;
}

static void snapshot_free(exported *e, snapshot *s) {
    if (!s) return;
    for (int32_t i = 0; i < e->block.n_parts && s->parts; i++)
        if (s->parts[i] && e->members[i].free_state && e->mode != DEAD)
            ((get_state)e->members[i].free_state)(e->members[i].instance, s->parts + i);
    free(s->vectors), free(s->inputs), free(s->numbers), free(s->given), free(s->parts);
    free(s->started);
    free(s);
    e->states--;
}

static snapshot *snapshot_new(exported *e) {
    snapshot *s = calloc(1, sizeof *s);
    size_t parts = (size_t)e->block.n_parts;
    if (!s) return NULL;
    e->states++;
    s->vectors = calloc(e->n_vectors + 1, sizeof(double));
    s->inputs = calloc(n_inputs_of(e) + 1, sizeof(double));
    s->numbers = calloc((size_t)e->block.n_numbers + 1, sizeof(double));
    s->given = calloc((size_t)e->block.n_values + 1, 1);
    s->parts = calloc(parts, sizeof *s->parts);
    s->started = calloc(parts, sizeof *s->started);
    if (s->vectors && s->inputs && s->numbers && s->given && s->parts && s->started) return s;
    snapshot_free(e, s);
    return NULL;
}

/* What lies between the parts, without what the parts saved. */
static void between_to(const exported *e, snapshot *s) {
    s->time = e->time, s->start = e->start, s->cut = e->cut;
    s->calm = e->calm, s->mode = e->mode, s->known = e->known, s->dirty = e->dirty;
    s->memory = e->memory;
    memcpy(s->vectors, e->vectors, e->n_vectors * sizeof(double));
    memcpy(s->inputs, e->batch->start, n_inputs_of(e) * sizeof(double));
    memcpy(s->numbers, e->numbers, (size_t)e->block.n_numbers * sizeof(double));
    memcpy(s->given, e->given, (size_t)e->block.n_values);
    for (int32_t i = 0; i < e->block.n_parts; i++) s->started[i] = e->parts[i].started;
}

static void between_from(exported *e, const snapshot *s) {
    e->time = s->time, e->start = s->start, e->cut = s->cut;
    e->calm = s->calm, e->mode = s->mode, e->known = s->known, e->dirty = s->dirty;
    e->memory.points = s->memory.points;
    memcpy(e->memory.times, s->memory.times, sizeof s->memory.times);
    memcpy(e->memory.rows, s->memory.rows, sizeof s->memory.rows);
    memcpy(e->vectors, s->vectors, e->n_vectors * sizeof(double));
    memcpy(e->batch->start, s->inputs, n_inputs_of(e) * sizeof(double));
    memcpy(e->numbers, s->numbers, (size_t)e->block.n_numbers * sizeof(double));
    memcpy(e->given, s->given, (size_t)e->block.n_values);
    e->batch->plan->origin = e->start;
    e->terminated = e->lined = false;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        e->parts[i].started = s->started[i];
        e->parts[i].has_tried = false;
        copy(e->members[i].outputs, e->memory.outputs + e->members[i].out_at, e->members[i].n_out);
    }
}

/* Into `*state`, which is used again if there is one. */
static int state_got(exported *e, void **state) {
    if (!saves(e, 1)) {
        tell(e, ERROR, "states cannot be saved, as not all parts can");
        return ERROR;
    }
    snapshot *s = *state ? *state : snapshot_new(e);
    if (!s) return ERROR;
    between_to(e, s);
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        int status = ((get_state)e->members[i].get_state)(e->members[i].instance, s->parts + i);
        if ((unsigned)status <= WARNING) continue;
        if (!*state) snapshot_free(e, s);
        return failed_in(e, i, "saving its state", status);
    }
    *state = s;
    return OK;
}

static int state_set(exported *e, const snapshot *s) {
    if (!s || e->mode == DEAD || !saves(e, 1)) return ERROR;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        int status = ((set_state)e->members[i].set_state)(e->members[i].instance, s->parts[i]);
        if ((unsigned)status > WARNING) return failed_in(e, i, "restoring its state", status);
    }
    between_from(e, s);
    return OK;
}

/* ---- as bytes -------------------------------------------------------------------------------- */

typedef int (*size_call)(void *, void *, size_t *);
typedef int (*bytes_call)(void *, void *, char *, size_t);
typedef int (*read_call)(void *, const char *, size_t, void **);

enum { STATE_HEAD = 8 * (8 + 2 * MAX_COLUMNS) }; /* all that is no vector, as doubles */

static size_t between_size(const exported *e) {
    return STATE_HEAD + 8 * (e->n_vectors + n_inputs_of(e) + (size_t)e->block.n_numbers) +
           (size_t)e->block.n_values;
}

static const char *word_of(const exported *e, int32_t i, int which) {
    static const char *const words[2][3] = {
        {"SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate"},
        {"SerializedFMUStateSize", "SerializeFMUState", "DeserializeFMUState"}};
    return words[e->block.versions[i] == 3][which];
}

static int part_size(exported *e, int32_t i, snapshot *s, size_t *size) {
    size_call call = (size_call)function_of(e, i, word_of(e, i, 0));
    int status = call ? call(e->parts[i].instance, s->parts[i], size) : ERROR;
    return (unsigned)status > WARNING ? failed_in(e, i, "serializing its state", status) : OK;
}

static int state_size(exported *e, snapshot *s, size_t *size) {
    size_t total = between_size(e), one = 0;
    if (!saves(e, 2)) {
        tell(e, ERROR, "states cannot be serialized, as not all parts can");
        return ERROR;
    }
    for (int32_t i = 0; i < e->block.n_parts; i++, total += 8 + one) {
        int status = part_size(e, i, s, &one);
        if (status != OK) return status;
    }
    *size = total;
    return OK;
}

static char *put_bytes(char *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static void head_to(const snapshot *s, double *head) {
    const double found[] = {s->time, s->start, s->cut, s->calm, s->mode, s->known, s->dirty,
                            s->memory.points};
    memcpy(head, found, sizeof found);
    for (int k = 0; k < MAX_COLUMNS; k++) {
        head[8 + k] = s->memory.times[k];
        head[8 + MAX_COLUMNS + k] = s->memory.rows[k];
    }
}

/* Bytes from elsewhere: rows and counts are looked at. */
static bool head_from(snapshot *s, const double *head) {
    s->time = head[0], s->start = head[1], s->cut = head[2];
    s->calm = (int32_t)head[3], s->mode = (int32_t)head[4], s->known = (int32_t)head[5];
    s->dirty = head[6] != 0;
    s->memory.points = (int32_t)head[7];
    bool fits = s->mode >= INSTANTIATED && s->mode <= TERMINATED && s->memory.points >= 0 &&
                s->memory.points <= MAX_COLUMNS && s->known >= 0 && s->known <= 2;
    for (int k = 0; k < MAX_COLUMNS; k++) {
        s->memory.times[k] = head[8 + k];
        s->memory.rows[k] = (int32_t)head[8 + MAX_COLUMNS + k];
        fits &= s->memory.rows[k] >= 0 && s->memory.rows[k] < MAX_COLUMNS;
    }
    return fits;
}

static int state_serialized(exported *e, snapshot *s, char *bytes, size_t room) {
    size_t needed = 0, one = 0;
    int status = state_size(e, s, &needed);
    double head[STATE_HEAD / 8];
    if (status != OK) return status;
    if (room < needed) {
        tell(e, ERROR, "the state has more bytes than there is room for");
        return ERROR;
    }
    head_to(s, head);
    bytes = put_bytes(bytes, head, sizeof head);
    bytes = put_bytes(bytes, s->vectors, 8 * e->n_vectors);
    bytes = put_bytes(bytes, s->inputs, 8 * n_inputs_of(e));
    bytes = put_bytes(bytes, s->numbers, 8 * (size_t)e->block.n_numbers);
    bytes = put_bytes(bytes, s->given, (size_t)e->block.n_values);
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        bytes_call call = (bytes_call)function_of(e, i, word_of(e, i, 1));
        if ((status = part_size(e, i, s, &one)) != OK) return status;
        uint64_t size = one;
        bytes = put_bytes(bytes, &size, 8);
        status = call ? call(e->parts[i].instance, s->parts[i], bytes, one) : ERROR;
        if ((unsigned)status > WARNING) return failed_in(e, i, "serializing its state", status);
        bytes += one;
    }
    return OK;
}

static const char *take_bytes(void *to, const char *from, size_t size) {
    memcpy(to, from, size);
    return from + size;
}

static int state_deserialized(exported *e, const char *bytes, size_t size, void **state) {
    const char *end = bytes + size;
    double head[STATE_HEAD / 8];
    if (!saves(e, 2) || size < between_size(e)) {
        tell(e, ERROR, "these bytes are no state of this FMU");
        return ERROR;
    }
    snapshot *s = snapshot_new(e);
    if (!s) return ERROR;
    between_to(e, s);
    bytes = take_bytes(head, bytes, sizeof head);
    bytes = take_bytes(s->vectors, bytes, 8 * e->n_vectors);
    bytes = take_bytes(s->inputs, bytes, 8 * n_inputs_of(e));
    bytes = take_bytes(s->numbers, bytes, 8 * (size_t)e->block.n_numbers);
    bytes = take_bytes(s->given, bytes, (size_t)e->block.n_values);
    bool fits = head_from(s, head);
    for (int32_t i = 0; fits && i < e->block.n_parts; i++) {
        uint64_t one = 0;
        if ((fits = end - bytes >= 8)) bytes = take_bytes(&one, bytes, 8);
        if (!(fits = fits && one <= (uint64_t)(end - bytes))) break;
        read_call call = (read_call)function_of(e, i, word_of(e, i, 2));
        int status =
            call ? call(e->parts[i].instance, bytes, (size_t)one, s->parts + i) : ERROR;
        if ((unsigned)status > WARNING) {
            snapshot_free(e, s);
            return failed_in(e, i, "reading its state", status);
        }
        s->started[i] = s->mode != INSTANTIATED;
        bytes += one;
    }
    if (!fits || bytes != end) {
        tell(e, ERROR, "these bytes are no state of this FMU");
        snapshot_free(e, s);
        return ERROR;
    }
    if (*state) snapshot_free(e, *state);
    *state = s;
    return OK;
}
