/* ---- sizes that go by what was off at the ends of windows ---------------------------------------- */

/* Twin of src/dovetail/controllers/input_defect.py, src/dovetail/controllers/bend.py,
 * src/dovetail/controllers/proportional_integral.py, src/dovetail/controllers/error_check.py.
 * Same bits: tests/conformance/test_native_control.py. */

/* What `CHECKED` remembers; outputs at the start of the last window are in `low`. */
enum { CHECK_KNOWN, CHECK_START, CHECK_WINDOWS, CHECK_BEYOND, CHECK_WORST, CHECK_WHEN };

/* The last point, off the line between those around it. */
static decision judge_checked(dt_control *c, const tried *t) {
    double *memory = c->memory, error = 0, sum = 0;
    if (t->failed) return GIVEN_UP;
    if (memory[CHECK_KNOWN] && t->n) {
        double start = memory[CHECK_START];
        double here = t->w.start, end = t->w.stop; /* as a polynomial through two points */
        double first = (here - end) / (start - end), last = (here - start) / (end - start);
        for (int32_t j = 0; j < t->n; j++) {
            double y = c->low[j], m = t->start[j], f = t->end[j];
            double off = (m - (y * first + f * last)) / (fabs(f) * c->rtol + c->atol);
            sum += off * off;
        }
        error = sqrt(sum / t->n);
        if (isnan(error)) error = INFINITY;
    }
    if (error > 1 && c->stops) return GIVEN_UP;
    if (error > memory[CHECK_WORST]) {
        memory[CHECK_WORST] = error;
        memory[CHECK_WHEN] = t->w.stop;
    }
    memory[CHECK_KNOWN] = 1;
    memory[CHECK_START] = t->w.start;
    memory[CHECK_WINDOWS]++;
    memory[CHECK_BEYOND] += error > 1;
    memcpy(c->low, t->start, (size_t)t->n * sizeof *c->low);
    return (decision){ACCEPT, 0, error > 1};
}

/* What `DEFECT` remembers; ranges of wires are in `low` and `high`, inputs over the last window in
 * `past`: as many powers of time as `OFF_COLUMNS` says. */
enum { OFF_ERROR, OFF_WINDOWS, OFF_BEYOND, OFF_WORST, OFF_WHEN, OFF_WIRE, OFF_SHRINKS,
       OFF_SHRUNK_SIZE, OFF_SHRUNK_ERROR, OFF_COVERED, OFF_COLUMNS, OFF_SIZE };

static const double MET = 1e-12;

static double along_curve(const double *a, int32_t columns, double time) {
    double value = a[columns - 1];
    for (int32_t k = columns - 2; k >= 0; k--) value = value * time + a[k];
    return value;
}

/* What a polynomial of this order cannot follow of an input, from how the last one missed. */
static double bend_of(double off, int32_t order, double h, double g) {
    if (order == 3) return off * pow(h, 2) / (16 * pow(h + g, 2));
    if (order == 2) return off * h * (h / 2 + g) / (4 * (h + g) * (h + 2 * g));
    return off * h / (4 * (h + g));
}

/* What the inputs were over the window, into the plan's trial. */
static void tell_inputs(const journey *g, const double *start, const double *end) {
    const dt_batch *b = g->b;
    const dt_plan *p = g->p;
    tell_trial(g);
    if (g->by_input) return;
    for (int32_t i = 0; i < b->n; i++) { /* those that nothing brought together */
        const dt_member *m = b->members + p->order[i];
        for (int32_t w = m->first_wire; w < m->last_wire; w++) {
            bool found = p->sequential && g->turn_of[b->wire_source[w]] < i;
            p->trial[b->wire_target[w]] = on_wire(b, w, found ? end : start);
        }
    }
}

/* The error of a window, 1 at the tolerance, and the wire that is off most. */
static double off_most(const journey *g, const dt_control *c, const tried *t, const double *low,
                       const double *high, int32_t *wire) {
    const dt_batch *b = g->b;
    const dt_plan *p = g->p;
    int32_t columns = !g->by_input ? 1 : p->curves->columns;
    double size = t->w.size, before = c->memory[OFF_SIZE], worst = 0;
    bool bends = columns > 1 && c->memory[OFF_COLUMNS] == columns;
    *wire = 0;
    for (int32_t w = 0; w < p->n_wires; w++) {
        const double *a = p->trial + (size_t)b->wire_target[w] * (size_t)columns;
        double made = on_wire(b, w, t->end), used = along_curve(a, columns, size);
        double off = fabs(made - used), weight = made;
        if (bends && off <= MET * fabs(made)) {
            const double *last = c->past + (size_t)b->wire_target[w] * (size_t)columns;
            double missed = along_curve(last, columns, before + size) - used;
            off = fabs(bend_of(missed, columns - 1, size, before));
        }
        if (c->ranged) weight = (high[w] - low[w]) + 1e-2 * farther(low[w], high[w]);
        double scaled = off / (fabs(weight) * c->rtol + c->atol);
        if (isnan(scaled)) {
            *wire = w;
            return INFINITY;
        }
        if (scaled > worst) worst = scaled, *wire = w;
    }
    return worst;
}

/* `low` and `high`: room for ranges. */
static decision judge_defect(const journey *g, dt_control *c, const tried *t, double *low,
                             double *high) {
    double *memory = c->memory, size = t->w.size;
    const dt_batch *b = g->b;
    const dt_plan *p = g->p;
    tell_inputs(g, t->start, t->end);
    for (int32_t w = 0; w < p->n_wires && c->ranged; w++) {
        double start = on_wire(b, w, t->start), made = on_wire(b, w, t->end);
        double from = memory[OFF_COVERED] ? c->low[w] : start;
        double to = memory[OFF_COVERED] ? c->high[w] : start;
        low[w] = made < from ? made : from;
        high[w] = made > to ? made : to;
    }
    int32_t wire;
    double error = off_most(g, c, t, low, high, &wire), factor = 1.5;
    if (error > 0) {
        double power = c->order, i = 0.3 / power, q = 0.4 / power;
        double last = memory[OFF_ERROR] > 0 ? memory[OFF_ERROR] : error;
        factor = clamped(c->safety * pow(error, -i - q) * pow(last, q), 0.2, 1.5);
    }
    bool shrinks = error > 1, first = !memory[OFF_SHRINKS] || size > memory[OFF_SHRUNK_SIZE];
    double from = first ? size : memory[OFF_SHRUNK_SIZE];
    double then = first ? error : memory[OFF_SHRUNK_ERROR];
    if (shrinks && size > c->min_size && size < 1e-6 * from && error > 0.1 * then) return GIVEN_UP;
    memory[OFF_ERROR] = error;
    memory[OFF_WINDOWS]++;
    memory[OFF_BEYOND] += error > 1;
    if (error > memory[OFF_WORST]) {
        memory[OFF_WORST] = error;
        memory[OFF_WHEN] = t->w.stop;
    }
    memory[OFF_WIRE] = wire;
    memory[OFF_SHRINKS] = shrinks;
    memory[OFF_SHRUNK_SIZE] = from;
    memory[OFF_SHRUNK_ERROR] = then;
    if (c->ranged) {
        memory[OFF_COVERED] = 1;
        memcpy(c->low, low, (size_t)p->n_wires * sizeof *low);
        memcpy(c->high, high, (size_t)p->n_wires * sizeof *high);
    }
    int32_t columns = g->by_input ? p->curves->columns : 1;
    memory[OFF_COLUMNS] = columns;
    memory[OFF_SIZE] = size;
    memcpy(c->past, p->trial, (size_t)p->n_inputs * (size_t)columns * sizeof *low);
    return (decision){ACCEPT, clamped(size * factor, c->min_size, c->max_size), error > 1};
}
