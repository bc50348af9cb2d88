/* ---- iterated windows ---------------------------------------------------------------------- */

/* Twin of src/dovetail/algorithms/gauss_seidel.py, src/dovetail/algorithms/jacobi.py,
 * src/dovetail/algorithms/newton.py, src/dovetail/algorithms/iterative.py,
 * src/dovetail/algorithms/interface.py, src/dovetail/algorithms/scheme.py,
 * src/dovetail/rootfinders/fixed_point.py, src/dovetail/rootfinders/newton.py,
 * src/dovetail/rootfinders/elimination.py, src/dovetail/rootfinders/convergence.py.
 * Same bits: tests/conformance/test_agreement.py, tests/conformance/test_native_windows.py.
 * What is different where inputs are cubics is in cubic_cycles.c. */

enum { FAILED = 1, NO_NUMBER = 2, HANDED_OVER = 3, UNCONVERGED = 4 };

/* Parts that depend on each other, or one that does not. Parts are places in the batch. */
typedef struct {
    int32_t n_parts, cyclic, n_targets, n_coupling;
    const int32_t *parts, *targets, *sources, *coupling;
    const double *gains, *offsets;
    /* those of the targets that are unknown: all of them, or those that close the cycle */
    int32_t n_unknown, number; /* which group it is */
    const int32_t *unknown, *feeding;
    const double *unknown_gains, *unknown_offsets;
    /* Newton: which inputs are moved, and where the changes stand in the sparse Jacobian */
    const int32_t *counts, *places;
    int32_t n_terms, n_values, n_factor, n_forward, n_backward, padding;
    const int32_t *term_row, *term_column, *term_change, *term_slot;
    const int32_t *diagonal, *row, *column;      /* of the values */
    const int32_t *factor, *forward, *backward; /* threes: target, left, right */
} dt_group;

/* An iterated algorithm as data, and room for what it computes. */
typedef struct {
    int32_t method, limit, accept, columns, n_groups, doubted;
    double rtol, atol, fall_back_size;
    int64_t counted; /* iterations of the last window */
    const dt_group *groups;
    double *begin, *before, *coefficients;
    double *v, *old, *r, *shift, *moves, *changes, *jacobian, *values;
    int64_t *evaluations;
    dt_finder *finder;
    lessons *known, *before_window, *before_tries; /* by group: what past windows taught */
    const unsigned char *fresh; /* by input: fed by a part that was asked before; NULL: none is */
    /* with cubics: derivatives of outputs; where the window begins, of those and of inputs */
    dt_slopes slopes;
    double *slopes_before, *rates;
} dt_iteration;

/* Inputs are cubics: their derivatives at the window's end, times its size, are unknown as well, and
 * stand behind the values. */
static inline bool follows_cubics(const dt_iteration *it) { return it->columns == MAX_COLUMNS; }

static inline int32_t unknowns(const dt_iteration *it, const dt_group *g) {
    return follows_cubics(it) ? 2 * g->n_unknown : g->n_unknown;
}

static int ask_cubics(dt_batch *b, dt_iteration *it, const int32_t *members, int32_t count,
                      double *outputs);
static int sweep_cubics(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs);
static void route_cubics(const dt_batch *b, const dt_iteration *it, const dt_group *g, double *v);
static void propose_cubics(const dt_batch *b, dt_iteration *it, const dt_group *g, const double *v);
static void propose_cubic(const dt_batch *b, dt_iteration *it, int32_t j, double value, double move);
static void see_cubics(dt_batch *b, dt_iteration *it, const dt_group *g, const double *outputs);
static void guess_cubics(const dt_batch *b, dt_iteration *it, const dt_group *g);
static void open_cubics(dt_batch *b, dt_iteration *it);
static bool is_final(const dt_batch *b);

/* The weighted root mean square of a change. */
static double measure(const dt_iteration *it, const double *change, const double *reference,
                      int32_t n) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        double scaled = change[i] / (fabs(reference[i]) * it->rtol + it->atol);
        sum += scaled * scaled;
    }
    return n ? sqrt(sum / n) : 0;
}

/* NumPy adds in another order: too close to call, or NaN or Inf, is for Python to decide. Where there
 * is none, the sum of `measure` decides. */
static bool doubtful(double value, double limit) {
#ifdef WITHOUT_PYTHON
    (void)limit;
    return !isfinite(value);
#else
    return !(fabs(value - limit) > 1e-9 * limit) || !isfinite(value);
#endif
}

static double largest(const double *values, int32_t n) {
    double found = 0;
    for (int32_t i = 0; i < n; i++)
        if (fabs(values[i]) > found) found = fabs(values[i]);
    return found;
}

/* One sweep over a group. */
static inline int sweep_group(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs) {
    if (follows_cubics(it)) return sweep_cubics(b, it, g, outputs);
    return sweep(b, g->parts, g->n_parts, it->begin, it->coefficients, it->columns, outputs);
}

/* How far derivatives of outputs moved in a sweep; infinitely far where they were not known. */
static double slopes_moved(const dt_iteration *it, const dt_group *g) {
    double sum = 0;
    for (int32_t i = 0; i < g->n_coupling; i++) {
        double before = it->old[g->n_coupling + i];
        double change = it->slopes.now[g->coupling[i]] - before;
        double scaled = change / (fabs(before) * it->rtol + it->atol);
        sum += scaled * scaled;
    }
    double error = g->n_coupling ? sqrt(sum / g->n_coupling) : 0;
    return isnan(error) ? INFINITY : error;
}

/* Sweep until two agree. 0, or why not; it->counted grows, it->doubted may be set. */
static int swept(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs) {
    bool fallen_back = b->size < it->fall_back_size;
    int32_t limit = fallen_back ? 1 : it->limit;
    for (int32_t k = 1; k <= limit; k++) {
        for (int32_t i = 0; i < g->n_coupling; i++) it->old[i] = outputs[g->coupling[i]];
        for (int32_t i = 0; i < g->n_coupling && follows_cubics(it); i++)
            it->old[g->n_coupling + i] = it->slopes.now[g->coupling[i]];
        int failed = sweep_group(b, it, g, outputs);
        if (failed) return failed;
        it->counted++;
        double sum = 0; /* as `measure`, without a way through memory */
        for (int32_t i = 0; i < g->n_coupling; i++) {
            double before = it->old[i], change = outputs[g->coupling[i]] - before;
            double scaled = change / (fabs(before) * it->rtol + it->atol);
            sum += scaled * scaled;
        }
        double error = g->n_coupling ? sqrt(sum / g->n_coupling) : 0;
        if (doubtful(error, 1)) return HANDED_OVER;
        if (error <= 1 && follows_cubics(it)) {
            error = slopes_moved(it, g);
            if (error < INFINITY && doubtful(error, 1)) return HANDED_OVER;
        }
        if (error <= 1) return 0;
    }
    if (!fallen_back && !it->accept) return UNCONVERGED;
    it->doubted = 1;
    return 0;
}

/* What the outputs make of the inputs that are unknown. */
static void routed_inside(const dt_batch *b, const dt_iteration *it, const dt_group *g,
                          const double *outputs, double *v) {
    for (int32_t i = 0; i < g->n_unknown; i++)
        v[i] = g->unknown_gains[i] * outputs[g->feeding[i]] + g->unknown_offsets[i];
    if (follows_cubics(it)) route_cubics(b, it, g, v + g->n_unknown);
}

static inline void propose_one(const dt_batch *b, dt_iteration *it, int32_t j, double v) {
    if (it->columns == 1)
        it->coefficients[j] = v;
    else
        it->coefficients[2 * j + 1] = (v - it->begin[j]) / b->size;
}

static void propose(dt_batch *b, dt_iteration *it, const dt_group *g, const double *v) {
    if (it->columns == 1)
        for (int32_t i = 0; i < g->n_unknown; i++) it->coefficients[g->unknown[i]] = v[i];
    else if (follows_cubics(it))
        propose_cubics(b, it, g, v);
    else
        for (int32_t i = 0; i < g->n_unknown; i++) propose_one(b, it, g->unknown[i], v[i]);
}

static inline int ask_group(dt_batch *b, dt_iteration *it, const int32_t *members, int32_t count,
                            double *outputs) {
    if (follows_cubics(it)) return ask_cubics(b, it, members, count, outputs);
    return ask(b, members, count, it->coefficients, it->columns, outputs);
}

/* Members one after another, each with what those before it have just answered. */
static __attribute__((noinline)) int ask_in_turn(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs) {
    for (int32_t k = 0; k < g->n_parts; k++) {
        const dt_member *m = b->members + g->parts[k];
        for (int32_t w = m->first_wire; w < m->last_wire; w++) {
            int32_t j = b->wire_target[w], source = b->wire_source[w];
            if (!it->fresh[j]) continue;
            double value = b->wire_gain[w] * outputs[source] + b->wire_offset[w];
            if (follows_cubics(it))
                propose_cubic(b, it, j, value, b->size * (b->wire_gain[w] * it->slopes.now[source]));
            else
                propose_one(b, it, j, value);
        }
        int failed = ask_group(b, it, g->parts + k, 1, outputs);
        if (failed) return failed;
    }
    return 0;
}

/* r(v): what the outputs make of the inputs v, minus v. */
static inline int residual(dt_batch *b, dt_iteration *it, const dt_group *g, const double *v, double *r,
                    double *outputs) {
    propose(b, it, g, v);
    int failed = it->fresh ? ask_in_turn(b, it, g, outputs)
                           : ask_group(b, it, g->parts, g->n_parts, outputs);
    if (failed) return failed;
    it->counted++;
    routed_inside(b, it, g, outputs, r);
    for (int32_t i = 0, n = unknowns(it, g); i < n; i++) r[i] -= v[i];
    return 0;
}

enum { FIRST_LAP = 8 };
static const double RUNAWAY = 1e3, BURST = 1e9; /* times residuals of the first lap, within it */

/* Knows a point that ran away; see Gauge in rootfinders/convergence.py. */
typedef struct {
    double first, begin, peak;
    int32_t count;
    bool diverges;
} gauge;

static double gauged(gauge *m, const dt_iteration *it, const double *r, const double *z,
                     int32_t n) {
    double size = largest(r, n), place = largest(z, n);
    if (!m->count) *m = (gauge){size, place, 0, 0, false};
    bool inside = m->count < (n < FIRST_LAP ? n : FIRST_LAP);
    m->diverges = !(size <= (m->count ? (inside ? BURST : RUNAWAY) * m->peak : INFINITY));
    if (inside && size > m->peak) m->peak = size;
    m->count++;
    double error = measure(it, r, z, n);
    bool far = place > 1e3 * (m->begin + m->first);
    return error <= 1 && far && size > 0.1 * m->first ? INFINITY : error;
}

/* The next point to look at; false if there is no memory for it. */
static bool next_point(dt_iteration *it, const dt_group *g) {
    dt_finder *f = it->finder;
    int32_t n = unknowns(it, g);
    switch (it->method) {
        case AITKEN: step_aitken(f, n, it->r, it->v); return true;
        case ANDERSON: return step_anderson(f, n, it->rtol, it->atol, it->r, it->v);
        case IQN_ILS: return step_iqn(f, it->known + g->number, n, it->rtol, it->atol, it->r, it->v);
        default:
            for (int32_t i = 0; i < n; i++) it->v[i] += f->relaxation * it->r[i];
            return true;
    }
}

/* Any root finder that asks for nothing but residuals. */
static int searched(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs) {
    int32_t n = unknowns(it, g);
    dt_finder *f = it->finder;
    gauge seen = {0};
    f->changes = f->past = 0;
    f->has_old = false;
    f->factor = f->relaxation;
    for (int32_t k = 1;; k++) {
        int failed = residual(b, it, g, it->v, it->r, outputs);
        if (failed) return failed;
        double error = gauged(&seen, it, it->r, it->v, n);
        if (doubtful(error, 1)) return HANDED_OVER;
        if (it->method == IQN_ILS && !note_change(f, n, it->r, it->v)) return HANDED_OVER;
        if (error <= 1)
            return it->method != IQN_ILS || teach(f, it->known + g->number, n) ? 0 : HANDED_OVER;
        bool grew = it->method == FIXED_POINT && seen.diverges;
        if (grew || k == it->limit) break;
        if (!next_point(it, g)) return HANDED_OVER;
    }
    if (!it->accept) return HANDED_OVER;
    if (it->method == IQN_ILS) forget(it->known + g->number); /* what led nowhere */
    it->doubted = 1;
    return 0;
}

/* dr/dv from differences through rollback, factored in place. */
static int factored(dt_batch *b, dt_iteration *it, const dt_group *g) {
    for (int32_t i = 0; i < g->n_targets; i++) {
        double size = fabs(it->v[i]), move = size * it->rtol + 0.01 * it->atol;
        move = move > 1e-9 ? move : 1e-9;
        it->moves[i] = move > 1e-7 * size ? move : 1e-7 * size;
    }
    propose(b, it, g, it->v);
    if (dt_columns(b, g->parts, g->n_parts, g->counts, g->places, it->moves, it->coefficients,
                   it->columns, it->changes))
        return FAILED;
    double *values = it->values;
    memset(values, 0, (size_t)g->n_values * sizeof *values);
    for (int32_t i = 0; i < g->n_targets; i++) values[g->diagonal[i]] = -1;
    for (int32_t k = 0; k < g->n_terms; k++)
        values[g->term_slot[k]] += g->gains[g->term_row[k]] * it->changes[g->term_change[k]] /
                                   it->moves[g->term_column[k]];
    memcpy(it->jacobian, values, (size_t)g->n_values * sizeof *values);
    for (const int32_t *op = g->factor, *end = op + 3 * g->n_factor; op < end; op += 3)
        if (op[1] < 0)
            values[op[0]] /= values[op[2]];
        else
            values[op[0]] -= values[op[1]] * values[op[2]];
    return 0;
}

/* J shift = r by what was factored; false if that is not good enough. */
static bool solved(dt_iteration *it, const dt_group *g) {
    int32_t n = g->n_targets;
    const double *values = it->values;
    double *x = it->shift, *left = it->changes; /* the changes are used up: room for n */
    memcpy(x, it->r, (size_t)n * sizeof *x);
    for (const int32_t *op = g->forward, *end = op + 3 * g->n_forward; op < end; op += 3)
        x[op[0]] -= values[op[1]] * x[op[2]];
    for (const int32_t *op = g->backward, *end = op + 3 * g->n_backward; op < end; op += 3)
        if (op[2] < 0)
            x[op[0]] /= values[op[1]];
        else
            x[op[0]] -= values[op[1]] * x[op[2]];
    if (!finite_all(x, n)) return false;
    memset(left, 0, (size_t)n * sizeof *left);
    for (int32_t k = 0; k < g->n_values; k++)
        left[g->row[k]] += it->jacobian[k] * x[g->column[k]];
    for (int32_t i = 0; i < n; i++) left[i] -= it->r[i];
    return largest(left, n) <= 1e-6 * largest(it->r, n);
}

/* Modified Newton: the Jacobian once, and again only when the error stops falling. */
static int newton(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs) {
    int32_t n = g->n_targets;
    gauge seen = {0};
    int failed = residual(b, it, g, it->v, it->r, outputs);
    if (failed) return failed;
    double error = gauged(&seen, it, it->r, it->v, n);
    bool formed = false;
    for (int32_t k = 1; k < it->limit; k++) {
        if (doubtful(error, 1)) return HANDED_OVER;
        if (error <= 1) break;
        if (!formed && (failed = factored(b, it, g))) return failed;
        formed = true;
        if (!solved(it, g)) return HANDED_OVER; /* Python solves with pivots */
        double before = measure(it, it->r, it->v, n);
        for (int32_t i = 0; i < n; i++) {
            it->old[i] = it->v[i];
            it->v[i] -= it->shift[i];
        }
        if ((failed = residual(b, it, g, it->v, it->r, outputs))) return failed;
        double after = measure(it, it->r, it->old, n);
        if (doubtful(after, 0.5 * before)) return HANDED_OVER;
        error = gauged(&seen, it, it->r, it->v, n);
        if (after > 0.5 * before) formed = false;
    }
    if (doubtful(error, 1)) return HANDED_OVER;
    if (error > 1 && !it->accept) return HANDED_OVER;
    it->doubted |= error > 1;
    return 0;
}

/* The inputs of a group as far as they are known: from the outputs as they stand. */
static void see_outside(dt_batch *b, dt_iteration *it, const dt_group *g, const double *outputs) {
    if (follows_cubics(it)) {
        see_cubics(b, it, g, outputs);
        return;
    }
    for (int32_t k = 0; k < g->n_parts; k++) {
        dt_member *m = b->members + g->parts[k];
        double *rows = it->coefficients + (size_t)m->in_at * (size_t)it->columns;
        if (it->columns == 1) {
            route(b, m, outputs, rows);
            continue;
        }
        route(b, m, outputs, m->scratch);
        for (int32_t j = 0; j < m->n_in; j++) {
            double first = it->begin[m->in_at + j];
            rows[2 * j + 1] = (m->scratch[j] - first) / b->size;
            rows[2 * j] = first;
        }
    }
    routed_inside(b, it, g, outputs, it->v);
}

/* A search begins where a longer window has ended, if there was one. */
static void begin_as_covered(const dt_batch *b, dt_iteration *it, const dt_group *g) {
    if (follows_cubics(it)) guess_cubics(b, it, g);
    if (!b->covering || it->columns != 2) return;
    for (int32_t i = 0; i < g->n_unknown; i++) {
        const double *line = b->covering + 2 * g->unknown[i];
        it->v[i] = line[1] * b->size + (b->since != 0 ? line[0] + b->since * line[1] : line[0]);
    }
}

static int iterated_groups(dt_batch *b, dt_iteration *it, double *outputs) {
    for (int32_t k = 0; k < it->n_groups; k++) {
        const dt_group *g = it->groups + k;
        int failed;
        if (!g->cyclic) {
            failed = sweep_group(b, it, g, outputs);
            if (it->counted < 1) it->counted = 1;
        } else if (it->method == SWEEPS) {
            failed = swept(b, it, g, outputs);
        } else if (b->size < it->fall_back_size) { /* where values jump there may be no root */
            failed = sweep_group(b, it, g, outputs);
            it->counted++;
            it->doubted = 1;
        } else {
            see_outside(b, it, g, outputs);
            begin_as_covered(b, it, g);
            failed = (it->method == NEWTON ? newton : searched)(b, it, g, outputs);
        }
        if (failed) return failed;
    }
    return 0;
}

/* As if the window had not been tried. */
static void uncount(dt_batch *b, const dt_iteration *it) {
    for (int32_t i = 0; i < b->n; i++) b->members[i].evaluations = it->evaluations[i];
}

static int throws(dt_batch *b, const double *outputs);
static bool is_left(dt_batch *b);
static bool goes_astray(const dt_batch *b, const dt_iteration *it, int failed);
static int drop_window(dt_batch *b);
static bool back_again(dt_batch *b);
static int close_cubics(dt_batch *b, dt_iteration *it, double *outputs, int failed);

/* One window from `inputs` and `outputs` at its start; both are those of its end then, the inputs
 * as they were used. A window that is handed over leaves no
 * trace; one that does not converge has been counted. */
static int iterated_window(dt_batch *b, dt_iteration *it, double *inputs, double *outputs) {
    int32_t n_in = b->n_inputs, n_out = b->n_outputs, columns = it->columns;
    for (int32_t i = 0; i < b->n && !b->counts_apart; i++)
        it->evaluations[i] = b->members[i].evaluations;
    copy(it->before, outputs, n_out);
    if (columns == 1) {
        copy(it->coefficients, inputs, n_in);
    } else {
        copy(it->begin, inputs, n_in);
        memset(it->coefficients, 0, (size_t)n_in * (size_t)columns * sizeof *inputs);
        for (int32_t j = 0; j < n_in; j++) it->coefficients[j * columns] = inputs[j];
    }
    it->counted = it->doubted = 0;
    if (columns == MAX_COLUMNS) open_cubics(b, it);
    if (it->known) recall_lessons(it->before_window, it->known, it->n_groups);
    int failed = open_window(b, b->time, b->size, true) ? FAILED : iterated_groups(b, it, outputs);
    bool answered = it->method == SWEEPS; /* the last sweep has left them with these inputs */
    for (int32_t i = 0; i < b->n && !failed && !answered; i++) { /* commit: the last answer stands */
        dt_member *m = b->members + i;
        failed = answer(b, m, it->coefficients + (size_t)m->in_at * (size_t)columns, columns,
                        outputs + m->out_at);
    }
    if (b->guests && !failed) failed = throws(b, outputs);
    if (columns == MAX_COLUMNS) failed = close_cubics(b, it, outputs, failed);
    if (failed && goes_astray(b, it, failed)) {
        atomic_store(&b->failed, 0);
        failed = HANDED_OVER;
    }
    if (failed == HANDED_OVER || failed == UNCONVERGED || (failed && is_left(b))) {
        memcpy(outputs, it->before, (size_t)n_out * sizeof *outputs);
        if (it->known) recall_lessons(it->known, it->before_window, it->n_groups);
        if (failed != UNCONVERGED && !b->counts_apart) uncount(b, it);
        bool tried = failed == UNCONVERGED && b->counts_apart; /* that counts */
        bool broken = !b->guests ? dt_abandon(b) != 0 : tried ? back_again(b) : drop_window(b) == FAILED;
        return broken ? FAILED : failed == UNCONVERGED ? UNCONVERGED : HANDED_OVER;
    }
    if (failed) return failed;
    if (columns == 1)
        copy(inputs, it->coefficients, n_in);
    else if (columns == 2)
        for (int32_t j = 0; j < n_in; j++)
            inputs[j] = it->coefficients[2 * j + 1] * b->size + it->coefficients[2 * j];
    else
        for (int32_t j = 0; j < n_in; j++)
            inputs[j] = cubic_at(it->coefficients + MAX_COLUMNS * (size_t)j, b->size);
    return 0;
}

/* What searches have made room for. */
static void iteration_free(dt_iteration *it) {
    if (!it) return;
    for (int32_t k = 0; k < it->n_groups && it->known; k++) {
        lessons *all[] = {it->known + k, it->before_window + k, it->before_tries + k};
        for (int i = 0; i < 3; i++) {
            forget(all[i]);
            free(all[i]->windows);
        }
    }
    if (it->finder) finder_free(it->finder);
}
