/* ---- explicit steps of members that are solved here ------------------------------------------ */

/* Twin of src/dovetail/integrators/fixed.py, src/dovetail/integrators/rk45.py,
 * src/dovetail/integrators/dormand_prince.py, src/dovetail/integrators/sums.py,
 * src/dovetail/integrators/stiffness.py, src/dovetail/integrators/norm.py,
 * src/dovetail/integrators/first_size.py.
 * Same bits: tests/conformance/test_native_exchange.py. */

/* How far along the derivative before each further stage is, and the weights of all derivatives. */
static const struct {
    int32_t stages;
    double nodes[3], weights[4];
} fixed_methods[] = {
    [BY_EULER] = {1, {0}, {1.0}},
    [BY_SEMI_IMPLICIT] = {1, {0}, {1.0}},
    [BY_HEUN] = {2, {1.0}, {1.0 / 2, 1.0 / 2}},
    [BY_MIDPOINT] = {2, {1.0 / 2}, {0.0, 1.0}},
    [BY_RK4] = {4, {1.0 / 2, 1.0 / 2, 1.0}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
};

/* f there, with the inputs as they are then; below 0 where it failed. */
static int slope_at(dt_flow *f, double time, double *x, double *dx) {
    return hand_over(f, time) ? -1 : derive(f, time, x, dx) < 0 ? -1 : 0;
}

/* Whether an indicator leaves its side on the cubic through a step: 1; below 0: it failed. */
static int crosses(dt_solved *s, double time, const double *x, const double *k, double size,
                   double end, double *next, const double *last, double *between) {
    static const double quarters[] = {0.25, 0.5, 0.75, 1.0};
    dt_flow *f = s->flow;
    for (int q = s->locate ? 0 : 3; q < 4; q++) {
        double at = q < 3 ? time + quarters[q] * (end - time) : end, *there = next;
        double part = (at - time) / size;
        for (int32_t i = 0; i < f->fmu->n && q < 3; i++) {
            double rise = next[i] - x[i], bend = size * k[i] - rise;
            double twist = rise - size * last[i] - bend;
            between[i] = x[i] + part * (rise + (1 - part) * (bend + part * twist));
            there = between;
        }
        if (indicate(f, at, there, f->row)) return -1;
        for (int32_t i = 0; i < f->n_indicators; i++)
            if (!(f->armed[i] * f->row[i] >= 0)) return 1;
    }
    return 0;
}

/* The FMU hears of the end of a step: whether it wants an event there; below 0: it failed. */
static int noted(dt_flow *f, double end, double *x) {
    if (hand_over(f, end)) return -1;
    int status = completed_at(f->fmu, end, x);
    if (status % WANTED > 1) return broken(f, IN_COMPLETED, status % WANTED, end);
    if (status & ENDING) f->ending = 1;
    return (status & WANTED) != 0;
}

static int by_fixed_steps(dt_batch *b, dt_member *m, double start, double stop) {
    dt_solved *s = m->solved;
    dt_flow *f = s->flow;
    int32_t n = f->fmu->n, stages = fixed_methods[s->method].stages;
    const double *nodes = fixed_methods[s->method].nodes, *w = fixed_methods[s->method].weights;
    double *x = s->room, *next = x + n, *point = next + n, *between = point + n, *last = between + n;
    double *k = last + n; /* up to four derivatives */
    double wanted = ceil((stop - start) / s->size - 1e-9), count = wanted > 1 ? wanted : 1;
    double size = (stop - start) / count, time = start;
    bool watches = f->n_indicators || f->watches_steps;
    int64_t evaluations = 1;
    m->stepped = 1;
    copy(x, s->x, n);
    if (slope_at(f, start, x, k)) return solving_failed(b, m, FLOW_FAILED);
    for (double step = 1; step <= count; step++) {
        double end = step == count ? stop : start + step * size;
        if (atomic_load(&b->interrupted)) return fail(b, m, INTERRUPTED, 0);
        for (int32_t i = 0; i + 1 < stages; i++, evaluations++) {
            double instant = nodes[i] == 1 ? end : time + nodes[i] * size, far = nodes[i] * size;
            for (int32_t j = 0; j < n; j++) point[j] = x[j] + far * k[i * n + j];
            if (slope_at(f, instant, point, k + (i + 1) * n))
                return solving_failed(b, m, FLOW_FAILED);
        }
        for (int32_t j = 0; j < n; j++) {
            double mean = w[stages - 1] * k[(stages - 1) * n + j];
            for (int32_t i = 0; i + 1 < stages; i++)
                if (w[i] != 0) mean += w[i] * k[i * n + j];
            next[j] = x[j] + size * mean;
        }
        if (s->method == BY_SEMI_IMPLICIT) { /* the positions again, with the new velocities */
            copy(point, x, n / 2);
            copy(point + n / 2, next + n / 2, n - n / 2);
            if (slope_at(f, time, point, last)) return solving_failed(b, m, FLOW_FAILED);
            for (int32_t j = 0; j < n / 2; j++) next[j] = x[j] + size * last[j];
            evaluations++;
        }
        if (!finite_all(next, n)) {
            broken(f, NO_NUMBERS, 0, time);
            return solving_failed(b, m, FLOW_FAILED);
        }
        if (watches || step < count) {
            if (slope_at(f, end, next, last)) return solving_failed(b, m, FLOW_FAILED);
            evaluations++;
        }
        int found = f->n_indicators ? crosses(s, time, x, k, size, end, next, last, between) : 0;
        if (!found && f->watches_steps) found = noted(f, end, next);
        if (found) return found < 0 ? solving_failed(b, m, FLOW_FAILED) : leave_to_python(b, m);
        copy(x, next, n);
        copy(k, last, n);
        time = end;
    }
    copy(s->x, x, n);
    s->why = FLOW_ARRIVED;
    s->evaluations += evaluations;
    s->steps += (int64_t)count;
    return 0;
}

/* ---- Dormand and Prince ---------------------------------------------------------------------- */

/* Rows that are added up one after another, each with its weight. */
static void combine(const double *weights, const double *rows, int32_t count, int32_t n,
                    double *total) {
    for (int32_t i = 0; i < n; i++) total[i] = weights[0] * rows[i];
    for (int32_t k = 1; k < count; k++)
        for (int32_t i = 0; i < n; i++) total[i] += weights[k] * rows[k * n + i];
}

/* The same for NumPy arrays that are whole, and of doubles. */
EXPORT void dt_combine(int32_t data_at, void *weights, void *rows, int32_t count, int32_t n,
                       void *total) {
    combine(*(double **)((char *)weights + data_at), *(double **)((char *)rows + data_at), count, n,
            *(double **)((char *)total + data_at));
}

static double square_of(const double *values, int32_t n) {
    double sum = n ? values[0] * values[0] : 0;
    for (int32_t i = 1; i < n; i++) sum += values[i] * values[i];
    return sum;
}

enum { RK_ENDLESS = 20, RK_TOO_SMALL, RK_TOO_MANY }; /* why there is no next step */
enum { STAGES = 5, STEP_ROW = 5, ERROR_ROW = 6 };
static const double nodes_dp[4] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9};
static const double tableau[7][8] = {
    {0, 1.0 / 5},
    {0, 3.0 / 40, 9.0 / 40},
    {0, 44.0 / 45, -56.0 / 15, 32.0 / 9},
    {0, 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {0, 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {0, 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    {0, 71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
};
static const double curve_d[7] = {
    -12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0,
};

/* One step from rows[0], with rows[1] = f there; the state at its end goes to `next`, f there to
 * rows[7]. 1: something was not finite on the way; below 0: it failed. */
static int step_dp(dt_flow *f, double table[7][8], double *rows, double time, double size,
                   double end, double *point, double *next) {
    int32_t n = f->fmu->n;
    for (int r = 0; r < 7; r++)
        for (int k = 0; k < 8; k++) table[r][k] = tableau[r][k] * size;
    for (int r = 0; r < STAGES; r++) table[r][0] = 1.0;
    for (int r = 0; r < 4; r++) {
        combine(table[r], rows, r + 2, n, next);
        if (slope_at(f, time + nodes_dp[r] * size, next, rows + (r + 2) * n)) return -1;
    }
    combine(table[4], rows, 6, n, point);
    if (slope_at(f, end, point, rows + 6 * n)) return -1;
    combine(table[STEP_ROW] + 1, rows + n, 6, n, next);
    if (!isfinite(square_of(next, n))) return 1;
    for (int32_t i = 0; i < n; i++) next[i] = rows[i] + next[i];
    return slope_at(f, end, next, rows + 7 * n);
}

/* The root mean square of error / (atol + rtol max(|before|, |after|)). */
static double weighted(const dt_solved *s, const double *error, const double *before,
                       const double *after, int32_t n) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        double a = fabs(before[i]), b = fabs(after[i]);
        double scaled = error[i] / (s->atol[i] + s->rtol * (a > b ? a : b));
        sum += scaled * scaled;
    }
    return isnan(sum) ? INFINITY : sqrt(sum / n);
}

/* Whether an indicator leaves its side along the last step; as `crosses`, on its own curve. */
static int crosses_dp(dt_solved *s, const double *rows, double time, double size, double end,
                      double *next, double *curve, double *between) {
    dt_flow *f = s->flow;
    int32_t n = f->fmu->n;
    double table[5][8] = {{0}};
    table[0][0] = 1.0;
    for (int k = 1; k < 7; k++) table[1][k] = tableau[STEP_ROW][k];
    table[2][1] = 1.0;
    for (int k = 0; k < 8; k++) {
        table[2][k] -= table[1][k];
        table[3][k] = table[1][k] - (k == 7) - table[2][k];
        if (k) table[4][k] = curve_d[k - 1];
    }
    for (int r = 1; r < 5; r++)
        for (int k = 0; k < 8; k++) table[r][k] *= size;
    for (int r = 0; r < 5; r++) combine(table[r], rows, 8, n, curve + r * n);
    for (int q = 1; q <= 4; q++) {
        double at = q < 4 ? time + 0.25 * q * (end - time) : end;
        double part = (at - time) / size, rest = 1.0 - part, both = part * rest;
        const double powers[5] = {1.0, part, both, part * both, both * both};
        if (q < 4) combine(powers, curve, 5, n, between);
        if (indicate(f, at, q < 4 ? between : next, f->row)) return -1;
        for (int32_t i = 0; i < f->n_indicators; i++)
            if (!(f->armed[i] * f->row[i] >= 0)) return 1;
    }
    return 0;
}

/* Whether stability keeps steps short; see Stiffness. */
typedef struct {
    int32_t at, inside, found;
    int64_t steps;
} stiffness;

static void see_stiffness(stiffness *k, double reach) {
    if (reach > 3.25) {
        k->at++;
        k->inside = 0;
        k->found |= k->at >= 15;
        k->steps += k->found;
        return;
    }
    if (++k->inside == 6) k->at = k->found = 0;
}

enum { FIRST_LOOKED_AT = 10 }; /* steps of a run that are not looked at for stiffness */

/* One more step is taken if there is room; what comes of it: 0, 1 where Python has to look, below 0 for
 * what failed. */
static int watched_dp(dt_solved *s, const double *rows, double time, double size, double end,
                      double *next, double *curve, double *between) {
    dt_flow *f = s->flow;
    f->end = end;
    if (f->n_indicators) {
        int found = crosses_dp(s, rows, time, size, end, next, curve, between);
        if (found) return found;
    }
    return f->watches_steps ? noted(f, end, next) : 0;
}

static double stiffness_of(const double *rows, const double *next, const double *sixth, double size,
                           double *apart, int32_t n) {
    for (int32_t i = 0; i < n; i++) apart[i] = next[i] - sixth[i];
    double between = square_of(apart, n);
    if (!(between > 0)) return 0;
    for (int32_t i = 0; i < n; i++) apart[i] = rows[7 * n + i] - rows[6 * n + i];
    return size * sqrt(square_of(apart, n) / between);
}

static int gives_up(dt_batch *b, dt_member *m, int why, double time, double size) {
    m->solved->flow->failed_at = time;
    m->solved->flow->end = size;
    return solving_failed(b, m, why);
}

/* The size of the first step, where none is known, into `size`; as in first_size.py. */
static int first_size(dt_solved *s, const double *rows, double start, double stop, double *point,
                      double *dx, double *size) {
    dt_flow *f = s->flow;
    int32_t n = f->fmu->n;
    const double *x = rows, *k = rows + n;
    double widest = stop - start, d_0 = weighted(s, x, x, x, n), d_1 = weighted(s, k, x, x, n);
    double trial = d_0 < 1e-5 || d_1 < 1e-5 ? 1e-6 : 0.01 * d_0 / d_1;
    trial = trial < widest ? trial : widest;
    for (int32_t i = 0; i < n; i++) point[i] = x[i] + trial * k[i];
    if (slope_at(f, start + trial < stop ? start + trial : stop, point, dx)) return -1;
    for (int32_t i = 0; i < n; i++) dx[i] = dx[i] - k[i];
    double d_2 = weighted(s, dx, x, x, n) / trial, steepest = d_2 > d_1 ? d_2 : d_1;
    double found = pow(0.01 / steepest, 1.0 / 5);
    if (steepest <= 1e-15) found = 1e-3 * trial > 1e-6 ? 1e-3 * trial : 1e-6;
    *size = 100 * trial < found ? 100 * trial : found;
    *size = *size < widest ? *size : widest;
    return 0;
}

static int by_rk45(dt_batch *b, dt_member *m, double start, double stop) {
    dt_solved *s = m->solved;
    dt_flow *f = s->flow;
    int32_t n = f->fmu->n;
    double *rows = s->room, *next = rows + 8 * n, *point = next + n, *curve = point + n;
    double table[7][8], time = start, error = 0, before = 1e-4, growth = 10;
    double wide = fabs(start) > fabs(stop) ? fabs(start) : fabs(stop), shortest = 4 * ulp_of(wide);
    double longest = s->longest * (1 + 1e-9);
    double proposed = s->next_size;
    int64_t taken = 0, rejected = 0, evaluations = 1;
    stiffness stiff = {0};
    m->stepped = 1;
    copy(rows, s->x, n);
    if (slope_at(f, start, rows, rows + n)) return solving_failed(b, m, FLOW_FAILED);
    if (!isfinite(square_of(rows + n, n))) return gives_up(b, m, RK_ENDLESS, start, 0);
    if (isnan(proposed)) {
        if (first_size(s, rows, start, stop, point, curve, &proposed))
            return solving_failed(b, m, FLOW_FAILED);
        evaluations = 2;
    }
    if (proposed > s->longest) proposed = s->longest;
    for (;;) {
        double left = stop - time, size = left, end = stop;
        if (!(proposed >= 0.99 * left && left <= longest)) {
            size = proposed <= 0.5 * left ? proposed : 0.5 * left;
            end = time + size;
        }
        if (atomic_load(&b->interrupted)) return fail(b, m, INTERRUPTED, 0);
        if (size < shortest && end < stop)
            return gives_up(b, m, isinf(error) ? RK_ENDLESS : RK_TOO_SMALL, time, size);
        if (taken + rejected == s->most) return gives_up(b, m, RK_TOO_MANY, time, size);
        int bad = step_dp(f, table, rows, time, size, end, point, next);
        if (bad < 0) return solving_failed(b, m, FLOW_FAILED);
        evaluations += 6;
        error = INFINITY;
        if (!bad) {
            combine(table[ERROR_ROW] + 1, rows + n, 7, n, curve);
            error = weighted(s, curve, rows, next, n);
        }
        double factor = growth;
        if (error != 0) {
            factor = 0.9 * pow(before, 0.04) / pow(error, 0.17);
            factor = factor > 0.2 ? factor : 0.2;
            factor = factor < growth ? factor : growth;
        }
        double wanted = size * factor < s->longest ? size * factor : s->longest;
        if (bad || error > 1) {
            rejected++;
            proposed = wanted;
            growth = 1;
            continue;
        }
        taken++;
        proposed = size < proposed && proposed > wanted ? proposed : wanted;
        if (taken >= FIRST_LOOKED_AT)
            see_stiffness(&stiff, stiffness_of(rows, next, point, size, curve, n));
        int found = watched_dp(s, rows, time, size, end, next, curve, point);
        if (found) return found < 0 ? solving_failed(b, m, FLOW_FAILED) : leave_to_python(b, m);
        if (s->leaves && stiff.found) return leave_to_python(b, m);
        if (end == stop) break;
        copy(rows, next, n);
        copy(rows + n, rows + 7 * n, n);
        time = end;
        before = error > 1e-4 ? error : 1e-4;
        growth = 10;
    }
    copy(s->x, next, n);
    s->next_size = proposed;
    s->why = FLOW_ARRIVED;
    s->evaluations += evaluations;
    s->steps += taken;
    s->stiff_steps += stiff.steps;
    return 0;
}
