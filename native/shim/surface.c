/* ---- sliding surfaces of junctions ----------------------------------------------------------------- */

/* Twin of src/dovetail/junctions/surface.py, src/dovetail/junctions/solving.py, but for rounding:
 * tests/exporting/test_junctions.py. */

static const double OF_ORDER[ORDERS] = {1e-15, 1e-11, 1e-8, 1e-8}; /* rounding of derivatives */

/* s = (mu d/dt + 1)^(index - 1) g, as a function of the unknowns of one group. */
typedef struct {
    exported *e;
    const junction_group *g;
    double mu;
    double *fixed, *blur, *trust; /* what does not depend on z, its rounding; that of the last s */
} surface;

static double weight_of(const surface *f, int32_t row, int order) {
    static const double ways[ORDERS][ORDERS] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
    return ways[f->g->index[row] - 1][order] * pow(f->mu, order);
}

/* Derivatives of this order of the outputs of one part, for its inputs among those of all. */
static void tell_part(exported *e, int32_t i, int order, double *values) {
    junctions *j = e->junctions;
    const dt_member *m = e->members + i;
    const equations *one = e->parts[i].instance;
    const model_equations *q = one->q;
    uint32_t first_u = (uint32_t)(q->n_p + q->n_x), first_y = first_u + (uint32_t)q->n_u;
    model_function f = order ? j->functions[i * ORDERS + order] : q->outputs;
    if (!f) return;
    memcpy(j->u, one->u, (size_t)q->n_u * sizeof *j->u);
    for (int32_t k = 0; k < m->n_in; k++) j->u[m->in_refs[k] - first_u] = j->inputs[m->in_at + k];
    f(one->time, one->x, j->u, one->p, j->y);
    for (int32_t k = 0; k < m->n_out; k++) values[m->out_at + k] = j->y[m->out_refs[k] - first_y];
}

/* Adds a term of this order to rows, and its rounding; `highest`: to those that end with it. */
static void add_term(const surface *f, int order, bool highest, const double *known, double *total,
                     double *blur) {
    const junction_group *g = f->g;
    const double *values = known ? known : f->e->junctions->values;
    bool wanted = false;
    for (int32_t row = 0; row < g->n; row++) {
        int top = g->index[row] - 1;
        wanted |= highest ? top == order : top > order;
    }
    if (!wanted) return;
    for (int32_t k = 0, last = -1; k < g->n_outputs && !known; last = g->owner[k++])
        if (g->owner[k] != last) tell_part(f->e, g->owner[k], order, f->e->junctions->values);
    for (int32_t row = 0; row < g->n; row++) {
        int top = g->index[row] - 1;
        if (highest ? top != order : top <= order) continue;
        double weight = weight_of(f, row, order), sum = 0, size = 0;
        for (int32_t k = 0; k < g->n_outputs; k++) {
            double factor = weight * g->N[row * g->n_outputs + k];
            if (factor == 0) continue; /* others are of no interest, and may be no numbers */
            sum += factor * values[g->output[k]];
            size += fabs(factor) * fabs(values[g->output[k]]);
        }
        total[row] += sum + (order ? 0 : weight * g->c[row]);
        blur[row] += OF_ORDER[order] * size;
    }
}

/* s(z); false where it is no number. */
static bool sliding(const surface *f, const double *z, double *s) {
    const junction_group *g = f->g;
    feed(g, z, f->e->junctions->inputs);
    copy(s, f->fixed, g->n);
    copy(f->trust, f->blur, g->n);
    for (int order = 0; order < ORDERS; order++) add_term(f, order, true, NULL, s, f->trust);
    for (int32_t row = 0; row < g->n; row++)
        for (int32_t k = 0; g->index[row] == 1 && k < g->n; k++) s[row] += g->D[row * g->n + k] * z[k];
    return finite_all(s, g->n);
}

/* Where parts stand now: what does not depend on the unknowns is found once. */
static void begin_surface(surface *f, const double *z) {
    memset(f->fixed, 0, (size_t)f->g->n * sizeof *f->fixed);
    memset(f->blur, 0, (size_t)f->g->n * sizeof *f->blur);
    feed(f->g, z, f->e->junctions->inputs);
    for (int order = 0; order < ORDERS - 1; order++)
        add_term(f, order, false, order ? NULL : f->e->memory.outputs, f->fixed, f->blur);
}

/* ds/dz by differences; a change that might be rounding is none. */
static bool slope_of(const surface *f, const double *z, const double *s, double *J, double *room) {
    int32_t n = f->g->n;
    double *moved = room, *there = room + n;
    for (int32_t k = 0; k < n; k++) {
        copy(moved, z, n);
        moved[k] += 1e-4 * fmax(fabs(z[k]), f->g->nominal[k]);
        if (!sliding(f, moved, there)) return false;
        for (int32_t i = 0; i < n; i++) {
            double change = there[i] - s[i];
            if (fabs(change) <= 0.1 * f->trust[i]) change = 0;
            J[i * n + k] = change / (moved[k] - z[k]);
        }
    }
    return true;
}

/* The least singular value, by turning columns until they are at right angles; `A` is used up. */
static double least_singular(double *A, int32_t n) {
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int32_t p = 0; p < n; p++)
            for (int32_t q = p + 1; q < n; q++) {
                double a = 0, b = 0, c = 0;
                for (int32_t i = 0; i < n; i++) {
                    a += A[i * n + p] * A[i * n + p];
                    b += A[i * n + q] * A[i * n + q];
                    c += A[i * n + p] * A[i * n + q];
                }
                if (c == 0 || fabs(c) <= 1e-15 * sqrt(a * b)) continue;
                off = 1;
                double zeta = (b - a) / (2 * c);
                double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
                for (int32_t i = 0; i < n; i++) {
                    double x = A[i * n + p], y = A[i * n + q];
                    A[i * n + p] = cosine * x - sine * y;
                    A[i * n + q] = sine * x + cosine * y;
                }
            }
        if (off == 0) break;
    }
    double least = INFINITY;
    for (int32_t k = 0; k < n; k++) {
        double size = 0;
        for (int32_t i = 0; i < n; i++) size += A[i * n + k] * A[i * n + k];
        least = fmin(least, sqrt(size));
    }
    return least;
}

/* J^-1, false where J is singular in rows and columns of equal weight. `room`: twice n by n, and twice n. */
static bool inverse_of(const junction_group *g, const double *J, double *inverse, double *room) {
    int32_t n = g->n;
    double *scaled = room, *used = room + n * n, *rows = used + n * n, *unit = rows + n;
    for (int32_t i = 0; i < n; i++) {
        rows[i] = 0;
        for (int32_t k = 0; k < n; k++) rows[i] = fmax(rows[i], fabs(J[i * n + k]) * g->nominal[k]);
        if (!finite_all(J + i * n, n) || rows[i] == 0) return false;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < n; k++) scaled[i * n + k] = J[i * n + k] * g->nominal[k] / rows[i];
    memcpy(used, scaled, (size_t)n * (size_t)n * sizeof *used);
    if (n > 1 && !(least_singular(used, n) >= 1e-11)) return false;
    for (int32_t k = 0; k < n; k++) {
        memcpy(used, scaled, (size_t)n * (size_t)n * sizeof *used);
        for (int32_t i = 0; i < n; i++) unit[i] = i == k;
        if (!eliminated(used, unit, n)) return false;
        for (int32_t i = 0; i < n; i++) inverse[i * n + k] = g->nominal[i] * unit[i] / rows[k];
    }
    return true;
}
