/* ---- sizes that follow the windows of another run ------------------------------------------------ */

/* Twin of src/dovetail/verification/following.py, src/dovetail/verification/window_ends.py.
 * Same bits: tests/conformance/test_native_following.py. */

/* Ends of the two windows that a time lies in, from `first` on; none where `count` is 0. */
typedef struct {
    const double *ends;
    int count;
    bool is_known; /* else more of them must be told before anything can be said */
} around;

static around ends_around(const dt_control *c, double now) {
    const double *known = c->ends;
    int64_t low = 0, high = c->n_ends;
    while (low < high) { /* the first beyond now */
        int64_t middle = low + (high - low) / 2;
        if (known[middle] <= now)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t k = low;
    while (0 < k && k < c->n_ends && known[k] - now <= 1e-9 * (known[k] - known[k - 1])) k++;
    int64_t first = (k > 1 ? k - 1 : 0) / 2 * 2, left = c->n_ends - first;
    int count = left > 3 ? 3 : left > 0 ? (int)left : 0;
    bool is_known = count == 3 || c->all_told;
    return (around){known + first, k < c->n_ends ? count : 0, is_known};
}

/* Ends of steps over these windows: how many. */
static int step_ends(const around *at, int steps, double *found) {
    const double *e = at->ends;
    int n = 0;
    if (at->count == 3) {
        double a = e[0], b = e[1], c = e[2], first = b - a, second = c - b;
        double longer = second > first ? second : first, shorter = second < first ? second : first;
        if (steps == 1 && longer <= 2.0 * shorter) {
            found[0] = c;
            return 1;
        }
        if (steps == 3 && fabs(second - first) <= 1e-6 * (c - a)) {
            found[0] = a + (c - a) / 3;
            found[1] = c - (c - a) / 3;
            found[2] = c;
            return 3;
        }
    }
    for (int k = 1; k < at->count; k++) {
        if (steps == 3) found[n++] = e[k - 1] + (e[k] - e[k - 1]) / 2;
        found[n++] = e[k];
    }
    return n;
}

/* How far it is from there to the end of the next window; 0 where the other run has none. False: that
 * is not known yet. */
static bool next_size(const dt_control *c, double now, double *size) {
    around at = ends_around(c, now);
    double later = at.count ? now + 1e-9 * (at.ends[at.count - 1] - at.ends[0]) : now, found[4];
    int n = step_ends(&at, c->order, found);
    *size = 0;
    for (int k = 0; k < n && *size == 0; k++)
        if (found[k] > later) *size = found[k] - now;
    return at.is_known;
}

/* A window stands if it converges; all else is for Python. */
static decision judge_following(const dt_control *c, const tried *t) {
    decision said = {ACCEPT, 0, false};
    if (t->failed || !next_size(c, t->w.stop, &said.size)) return GIVEN_UP;
    return said;
}
