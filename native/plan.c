/* ---- a run as data ------------------------------------------------------------------------- */

/* Twin of src/dovetail/topology/routing.py, src/dovetail/subsystems/batch.py,
 * src/dovetail/observe/input_course.py.
 * Same bits: tests/conformance/test_agreement.py. */

/* What changes as a run goes on: memory from outside, bound for a call. Vectors have an element for
 * each input, `outputs` for each output. The same order as `NativeMemory` in kernel.py. */
typedef struct dt_memory {
    double *inputs, *outputs;          /* as they stand */
    double *worst, *when, *low, *high; /* what the witness saw */
    double *bend, *bent;               /* farthest from what inputs can follow, and when */
    double *off, *way, *turn;          /* sums of squares: of mismatches, of moves, of their changes */
    double *moved, *turned;            /* in the last window */
    double *trial;                     /* what a single window was given: a row per input */
    double *past;                      /* points that inputs are extrapolated from, a row each; with
                                          cubics outputs where the last windows ended */
    double *slopes;                    /* with cubics: derivatives of outputs as they stand */
    double *bonds;                     /* with bonds: a row for each window that stands, or NULL */
    int32_t *known;                    /* of moved and turned: none, one, both */
    double times[MAX_COLUMNS];         /* of those points, the oldest first; of ends the newest */
    int32_t rows[MAX_COLUMNS];         /* which row of `past` holds each */
    int32_t points, handed_over;       /* how many; a window that Python has to decide */
    int64_t iterations, doubtful;      /* counted */
} dt_memory;

/* How long windows are: a controller's options, see control.c. Kind 0: of one size. */
typedef struct {
    int32_t kind, order, ranged, rejects, stops;
    double rtol, atol, first_size, min_size, max_size, safety;
} dt_sizes;

/* A plan as it was read, by plan_read.c, with the memory it is run in. */
typedef struct dt_plan {
    double origin, size, stop; /* of the grid */
    dt_sizes sizes;
    int32_t sequential; /* 0: Jacobi, 1: Gauss-Seidel in `order` */
    int32_t n_inputs, n_outputs, n_recorded, n_wires, plain;
    const int32_t *order;
    const int32_t *recorded;           /* places among outputs, then inputs */
    double *inputs, *outputs;          /* as they stand */
    double *worst, *when, *low, *high; /* what the witness saw */
    double *bend, *bent;               /* farthest from what inputs can follow, and when */
    double *off, *way, *turn;          /* sums of squares: of mismatches, of moves, of their changes */
    double *moved, *turned;            /* in the last window */
    const int32_t *follows;            /* by input: the highest power of time */
    int32_t *known;                    /* of moved and turned: none, one, both */
    dt_iteration *iteration;           /* NULL: one pass a window */
    struct dt_curves *curves;          /* NULL: inputs are held, unless they iterate */
    struct dt_bonds *bonds;            /* NULL: no ports are watched */
    int64_t iterations, doubtful;      /* counted */
    int32_t straight;                  /* recorded are outputs, one after another */
    int32_t handed_over;               /* a window that Python has to decide */
    double *trial;                     /* what a single window was given: a row per input */
} dt_plan;

static void plan_free(struct dt_plan *p) {
    if (p) iteration_free(p->iteration);
}

typedef struct {
    double start, size, stop; /* of the first */
    int64_t line, count;
    int64_t width; /* from one line of what is recorded to the next, in numbers */
} dt_stretch;

struct dt_curves;
struct rank;
struct turn;

/* A run as it goes. */
typedef struct {
    dt_batch *b;
    dt_plan *p;
    double *outputs; /* where members put them */
    seen seen;       /* what is watched: outputs, or scaled wires, or inputs */
    struct turn *turns;
    struct rank *ranks;
    int32_t n_ranks;
    int32_t *turn_of;  /* by output */
    bool shows_inputs; /* records them */
    bool by_input;     /* watches those: they are not what outputs were */
    double *start;     /* inputs where the window began, if it watches those */
} journey;

WIDE static void route_plain(int32_t n, const int32_t *restrict target,
                             const int32_t *restrict source, const double *restrict y,
                             double *restrict u) {
    for (int32_t w = 0; w < n; w++) u[target[w]] = y[source[w]];
}

static inline double on_wire(const dt_batch *b, int32_t wire, const double *outputs) {
    return b->wire_gain[wire] * outputs[b->wire_source[wire]] + b->wire_offset[wire];
}

/* What the outputs make of the inputs, all as the Python path does it. */
static void route_all(const journey *g, double *inputs) {
    const dt_batch *b = g->b;
    const dt_plan *p = g->p;
    if (p->plain)
        route_plain(p->n_wires, b->wire_target, b->wire_source, g->outputs, inputs);
    else
        for (int32_t w = 0; w < p->n_wires; w++)
            inputs[b->wire_target[w]] = on_wire(b, w, g->outputs);
}

/* What is watched, as it is now. */
static void look(const journey *g) {
    double *now = (double *)g->seen.now;
    if (g->by_input)
        route_all(g, now);
    else if (!g->p->plain)
        for (int32_t w = 0; w < g->p->n_wires; w++) now[w] = on_wire(g->b, w, g->outputs);
}

/* How far signal `k` went is how far input `j` was from what its source gave at a window's end, or
 * how far it moved just before it was used. */
static void note(const dt_plan *p, const seen *s, int32_t k, int32_t j, bool before) {
    const double *worst = (double *)s->worst, *when = (double *)s->when;
    const double *low = (double *)s->low, *high = (double *)s->high;
    double *far = before ? p->bend : p->worst;
    if (worst[k] > far[j]) {
        far[j] = worst[k];
        (before ? p->bent : p->when)[j] = when[k];
    }
    if (low[k] < p->low[j]) p->low[j] = low[k];
    if (high[k] > p->high[j]) p->high[j] = high[k];
}

/* What was seen of signals, noted for inputs. In a sweep, a member after its source is given what
 * that found in the same window. */
static void note_inputs(const journey *g) {
    const dt_batch *b = g->b;
    const dt_plan *p = g->p;
    if (g->by_input) {
        for (int32_t j = 0; j < p->n_inputs; j++) note(p, &g->seen, j, j, false);
        memcpy(p->off, g->seen.way, (size_t)p->n_inputs * sizeof(double));
        return;
    }
    for (int32_t i = 0; i < b->n; i++) {
        const dt_member *m = b->members + p->order[i];
        for (int32_t j = m->in_at, w = m->first_wire; j < m->in_at + m->n_in; j++) {
            double still = p->inputs[j];
            if (w < m->last_wire && b->wire_target[w] == j) { /* targets are sorted */
                int32_t source = b->wire_source[w], k = p->plain ? source : w;
                bool before = p->sequential && g->turn_of[source] < i;
                note(p, &g->seen, k, j, before);
                p->moved[j] = ((double *)g->seen.moved)[k];
                p->way[j] = ((double *)g->seen.way)[k];
                p->turn[j] = ((double *)g->seen.turn)[k];
                if (!before) p->off[j] = p->way[j]; /* held values are off by as much as they move */
                w++;
                continue;
            }
            if (still < p->low[j]) p->low[j] = still;
            if (still > p->high[j]) p->high[j] = still;
        }
    }
}

/* The sums go on from where they stood. Inputs of one source have the same. */
static void recall(journey *g) {
    const dt_batch *b = g->b;
    const dt_plan *p = g->p;
    double *moved = (double *)g->seen.moved, *way = (double *)g->seen.way;
    double *turn = (double *)g->seen.turn;
    if (g->by_input) {
        memcpy(way, p->off, (size_t)p->n_inputs * sizeof *way);
        return;
    }
    for (int32_t w = 0; w < p->n_wires; w++) {
        int32_t j = b->wire_target[w], k = p->plain ? b->wire_source[w] : w;
        moved[k] = p->moved[j];
        way[k] = p->way[j];
        turn[k] = p->turn[j];
    }
}

/* Where inputs are watched themselves: how they moved, and what of it they cannot follow. */
static void bend_each(const journey *g, double stop) {
    const dt_plan *p = g->p;
    const double *now = (const double *)g->seen.now;
    int32_t known = *p->known;
    for (int32_t j = 0; j < p->n_inputs; j++) {
        double moved = now[j] - g->start[j];
        double turned = moved - (known > 0 ? p->moved[j] : moved);
        double twisted = turned - (known > 1 ? p->turned[j] : turned);
        double bend = fabs(p->follows[j] == 0 ? moved : p->follows[j] == 1 ? turned : twisted);
        p->way[j] += moved * moved;
        p->turn[j] += turned * turned;
        if (bend > p->bend[j]) {
            p->bend[j] = bend;
            p->bent[j] = stop;
        }
        p->moved[j] = moved;
        if (p->follows[j] > 1) p->turned[j] = turned;
    }
}

/* A line: the time, then what is recorded. The time comes last: where lines are memory of a file, one
 * that has none was torn by the end of the process. */
static inline __attribute__((always_inline)) void record(const journey *g, double time,
                                                         double *line) {
    const dt_plan *p = g->p;
    int32_t n = p->n_recorded;
    if (p->straight && n > 8)
        memcpy(line + 1, g->outputs + p->recorded[0], (size_t)n * sizeof *line);
    else
        for (int32_t j = 0; j < n; j++) {
            int32_t at = p->recorded[j];
            line[j + 1] = at < p->n_outputs ? g->outputs[at] : p->inputs[at - p->n_outputs];
        }
    atomic_signal_fence(memory_order_release);
    line[0] = time;
}
