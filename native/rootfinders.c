/* ---- root finders ---------------------------------------------------------------------------- */

/* Twin of src/dovetail/rootfinders/aitken.py, src/dovetail/rootfinders/anderson.py,
 * src/dovetail/rootfinders/iqn_ils.py, src/dovetail/rootfinders/combination.py.
 * Same bits: tests/conformance/test_native_rootfinders.py. */

enum { SWEEPS = 0, FIXED_POINT = 1, NEWTON = 2, AITKEN = 3, ANDERSON = 4, IQN_ILS = 5 };

/* What a window taught: changes of residuals, then of answers, column by column, the newest first.
 * Shared by all that remember it. */
typedef struct {
    int32_t users, n, columns;
    double values[];
} secants;

/* What the last windows taught, the newest first. */
typedef struct {
    int32_t count, room;
    secants **windows;
} lessons;

/* Rows of numbers, as many as there come. */
typedef struct {
    double *numbers;
    size_t room;
} table;

/* A root finder's options, and room for what it combines. */
typedef struct {
    double relaxation, largest, filter;
    int32_t depth, reused;
    int32_t changes, past, columns; /* rows of each kind, of this search */
    table changed, points, made, basis, shares;
    const double **column, **answer; /* what is combined, and what that does to the point */
    int32_t *kept, room;
    double *weight, *rest, *c; /* of the unknowns; of those, as many as there are columns */
    double *old_r, *old_answer;
    double factor; /* of Aitken */
    bool has_old;
} dt_finder;

static double product(const double *a, const double *b, int32_t n) { /* one after another */
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Room for so many rows of `n`; false if there is none. */
static bool table_holds(table *t, int64_t rows, int32_t n) {
    size_t wanted = (size_t)rows * (size_t)n + 1;
    if (wanted <= t->room) return true;
    wanted *= 2;
    double *more = realloc(t->numbers, wanted * sizeof *more);
    if (!more) return false;
    t->numbers = more;
    t->room = wanted;
    return true;
}

static bool columns_hold(dt_finder *f, int32_t count) {
    if (count <= f->room) return true;
    size_t wanted = 2 * (size_t)count;
    const double **column = realloc(f->column, wanted * sizeof *column);
    if (column) f->column = column;
    const double **answer = realloc(f->answer, wanted * sizeof *answer);
    if (answer) f->answer = answer;
    int32_t *kept = realloc(f->kept, wanted * sizeof *kept);
    if (kept) f->kept = kept;
    double *c = realloc(f->c, wanted * sizeof *c);
    if (c) f->c = c;
    if (!column || !answer || !kept || !c) return false;
    f->room = (int32_t)wanted;
    return true;
}

/* ---- what is remembered ------------------------------------------------------------------------ */

static void release(secants *s) {
    if (s && !--s->users) free(s);
}

static void forget(lessons *l) {
    for (int32_t k = 0; k < l->count; k++) release(l->windows[k]);
    l->count = 0;
}

static bool lessons_hold(lessons *l, int32_t count) {
    if (count <= l->room) return true;
    secants **more = realloc(l->windows, 2 * (size_t)count * sizeof *more);
    if (!more) return false;
    l->windows = more;
    l->room = 2 * count;
    return true;
}

/* The same for each of `n` groups; what finds no room is forgotten, which no result depends on but in
 * its last digits. */
static void recall_lessons(lessons *to, const lessons *from, int32_t n) {
    for (int32_t k = 0; k < n; k++) {
        for (int32_t i = 0; i < from[k].count; i++) from[k].windows[i]->users++;
        forget(to + k);
        bool fits = lessons_hold(to + k, from[k].count);
        for (int32_t i = 0; i < from[k].count; i++)
            if (fits)
                to[k].windows[to[k].count++] = from[k].windows[i];
            else
                release(from[k].windows[i]);
    }
}

static secants *secants_new(int32_t n, int32_t columns) {
    size_t count = 2 * (size_t)n * (size_t)columns;
    secants *s = malloc(sizeof *s + count * sizeof *s->values);
    if (s) s->users = 1, s->n = n, s->columns = columns;
    return s;
}

/* A search has ended well: its changes come first now. */
static bool teach(dt_finder *f, lessons *l, int32_t n) {
    if (!f->changes || !f->reused) return true;
    secants *s = secants_new(n, f->changes);
    if (!s || !lessons_hold(l, l->count + 1)) {
        free(s);
        return false;
    }
    for (int32_t k = 0; k < f->changes; k++) { /* the newest first */
        const double *row = f->changed.numbers + 2 * (size_t)n * (size_t)(f->changes - 1 - k);
        memcpy(s->values + (size_t)n * (size_t)k, row, (size_t)n * sizeof *row);
        memcpy(s->values + (size_t)n * (size_t)(f->changes + k), row + n, (size_t)n * sizeof *row);
    }
    memmove(l->windows + 1, l->windows, (size_t)l->count * sizeof *l->windows);
    l->windows[0] = s;
    if (++l->count > f->reused) release(l->windows[--l->count]);
    return true;
}

/* ---- where to look next ------------------------------------------------------------------------ */

/* Columns that are worth something, and shares c with which they cancel r; how many. `fresh`: so many
 * of them are of this window. Below 0: there is no memory. */
static int32_t combination(dt_finder *f, int32_t n, const double *r, int32_t fresh, double stale) {
    int32_t kept = 0, most = f->columns < n ? f->columns : n;
    if (!table_holds(&f->basis, (int64_t)most + 1, n) || !table_holds(&f->shares, most, most))
        return -1;
    for (int32_t j = 0; j < f->columns && kept < n; j++) {
        double *v = f->basis.numbers + (size_t)kept * (size_t)n;
        double *shares = f->shares.numbers + (size_t)kept * (size_t)most;
        for (int32_t i = 0; i < n; i++) v[i] = f->column[j][i] * f->weight[i];
        double size = sqrt(product(v, v, n)), limit = j < fresh ? f->filter : stale;
        for (int32_t k = 0; k < kept; k++) {
            const double *q = f->basis.numbers + (size_t)k * (size_t)n;
            double share = shares[k] = product(q, v, n);
            for (int32_t i = 0; i < n; i++) v[i] = v[i] - share * q[i];
        }
        double left = sqrt(product(v, v, n));
        if (!(left > limit * size)) continue;
        shares[kept] = left;
        for (int32_t i = 0; i < n; i++) v[i] = v[i] / left;
        f->kept[kept++] = j;
    }
    for (int32_t i = 0; i < n; i++) f->rest[i] = r[i] * f->weight[i];
    for (int32_t k = 0; k < kept; k++) {
        const double *q = f->basis.numbers + (size_t)k * (size_t)n;
        double share = f->c[k] = product(q, f->rest, n);
        for (int32_t i = 0; i < n; i++) f->rest[i] = f->rest[i] - share * q[i];
    }
    for (int32_t k = kept - 1; k >= 0; k--) {
        const double *shares = f->shares.numbers + (size_t)k * (size_t)most;
        f->c[k] /= -shares[k];
        for (int32_t i = 0; i < k; i++) f->c[i] += shares[i] * f->c[k];
    }
    return kept;
}

/* z <- z + the first step or r, and what the combination does to it; false if there is no memory. */
static bool combine_step(dt_finder *f, int32_t n, double rtol, double atol, int32_t fresh,
                         double stale, double first, const double *r, double *z) {
    for (int32_t i = 0; i < n; i++) f->weight[i] = 1 / (fabs(z[i]) * rtol + atol);
    int32_t kept = combination(f, n, r, fresh, stale);
    if (kept < 0) return false;
    for (int32_t i = 0; i < n; i++) {
        double step = kept ? r[i] : first * r[i];
        for (int32_t k = 0; k < kept; k++) step = step + f->c[k] * f->answer[f->kept[k]][i];
        z[i] = z[i] + step;
    }
    return true;
}

static void step_aitken(dt_finder *f, int32_t n, const double *r, double *z) {
    if (f->has_old) {
        double *change = f->rest;
        for (int32_t i = 0; i < n; i++) change[i] = r[i] - f->old_r[i];
        double square = product(change, change, n);
        if (square > 0) {
            f->factor *= -product(f->old_r, change, n) / square;
            if (f->factor < -f->largest) f->factor = -f->largest;
            if (f->factor > f->largest) f->factor = f->largest;
        }
        if (f->factor == 0) f->factor = f->relaxation;
    }
    for (int32_t i = 0; i < n; i++) {
        z[i] = z[i] + f->factor * r[i];
        f->old_r[i] = r[i];
    }
    f->has_old = true;
}

/* Differences to past points, the newest first; this point is one of them from then on. */
static bool step_anderson(dt_finder *f, int32_t n, double rtol, double atol, const double *r,
                          double *z) {
    if (!f->depth) {
        for (int32_t i = 0; i < n; i++) z[i] = z[i] + r[i];
        return true;
    }
    size_t wide = (size_t)n;
    if (!table_holds(&f->points, 2 * ((int64_t)f->past + 1), n) ||
        !table_holds(&f->made, 2 * (int64_t)f->past, n) || !columns_hold(f, f->past + 1))
        return false;
    f->columns = f->past;
    for (int32_t k = 0; k < f->past; k++) {
        const double *at = f->points.numbers + 2 * wide * (size_t)(f->past - 1 - k);
        double *moved = f->made.numbers + 2 * wide * (size_t)k;
        for (int32_t i = 0; i < n; i++) {
            moved[i] = r[i] - at[n + i];
            moved[n + i] = (z[i] - at[i]) + moved[i];
        }
        f->column[k] = moved;
        f->answer[k] = moved + n;
    }
    if (f->past == f->depth) {
        memmove(f->points.numbers, f->points.numbers + 2 * wide,
                2 * wide * (size_t)(f->past - 1) * sizeof *z);
        f->past--;
    }
    double *here = f->points.numbers + 2 * wide * (size_t)f->past++;
    memcpy(here, z, wide * sizeof *z);
    memcpy(here + n, r, wide * sizeof *z);
    return combine_step(f, n, rtol, atol, f->columns, 0, 1.0, r, z);
}

/* The residual at a point is known: how it has changed, and what the parts make of the point. */
static bool note_change(dt_finder *f, int32_t n, const double *r, const double *z) {
    if (!f->has_old) return true;
    if (!table_holds(&f->changed, 2 * ((int64_t)f->changes + 1), n)) return false;
    double *row = f->changed.numbers + 2 * (size_t)n * (size_t)f->changes++;
    for (int32_t i = 0; i < n; i++) {
        row[i] = r[i] - f->old_r[i];
        row[n + i] = (z[i] + r[i]) - f->old_answer[i];
    }
    return true;
}

static bool step_iqn(dt_finder *f, const lessons *l, int32_t n, double rtol, double atol,
                     const double *r, double *z) {
    int64_t all = f->changes;
    for (int32_t k = 0; k < l->count; k++) all += l->windows[k]->columns;
    if (all > INT32_MAX / 4 || !columns_hold(f, (int32_t)all + 1)) return false;
    f->columns = 0;
    for (int32_t k = f->changes - 1; k >= 0; k--) {
        f->column[f->columns] = f->changed.numbers + 2 * (size_t)n * (size_t)k;
        f->answer[f->columns] = f->column[f->columns] + n;
        f->columns++;
    }
    for (int32_t k = 0; k < l->count; k++) {
        const secants *s = l->windows[k];
        for (int32_t j = 0; j < s->columns && s->n == n; j++) {
            f->column[f->columns] = s->values + (size_t)n * (size_t)j;
            f->answer[f->columns] = s->values + (size_t)n * (size_t)(s->columns + j);
            f->columns++;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        f->old_r[i] = r[i];
        f->old_answer[i] = z[i] + r[i];
    }
    f->has_old = true;
    double stale = f->filter > 1e-3 ? f->filter : 1e-3;
    return combine_step(f, n, rtol, atol, f->changes, stale, f->relaxation, r, z);
}

static void finder_free(dt_finder *f) {
    free(f->changed.numbers);
    free(f->points.numbers);
    free(f->made.numbers);
    free(f->basis.numbers);
    free(f->shares.numbers);
    free(f->column);
    free(f->answer);
    free(f->kept);
    free(f->c);
}
