/* ---- what a fused run sees of its signals ------------------------------------------------- */

/* Twin of src/dovetail/observe/witness.py,
 * src/dovetail/observe/input_course.py.
 * Same bits: tests/conformance/test_agreement.py, tests/conformance/test_native_windows.py. */

/* As wide as every processor has it; wider ones gain little here. */
typedef double pair __attribute__((vector_size(16), may_alias));
typedef int64_t flags __attribute__((vector_size(16), may_alias));
typedef int32_t bits __attribute__((vector_size(16), may_alias)); /* compilers leave these alone */

enum { BLOCK = 32, FEW_PAIRS = 8 };

/* How far each signal moved in a window, when it moved farthest, and the range it covers; sums along
 * the run of the squares of its moves, and of what each move differed from the one before. In
 * pairs, the last filled up with a zero. */
typedef struct {
    int32_t pairs;
    pair *now, *used, *worst, *when, *low, *high;
    pair *step, *moved, *way, *turn; /* this move and the last one; the two sums */
    void *room;
} seen;

enum { SEEN = 10, APART = 2 * FEW_PAIRS }; /* arrays; how far apart they are where there are few */

static bool seen_new(seen *s, int32_t n) {
    s->pairs = (n + 1) / 2;
    size_t each = (size_t)(s->pairs < FEW_PAIRS ? FEW_PAIRS : s->pairs) * sizeof(pair);
    s->room = calloc(SEEN * each + sizeof(pair), 1);
    if (!s->room) return false;
    char *at = (char *)(((uintptr_t)s->room + sizeof(pair) - 1) / sizeof(pair) * sizeof(pair));
    pair **all[SEEN] = {&s->now,  &s->used, &s->worst, &s->when, &s->low,
                        &s->high, &s->step, &s->moved, &s->way,  &s->turn};
    for (int k = 0; k < SEEN; k++) *all[k] = (pair *)(at + (size_t)k * each);
    for (int32_t j = 0; j < n; j++) {
        ((double *)s->low)[j] = INFINITY;
        ((double *)s->high)[j] = -INFINITY;
    }
    return true;
}

static inline __attribute__((always_inline)) void widen_each(
    int32_t n, const double *restrict now, const double *restrict step, double *restrict worst,
    double *restrict when, double *restrict low, double *restrict high, double stop) {
    for (int32_t j = 0; j < n; j++) {
        double gap = fabs(step[j]);
        when[j] = gap > worst[j] ? stop : when[j];
        worst[j] = gap > worst[j] ? gap : worst[j];
        low[j] = now[j] < low[j] ? now[j] : low[j];
        high[j] = now[j] > high[j] ? now[j] : high[j];
    }
}

/* Some of these are farther or wider than before. False if any of all is NaN or Inf, and none
 * may be. */
WIDE static bool widen(const seen *s, int32_t begin, int32_t end, double stop, bool numbers) {
    if (numbers && !finite_all((const double *)s->now, 2 * s->pairs)) return false;
    widen_each(2 * (end - begin), (double *)(s->now + begin), (double *)(s->step + begin),
               (double *)(s->worst + begin), (double *)(s->when + begin),
               (double *)(s->low + begin), (double *)(s->high + begin), stop);
    return true;
}

/* The moves of a window join the sums; nothing that comes next waits for it. In pairs for a few,
 * as wide as the processor has it for many. */
static inline __attribute__((always_inline)) void sum_each(int32_t pairs,
                                                           const pair *restrict step,
                                                           pair *restrict moved,
                                                           pair *restrict way,
                                                           pair *restrict turn) {
    int32_t j = 0;
    do {
        pair now = step[j], turned = now - moved[j];
        way[j] += now * now;
        turn[j] += turned * turned;
        moved[j] = now;
    } while (++j < pairs);
}

static inline __attribute__((always_inline)) void sum_many(int32_t n, const double *restrict step,
                                                           double *restrict moved,
                                                           double *restrict way,
                                                           double *restrict turn) {
    for (int32_t j = 0; j < n; j++) {
        double now = step[j], turned = now - moved[j];
        way[j] += now * now;
        turn[j] += turned * turned;
        moved[j] = now;
    }
}

WIDE static void sum_all(const seen *s) {
    sum_many(2 * s->pairs, (const double *)s->step, (double *)s->moved, (double *)s->way,
             (double *)s->turn);
}

/* One signal after another. Members have only just put them there, and a processor waits with a pair
 * that it has to fetch from two such places, when the next window waits for it. All arrays are
 * reached from the first: they lie in the order of `seen_new`. */
static inline __attribute__((always_inline)) bool see_few(const seen *s, double stop,
                                                          bool numbers) {
    double *now = (double *)s->now, *used = now + APART, *worst = now + 2 * APART;
    double *low = now + 4 * APART, *high = now + 5 * APART, *step = now + 6 * APART;
    pair *steps = (pair *)step, *moved = steps + FEW_PAIRS;
    int32_t j = 0;
    do { /* where there is none, there is room for one, of zeros */
        double value = now[j], gap = step[j] = value - used[j];
        if (!(fabs(gap) <= worst[j]) || !(value >= low[j]) || !(value <= high[j])) {
            if (!(j & 1)) step[j + 1] = now[j + 1] - used[j + 1];
            for (int32_t k = j / 2 + 1; k < s->pairs; k++)
                steps[k] = ((pair *)now)[k] - ((pair *)used)[k];
            if (!widen(s, 0, s->pairs, stop, numbers)) return false;
            memcpy(used, now, (size_t)s->pairs * sizeof(pair));
            break;
        }
        used[j] = value;
    } while (++j < 2 * s->pairs);
    sum_each(s->pairs, steps, moved, moved + FEW_PAIRS, moved + 2 * FEW_PAIRS);
    return true;
}

/* Signals that were `used` for a window are `now` at its end; then they count as used. Most of the
 * time nothing is farther or wider than before, and a block is done with one look. What is no
 * number is never within anything. */
static inline __attribute__((always_inline)) bool see(const seen *s, double stop, bool numbers) {
    const flags positive = {INT64_MAX, INT64_MAX};
    if (s->pairs <= FEW_PAIRS) return see_few(s, stop, numbers);
    const pair *nows = s->now, *useds = s->used, *worst = s->worst, *low = s->low, *high = s->high;
    pair *steps = s->step; /* at hand: a store might else have changed where they are */
    for (int32_t begin = 0, end; begin < s->pairs; begin = end) {
        bits within = {-1, -1, -1, -1};
        end = begin + BLOCK < s->pairs ? begin + BLOCK : s->pairs;
        for (int32_t j = begin; j < end; j++) {
            pair now = nows[j], step = steps[j] = now - useds[j];
            pair gap = (pair)((flags)step & positive);
            within &= (bits)(gap <= worst[j]) & (bits)(now >= low[j]);
            within &= (bits)(now <= high[j]);
        }
        if (!(((flags)within)[0] & ((flags)within)[1])) {
            if (!widen(s, begin, end, stop, numbers)) return false;
            numbers = false; /* all are, as one look has shown */
        }
        for (int32_t j = begin; j < end; j++) s->used[j] = s->now[j];
    }
    sum_all(s);
    return true;
}

/* A first window has no move before it: as if that had been the same. */
static void see_first(const seen *s) {
    const double *now = (const double *)s->now, *used = (const double *)s->used;
    for (int32_t j = 0; j < 2 * s->pairs; j++) ((double *)s->moved)[j] = now[j] - used[j];
}
