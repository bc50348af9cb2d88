/* ---- junctions: what of an export lies beside its wires ------------------------------------------ */

/* No twin: it reads what src/dovetail/exporting/junction_block.py writes, as docs/design/exports.md says. */

enum { JUNCTION_VERSION = 1, MOST_UNKNOWNS = 4096, ORDERS = 4 };

typedef void (*model_function)(double t, const double *x, const double *u, const double *p, double *y);

/* Junctions that share parts: u[target] = F z + shift, and g = N y + D z + c is to vanish. */
typedef struct {
    int32_t n, n_targets, n_outputs;
    const char *name;
    double time_scale, asked; /* NaN: twice the window; at least what ports ask for */
    bool presolves;
    const int32_t *target, *output, *owner, *index; /* of each row: derivatives up to one below are in s */
    const double *F, *shift, *N, *D, *c, *nominal, *start;
    double *z, *J, *window, *known; /* among the vectors of a run: unknowns, ds/dz, size, whether J is known */
    double *room;
} junction_group;

typedef struct junctions {
    dt_block kept;
    int32_t n;
    junction_group *groups;
    int64_t n_again; /* parts with direct feedthrough from unknowns: asked again */
    const int32_t *again;
    double *stale;           /* among the vectors of a run: inputs were changed since */
    double *inputs, *values; /* room: of all parts */
    double *u, *y;           /* room: of one part */
    model_function *functions; /* of each part, by order of derivative; NULL: none */
} junctions;

static int64_t counted(const int32_t *counts, int64_t n, const int32_t *each) {
    int64_t sum = 0;
    for (int64_t k = 0; k < n; k++) sum += (int64_t)counts[k] * each[k];
    return sum;
}

static bool is_junction_block(reader *r, const unsigned char *p, uint64_t size) {
    if (size < PLAN_HEADER || memcmp(p, "DOVEJOIN", 8) || u32_at(p + 8) != JUNCTION_VERSION ||
        u64_at(p + 16) != size)
        refuse(r, "junctions.bin is none that is known");
    else if (checksum_of(checksum_of(0, p, PLAN_SUMMED), p + PLAN_HEADER, size - PLAN_HEADER) !=
             u32_at(p + 24))
        refuse(r, "junctions.bin is damaged");
    return !r->failed;
}

static void read_junction_groups(reader *r, exported *e, junctions *j) {
    int32_t last_in = e->batch->n_inputs - 1, last_out = e->batch->n_outputs - 1;
    int64_t n = -1;
    const char **names = texts_of(r, &j->kept, "names", &n);
    const int32_t *unknowns = wholes(r, "unknowns", n, 1, MOST_UNKNOWNS);
    const int32_t *targets = wholes(r, "targets", n, 1, MOST_SIGNALS);
    const int32_t *outputs = wholes(r, "outputs", n, 1, MOST_SIGNALS);
    const double *scales = reals(r, "time_scales", n), *asked = reals(r, "asked", n);
    const int32_t *presolves = wholes(r, "presolves", n, 0, 1);
    if (r->failed) return;
    int64_t in = sum_of(targets, n), out = sum_of(outputs, n), z = sum_of(unknowns, n);
    const int32_t *target = wholes(r, "target", in, 0, last_in);
    const double *F = reals(r, "F", counted(targets, n, unknowns)), *shift = reals(r, "shift", in);
    const int32_t *output = wholes(r, "output", out, 0, last_out);
    const int32_t *owner = wholes(r, "owner", out, 0, e->block.n_parts - 1);
    const double *N = reals(r, "N", counted(outputs, n, unknowns));
    const double *D = reals(r, "D", counted(unknowns, n, unknowns));
    const double *c = reals(r, "c", z), *nominal = reals(r, "nominal", z), *start = reals(r, "z", z);
    const int32_t *index = wholes(r, "index", z, 1, ORDERS);
    j->n_again = -1;
    j->again = array_of(r, "again", 4, &j->n_again);
    for (int64_t k = 0; !r->failed && k < j->n_again; k++)
        if (j->again[k] < 0 || j->again[k] >= e->block.n_parts) refuse(r, "no such part");
    if (r->failed) return;
    j->groups = calloc((size_t)n + 1, sizeof *j->groups);
    for (int32_t k = 0; j->groups && k < n; k++) {
        int32_t u = unknowns[k], a = targets[k], b = outputs[k];
        j->groups[k] = (junction_group){
            .n = u, .n_targets = a, .n_outputs = b, .name = names[k], .time_scale = scales[k],
            .asked = asked[k], .presolves = presolves[k], .target = target, .output = output,
            .owner = owner, .index = index, .F = F, .shift = shift, .N = N, .D = D, .c = c,
            .nominal = nominal, .start = start,
        };
        j->groups[k].room = calloc((size_t)u * (size_t)u * 4 + (size_t)u * 12, sizeof(double));
        if (!j->groups[k].room) return;
        j->n++;
        target += a, shift += a, F += a * u, output += b, owner += b, N += b * u, D += u * u;
        c += u, nominal += u, start += u, index += u;
    }
}

static void junctions_free(junctions *j) {
    if (!j) return;
    for (int32_t k = 0; k < j->n; k++) free(j->groups[k].room);
    for (int32_t i = 0; i < j->kept.n_kept; i++) free(j->kept.kept[i]);
    free(j->kept.kept), free(j->kept.bytes), free(j->groups);
    free(j->inputs), free(j->values), free(j->u), free(j->y), free(j->functions);
    free(j);
}

/* The functions of a part that is compared at junctions: it is equations, and gives all that is asked. */
static bool has_functions(exported *e, const junctions *j, const junction_group *g) {
    typedef model_function (*give)(int);
    for (int32_t k = 0; k < g->n_outputs; k++) {
        int32_t i = g->owner[k];
        const dt_member *m = e->members + i;
        if (e->block.kinds[i] != IS_EQUATIONS || g->output[k] < m->out_at ||
            g->output[k] >= m->out_at + m->n_out)
            return false;
        give rates = (give)symbol_in(e->parts[i].library, "dovetail_output_rates");
        for (int order = 1; order < ORDERS; order++)
            j->functions[i * ORDERS + order] = rates ? rates(order) : NULL;
        for (int32_t row = 0; row < g->n; row++)
            for (int order = 1; order < g->index[row]; order++)
                if (g->N[row * g->n_outputs + k] != 0 && !j->functions[i * ORDERS + order]) return false;
    }
    return true;
}

/* Reads `junctions.bin`, where there is one. False: it is there and of no use. */
static bool reads_junctions(exported *e) {
    char why[256] = "";
    uint64_t size = 0;
    char *path = joined_text(e->resources, "/junctions.bin", "");
    unsigned char *bytes = path ? content_of(path, &size) : NULL;
    free(path);
    if (!bytes) return true;
    reader r = {.why = why, .room = sizeof why, .at = bytes + PLAN_HEADER, .end = bytes + size};
    junctions *j = e->junctions = calloc(1, sizeof *j);
    size_t in = (size_t)e->batch->n_inputs, out = (size_t)e->batch->n_outputs;
    if (!j) {
        free(bytes);
        return false;
    }
    j->kept.bytes = bytes;
    if (is_junction_block(&r, bytes, size)) read_junction_groups(&r, e, j);
    if (!r.failed && r.at != r.end) refuse(&r, "junctions.bin is too long");
    j->inputs = calloc(in + 1, sizeof(double)), j->values = calloc(out + 1, sizeof(double));
    j->functions = calloc((size_t)e->block.n_parts * ORDERS, sizeof *j->functions);
    if (!r.failed && (!j->groups || !j->inputs || !j->values || !j->functions)) no_memory(&r);
    for (int32_t k = 0; !r.failed && k < j->n; k++)
        if (!has_functions(e, j, j->groups + k)) refuse(&r, "the parts do not give what junctions ask");
    if (r.failed) tell(e, ERROR, "%s/junctions.bin cannot be read: %s", e->resources, why);
    return !r.failed;
}

/* Room for what parts are asked, when they are there. */
static bool ready_junctions(exported *e) {
    size_t in = 1, out = 1;
    if (!e->junctions) return true;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        const equations *m = e->block.kinds[i] == IS_EQUATIONS ? e->parts[i].instance : NULL;
        if (m && (size_t)m->q->n_u > in) in = (size_t)m->q->n_u;
        if (m && (size_t)m->q->n_y > out) out = (size_t)m->q->n_y;
    }
    e->junctions->u = calloc(in, sizeof(double)), e->junctions->y = calloc(out, sizeof(double));
    return e->junctions->u && e->junctions->y;
}

/* ---- what a run remembers of them, one vector behind the other ---- */

static size_t junction_numbers(const exported *e) {
    size_t total = e->junctions ? 1 : 0;
    for (int32_t k = 0; e->junctions && k < e->junctions->n; k++) {
        size_t n = (size_t)e->junctions->groups[k].n;
        total += n + n * n + 2;
    }
    return total;
}

static void place_junctions(exported *e, double *at) {
    if (!e->junctions) return;
    e->junctions->stale = at++;
    for (int32_t k = 0; k < e->junctions->n; k++) {
        junction_group *g = e->junctions->groups + k;
        g->z = at, at += g->n;
        g->J = at, at += g->n * g->n;
        g->window = at++, g->known = at++;
    }
}

/* What the unknowns feed; inputs of parts keep it until the next window is over. */
static void feed(const junction_group *g, const double *z, double *inputs) {
    for (int32_t t = 0; t < g->n_targets; t++) {
        double value = 0;
        for (int32_t k = 0; k < g->n; k++) value += g->F[t * g->n + k] * z[k];
        inputs[g->target[t]] = value + g->shift[t];
    }
}

static void feed_all(exported *e) {
    for (int32_t k = 0; e->junctions && k < e->junctions->n; k++) {
        feed(e->junctions->groups + k, e->junctions->groups[k].z, e->batch->start);
        feed(e->junctions->groups + k, e->junctions->groups[k].z, e->memory.inputs);
    }
}

/* Values were changed from outside: the unknowns have to follow. */
static void is_stale(exported *e) {
    if (e->junctions && e->junctions->stale) *e->junctions->stale = 1;
}

/* As before any window. */
static void begin_junctions(exported *e) {
    for (int32_t k = 0; e->junctions && k < e->junctions->n; k++) {
        junction_group *g = e->junctions->groups + k;
        memcpy(g->z, g->start, (size_t)g->n * sizeof *g->z);
        *g->known = *g->window = 0;
    }
    if (e->junctions) *e->junctions->stale = 0;
    feed_all(e);
}
