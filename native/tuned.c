/* ---- parameters that are connected ------------------------------------------------------------ */

/* Twin of src/dovetail/fmi/parts/tuner.py.
 * Same bits: tests/conformance/test_native_tunable.py. */

/* They are the last inputs of a member, held over a window, and set before a step only where they have
 * changed: to many FMUs any setting is an event. Where they count at events only, that is for Python. */
typedef struct dt_tuned {
    double *now, *before, *first; /* as the FMU has them, then whether it has any: now, where a step
                                     began, and a window of which that is a part; NULL: at events only */
    const uint32_t *refs;
    int32_t n_refs, n; /* variables, of which some may be arrays; scalars */
} dt_tuned;

/* Whether the FMU has others than these, each the first of a row. */
static bool tunes(const dt_tuned *t, const double *known, const double *rows, int32_t columns) {
    for (int32_t j = 0; j < t->n; j++)
        if (!(rows[j * columns] == known[j])) return true;
    return false;
}

/* The rows of a member that are parameters. */
static const double *tuned_rows(const dt_member *m, const double *inputs, int32_t columns) {
    return inputs + (m->n_in - m->tuned->n) * columns;
}

/* Before a step with the inputs in m->inputs; a status. */
static unsigned set_tuned(dt_member *m) {
    dt_tuned *t = m->tuned;
    const double *rows = tuned_rows(m, m->inputs, m->columns);
    if (t->now[t->n] != 0 && !tunes(t, t->now, rows, m->columns)) return OK;
    double *values = m->scratch + m->n_set;
    for (int32_t j = 0; j < t->n; j++) values[j] = rows[j * m->columns];
    unsigned status =
        m->version == 3 ? (unsigned)((access_3)m->set_real)(m->instance, t->refs, (size_t)t->n_refs,
                                                            values, (size_t)t->n)
                        : (unsigned)((access_12)m->set_real)(m->instance, t->refs, (size_t)t->n, values);
    if (status > WARNING) return status;
    memcpy(t->now, values, (size_t)t->n * sizeof *values);
    t->now[t->n] = 1;
    return status;
}

static void tuned_keep(const dt_tuned *t, double *to, const double *from) {
    if (t->now) memcpy(to, from, ((size_t)t->n + 1) * sizeof *to);
}

/* Where a step begins that may be taken back. */
static void tuned_mark(dt_member *m) { tuned_keep(m->tuned, m->tuned->before, m->tuned->now); }

static void tuned_back(dt_member *m) { tuned_keep(m->tuned, m->tuned->now, m->tuned->before); }

/* The same for a window that may take several. */
static void tuned_begin(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->n_tuned; i++) {
        dt_member *m = b->members + i;
        if (!m->tuned) continue;
        tuned_keep(m->tuned, m->tuned->first, m->tuned->now);
        tuned_mark(m);
    }
}

static void tuned_return(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->n_tuned; i++) {
        const dt_tuned *t = b->members[i].tuned;
        if (t) tuned_keep(t, t->now, t->first);
    }
}
