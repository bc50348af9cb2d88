/* ---- junctions whose unknowns follow the parts, by sliding mode ------------------------------------- */

/* Twin of src/dovetail/junctions/solving.py, src/dovetail/junctions/settlement.py,
 * src/dovetail/junctions/junction_coordinator.py, but for rounding: tests/exporting/test_junctions.py. */

enum { MOST_MOVES = 60, SETTLING_ROUNDS = 20, SOLVED = 0, UNSOLVED = 1, SINGULAR = 2, LOST_WAY = 3 };
static const double ENOUGH = 1e-8, ROUNDED = 1e-5, USUAL_SHRINK = 0.9, WINDOWS_TO_DECAY = 2;

/* One search: where it stands. */
typedef struct {
    surface *f;
    double *z, *s, *move, *there, *value, *trust, *weight, *inverse, *room;
} search;

static double scaled_by(const search *h, const double *v) { /* |J^-1 v| */
    double most = 0;
    int32_t n = h->f->g->n;
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++) sum += h->inverse[i * n + k] * v[k];
        most = fmax(most, fabs(sum) / h->weight[i]);
    }
    return most;
}

/* A root between two points of opposite sign, by false position with halved ends: of one unknown. */
static int bracketed(search *h) {
    double nominal = h->f->g->nominal[0], a = *h->z, fa = *h->s, b = a, fb = fa, c, fc;
    double step = 1e-3 * fmax(fabs(a), nominal);
    int k = 0;
    for (; k < 60; k++) {
        b = a + step * ldexp(1, k / 2) * (k % 2 ? -1 : 1);
        if (sliding(h->f, &b, &fb) && fa * fb <= 0) break;
    }
    if (k == 60) return UNSOLVED;
    for (k = 0; k < 200; k++) {
        c = fb != fa ? (a * fb - b * fa) / (fb - fa) : (a + b) / 2;
        if (!sliding(h->f, &c, &fc)) return LOST_WAY;
        if (fabs(b - a) <= ENOUGH * fmax(fabs(c), nominal) || fabs(fc) <= *h->f->trust) {
            *h->z = c;
            return slope_of(h->f, &c, &fc, h->f->g->J, h->room) ? SOLVED : LOST_WAY;
        }
        if (fc * fb < 0)
            a = b, fa = fb;
        else
            fa /= 2;
        b = c, fb = fc;
    }
    *h->z = b;
    return UNSOLVED;
}

/* A share of the move that brings s nearer: its size then, else infinite; how much s scatters beside. */
static double moved_closer(search *h, double norm, double *scatter) {
    int32_t n = h->f->g->n;
    *scatter = 0;
    for (double share = 1; share >= ldexp(1, -14); share /= 2) {
        for (int32_t k = 0; k < n; k++) h->there[k] = h->z[k] + share * h->move[k];
        if (!sliding(h->f, h->there, h->value)) continue;
        double size = scaled_by(h, h->value);
        if (size <= (1 - share / 4) * norm) return size;
        if (share > ldexp(1, -7) || !isfinite(size)) continue;
        for (int32_t k = 0; k < n; k++) h->value[k] -= (1 - share) * h->s[k];
        *scatter = fmax(*scatter, scaled_by(h, h->value));
    }
    return INFINITY;
}

/* Moves z until J^-1 s is nothing. */
static int searched_for(search *h) {
    const junction_group *g = h->f->g;
    int32_t n = g->n;
    bool known = *g->known != 0, fresh = !known, inverted = false;
    if (!sliding(h->f, h->z, h->s)) return LOST_WAY;
    copy(h->trust, h->f->trust, n);
    for (int count = 0; count < MOST_MOVES; count++) {
        if (!known) {
            if (!slope_of(h->f, h->z, h->s, g->J, h->room)) return LOST_WAY;
            known = fresh = true, inverted = false;
        }
        if (!inverted && !inverse_of(g, g->J, h->inverse, h->room)) {
            if (fresh) return SINGULAR;
            known = false;
            continue;
        }
        inverted = true;
        bool small = true;
        double norm = 0, scatter;
        for (int32_t i = 0; i < n; i++) {
            h->move[i] = 0;
            for (int32_t k = 0; k < n; k++) h->move[i] -= h->inverse[i * n + k] * h->s[k];
            h->weight[i] = fmax(fabs(h->z[i]), g->nominal[i]);
            norm = fmax(norm, fabs(h->move[i]) / h->weight[i]);
            small &= fabs(h->s[i]) <= h->trust[i];
        }
        if (norm <= ENOUGH || small) {
            for (int32_t k = 0; norm <= ENOUGH && k < n; k++) h->z[k] += h->move[k];
            return SOLVED;
        }
        double size = moved_closer(h, norm, &scatter);
        if (isfinite(size)) {
            copy(h->z, h->there, n);
            copy(h->s, h->value, n);
            copy(h->trust, h->f->trust, n);
            fresh = false;
            known = size <= norm / 4;
        } else if (!fresh) {
            known = false;
        } else if (norm <= ROUNDED && scatter > norm / 4) {
            return SOLVED; /* s is no more than its own rounding */
        } else {
            return n == 1 ? bracketed(h) : UNSOLVED;
        }
    }
    return UNSOLVED;
}

static bool has_slope(const junction_group *g) {
    for (int32_t k = 0; k < g->n * g->n; k++)
        if (g->J[k] != 0) return true;
    return false;
}

/* The unknowns of one group, where the parts stand now. */
static int settle_group(exported *e, junction_group *g, double size, bool first) {
    int32_t n = g->n;
    double *at = g->room, *rooms[10];
    for (int k = 0; k < 10; k++, at += n) rooms[k] = at;
    *g->window = fmax(size, first ? 0 : USUAL_SHRINK * *g->window);
    double mu = isnan(g->time_scale) ? fmax(WINDOWS_TO_DECAY * *g->window, g->asked) : g->time_scale;
    if (first && !g->presolves) return OK;
    surface f = {e, g, mu, rooms[0], rooms[1], rooms[2]};
    search h = {&f, g->z, rooms[3], rooms[4], rooms[5], rooms[6], rooms[7], rooms[8], at, at + n * n};
    begin_surface(&f, g->z);
    int found = searched_for(&h);
    *g->known = found < SINGULAR && has_slope(g);
    if (found == SOLVED) return OK;
    if (found == UNSOLVED) {
        tell(e, WARNING, "the junction %s was left without a solution at t = %.17g s", g->name, e->time);
        return OK;
    }
    tell(e, ERROR, found == SINGULAR ? "the unknowns of the junction %s cannot be distinguished at "
                                       "t = %.17g s: a part saturates or is at a dead point"
                                     : "the parts of the junction %s give NaN or Inf at t = %.17g s",
         g->name, e->time);
    return ERROR;
}

/* The unknowns of all groups follow the parts; what feels them at once answers again. */
static int settle_junctions(exported *e, double size, bool first) {
    junctions *j = e->junctions;
    if (!j) return OK;
    memcpy(j->inputs, e->batch->start, (size_t)e->batch->n_inputs * sizeof(double));
    for (int32_t w = 0; w < e->batch->n_wires; w++)
        j->inputs[e->batch->wire_target[w]] = on_wire(e->batch, w, e->memory.outputs);
    for (int32_t k = 0; k < j->n; k++) feed(j->groups + k, j->groups[k].z, j->inputs);
    for (int32_t k = 0; k < j->n; k++) {
        int status = settle_group(e, j->groups + k, size, first);
        if (status != OK) return status;
        feed(j->groups + k, j->groups[k].z, j->inputs);
    }
    feed_all(e);
    *j->stale = 0;
    for (int64_t k = 0; k < j->n_again && !first; k++) {
        e->parts[j->again[k]].has_tried = false;
        int status = ask_known(e, j->again[k]);
        if ((unsigned)status > WARNING) return status;
    }
    return OK;
}

static size_t unknowns_to(const junctions *j, double *to) {
    size_t count = 0;
    for (int32_t k = 0; k < j->n; count += (size_t)j->groups[k++].n)
        if (to) memcpy(to + count, j->groups[k].z, (size_t)j->groups[k].n * sizeof *to);
    return count;
}

/* Start values: outputs for these unknowns and unknowns for these outputs in turns, until they stay. */
static int solve_start(exported *e) {
    junctions *j = e->junctions;
    begin_junctions(e);
    int status = agree_at_start(e);
    if (!j) return status;
    size_t n = unknowns_to(j, NULL);
    double *old = malloc(2 * n * sizeof *old);
    if (!old) return ERROR;
    for (int round = 0; round < SETTLING_ROUNDS && (unsigned)status <= WARNING; round++) {
        unknowns_to(j, old);
        status = settle_junctions(e, e->block.size, true);
        unknowns_to(j, old + n);
        if ((unsigned)status > WARNING || !memcmp(old, old + n, n * sizeof *old)) break;
        status = agree_at_start(e);
    }
    free(old);
    if ((unsigned)status > WARNING) e->dirty = true;
    return status;
}
