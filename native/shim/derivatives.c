/* ---- directional derivatives: the chain rule through parts and wires --------------------------- */

/* No twin: Python linearizes parts one by one. */

/* Derivatives along a direction: of states and inputs, and what they make of rates and outputs. */
typedef struct {
    double *known, *unknown; /* states, then inputs; rates, then outputs; of all parts */
    double *seed, *found;    /* room for those of one part */
} direction;

typedef struct {
    int64_t first, last;
    size_t scalars;
} entries;

static entries entries_of(const derived_ones *d, int32_t part) {
    entries found = {0, 0, 0};
    while (found.first < d->n && d->part[found.first] < part) found.first++;
    for (found.last = found.first; found.last < d->n && d->part[found.last] == part; found.last++)
        found.scalars += (size_t)d->count[found.last];
    return found;
}

/* The entry of a state or of its rate, and which element of it. */
static int64_t entry_of_state(const derived_ones *d, int32_t state, int32_t *element) {
    for (int64_t k = 0; k < d->n; k++) {
        *element = state - d->place[k];
        if (*element >= 0 && *element < d->count[k]) return k;
    }
    return -1;
}

static int one_got(const exported *e, const derived_ones *d, int64_t k, int32_t element,
                   double *value) {
    int32_t i = d->part[k];
    const dt_member *m = e->members + i;
    size_t n = (size_t)d->count[k];
    double *values = calloc(n, sizeof *values);
    if (!values) return ERROR;
    int status = e->block.versions[i] == 3
                     ? ((int (*)(void *, const uint32_t *, size_t, double *, size_t))m->get_real)(
                           m->instance, d->reference + k, 1, values, n)
                     : ((int (*)(void *, const uint32_t *, size_t, double *))m->get_real)(
                           m->instance, d->reference + k, 1, values);
    *value = values[element];
    free(values);
    return (unsigned)status > WARNING ? failed_in(e, i, "getting its states", status) : OK;
}

/* A state of a part, or the derivative of one. */
static int state_asked(const exported *e, const derived_ones *d, int32_t place, double *value) {
    int32_t element = 0;
    int64_t k = entry_of_state(d, place, &element);
    return k < 0 ? ERROR : one_got(e, d, k, element, value);
}

static void scatter(const derived_ones *d, entries of, double *all, double *own, bool out) {
    for (int64_t k = of.first; k < of.last; own += d->count[k++]) {
        double *there = all + d->place[k];
        memcpy(out ? there : own, out ? own : there, (size_t)d->count[k] * sizeof *own);
    }
}

/* What one part makes of its states and inputs; it is asked only if any of them moves. */
static int along_part(exported *e, int32_t i, direction *d) {
    typedef int (*call_2)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                          double *);
    typedef int (*call_3)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                          size_t, double *, size_t);
    const derived_ones *known = &e->block.known, *unknown = &e->block.unknown;
    entries in = entries_of(known, i), out = entries_of(unknown, i);
    bool moves = false;
    scatter(known, in, d->known, d->seed, false);
    for (size_t k = 0; k < in.scalars; k++) moves |= d->seed[k] != 0;
    for (size_t k = 0; k < out.scalars; k++) d->found[k] = 0;
    if (moves && out.scalars) {
        void *function = function_of(e, i, "GetDirectionalDerivative");
        void *c = e->parts[i].instance;
        const uint32_t *u = unknown->reference + out.first, *v = known->reference + in.first;
        size_t n = (size_t)(out.last - out.first), m = (size_t)(in.last - in.first);
        int status = ERROR;
        if (function && e->block.versions[i] == 3)
            status = ((call_3)function)(c, u, n, v, m, d->seed, in.scalars, d->found, out.scalars);
        else if (function)
            status = ((call_2)function)(c, u, n, v, m, d->seed, d->found);
        if ((unsigned)status > WARNING) return failed_in(e, i, "GetDirectionalDerivative", status);
    }
    scatter(unknown, out, d->unknown, d->found, true);
    return OK;
}

/* Its inputs as outputs move so far; those that nothing feeds stay. */
static void wires_along(const exported *e, int32_t i, direction *d) {
    const dt_batch *b = e->batch;
    const dt_member *m = e->members + i;
    for (int32_t w = m->first_wire; w < m->last_wire; w++)
        d->known[e->block.n_states + b->wire_target[w]] =
            b->wire_gain[w] * d->unknown[e->block.n_states + b->wire_source[w]];
}

/* ---- loops of direct feedthrough -------------------------------------------------------------- */

typedef struct {
    const int32_t *parts, *targets, *sources;
    const double *gains;
    int32_t n_parts, n;
} derived_loop;

/* What a loop makes of these derivatives of its inputs, in `made`. */
static int loop_made(exported *e, const derived_loop *l, direction *d, const double *inputs,
                     double *made) {
    int64_t first = e->block.n_states;
    for (int32_t k = 0; k < l->n; k++) d->known[first + l->targets[k]] = inputs[k];
    for (int32_t k = 0; k < l->n_parts; k++) {
        int status = along_part(e, l->parts[k], d);
        if ((unsigned)status > WARNING) return status;
    }
    for (int32_t k = 0; k < l->n; k++)
        made[k] = l->gains[k] * d->unknown[first + l->sources[k]];
    return OK;
}

/* The linear equations of a loop: inputs that its outputs confirm. `still`: all else at rest. */
static int solve_loop(exported *e, const derived_loop *l, direction *d, direction *still) {
    size_t n = (size_t)l->n;
    double *J = calloc(n * n + 3 * n + 1, sizeof *J), *v = J + n * n, *one = v + n, *made = one + n;
    if (!J) return ERROR;
    for (int32_t k = 0; k < l->n_parts; k++) wires_along(e, l->parts[k], d);
    int status = loop_made(e, l, d, one, v);
    for (size_t k = 0; k < n && (unsigned)status <= WARNING; k++) {
        one[k] = 1;
        status = loop_made(e, l, still, one, made);
        one[k] = 0;
        for (size_t i = 0; i < n; i++) J[i * n + k] = (i == k) - made[i];
    }
    for (int32_t k = 0; k < l->n; k++) still->known[e->block.n_states + l->targets[k]] = 0;
    if ((unsigned)status <= WARNING) {
        if (eliminated(J, v, l->n)) {
            status = loop_made(e, l, d, v, made);
        } else {
            tell(e, ERROR, "the algebraic loop through part '%s' has no derivatives here",
                 e->block.names[l->parts[0]]);
            status = ERROR;
        }
    }
    free(J);
    return status;
}

/* Through all parts in the order of direct feedthrough. */
static int along_all(exported *e, direction *d, direction *still) {
    const exported_block *b = &e->block;
    derived_loop l = {b->parts, b->targets, b->sources, b->gains, 0, 0};
    for (int64_t g = 0; g < b->n_groups; g++) {
        l.n_parts = b->group_parts[g], l.n = b->group_targets[g];
        int status = l.n ? solve_loop(e, &l, d, still) : OK;
        for (int32_t k = 0; !l.n && k < l.n_parts && (unsigned)status <= WARNING; k++) {
            wires_along(e, l.parts[k], d);
            status = along_part(e, l.parts[k], d);
        }
        if ((unsigned)status > WARNING) return status;
        l.parts += l.n_parts, l.targets += l.n, l.sources += l.n, l.gains += l.n;
    }
    return OK;
}

/* ---- what the importer asks for ---------------------------------------------------------------- */

/* The place of a variable among knowns or unknowns. -1: it is none. */
static int64_t derived_place(const exported *e, uint32_t r, bool known) {
    const exported_block *b = &e->block;
    if (r >= b->n_variables) return -1;
    if (!known)
        return b->role[r] == IS_RATE     ? b->place[r]
               : b->role[r] == IS_OUTPUT ? b->n_states + b->place[r]
                                         : -1;
    return b->state[r] >= 0 ? b->state[r] : b->role[r] == IS_INPUT ? b->n_states + b->place[r] : -1;
}

static int directional(exported *e, const uint32_t *unknown, size_t n_unknown,
                       const uint32_t *known, size_t n_known, const double *seed, double *found) {
    if (!allowed(e, "GetDirectionalDerivative", STARTING | WHILE_STEPPED)) return ERROR;
    if (!e->block.derives) return lacking(e, "GetDirectionalDerivative");
    size_t in = (size_t)(e->block.n_states + e->batch->n_inputs);
    size_t out = (size_t)(e->block.n_states + e->batch->n_outputs);
    int status = e->mode == INITIALIZING && e->dirty ? solve_start(e) : OK;
    if ((unsigned)status > WARNING) return status;
    double *room = calloc(3 * (in + out) + 1, sizeof *room);
    if (!room) return ERROR;
    double *own = room + 2 * (in + out);
    direction d = {room, room + in, own, own + in};
    direction still = {room + in + out, room + 2 * in + out, own, own + in};
    for (size_t k = 0; k < n_known && status == OK; k++) {
        int64_t place = derived_place(e, known[k], true);
        if (place < 0)
            status = ERROR;
        else
            d.known[place] += seed[k];
    }
    if (status == OK) status = along_all(e, &d, &still);
    for (size_t k = 0; k < n_unknown && (unsigned)status <= WARNING; k++) {
        int64_t place = derived_place(e, unknown[k], false);
        if (place < 0)
            status = ERROR;
        else
            found[k] = d.unknown[place];
    }
    free(room);
    return status;
}
