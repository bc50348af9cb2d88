/* ---- what a fused run sees of its signals ------------------------------------------------- */

/* Twin of src/dovetail/observe/witness.py.
 * Same bits: tests/conformance/test_agreement.py, tests/conformance/test_native_windows.py. */

/* As wide as every processor has it; wider ones gain little here. */
typedef double pair __attribute__((vector_size(16), may_alias));
typedef int64_t flags __attribute__((vector_size(16), may_alias));
typedef int32_t bits __attribute__((vector_size(16), may_alias)); /* compilers leave these alone */

enum { BLOCK = 32, FEW_PAIRS = 8 };

/* How far each signal moved in a window, when it moved farthest, and the range it covers. In
 * pairs, the last filled up with a zero. */
typedef struct {
    int32_t pairs;
    pair *now, *used, *worst, *when, *low, *high;
    void *room;
} seen;

static bool seen_new(seen *s, int32_t n) {
    s->pairs = (n + 1) / 2;
    size_t each = (size_t)s->pairs * sizeof(pair);
    s->room = calloc(6 * each + sizeof(pair), 1);
    if (!s->room) return false;
    char *at = (char *)(((uintptr_t)s->room + sizeof(pair) - 1) / sizeof(pair) * sizeof(pair));
    pair **all[] = {&s->now, &s->used, &s->worst, &s->when, &s->low, &s->high};
    for (int k = 0; k < 6; k++) *all[k] = (pair *)(at + (size_t)k * each);
    for (int32_t j = 0; j < n; j++) {
        ((double *)s->low)[j] = INFINITY;
        ((double *)s->high)[j] = -INFINITY;
    }
    return true;
}

static inline __attribute__((always_inline)) void widen_each(
    int32_t n, const double *restrict now, const double *restrict used, double *restrict worst,
    double *restrict when, double *restrict low, double *restrict high, double stop) {
    for (int32_t j = 0; j < n; j++) {
        double gap = fabs(now[j] - used[j]);
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
    widen_each(2 * (end - begin), (double *)(s->now + begin), (double *)(s->used + begin),
               (double *)(s->worst + begin), (double *)(s->when + begin),
               (double *)(s->low + begin), (double *)(s->high + begin), stop);
    return true;
}

/* One signal after another. Members have only just put them there, and a processor waits with a pair
 * that it has to fetch from two such places, when the next window waits for it. */
static inline __attribute__((always_inline)) bool see_few(const seen *s, double stop,
                                                          bool numbers) {
    const double *now = (const double *)s->now, *worst = (const double *)s->worst;
    const double *low = (const double *)s->low, *high = (const double *)s->high;
    double *used = (double *)s->used;
    for (int32_t j = 0; j < 2 * s->pairs; j++) {
        double value = now[j];
        if (!(fabs(value - used[j]) <= worst[j]) || !(value >= low[j]) || !(value <= high[j])) {
            if (!widen(s, 0, s->pairs, stop, numbers)) return false;
            memcpy(used, now, (size_t)s->pairs * sizeof(pair));
            return true;
        }
        used[j] = value;
    }
    return true;
}

/* Signals that were `used` for a window are `now` at its end; then they count as used. Most of the
 * time nothing is farther or wider than before, and a block is done with one look. What is no
 * number is never within anything. */
static inline __attribute__((always_inline)) bool see(const seen *s, double stop, bool numbers) {
    const flags positive = {INT64_MAX, INT64_MAX};
    if (s->pairs <= FEW_PAIRS) return see_few(s, stop, numbers);
    for (int32_t begin = 0, end; begin < s->pairs; begin = end) {
        bits within = {-1, -1, -1, -1};
        end = begin + BLOCK < s->pairs ? begin + BLOCK : s->pairs;
        for (int32_t j = begin; j < end; j++) {
            pair now = s->now[j], gap = (pair)((flags)(now - s->used[j]) & positive);
            within &= (bits)(gap <= s->worst[j]) & (bits)(now >= s->low[j]);
            within &= (bits)(now <= s->high[j]);
        }
        if (!(((flags)within)[0] & ((flags)within)[1])) {
            if (!widen(s, begin, end, stop, numbers)) return false;
            numbers = false; /* all are, as one look has shown */
        }
        for (int32_t j = begin; j < end; j++) s->used[j] = s->now[j];
    }
    return true;
}
