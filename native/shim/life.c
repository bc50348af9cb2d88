/* ---- the life of an instance ------------------------------------------------------------------ */

static bool reads_block(exported *e) {
    char why[256] = "";
    uint64_t size = 0;
    char *path = joined_text(e->resources, "/export.bin", "");
    unsigned char *bytes = path ? content_of(path, &size) : NULL;
    free(path);
    if (bytes && read_block(&e->block, bytes, size, why, sizeof why)) return true;
    tell(e, ERROR, "%s/export.bin cannot be read%s%s", e->resources, *why ? ": " : "", why);
    return false;
}

/* Whether steps are made in windows of this kind. */
static bool chooses_sizes(int32_t kind) {
    return kind == FIXED_WINDOWS || kind == DOUBLING || kind == ADAPTIVE || kind == DEFECT;
}

static bool reads_plan(exported *e) {
    char why[256] = "";
    uint64_t size = 0;
    char *path = joined_text(e->resources, "/run.plan", "");
    unsigned char *bytes = path ? content_of(path, &size) : NULL;
    free(path);
    if (bytes)
        e->batch = dt_batch_new(bytes, size, e->members, e->block.n_parts, why, sizeof why);
    free(bytes);
    if (e->batch && e->batch->plan && e->batch->n_outputs == e->block.n_outputs &&
        chooses_sizes(e->batch->plan->sizes.kind) && e->batch->plan->n_recorded == 0)
        return true;
    tell(e, ERROR, "%s/run.plan cannot be run%s%s", e->resources, *why ? ": " : "", why);
    return false;
}

/* What the plan and the block say of inputs fits together. */
static bool fits(const exported *e) {
    const exported_block *b = &e->block;
    bool right = true;
    for (int64_t k = 0; k < b->n_variables; k++)
        right &= b->role[k] != IS_INPUT || b->place[k] < e->batch->n_inputs;
    for (int64_t k = 0, n = sum_of(b->group_targets, b->n_groups); k < n; k++)
        right &= b->targets[k] < e->batch->n_inputs;
    right &= b->size == e->batch->plan->size;
    for (int64_t k = 0; k < b->carried.n; k++) right &= b->carried.input[k] < e->batch->n_inputs;
    for (int64_t k = 0; k < b->n_groups; k++) right &= b->group_targets[k] <= e->batch->n_inputs;
    for (int64_t k = 0; k < b->known.n; k++)
        right &= (int64_t)b->known.place[k] + b->known.count[k] <= b->n_states + e->batch->n_inputs;
    for (int64_t k = 0; k < b->unknown.n; k++)
        right &= (int64_t)b->unknown.place[k] + b->unknown.count[k] <= b->n_states + b->n_outputs;
    for (int32_t i = 0; i < b->n_parts; i++) right &= e->members[i].version == b->versions[i];
    if (!right) tell(e, ERROR, "export.bin does not belong to run.plan");
    return right;
}

/* Memory of the run, one vector behind the other. */
static bool makes_room(exported *e) {
    size_t in = (size_t)e->batch->n_inputs, out = (size_t)e->batch->n_outputs;
    dt_memory *m = &e->memory;
    struct {
        double **place;
        size_t count;
    } vectors[] = {
        {&m->inputs, in}, {&m->outputs, out}, {&m->worst, in}, {&m->when, in}, {&m->low, in},
        {&m->high, in}, {&m->bend, in}, {&m->bent, in}, {&m->off, in}, {&m->way, in},
        {&m->turn, in}, {&m->moved, in}, {&m->turned, in}, {&m->trial, in * MAX_COLUMNS},
        {&m->past, in * MAX_COLUMNS},
    };
    size_t total = 0;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) total += vectors[k].count;
    size_t numbers = total;
    e->n_vectors = total += junction_numbers(e) + (size_t)e->block.carried.n + sized_numbers(e);
    e->vectors = calloc(total + 1, sizeof(double));
    e->lines = malloc(AT_ONCE * sizeof(double));
    e->route = calloc(in + 1, sizeof(double));
    e->found = calloc(3 * in + 1, sizeof(double));
    if (!e->vectors || !e->lines || !e->route || !e->found) return false;
    place_junctions(e, e->vectors + numbers);
    e->carried = e->vectors + numbers + junction_numbers(e);
    sized_place(e, e->carried + e->block.carried.n);
    double *at = e->vectors;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k].place = at;
        at += vectors[k].count;
    }
    m->known = &e->known;
    return true;
}

/* As new: nothing was given, and no window made. */
static void begin_anew(exported *e) {
    memset(e->vectors, 0, e->n_vectors * sizeof(double));
    memcpy(e->memory.inputs, e->batch->start, (size_t)e->batch->n_inputs * sizeof(double));
    memcpy(e->memory.outputs, e->block.blank, (size_t)e->block.n_outputs * sizeof(double));
    for (int32_t j = 0; j < e->batch->n_inputs; j++)
        e->memory.low[j] = INFINITY, e->memory.high[j] = -INFINITY;
    for (int32_t j = 0; j < e->batch->n_inputs; j++) input_set(e, j, e->batch->start[j]);
    begin_junctions(e);
    sized_begin(e);
    e->known = 0;
    e->horizon = 1; /* as members are told at first */
    e->memory.points = 0;
    e->mode = INSTANTIATED;
    e->cut = INFINITY;
    e->calm = 0;
    e->dirty = true;
    e->terminated = false;
    e->time = e->start = 0;
    e->has_tolerance = false;
}

static bool makes_parts(exported *e) {
    size_t n = (size_t)e->block.n_parts;
    e->parts = calloc(n, sizeof *e->parts);
    e->members = calloc(n, sizeof *e->members);
    if (!e->parts || !e->members) return false;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        part *p = e->parts + i;
        char *outer = joined_text(e->name, ".", "");
        p->name = outer ? joined_text(outer, e->block.names[i], "") : NULL;
        free(outer);
        p->log = p->name ? dt_log_new(p->name) : NULL;
        if (!p->log || !load_part(e, i)) return false;
        bind_part(e, i);
        e->has_equations |= e->block.kinds[i] == IS_EQUATIONS;
    }
    if (!reads_plan(e) || !fits(e) || !reads_junctions(e) || !makes_room(e) || !keeps_numbers(e)) return false;
    begin_anew(e);
    for (int32_t i = 0; i < e->block.n_parts; i++)
        if (!make_part(e, i)) return false;
    return singles_new(e) && ready_junctions(e);
}

static void leave_parts(exported *e) {
    bool terminates = e->mode == UNDER_WAY;
    int32_t n = e->parts && e->members ? e->block.n_parts : 0;
    if (e->mode != DEAD && e->batch)
        for (int32_t i = 0; i < n; i++) free_saved(e->members + i);
    for (int32_t i = 0; i < n; i++) {
        part *p = e->parts + i;
        free_part(e, i, terminates);
        if (p->library && e->mode != DEAD) library_left(p->library);
        if (p->log) dt_log_free(p->log);
        free(p->name), free(p->home);
    }
    singles_free(e);
    junctions_free(e->junctions);
    e->junctions = NULL;
    if (e->batch) {
        for (int32_t i = 0; i < n; i++) e->members[i].saved = NULL;
        dt_batch_free(e->batch);
    }
    for (int64_t k = 0; e->texts && k < e->block.n_texts; k++) free(e->texts[k]);
    free(e->parts), free(e->members), free(e->vectors), free(e->lines), free(e->route);
    free(e->found), free(e->numbers), free(e->texts), free(e->given);
    e->parts = NULL, e->members = NULL, e->vectors = NULL, e->lines = NULL, e->route = NULL;
    e->found = e->numbers = NULL, e->texts = NULL, e->given = NULL, e->batch = NULL;
    memset(&e->memory, 0, sizeof e->memory);
}

static void exported_free(exported *e) {
    if (!e) return;
    leave_parts(e);
    block_leave(&e->block);
    free(e->name), free(e->resources), free(e->shown);
    free(e);
}

static exported *exported_new(int fmi, const char *name, const char *token, const char *resources,
                              bool logging, void *environment, void *logger) {
    exported *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->fmi = fmi;
    e->logging = logging;
    e->environment = environment;
    e->logger = logger;
    e->name = joined_text(name && *name ? name : "export", "", "");
    e->resources = e->name ? resources_of(resources) : NULL;
    if (!e->resources)
        tell(e, ERROR, "the resources of the FMU are not where '%s' says, nor beside its library",
             resources ? resources : "nothing");
    bool right = e->resources && reads_block(e);
    if (right && (!token || strcmp(token, e->block.token))) {
        tell(e, ERROR, "the instantiation token is another one than that of the FMU");
        right = false;
    }
    if (right && makes_parts(e)) return e;
    exported_free(e);
    return NULL;
}

static int reset(exported *e) {
    leave_parts(e);
    e->mode = INSTANTIATED;
    return makes_parts(e) ? OK : FATAL;
}

/* ---- what both versions do -------------------------------------------------------------------- */

/* A status, and what becomes of the instance after it. */
static int finished_call(exported *e, int status) {
    if (status == FATAL) e->mode = DEAD;
    if (status == ERROR) e->mode = ERRED;
    if (status != OK || e->logging) hand_on_all(e);
    return status;
}

static bool allowed(const exported *e, const char *call, unsigned modes) {
    if (!e) return false;
    if (modes >> e->mode & 1) return true;
    tell(e, ERROR, "%s is not allowed now", call);
    return false;
}

enum {
    BEFORE = 1 << INSTANTIATED,
    STARTING = 1 << INITIALIZING,
    WHILE_STEPPED = 1 << UNDER_WAY,
    ENDED = 1 << TERMINATED,
    WRONG = 1 << ERRED,
    WHILE_ALIVE = BEFORE | STARTING | WHILE_STEPPED | ENDED,
};

static int stepped(exported *e, double time, double size) {
    double target = time + size, far = fabs(time - e->time);
    if (!(size > 0) || !isfinite(target)) {
        tell(e, ERROR, "a step must have a size above zero");
        return ERROR;
    }
    if (!(size < 1e12 * e->block.size)) {
        tell(e, ERROR, "a step of %g s is too long for windows of %g s", size, e->block.size);
        return ERROR;
    }
    if (far > 1e-6 * e->block.size && far > 1e-9 * fabs(time)) {
        tell(e, ERROR, "a step begins at %.17g s, but the FMU stands at %.17g s", time, e->time);
        return ERROR;
    }
    return advance_to(e, target);
}

static int terminated(exported *e) {
    int status = OK;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        int (*end)(void *) = (int (*)(void *))function_of(
            e, i, e->block.versions[i] == 1 ? "TerminateSlave" : "Terminate");
        int found = end ? end(e->parts[i].instance) : OK;
        if ((unsigned)found > WARNING) status = failed_in(e, i, "terminating", found);
    }
    e->mode = TERMINATED;
    return status;
}

static int lacking(const exported *e, const char *call) {
    if (e) tell(e, ERROR, "there is no %s in this FMU", call);
    return ERROR;
}
