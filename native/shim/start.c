/* ---- start values that agree ----------------------------------------------------------------- */

/* Twin of src/dovetail/assembly/standstill.py, src/dovetail/rootfinders/fixed_point.py; but for rounding of
 * src/dovetail/rootfinders/newton.py.
 * Same bits: tests/exporting/test_start.py. */

enum { FIXED_POINTS = 20, NEWTON_STEPS = 50 };
static const double START_RTOL = 1e-10, START_ATOL = 1e-12;

/* The outputs of a part for these inputs, while its time stands still. */
static int ask_now(exported *e, int32_t i, const double *inputs) {
    part *p = e->parts + i;
    dt_member *m = e->members + i;
    double *outputs = e->memory.outputs + m->out_at;
    int status = OK;
    if (e->jumping && e->block.kinds[i] != IS_EQUATIONS) return OK; /* it knows its last step only */
    if (!p->has_tried || !same(p->tried, inputs, m->n_in)) {
        memcpy(p->tried, inputs, (size_t)m->n_in * sizeof *inputs);
        if ((unsigned)(status = set_reals(m, p->tried)) > WARNING)
            return failed_in(e, i, "setting its inputs", status);
        p->has_tried = true;
    }
    if (e->block.versions[i] == 1 && !p->started) {
        int (*initialize)(void *, double, char, double) =
            (int (*)(void *, double, char, double))function_of(e, i, "InitializeSlave");
        status = initialize ? initialize(p->instance, e->start, 0, 0) : ERROR;
        if ((unsigned)status > WARNING) return failed_in(e, i, "InitializeSlave", status);
    }
    p->started = true;
    if ((unsigned)(status = get_reals(m, outputs)) > WARNING)
        return failed_in(e, i, "getting its outputs", status);
    if (!finite_all(outputs, m->n_out)) {
        tell(e, ERROR, "part '%s' gives an output that is NaN or Inf at the start", e->block.names[i]);
        return ERROR;
    }
    return OK;
}

/* Its inputs as outputs are known so far. */
static void inputs_now(const exported *e, int32_t i, double *inputs) {
    const dt_member *m = e->members + i;
    memcpy(inputs, e->batch->start + m->in_at, (size_t)m->n_in * sizeof *inputs);
    for (int32_t w = m->first_wire; w < m->last_wire; w++)
        inputs[e->batch->wire_target[w] - m->in_at] = on_wire(e->batch, w, e->memory.outputs);
}

static int ask_known(exported *e, int32_t i) {
    int status = carried_give(e, i);
    if ((unsigned)status > WARNING) return status;
    inputs_now(e, i, e->route + e->members[i].in_at);
    status = ask_now(e, i, e->route + e->members[i].in_at);
    return (unsigned)status > WARNING ? status : carried_read(e, i);
}

/* ---- loops of direct feedthrough -------------------------------------------------------------- */

/* Inputs `targets` of some parts, each fed by an output of one of them; inputs from outside stay. */
typedef struct {
    exported *e;
    const int32_t *parts, *targets, *sources;
    const double *gains, *offsets;
    int32_t n_parts, n;
    double *outside;             /* inputs of all parts */
    double first, begin, least; /* residual and place where a search began; the least residual */
} feedback;

static double largest_of(const feedback *f, const double *r, const double *z) {
    double error = 0;
    for (int32_t k = 0; k < f->n; k++) {
        double scaled = fabs(r[k] / (fabs(z[k]) * START_RTOL + START_ATOL));
        if (!(scaled <= error)) error = isnan(scaled) ? INFINITY : scaled;
    }
    return error;
}

/* What the outputs make of the inputs `v`, minus `v`. */
static int disagreement(feedback *f, const double *v, double *r) {
    exported *e = f->e;
    for (int32_t k = 0; k < f->n_parts; k++) {
        const dt_member *m = e->members + f->parts[k];
        double *inputs = f->outside + m->in_at;
        for (int32_t j = 0; j < f->n; j++)
            if (f->targets[j] >= m->in_at && f->targets[j] < m->in_at + m->n_in)
                inputs[f->targets[j] - m->in_at] = v[j];
        int status = ask_now(e, f->parts[k], inputs);
        if ((unsigned)status > WARNING) return status;
    }
    for (int32_t k = 0; k < f->n; k++)
        r[k] = f->gains[k] * e->memory.outputs[f->sources[k]] + f->offsets[k] - v[k];
    return OK;
}

/* The same measure as `Gauge` in rootfinders/convergence.py: infinite for a point that ran away. */
static double gauged_at(feedback *f, const double *r, const double *z, bool is_first) {
    double size = largest(r, f->n), place = largest(z, f->n), error = largest_of(f, r, z);
    if (is_first) f->first = size, f->begin = place, f->least = INFINITY;
    if (size < f->least) f->least = size;
    bool far = place > 1e3 * (f->begin + f->first) && size > 0.1 * f->first;
    return error <= 1 && far ? INFINITY : error;
}

/* z <- z + r. 1 if it converged, 0 if not, below 0: a part failed. */
static int by_fixed_point(feedback *f, double *z, double *r) {
    for (int round = 1; round <= FIXED_POINTS; round++) {
        int status = disagreement(f, z, r);
        if ((unsigned)status > WARNING) return -status;
        if (gauged_at(f, r, z, round == 1) <= 1) return 1;
        if (!(largest(r, f->n) <= 1e3 * f->least)) return 0;
        for (int32_t k = 0; k < f->n; k++) z[k] = z[k] + 1.0 * r[k];
    }
    return 0;
}

/* Gauss with pivots, in place; false where the matrix is singular. */
static bool eliminated(double *J, double *x, int32_t n) {
    for (int32_t k = 0; k < n; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++)
            if (fabs(J[i * n + k]) > fabs(J[best * n + k])) best = i;
        if (!(fabs(J[best * n + k]) > 0)) return false;
        for (int32_t j = 0; j < n && best != k; j++) {
            double kept = J[k * n + j];
            J[k * n + j] = J[best * n + j], J[best * n + j] = kept;
        }
        double moved = x[k];
        x[k] = x[best], x[best] = moved;
        for (int32_t i = k + 1; i < n; i++) {
            double share = J[i * n + k] / J[k * n + k];
            for (int32_t j = k; j < n; j++) J[i * n + j] -= share * J[k * n + j];
            x[i] -= share * x[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++) x[k] -= J[k * n + j] * x[j];
        x[k] /= J[k * n + k];
    }
    return finite_all(x, n);
}

static int derived(feedback *f, const double *z, const double *r, double *J, double *moved,
                   double *there) {
    int32_t n = f->n;
    for (int32_t k = 0; k < n; k++) {
        double size = fabs(z[k]), delta = size * START_RTOL + 0.01 * START_ATOL;
        delta = delta > 1e-9 ? delta : 1e-9;
        delta = delta > 1e-8 * size ? delta : 1e-8 * size;
        memcpy(moved, z, (size_t)n * sizeof *z);
        moved[k] += delta;
        int status = disagreement(f, moved, there);
        if ((unsigned)status > WARNING) return status;
        for (int32_t i = 0; i < n; i++) J[i * n + k] = (there[i] - r[i]) / (moved[k] - z[k]);
    }
    return OK;
}

/* Newton's method, with steps that are halved while they do not help. As `by_fixed_point`. */
static int by_newton(feedback *f, double *z, double *r, double *room) {
    int32_t n = f->n;
    double *J = room, *used = J + (size_t)n * (size_t)n, *at = used + (size_t)n * (size_t)n;
    double *step = at + n, *spare = step + n;
    int status = disagreement(f, z, r);
    if ((unsigned)status > WARNING) return -status;
    double error = gauged_at(f, r, z, true);
    bool formed = false;
    for (int round = 1; round < NEWTON_STEPS && error > 1 && isfinite(error); round++) {
        if (!formed && (unsigned)(status = derived(f, z, r, J, at, spare)) > WARNING) return -status;
        formed = true;
        memcpy(used, J, (size_t)n * (size_t)n * sizeof *J);
        memcpy(step, r, (size_t)n * sizeof *r);
        if (!eliminated(used, step, n)) return 0;
        double before = largest_of(f, r, z), after = INFINITY, share = 1;
        memcpy(at, z, (size_t)n * sizeof *z);
        for (int halving = 0; halving < 8 && !(after < before); halving++, share /= 2) {
            for (int32_t k = 0; k < n; k++) z[k] = at[k] - share * step[k];
            if ((unsigned)(status = disagreement(f, z, r)) > WARNING) return -status;
            after = largest_of(f, r, at);
        }
        error = gauged_at(f, r, z, false);
        if (after > 0.5 * before) formed = false;
    }
    return error <= 1;
}

/* Inputs of a loop that its outputs confirm: by the fixed point where that converges, else by Newton's
 * method. (Python tries Anderson's in between, whose sums LAPACK adds up as it likes.) */
static int settle_loop(feedback *f) {
    exported *e = f->e;
    size_t n = (size_t)f->n;
    double *room = malloc((2 * n * n + 6 * n + 1) * sizeof *room);
    double *z = e->found, *r = z + n;
    if (!room) return ERROR;
    int status = OK;
    for (int32_t k = 0; k < f->n_parts && (unsigned)status <= WARNING; k++) {
        status = carried_give(e, f->parts[k]);
        inputs_now(e, f->parts[k], f->outside + e->members[f->parts[k]].in_at);
    }
    for (int32_t k = 0; k < f->n; k++) z[k] = e->route[f->targets[k]];
    int found = (unsigned)status > WARNING ? -status : by_fixed_point(f, z, r);
    if (!found) {
        for (int32_t k = 0; k < f->n; k++) z[k] = e->route[f->targets[k]];
        found = by_newton(f, z, r, room);
    }
    free(room);
    for (int32_t k = 0; k < f->n_parts && found > 0; k++) {
        status = carried_read(e, f->parts[k]);
        if ((unsigned)status > WARNING) return status;
    }
    if (found > 0) return OK;
    if (!found)
        tell(e, ERROR, "the algebraic loop through part '%s' has no start values that were found; "
             "other start values of its inputs may help", e->block.names[f->parts[0]]);
    return found < 0 ? -found : ERROR;
}

static int pass_at_start(exported *e, bool again) {
    const exported_block *b = &e->block;
    const int32_t *parts = b->parts, *targets = b->targets, *sources = b->sources;
    const double *gains = b->gains, *offsets = b->offsets;
    for (int64_t g = 0; g < b->n_groups; g++) {
        int32_t n_parts = b->group_parts[g], n = b->group_targets[g];
        int status = OK;
        if (n && !again)
            status = settle_loop(&(feedback){e, parts, targets, sources, gains, offsets, n_parts, n,
                                             e->found + 2 * n, 0, 0, 0});
        else
            for (int32_t k = 0; k < n_parts && (unsigned)status <= WARNING; k++)
                status = ask_known(e, parts[k]);
        if ((unsigned)status > WARNING) return status;
        parts += n_parts, targets += n, sources += n, gains += n, offsets += n;
    }
    return OK;
}

/* Outputs at the start for inputs that agree with them: every part in order, then all once more. */
static int agree_at_start(exported *e) {
    memcpy(e->memory.outputs, e->block.blank, (size_t)e->block.n_outputs * sizeof(double));
    memcpy(e->route, e->batch->start, (size_t)e->batch->n_inputs * sizeof(double));
    carried_begin(e);
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        const dt_member *m = e->members + i; /* before its first sample a part has its own start values */
        if (e->block.kinds[i] == IS_EQUATIONS)
            copy(((equations *)m->instance)->sampled, e->batch->start + m->in_at, m->n_in);
    }
    int status = pass_at_start(e, false);
    if ((unsigned)status <= WARNING) status = pass_at_start(e, true);
    e->dirty = (unsigned)status > WARNING;
    return status;
}
