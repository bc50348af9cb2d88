/* ---- few windows at a time --------------------------------------------------------------------- */

/* Twin of src/dovetail/algorithms/jacobi.py, src/dovetail/algorithms/gauss_seidel.py.
 * Same bits: tests/exporting/test_same_bits.py, tests/exporting/test_single_steps.py.
 *
 * A step of the importer is often one window, and most windows of near-free parts last less than a run of
 * the kernel takes to begin and end. What that keeps for a verdict, no export is asked for: here are the
 * same windows, and nothing beside. */

enum { FEW = 8 }; /* windows: from here on the kernel's run is as quick */

/* A run of the kernel that is kept from call to call, without what it watches for a verdict. */
static bool singles_new(exported *e) {
    const dt_batch *b = e->batch;
    const dt_plan *p = b->plan;
    journey *g = &e->single;
    size_t n = (size_t)b->n + 1, signals = (size_t)(b->n_outputs + b->n_inputs) + 2;
    *g = (journey){.b = e->batch, .p = b->plan, .outputs = e->memory.outputs};
    g->by_input = p->iteration || p->curves;
    g->turn_of = calloc((size_t)b->n_outputs + 1, sizeof *g->turn_of);
    g->turns = malloc(n * sizeof *g->turns);
    g->ranks = malloc(n * sizeof *g->ranks);
    g->start = malloc(signals * sizeof *g->start);
    if (!g->turn_of || !g->turns || !g->ranks || !g->start) return false;
    g->seen.used = (pair *)g->start;
    b->plan->inputs = e->memory.inputs;
    fall_in(g);
    return true;
}

static void singles_free(exported *e) {
    free(e->single.turn_of), free(e->single.turns), free(e->single.ranks), free(e->single.start);
    e->single = (journey){0};
}

static bool goes_singly(const exported *e, int64_t count) {
    return (count < FEW && !e->batch->guests && !e->batch->hosts) || e->block.carried.n;
}

/* A window in which each part steps once, with inputs that are held. */
static int held_window(journey *g) {
    const dt_batch *b = g->b;
    double *used = (double *)g->seen.used;
    if (g->p->sequential)
        ; /* each is given what is there when its turn comes */
    else if (g->p->plain)
        copy(used, g->outputs, b->n_outputs);
    else
        for (int32_t w = 0; w < b->n_wires; w++) used[w] = on_wire(b, w, g->outputs);
    if (march_all(g, b->time, b->size)) return FAILED;
    return finite_all(g->outputs, b->n_outputs) ? 0 : NO_NUMBER;
}

/* As `dt_run`: how many were made, or -1 - k if the outputs of window k are no numbers. */
static int64_t few_windows(exported *e, const dt_stretch *s, double *ends) {
    dt_batch *b = e->batch;
    dt_plan *p = b->plan;
    dt_memory *memory = &e->memory;
    double start = s->start, stop = s->stop;
    bool plain = !p->iteration && !p->curves;
    int64_t k = 0;
    int failed = 0;
    if (!plain) take_up(p, memory);
    none_failed(b);
    e->beside = OK;
    if (atomic_load_explicit(&b->ending, memory_order_relaxed)) atomic_store(&b->ending, 0);
    b->size = s->size;
    while (k < s->count) {
        if (k) {
            start = stop;
            stop = p->origin + (double)(s->line + k + 1) * s->size;
        }
        b->time = start, b->stop = stop;
        failed = e->block.carried.n ? carried_window(e, &e->beside)
                 : plain        ? held_window(&e->single)
                 : p->iteration ? iterated_window(b, p->iteration, memory->inputs, memory->outputs)
                                : extrapolated_window(&e->single);
        if (failed) break;
        ends[k++] = stop;
        if (!plain) route_all(&e->single, memory->inputs); /* else they are brought together anew */
        if (atomic_load_explicit(&b->ending, memory_order_relaxed)) break;
    }
    if (failed == UNCONVERGED) uncount(b, p->iteration);
    p->handed_over = memory->handed_over = failed == UNCONVERGED || failed == HANDED_OVER;
    if (!plain) hand_back(p, memory);
    return failed == NO_NUMBER ? -1 - k : k;
}

static int explained(exported *e, bool no_number);

/* The next window where it is a whole one, from line to line, all that this step asks for, and nothing else
 * is to be looked after. Below 0: it is not. */
static int quick_step(exported *e, double target) {
    dt_batch *b = e->batch;
    const dt_plan *p = b->plan;
    double size = e->block.size, line = e->start + (double)(e->line + 1) * size;
    bool simple = !p->iteration && !p->curves && !e->junctions && !e->has_equations && !b->guests && !e->block.carried.n;
    if (!e->lined || !simple || b->hosts || !(fabs(target - line) <= 1e-9 * size)) return -1;
    none_failed(b);
    if (atomic_load_explicit(&b->ending, memory_order_relaxed)) atomic_store(&b->ending, 0);
    b->time = e->time, b->stop = line, b->size = size;
    int failed = held_window(&e->single);
    e->lined = !failed;
    if (failed) return explained(e, failed == NO_NUMBER);
    e->line++;
    e->time = line;
    e->terminated = atomic_load_explicit(&b->ending, memory_order_relaxed) != 0;
    return OK;
}
