/* ---- windows of any size -------------------------------------------------------------------- */

/* Twin of src/dovetail/core/window.py, src/dovetail/controllers/limits.py.
 * Same bits: tests/conformance/test_native_control.py. */

typedef struct {
    double start, size, stop;
} window;

/* From a value to the next larger one; not for what is largest of all. */
static inline double resolution(double value) {
    uint64_t bits;
    double here = fabs(value), next;
    memcpy(&bits, &here, sizeof bits);
    bits++;
    memcpy(&next, &bits, sizeof next);
    return next - here;
}

static inline double farther(double a, double b) { return fabs(a) > fabs(b) ? fabs(a) : fabs(b); }

/* The window from `time` to the next line of a grid, or to the end. */
static window next_window(double origin, double size, double end, double time) {
    double slack = 1e-9 * size, least = 4 * resolution(farther(time, origin));
    if (least > slack) slack = least;
    double k = floor((time - origin + slack) / size);
    double line = origin + (k + 1) * size;
    bool on_line = fabs(time - (origin + k * size)) <= slack;
    if (line < end - slack) return (window){time, on_line ? size : line - time, line};
    bool whole = on_line && line <= end + slack;
    return (window){time, whole ? size : end - time, end};
}

static inline bool is_instant(const window *w) {
    return w->size <= 16 * resolution(farther(w->start, w->stop));
}

/* Whether a window of this size may be tried. */
static bool can_be_told(const window *w, double size, double first) {
    return size >= 1e-15 * first && size > 32 * resolution(farther(w->start, w->start + size));
}

static inline double clamped(double value, double low, double high) {
    double found = low > value ? low : value;
    return high < found ? high : found;
}
