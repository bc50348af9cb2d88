/* ---- a run as data ------------------------------------------------------------------------- */

/* Twin of src/dovetail/topology/routing.py, src/dovetail/subsystems/batch.py.
 * Same bits: tests/conformance/test_agreement.py. */

/* The same order as `NativePlan` in kernel.py. */
typedef struct {
    int32_t sequential; /* 0: Jacobi, 1: Gauss-Seidel in `order` */
    int32_t n_inputs, n_outputs, n_recorded, n_wires, plain;
    const int32_t *order;
    const int32_t *recorded;           /* places among outputs, then inputs */
    double *inputs, *outputs;          /* as they stand */
    double *worst, *when, *low, *high; /* what the witness saw */
    double *jump, *jumped;             /* how far inputs moved in a window before they were used */
    dt_iteration *iteration;           /* NULL: one pass a window */
    struct dt_curves *curves;          /* NULL: inputs are held, unless they iterate */
    int64_t iterations, doubtful;      /* counted */
    int32_t straight;                  /* recorded are outputs, one after another */
    int32_t handed_over;               /* a window that Python has to decide */
    double *trial;                     /* what a single window was given: a row per input */
} dt_plan;

typedef struct {
    double start, size, stop, origin;
    int64_t line, count;
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
    double *far = before ? p->jump : p->worst;
    if (worst[k] > far[j]) {
        far[j] = worst[k];
        (before ? p->jumped : p->when)[j] = when[k];
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
        return;
    }
    for (int32_t i = 0; i < b->n; i++) {
        const dt_member *m = b->members + p->order[i];
        for (int32_t j = m->in_at, w = m->first_wire; j < m->in_at + m->n_in; j++) {
            double still = p->inputs[j];
            if (w < m->last_wire && b->wire_target[w] == j) { /* targets are sorted */
                int32_t source = b->wire_source[w];
                bool before = p->sequential && g->turn_of[source] < i;
                note(p, &g->seen, p->plain ? source : w, j, before);
                w++;
                continue;
            }
            if (still < p->low[j]) p->low[j] = still;
            if (still > p->high[j]) p->high[j] = still;
        }
    }
}

/* A line: the time, then what is recorded. */
static inline __attribute__((always_inline)) void record(const journey *g, double time,
                                                         double *line) {
    const dt_plan *p = g->p;
    int32_t n = p->n_recorded;
    line[0] = time;
    if (p->straight && n > 8) {
        memcpy(line + 1, g->outputs + p->recorded[0], (size_t)n * sizeof *line);
        return;
    }
    for (int32_t j = 0; j < n; j++) {
        int32_t place = p->recorded[j];
        line[j + 1] = place < p->n_outputs ? g->outputs[place] : p->inputs[place - p->n_outputs];
    }
}
