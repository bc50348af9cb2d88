/* ---- step doubling --------------------------------------------------------------------------- */

/* Twin of src/dovetail/controllers/step_doubling.py, src/dovetail/controllers/covered_range.py,
 * src/dovetail/controllers/unannounced_jumps.py, src/dovetail/core/signals.py.
 * Same bits: tests/conformance/test_native_control.py. */

/* What is remembered; ranges are in `low` and `high`. */
enum { COVERED, COVERED_SIZE, COVERED_FAILED, JUMPS, JUMP_LEAST, JUMP_WHEN, JUMP_ROW, SUSPECTED,
       SUSPECTED_UNTIL, SUSPECTED_SIZE, SUSPECTED_ERROR };

enum { MOST_JUMPS = 5 };
static const double HALF_FAILED = 25, GROWTH = 100, AGAIN = 0.3, BETWEEN = 0.02, MOST_MORE = 30;
static const double SHORTER = 0.25, ORDINARY = 0.0625;

/* The ranges with this window, from those before it. */
WIDE static void join_ranges(const tried *t, const double *restrict from, const double *restrict to,
                             double *restrict low, double *restrict high) {
    for (int32_t j = 0; j < t->n; j++) {
        double m = t->middle[j], a = t->end[j];
        double least = m < from[j] ? m : from[j], most = m > to[j] ? m : to[j];
        low[j] = a < least ? a : least;
        high[j] = a > most ? a : most;
    }
}

typedef struct {
    double richardson, slope;
} errors;

/* Root mean squares, weighed with the values at the end, each sum in the order of the signals. */
static errors by_values(const dt_control *c, const tried *t) {
    double first = 0, second = 0;
    for (int32_t j = 0; j < t->n; j++) {
        double weight = fabs(t->end[j]) * c->rtol + c->atol;
        double off = (t->end[j] - t->ahead[j]) / weight;
        double bent = (t->middle[j] - (t->ahead[j] + t->start[j]) / 2) / weight;
        first += off * off;
        second += bent * bent;
    }
    return (errors){t->n ? sqrt(first / t->n) : 0, t->n ? sqrt(second / t->n) : 0};
}

/* The largest, weighed with the ranges that signals have covered; these went `from` .. `to` before. */
WIDE static errors by_ranges(const dt_control *c, const tried *t, const double *restrict from,
                             const double *restrict to, const double *restrict low,
                             const double *restrict high, double size) {
    double first = 0, second = 0, half = t->w.size / 2;
    bool late = half < size && size < INFINITY;
    double ahead = !late ? 0 : size / half < 10 ? size / half : 10;
    for (int32_t j = 0; j < t->n; j++) {
        double a = t->end[j], m = t->middle[j], f = t->ahead[j], y = t->start[j];
        double weight = (high[j] - low[j]) + 1e-2 * farther(low[j], high[j]);
        double earlier = (to[j] - from[j]) + 1e-2 * farther(from[j], to[j]), least = weight / MOST_MORE;
        double growth = weight > 0 ? weight / (least > earlier ? least : earlier) : 1;
        double more = growth * growth * growth;
        more = more < MOST_MORE ? more : MOST_MORE;
        double moved = fabs(m - y), then = fabs(a - m);
        moved = (moved > then ? moved : then) * ahead;
        weight = late && moved > weight ? moved : weight;
        double line = weight * more * c->rtol + c->atol;
        weight = weight * c->rtol + c->atol;
        double off = fabs((a - f) / weight), bent = fabs((m - (f + y) / 2) / line);
        first = off > first ? off : first;
        second = bent > second ? bent : second;
    }
    return (errors){first, BETWEEN * second};
}

/* Whether the error is that of a jump that nobody announced, and the window short enough for it. */
static bool is_located(const double *memory, double size, double error) {
    double before = memory[SUSPECTED_SIZE];
    if (!memory[SUSPECTED] || memory[JUMP_ROW] >= MOST_JUMPS) return false;
    bool stays = size <= SHORTER * before && error > memory[SUSPECTED_ERROR] * sqrt(size / before);
    return stays && error * size <= before;
}

static void passed_jump(double *memory, const window *w) {
    memory[JUMPS]++;
    memory[JUMP_ROW]++;
    memory[SUSPECTED] = 0;
    if (w->size < memory[JUMP_LEAST] ||
        (w->size == memory[JUMP_LEAST] && w->start < memory[JUMP_WHEN])) {
        memory[JUMP_LEAST] = w->size;
        memory[JUMP_WHEN] = w->start;
    }
}

static void calmed(double *memory, const window *w) {
    if (memory[SUSPECTED] && w->stop < memory[SUSPECTED_UNTIL]) {
        if (w->size >= ORDINARY * memory[SUSPECTED_SIZE]) memory[JUMP_ROW] = 0;
        return;
    }
    memory[JUMP_ROW] = memory[SUSPECTED] = 0;
}

static void suspect(double *memory, const window *w, double error) {
    if (memory[SUSPECTED] && w->start < memory[SUSPECTED_UNTIL]) return;
    memory[SUSPECTED] = 1;
    memory[SUSPECTED_UNTIL] = w->stop;
    memory[SUSPECTED_SIZE] = w->size;
    memory[SUSPECTED_ERROR] = error;
}

/* The ranges stand with this window; windows were to have this size. */
static void cover(dt_control *c, const tried *t, const double *low, const double *high,
                  double size) {
    memcpy(c->low, low, (size_t)t->n * sizeof *low);
    memcpy(c->high, high, (size_t)t->n * sizeof *high);
    c->memory[COVERED] = 1;
    c->memory[COVERED_SIZE] = size;
    c->memory[COVERED_FAILED] = 0;
}

/* `low` and `high`: room for ranges. */
static decision judge_doubling(dt_control *c, const tried *t, double *low, double *high) {
    double *memory = c->memory, error = HALF_FAILED, power = 0.5, most = 2;
    const window *w = &t->w;
    if (t->failed == 1) {
        double size = w->size / 5;
        bool more = size >= c->min_size && can_be_told(w, size, c->first_size);
        return (decision){more ? RETRY_CONVERGENCE : GIVE_UP, size, false};
    }
    bool ranged = c->ranged, known = ranged && memory[COVERED];
    double covered = known ? memory[COVERED_SIZE] : INFINITY;
    bool again = known && memory[COVERED_FAILED];
    const double *from = known ? c->low : t->start, *to = known ? c->high : t->start;
    if (ranged && !t->failed) join_ranges(t, from, to, low, high);
    if (!t->failed) {
        errors e = ranged ? by_ranges(c, t, from, to, low, high, covered) : by_values(c, t);
        if (!isfinite(e.richardson) || !isfinite(e.slope)) return GIVEN_UP;
        bool first = e.richardson >= e.slope;
        error = first ? e.richardson : e.slope;
        power = first ? 1.0 / (c->order + 1) : 0.5;
    }
    if (ranged && !again) {
        most = covered == INFINITY ? GROWTH : covered / w->size;
        if (2.0 > most) most = 2;
    }
    double factor = error > 0 ? clamped(0.9 / pow(error, power), 0.2, most) : most;
    double size = clamped(w->size * factor, c->min_size, c->max_size);
    bool jumped = !t->failed && error > 1 && is_located(memory, w->size, error);
    if (jumped && (c->min_size == 0 || w->size <= c->min_size)) {
        if (ranged) cover(c, t, low, high, covered);
        passed_jump(memory, w);
        return (decision){ACCEPT, c->min_size == 0 ? memory[SUSPECTED_SIZE] : size, false};
    }
    if (!t->failed && (error <= 1 || w->size <= c->min_size)) {
        if (ranged) cover(c, t, low, high, again || factor < most ? size : covered);
        if (error <= 1) calmed(memory, w);
        return (decision){ACCEPT, size, error > 1};
    }
    if (again) {
        double shorter = AGAIN * w->size > c->min_size ? AGAIN * w->size : c->min_size;
        if (shorter < size) size = shorter;
    }
    if ((t->failed && w->size <= c->min_size) || !can_be_told(w, size, c->first_size))
        return GIVEN_UP;
    if (!t->failed) suspect(memory, w, error);
    if (known) memory[COVERED_FAILED] = 1;
    return (decision){RETRY_ERROR, size, false};
}
