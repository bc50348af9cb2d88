/* ---- what root finders learned, handed over --------------------------------------------------- */

/* No twin: a run goes on from what it knows, here as in Python; src/dovetail/fmi/native/learned.py has
 * the other end. */

static dt_iteration *learning(const dt_batch *b) {
    dt_iteration *it = b->plan ? b->plan->iteration : NULL;
    return it && it->known ? it : NULL;
}

/* All that is known, group by group: how many windows, and of each how many unknowns and columns, the
 * changes of residuals column by column, and those of answers. How many numbers that is; they are
 * written if there is somewhere to. */
EXPORT int64_t dt_lessons(dt_batch *b, double *into) {
    const dt_iteration *it = learning(b);
    int64_t count = 0;
    for (int32_t k = 0; it && k < it->n_groups; k++) {
        const lessons *l = it->known + k;
        if (into) into[count] = l->count;
        count++;
        for (int32_t i = 0; i < l->count; i++) {
            const secants *s = l->windows[i];
            int64_t numbers = 2 * (int64_t)s->n * s->columns;
            if (into) {
                into[count] = s->n;
                into[count + 1] = s->columns;
                memcpy(into + count + 2, s->values, (size_t)numbers * sizeof *into);
            }
            count += 2 + numbers;
        }
    }
    return count;
}

/* A whole number at a place, if there is one within bounds; else -1. */
static int32_t count_at(const double *from, int64_t count, int64_t at, double most) {
    return at < count && from[at] >= 0 && from[at] <= most ? (int32_t)from[at] : -1;
}

/* The same the other way; 1 if these numbers are not what `dt_lessons` gives. */
EXPORT int dt_learn(dt_batch *b, const double *from, int64_t count) {
    dt_iteration *it = learning(b);
    int64_t at = 0;
    for (int32_t k = 0; it && k < it->n_groups; k++) forget(it->known + k);
    for (int32_t k = 0; it && k < it->n_groups && count; k++) {
        lessons *l = it->known + k;
        int32_t windows = count_at(from, count, at++, 1 << 20);
        if (windows < 0 || !lessons_hold(l, windows)) return 1;
        for (int32_t i = 0; i < windows; i++) {
            int32_t n = count_at(from, count, at, 1 << 24), columns = count_at(from, count, at + 1, 1 << 24);
            int64_t numbers = 2 * (int64_t)n * columns;
            if (n < 0 || columns < 0 || numbers > count - at - 2) return 1;
            secants *s = secants_new(n, columns);
            if (!s) return 1;
            memcpy(s->values, from + at + 2, (size_t)numbers * sizeof *from);
            l->windows[l->count++] = s;
            at += 2 + numbers;
        }
    }
    return at != count;
}
