/* ---- a fused run: many windows in one call ------------------------------------------------- */

/* Twin of src/dovetail/algorithms/jacobi.py, src/dovetail/algorithms/gauss_seidel.py,
 * src/dovetail/run/stepping.py.
 * Same bits: tests/conformance/test_agreement.py, tests/conformance/test_native_windows.py. */

static int plain_step(const journey *g, int32_t turn, bool timing) {
    dt_batch *b = g->b;
    dt_member *m = b->members + g->p->order[turn];
    if (atomic_load(&b->interrupted)) return fail(b, m, INTERRUPTED, 0);
    gather(g, m);
    if (m->unusual) {
        copy(m->inputs, g->p->inputs + m->in_at, m->n_in);
        m->columns = 1;
        m->evaluations--; /* it counts itself, and all are counted together */
        if (advance(b, m)) return 1;
        copy(g->outputs + m->out_at, m->outputs, m->n_out);
        return 0;
    }
    m->stepped = 1;
    unsigned status = set_reals(m, g->p->inputs + m->in_at);
    if (status > WARNING) return fail(b, m, SETTING, status);
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    status = get_reals(m, g->outputs + m->out_at);
    return status > WARNING ? fail(b, m, GETTING, status) : 0;
}

typedef struct {
    const journey *g;
    bool timing;
} jacobi_window;

static void jacobi_one(void *context, int index) {
    jacobi_window *w = context;
    if (!atomic_load(&w->g->b->failed)) plain_step(w->g, index, w->timing);
}

/* A window in which nobody waits for another: hosts step their members while those here step. */
static int side_by_side(const journey *g, bool timing) {
    dt_batch *b = g->b;
    if (atomic_load(&b->interrupted)) return fail(b, b->members + g->p->order[0], INTERRUPTED, 0);
    for (int32_t i = 0; i < b->n; i++)
        if (b->members[i].remote) gather(g, b->members + i);
    if (pass_asked(b, g->p->inputs, timing)) return 1;
    for (int32_t i = 0; i < b->n; i++)
        if (!b->members[g->p->order[i]].remote && plain_step(g, i, timing)) return 1;
    return pass_answered(b, g->outputs, timing);
}

/* A sweep over members of one host that follow one another; their inputs are known as they were used. */
static int row_stepped(const journey *g, int32_t turn, int32_t count, bool timing) {
    dt_batch *b = g->b;
    const int32_t *order = g->p->order;
    if (atomic_load(&b->interrupted)) return fail(b, b->members + order[turn], INTERRUPTED, 0);
    for (int32_t i = turn; i < turn + count; i++) gather(g, b->members + order[i]);
    if (row_swept(b, order, turn, count, g->p->inputs, g->turn_of, g->outputs, timing)) return 1;
    for (int32_t i = turn; i < turn + count; i++) {
        const dt_member *m = b->members + order[i];
        for (int32_t w = m->first_wire; w < m->last_wire; w++) {
            int32_t source = b->wire_source[w], from = g->turn_of[source];
            if (from >= turn && from < i)
                g->p->inputs[b->wire_target[w]] = m->plain ? g->outputs[source] : on_wire(b, w, g->outputs);
        }
    }
    return 0;
}

/* A window, on threads or member by member; nonzero if one failed. */
static int one_by_one(const journey *g, bool timing) {
    dt_batch *b = g->b;
    if (b->hosts && !g->p->sequential) return side_by_side(g, timing);
    if (b->pool && !g->p->sequential) {
        jacobi_window w = {g, timing};
        parallel(b->pool, b->n, jacobi_one, &w);
        return atomic_load(&b->failed) != 0;
    }
    for (int32_t i = 0, count = 1; i < b->n; i += count) {
        count = b->members[g->p->order[i]].remote ? in_a_row(b, g->p->order, i) : 1;
        if (count > 1 ? row_stepped(g, i, count, timing) : plain_step(g, i, timing)) return 1;
    }
    return 0;
}

/* So many whole windows, and of one that failed the members before the failure. */
static void count_steps(dt_batch *b, const dt_plan *p, int64_t whole) {
    int32_t failed = atomic_load(&b->failed) - 1, last = -1;
    for (int32_t i = 0; i < b->n && failed >= 0; i++)
        if (p->order[i] == failed) last = i;
    for (int32_t i = 0; i < b->n; i++)
        b->members[p->order[i]].evaluations += whole + (i <= last);
}

/* When to look at the clock next, whatever a window costs. */
typedef struct {
    double begun, budget;
    int64_t next;
    unsigned until; /* naps */
} watch;

/* Whether windows have become slow, or Ctrl-C was pressed: whatever was foreseen, this call ends after
 * this one. */
static inline bool overdue(const watch *w) {
    return (int)(atomic_load_explicit(&naps, memory_order_relaxed) - w->until) >= 0;
}

static bool late(watch *w, int64_t done) {
    double spent = seconds_now() - w->begun;
    if (spent > w->budget) return true;
    double every = 0.1 * w->budget * (double)done / (spent + 1e-9);
    w->next = done + (every < 1 ? 1 : every > 1024 ? 1024 : (int64_t)every);
    return false;
}

/* The end of a window whose members have stepped: nonzero if an output is NaN or Inf. */
static int window_ends(const journey *g, double stop, double *line) {
    const dt_plan *p = g->p;
    if (!g->by_input && !p->plain && !finite_all(g->outputs, p->n_outputs)) return NO_NUMBER;
    if (g->by_input) memcpy(g->start, g->seen.now, (size_t)p->n_inputs * sizeof(double));
    look(g);
    if (!g->by_input && *p->known == 0) see_first(&g->seen);
    if (!see(&g->seen, stop, !g->by_input && p->plain)) return NO_NUMBER;
    if (g->by_input) bend_each(g, stop);
    if (*p->known < 2) ++*p->known;
    if (g->shows_inputs || g->by_input) route_all(g, p->inputs);
    record(g, stop, line);
    return 0;
}

/* Windows from `k` on in ranks; where it ended. `single`: one rank of FMI 2 that finds its inputs
 * ready, and outputs are recorded: where windows of two near-free members last some 25 ns, all
 * that is done once a window counts. */
static inline __attribute__((always_inline)) int64_t in_ranks(const journey *g,
                                                              const dt_stretch *s, int64_t k,
                                                              double *lines, int64_t end,
                                                              int *failed, const watch *w,
                                                              const bool single) {
    const rank first = g->ranks[0];
    const seen seen = g->seen;
    double *line = lines + k * s->width;
    double h = s->size, origin = g->p->origin, stop = origin + (double)(s->line + k) * h;
    for (; k < end; k++, line += s->width) {
        double start = g->b->time = stop;
        stop = origin + (double)(s->line + k + 1) * h;
        if (single ? march(g, &first, start, h, 2, true) : march_all(g, start, h)) {
            *failed = FAILED;
            return k;
        }
        if (single && see(&seen, stop, true)) {
            record(g, stop, line);
        } else if (single || window_ends(g, stop, line)) {
            *failed = NO_NUMBER;
            return k;
        }
        if (atomic_load_explicit(&g->b->ending, memory_order_relaxed) || overdue(w)) return k + 1;
    }
    return k;
}

static int64_t one_rank(const journey *g, const dt_stretch *s, int64_t k, double *lines,
                        int64_t end, int *failed, const watch *w) {
    return in_ranks(g, s, k, lines, end, failed, w, true);
}

static int64_t all_ranks(const journey *g, const dt_stretch *s, int64_t k, double *lines,
                         int64_t end, int *failed, const watch *w) {
    return in_ranks(g, s, k, lines, end, failed, w, false);
}

/* The bonds that somebody asks about. */
static dt_bonds *watched_bonds(const dt_plan *p) { return p->bonds && p->bonds->rows ? p->bonds : NULL; }

typedef int64_t (*way)(const journey *, const dt_stretch *, int64_t, double *, int64_t, int *,
                       const watch *);

/* The quick way for this run, if there is one. */
static way quick(const journey *g) {
    const dt_plan *p = g->p;
    if (g->by_input || watched_bonds(p) || g->b->guests || g->b->n_tuned || g->b->hosts || g->b->n == 0 || (g->b->pool && !p->sequential)) return NULL;
    const rank *r = g->ranks;
    bool single = g->n_ranks == 1 && r->version == 2 && r->direct;
    return single && p->plain && !g->shows_inputs ? one_rank : all_ranks;
}

static void journey_free(journey *g) {
    free(g->seen.room);
    free(g->ranks);
    free(g->turns);
    free(g->turn_of);
    free(g->start);
}

static bool journey_new(journey *g, dt_batch *b, dt_plan *p) {
    size_t n = (size_t)b->n + 1;
    *g = (journey){.b = b, .p = p, .outputs = p->outputs};
    g->by_input = p->iteration || p->curves;
    g->ranks = malloc(n * sizeof *g->ranks);
    g->turns = malloc(n * sizeof *g->turns);
    g->turn_of = malloc(((size_t)p->n_outputs + 1) * sizeof *g->turn_of);
    if (g->by_input) g->start = malloc(((size_t)p->n_inputs + 1) * sizeof *g->start);
    int32_t watched = g->by_input ? p->n_inputs : p->plain ? p->n_outputs : p->n_wires;
    if (!seen_new(&g->seen, watched) || !g->ranks || !g->turns || !g->turn_of ||
        (g->by_input && !g->start)) {
        journey_free(g);
        return false;
    }
    if (g->by_input) {
        memcpy(g->seen.now, p->inputs, (size_t)p->n_inputs * sizeof(double));
    } else if (p->plain) {
        g->outputs = (double *)g->seen.now;
        memcpy(g->outputs, p->outputs, (size_t)p->n_outputs * sizeof(double));
    }
    look(g);
    memcpy(g->seen.used, g->seen.now, (size_t)g->seen.pairs * sizeof(pair));
    recall(g);
    for (int32_t j = 0; j < p->n_recorded; j++)
        g->shows_inputs |= p->recorded[j] >= p->n_outputs;
    fall_in(g);
    return true;
}

/* What the members were given over this window: powers of time, the value at its start first. */
static void tell_trial(const journey *g) {
    const dt_plan *p = g->p;
    if (!g->by_input) { /* values that were held */
        memcpy(p->trial, p->inputs, (size_t)p->n_inputs * sizeof *p->trial);
    } else if (p->iteration) {
        size_t columns = (size_t)p->iteration->columns;
        memcpy(p->trial, p->iteration->coefficients,
               (size_t)p->n_inputs * columns * sizeof *p->trial);
    } else {
        size_t columns = (size_t)p->curves->columns;
        for (int32_t i = 0; i < g->b->n; i++) {
            const dt_member *m = g->b->members + i;
            memcpy(p->trial + (size_t)m->in_at * columns, m->inputs,
                   (size_t)m->n_in * columns * sizeof *p->trial);
        }
    }
}

static int32_t trial_columns(const dt_plan *p) {
    return p->iteration ? p->iteration->columns : p->curves ? p->curves->columns : 1;
}

/* A window of this size has ended: what its ports took. */
static void note_bonds(const journey *g, const dt_bonds *d, double size, double stop, double *row) {
    tell_trial(g);
    bonds_end(d, g->p->trial, trial_columns(g->p), g->outputs, size, stop, row);
}

/* How many numbers have to be kept to take a window back that nothing iterates. */
static size_t room_to_keep(const dt_plan *p) {
    size_t past = p->curves ? (size_t)p->curves->columns * (size_t)p->n_inputs : 0;
    return (size_t)p->n_outputs + past + 1 + sizeof(dt_curves) / sizeof(double) + 1;
}

/* A window opens that nothing iterates: all that taking it back would need is kept. */
static int begin_pass(const journey *g, double *kept) {
    const dt_plan *p = g->p;
    memcpy(kept, g->outputs, (size_t)p->n_outputs * sizeof *kept);
    if (p->curves && !p->curves->ramps) {
        size_t past = (size_t)p->curves->columns * (size_t)p->n_inputs;
        memcpy(kept += p->n_outputs, p->curves->values, past * sizeof *kept);
        memcpy(kept + past, p->curves, sizeof *p->curves);
    }
    return open_pass(g->b);
}

/* It has ended; whether it is left to Python is seen here, and it leaves no trace then. */
static int end_pass(const journey *g, const double *kept, int failed) {
    const dt_plan *p = g->p;
    if (!failed) failed = throws(g->b, g->outputs);
    if (failed != FAILED || !is_left(g->b)) return failed;
    memcpy(g->outputs, kept, (size_t)p->n_outputs * sizeof *kept);
    if (p->curves && !p->curves->ramps) {
        size_t past = (size_t)p->curves->columns * (size_t)p->n_inputs;
        memcpy(p->curves->values, kept += p->n_outputs, past * sizeof *kept);
        memcpy(p->curves, kept + past, sizeof *p->curves);
    }
    for (int32_t i = 0; i < g->b->n; i++) g->b->members[i].evaluations = g->b->counted[i];
    return drop_window(g->b);
}

/* Whoever was lent is asked from elsewhere now. */
static void own_again(dt_batch *b) {
    for (int32_t i = 0; i < b->n && b->guests; i++)
        if (b->members[i].solved || b->members[i].events) b->members[i].stepped = 0;
}

/* Cubics take memory of their own. */
static bool lacks_slopes(const dt_plan *p, const dt_memory *m) {
    return p->iteration && follows_cubics(p->iteration) && (!m->slopes || !m->past);
}

/* The plan is run in this memory. */
static void take_up(dt_plan *p, const dt_memory *m) {
    p->inputs = m->inputs, p->outputs = m->outputs;
    p->worst = m->worst, p->when = m->when, p->low = m->low, p->high = m->high;
    p->bend = m->bend, p->bent = m->bent;
    p->off = m->off, p->way = m->way, p->turn = m->turn;
    p->moved = m->moved, p->turned = m->turned, p->known = m->known;
    p->trial = m->trial;
    if (p->bonds) p->bonds->rows = m->bonds;
    p->iterations = p->doubtful = p->handed_over = 0;
    if (p->iteration && follows_cubics(p->iteration)) {
        dt_slopes *s = &p->iteration->slopes;
        s->now = m->slopes;
        s->rows = m->past;
        s->count = m->points;
        memcpy(s->times, m->times, sizeof s->times);
        memcpy(s->row, m->rows, sizeof s->row);
    }
    if (!p->curves || p->curves->ramps) return;
    p->curves->points = m->points;
    p->curves->values = m->past;
    memcpy(p->curves->times, m->times, sizeof m->times);
    memcpy(p->curves->rows, m->rows, sizeof m->rows);
}

/* What the run has come to, beside what it wrote into vectors. */
static void hand_back(const dt_plan *p, dt_memory *m) {
    m->iterations = p->iterations;
    m->doubtful = p->doubtful;
    m->handed_over = p->handed_over;
    if (p->iteration && follows_cubics(p->iteration)) {
        const dt_slopes *s = &p->iteration->slopes;
        m->points = s->count;
        memcpy(m->times, s->times, sizeof s->times);
        memcpy(m->rows, s->row, sizeof s->row);
    }
    if (!p->curves || p->curves->ramps) return;
    m->points = p->curves->points;
    memcpy(m->times, p->curves->times, sizeof m->times);
    memcpy(m->rows, p->curves->rows, sizeof m->rows);
}

/* Run windows of the plan: the first as given and starting at line `line` of its grid, the others
 * along the lines, until all are done, one fails, or `budget` seconds are over. Times and recorded
 * values go to `lines`. How many were completed; -1 - k if the outputs of window k are no numbers. */
EXPORT int64_t dt_run(dt_batch *b, dt_memory *memory, const dt_stretch *s, double *lines,
                      double budget) {
    watch w = {seconds_now(), budget, 1, 0};
    journey g;
    dt_plan *p = b->plan;
    if (!p || lacks_slopes(p, memory)) return 0;
    double *kept = b->guests ? malloc(room_to_keep(p) * sizeof *kept) : NULL;
    if (b->guests && !kept) return 0;
    take_up(p, memory);
    memory->iterations = memory->doubtful = memory->handed_over = 0;
    if (!journey_new(&g, b, p)) {
        free(kept);
        return 0;
    }
    if (s->count > 1) w.until = naps_begin();
    lend(lines, s->count, s->width, 1 + p->n_recorded);
    way onward = quick(&g);
    dt_bonds *bonds = watched_bonds(p);
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    b->size = s->size;
    double start = s->start, stop = s->stop;
    int64_t k = 0;
    int failed = 0;
    while (k < s->count) {
        if (k == w.next && late(&w, k)) break;
        if (k) {
            start = p->origin + (double)(s->line + k) * s->size;
            if (k == 1) start = s->stop;
            stop = p->origin + (double)(s->line + k + 1) * s->size;
        }
        b->time = start;
        b->stop = stop;
        int64_t at = s->count == 1 ? b->singles++ : k;
        bool timing = at & 1023 ? b->members[0].timed < FIRST_TIMED : at > 0;
        if (bonds) bonds_begin(bonds, g.outputs);
        if (b->guests && !p->iteration) failed = begin_pass(&g, kept);
        if (failed)
            ;
        else if (p->iteration)
            failed = iterated_window(b, p->iteration, p->inputs, p->outputs);
        else if (p->curves)
            failed = extrapolated_window(&g);
        else
            failed = one_by_one(&g, timing);
        if (failed == UNCONVERGED) { /* for Python to cut it, or to report it */
            uncount(b, p->iteration);
            failed = HANDED_OVER;
        }
        if (b->guests && !p->iteration) failed = end_pass(&g, kept, failed);
        if (p->iteration && !failed)
            memcpy(g.seen.used, p->inputs, (size_t)p->n_inputs * sizeof(double));
        if (!failed && s->count == 1) tell_trial(&g);
        if (!failed && bonds) note_bonds(&g, bonds, b->size, stop, bonds->rows + k * bonds_width(bonds));
        if (!failed) failed = window_ends(&g, stop, lines + k * s->width);
        if (failed) break;
        k++;
        if (p->iteration) {
            p->iterations += p->iteration->counted;
            p->doubtful += p->iteration->doubted;
        }
        if (atomic_load(&b->ending) || (s->count > 1 && overdue(&w))) break;
        if (onward && k > 1 && (k & 1023) && b->members[0].timed >= FIRST_TIMED) {
            int64_t end = s->count < w.next ? s->count : w.next;
            k = onward(&g, s, k, lines, end, &failed, &w);
            if (failed || atomic_load(&b->ending) || overdue(&w)) break;
        }
    }
    take_back();
    if (s->count > 1) naps_end();
    if (k) note_inputs(&g);
    if (g.outputs != p->outputs)
        memcpy(p->outputs, g.outputs, (size_t)p->n_outputs * sizeof *p->outputs);
    if (!failed) route_all(&g, p->inputs);
    if (!g.by_input) count_steps(b, p, k + (failed == NO_NUMBER));
    journey_free(&g);
    free(kept);
    own_again(b);
    p->handed_over = failed == HANDED_OVER;
    hand_back(p, memory);
    return failed == NO_NUMBER ? -1 - k : k;
}

/* Whether Python and this library mean the same structures. */
EXPORT int64_t dt_layout(void) {
    const size_t sizes[] = {sizeof(dt_member), sizeof(dt_memory), sizeof(dt_stretch)};
    size_t all = 0;
    for (int k = 2; k >= 0; k--) all = 1000 * all + sizes[k];
    return (int64_t)all;
}
