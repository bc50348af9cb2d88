/* ---- inputs that follow curves ------------------------------------------------------------- */

/* Twin of src/dovetail/algorithms/extrapolation.py, src/dovetail/algorithms/jacobi.py,
 * src/dovetail/algorithms/gauss_seidel.py.
 * Same bits: tests/conformance/test_curves.py. */

static const double NEAR = 0.01; /* of the window ahead: nearer points give no derivatives */

/* Polynomials through the past of all inputs, or ramps to what others have just found; as
 * algorithms/extrapolation.py has them, operation by operation. */
typedef struct dt_curves {
    int32_t columns, ramps;
    int32_t points;           /* of the past, up to `columns` */
    int32_t rows[MAX_COLUMNS]; /* which row of `values` holds each, the oldest first */
    int32_t padding;
    double times[MAX_COLUMNS];
    double since[MAX_COLUMNS];  /* the same, counted from the window's start */
    double powers[MAX_COLUMNS]; /* of the window's size */
    double *values;
    const int32_t *order;     /* by member: the highest power it follows; -1: any */
    const double *projection; /* by order: from powers of a time up to 1 to the best lower ones */
} dt_curves;

/* One more point: the inputs where the window starts. Of the older ones, those that suit it stay. */
static void join_past(dt_curves *e, double time, const double *inputs, int32_t n, double size) {
    bool taken[MAX_COLUMNS] = {false};
    int32_t kept[MAX_COLUMNS], count = 0, room = 0;
    double last = time;
    for (int32_t k = e->points - 1; k >= 0; k--)
        if (count + 1 < e->columns && last - e->times[k] >= NEAR * size) {
            kept[count++] = k;
            taken[e->rows[k]] = true;
            last = e->times[k];
        }
    while (taken[room]) room++;
    for (int32_t k = 0; k < count; k++) { /* upwards: none is overwritten before it has moved */
        e->times[k] = e->times[kept[count - 1 - k]];
        e->rows[k] = e->rows[kept[count - 1 - k]];
    }
    e->times[count] = time;
    e->rows[count] = room;
    e->points = count + 1;
    for (int32_t k = 0; k <= count; k++) e->since[k] = e->times[k] - time;
    memcpy(e->values + (size_t)room * (size_t)n, inputs, (size_t)n * sizeof *inputs);
}

/* Coefficients of powers of the local time: Newton's form, expanded. */
static inline __attribute__((always_inline)) void polynomial(int32_t points, const double *times,
                                                             double *differences,
                                                             const int32_t columns, double *a) {
    for (int32_t level = 1; level < points; level++)
        for (int32_t k = points - 1; k >= level; k--)
            differences[k] = (differences[k] - differences[k - 1]) / (times[k] - times[k - level]);
    for (int32_t c = 0; c < columns; c++) a[c] = 0;
    for (int32_t k = points - 1; k >= 0; k--) {
        for (int32_t c = columns - 1; c > 0; c--) a[c] = a[c - 1] - times[k] * a[c];
        a[0] *= -times[k];
        a[0] += differences[k];
    }
}

/* The nearest polynomial of a lower order over the window. */
static inline void flatten(const dt_curves *e, int32_t order, double *a) {
    const double *projection = e->projection + (size_t)order * MAX_COLUMNS * MAX_COLUMNS;
    double scaled[MAX_COLUMNS];
    for (int32_t c = 0; c < e->columns; c++) scaled[c] = a[c] * e->powers[c];
    for (int32_t r = 0; r < e->columns; r++, projection += MAX_COLUMNS) {
        double sum = scaled[0] * projection[0];
        for (int32_t c = 1; c < e->columns; c++) sum += scaled[c] * projection[c];
        a[r] = r <= order ? sum / e->powers[r] : 0;
    }
}

/* What input `j` does in this window. `found`: its source has given its value at the end. */
static inline void curve(const journey *g, int32_t j, bool found, double end, double *a) {
    const dt_curves *e = g->p->curves;
    double times[MAX_COLUMNS], points[MAX_COLUMNS];
    if (e->ramps) {
        a[0] = g->p->inputs[j];
        a[1] = (end - a[0]) / g->b->size;
        return;
    }
    int32_t n = 0, first = found && e->points == e->columns; /* the oldest makes room for the end */
    for (int32_t k = first; k < e->points; k++, n++) {
        times[n] = e->since[k];
        points[n] = e->values[(size_t)e->rows[k] * (size_t)g->p->n_inputs + (size_t)j];
    }
    if (found) {
        times[n] = g->b->size;
        points[n++] = end;
    }
    switch (e->columns) { /* unrolled, each */
        case 2: polynomial(n, times, points, 2, a); break;
        case 3: polynomial(n, times, points, 3, a); break;
        default: polynomial(n, times, points, 4, a);
    }
}

/* The curves of one member over the window; what it was given at its end is noted. */
static void bring_curves(const journey *g, int32_t turn) {
    dt_batch *b = g->b;
    const dt_plan *p = g->p;
    const dt_curves *e = p->curves;
    dt_member *m = b->members + p->order[turn];
    int32_t columns = e->columns, order = e->order[p->order[turn]], w = m->first_wire;
    double *a = m->inputs, *used = (double *)g->seen.used;
    for (int32_t j = m->in_at; j < m->in_at + m->n_in; j++, a += columns) {
        bool fed = w < m->last_wire && b->wire_target[w] == j, found = false;
        double end = p->inputs[j];
        if (fed && p->sequential) {
            int32_t source = b->wire_source[w];
            end = m->plain ? g->outputs[source] : on_wire(b, w, g->outputs);
            found = g->turn_of[source] < turn;
        }
        w += fed;
        curve(g, j, found, end, a);
        if (!e->ramps && order >= 0 && order < columns - 1) flatten(e, order, a);
        double value = a[columns - 1];
        for (int32_t c = columns - 2; c >= 0; c--) value = value * b->size + a[c];
        used[j] = value;
    }
    m->columns = columns;
}

/* One member follows its curves to the window's end. */
static int follow(const journey *g, int32_t turn) {
    dt_batch *b = g->b;
    dt_member *m = b->members + g->p->order[turn];
    if (!m->remote || !is_posted(m)) bring_curves(g, turn);
    if (advance(b, m)) return FAILED;
    copy(g->outputs + m->out_at, m->outputs, m->n_out);
    return 0;
}

static void follow_one(void *context, int index) {
    const journey *g = context;
    if (!atomic_load(&g->b->failed)) follow(g, index);
}

/* One window. In a sweep, no member steps after an output that is NaN or Inf. */
static int extrapolated_window(journey *g) {
    dt_batch *b = g->b;
    const dt_plan *p = g->p;
    p->curves->powers[0] = 1;
    for (int32_t k = 1; k < p->curves->columns; k++)
        p->curves->powers[k] = p->curves->powers[k - 1] * b->size;
    if (!p->curves->ramps) join_past(p->curves, b->time, p->inputs, p->n_inputs, b->size);
    if (b->hosts && !p->sequential) {
        if (hosts_ready(b)) return FAILED;
        for (int32_t i = 0; i < b->n; i++) {
            dt_member *m = b->members + p->order[i];
            if (!m->remote) continue;
            bring_curves(g, i);
            post(b, m);
        }
        hosts_send(b);
        for (int32_t i = 0; i < 2 * b->n; i++) { /* those here first */
            int32_t turn = i % b->n;
            bool here = !b->members[p->order[turn]].remote;
            if (here == (i < b->n) && follow(g, turn)) return FAILED;
        }
    } else if (b->pool && !p->sequential) {
        parallel(b->pool, b->n, follow_one, g);
        if (atomic_load(&b->failed)) return FAILED;
    } else {
        for (int32_t i = 0; i < b->n; i++) {
            const dt_member *m = b->members + p->order[i];
            if (follow(g, i)) return FAILED;
            if (p->sequential && !finite_all(m->outputs, m->n_out)) return NO_NUMBER;
        }
    }
    return finite_all(g->outputs, p->n_outputs) ? 0 : NO_NUMBER;
}
