/* ---- a fused run: many windows in one call ------------------------------------------------- */

/* Members side by side that differ in nothing but the instance: called in a tight loop. */
enum { FEW = 24 }; /* below this wide loops do not pay */

typedef struct rank {
    void *set, *step, *get;
    const uint32_t *in_refs, *out_refs;
    int32_t version, first, count, n_in_refs, n_out_refs, n_in, n_out, no_set_prior;
} rank;

static bool alike(const dt_member *a, const dt_member *b) {
    return a->version == b->version && a->set_real == b->set_real && a->do_step == b->do_step &&
           a->get_real == b->get_real && a->no_set_prior == b->no_set_prior &&
           a->n_in == b->n_in && a->n_out == b->n_out && a->n_in_refs == b->n_in_refs &&
           a->n_out_refs == b->n_out_refs && a->in_at + a->n_in == b->in_at &&
           a->out_at + a->n_out == b->out_at &&
           !memcmp(a->in_refs, b->in_refs, (size_t)a->n_in_refs * sizeof *a->in_refs) &&
           !memcmp(a->out_refs, b->out_refs, (size_t)a->n_out_refs * sizeof *a->out_refs);
}

static int fall_in(dt_batch *b) {
    if (b->ranks) return 0;
    b->ranks = calloc((size_t)b->n + 1, sizeof *b->ranks);
    b->instances = calloc((size_t)b->n + 1, sizeof *b->instances);
    if (!b->ranks || !b->instances) return 1;
    for (int32_t i = 0; i < b->n; i++) {
        const dt_member *m = b->members + i;
        b->instances[i] = m->instance;
        if (i && alike(m - 1, m)) {
            b->ranks[b->n_ranks - 1].count++;
            continue;
        }
        b->ranks[b->n_ranks++] =
            (rank){m->set_real,   m->do_step,    m->get_real, m->in_refs, m->out_refs, m->version, i, 1,
                   m->n_in_refs,  m->n_out_refs, m->n_in,     m->n_out,   m->no_set_prior};
    }
    return 0;
}

typedef struct {
    int32_t sequential; /* 0: Jacobi, 1: Gauss-Seidel in `order` */
    int32_t n_inputs, n_outputs, n_recorded, n_wires, plain;
    const int32_t *order;
    const int32_t *recorded;           /* places among outputs, then inputs */
    double *inputs, *outputs;          /* as they stand */
    double *worst, *when, *low, *high; /* what the witness saw */
    double *leap, *leapt;              /* how far inputs moved in a window before they were used */
    dt_iteration *iteration;           /* NULL: one pass a window */
    int64_t iterations, doubtful;      /* counted */
    int32_t straight;                  /* recorded are outputs, one after another */
    int32_t handed_over;               /* a window that Python has to decide */
} dt_plan;

static inline int plain_step(dt_batch *b, dt_member *m, double *inputs, double *outputs,
                             bool timing) {
    int status = set_reals(m, inputs + m->in_at);
    if (status > WARNING) return fail(b, m, SETTING, status);
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    status = get_reals(m, outputs + m->out_at);
    return status > WARNING ? fail(b, m, GETTING, status) : 0;
}

/* A rank of FMI 2: the same calls as above, with everything that stays the same at hand. */
static int rank_2(dt_batch *b, const rank *r, double *u, double *y) {
    access_12 set = (access_12)r->set, get = (access_12)r->get;
    step_2 advance = (step_2)r->step;
    const uint32_t *in = r->in_refs, *out = r->out_refs;
    size_t n_in = (size_t)r->n_in, n_out = (size_t)r->n_out;
    void **instance = b->instances + r->first;
    double t = b->time, h = b->size;
    int prior = r->no_set_prior, status;
    for (int32_t i = 0; i < r->count; i++, u += n_in, y += n_out) {
        dt_member *m = b->members + r->first + i;
        if (n_in && (status = set(instance[i], in, n_in, u)) > WARNING)
            return fail(b, m, SETTING, status);
        if ((status = advance(instance[i], t, h, prior)) > WARNING) {
            if (status != DISCARD) return fail(b, m, STEPPING, status);
            if (discarded(b, m, t, h)) return 1;
        }
        if (n_out && (status = get(instance[i], out, n_out, y)) > WARNING)
            return fail(b, m, GETTING, status);
    }
    return 0;
}

/* A rank of FMI 3. */
static int rank_3(dt_batch *b, const rank *r, double *u, double *y) {
    access_3 set = (access_3)r->set, get = (access_3)r->get;
    const uint32_t *in = r->in_refs, *out = r->out_refs;
    size_t n_in = (size_t)r->n_in, n_out = (size_t)r->n_out;
    void **instance = b->instances + r->first;
    double t = b->time, h = b->size;
    int status;
    for (int32_t i = 0; i < r->count; i++, u += n_in, y += n_out) {
        dt_member *m = b->members + r->first + i;
        if (n_in && (status = set(instance[i], in, (size_t)r->n_in_refs, u, n_in)) > WARNING)
            return fail(b, m, SETTING, status);
        if (step(b, m, t, h)) return 1;
        if (n_out && (status = get(instance[i], out, (size_t)r->n_out_refs, y, n_out)) > WARNING)
            return fail(b, m, GETTING, status);
    }
    return 0;
}

typedef struct {
    dt_batch *b;
    double *inputs, *outputs;
    bool timing;
} jacobi_window;

static void jacobi_one(void *context, int index) {
    jacobi_window *w = context;
    if (atomic_load(&w->b->failed)) return;
    plain_step(w->b, w->b->members + index, w->inputs, w->outputs, w->timing);
}

/* All at once; nonzero if a member failed. */
static int jacobi(dt_batch *b, dt_plan *p, bool timing) {
    if (b->pool) {
        jacobi_window w = {b, p->inputs, p->outputs, timing};
        parallel(b->pool, b->n, jacobi_one, &w);
        return atomic_load(&b->failed) != 0;
    }
    for (int32_t k = 0; k < b->n_ranks; k++) {
        const rank *r = b->ranks + k;
        const dt_member *m = b->members + r->first;
        int failed = 0;
        if (timing || r->version == 1)
            for (int32_t i = r->first; i < r->first + r->count && !failed; i++)
                failed = plain_step(b, b->members + i, p->inputs, p->outputs, timing);
        else
            failed = (r->version == 2 ? rank_2 : rank_3)(b, r, p->inputs + m->in_at,
                                                         p->outputs + m->out_at);
        if (failed) return 1;
    }
    return 0;
}

/* A new value for an input, that moves between two windows by all it moves in one. */
static inline void leap_to(const dt_plan *p, int32_t at, double now, double stop) {
    double gap = fabs(now - p->inputs[at]);
    p->inputs[at] = now;
    if (gap > p->leap[at]) {
        p->leap[at] = gap;
        p->leapt[at] = stop;
    }
}

/* One after another; inputs that nothing feeds stay as they are. */
static int gauss_seidel(dt_batch *b, dt_plan *p, bool timing, double stop) {
    const int32_t *target = b->wire_target, *source = b->wire_source;
    double *y = p->outputs;
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + p->order[i];
        if (m->plain)
            for (int32_t w = m->first_wire; w < m->last_wire; w++)
                leap_to(p, target[w], y[source[w]], stop);
        else
            for (int32_t w = m->first_wire; w < m->last_wire; w++)
                leap_to(p, target[w], b->wire_gain[w] * y[source[w]] + b->wire_offset[w], stop);
        if (plain_step(b, m, p->inputs, y, timing)) return 1;
    }
    return 0;
}

/* Whether all are numbers: few of them, where a wide loop takes longer to get ready. */
static inline bool few_finite(const double *values, int32_t n) {
    uint64_t bad = 0;
    for (int32_t i = 0; i < n; i++) {
        double nothing = values[i] - values[i];
        uint64_t bits;
        memcpy(&bits, &nothing, sizeof bits);
        bad |= bits;
        __asm__("" : "+r"(bad)); /* keep it narrow */
    }
    return !bad;
}

/* How far inputs were from what their sources gave, and the range they cover; then they are as
 * given. Block by block: most of the time nothing is worse or wider than before. */
static inline __attribute__((always_inline)) void see_block(
    int32_t n, const double *restrict now, double *restrict used, double *restrict worst,
    double *restrict when, double *restrict low, double *restrict high, double stop) {
    int64_t news = 0;
    for (int32_t j = 0; j < n; j++) {
        news |= fabs(now[j] - used[j]) > worst[j] ? -1 : 0;
        news |= now[j] < low[j] ? -1 : 0;
        news |= now[j] > high[j] ? -1 : 0;
    }
    if (news)
        for (int32_t j = 0; j < n; j++) {
            double gap = fabs(now[j] - used[j]);
            when[j] = gap > worst[j] ? stop : when[j];
            worst[j] = gap > worst[j] ? gap : worst[j];
            low[j] = now[j] < low[j] ? now[j] : low[j];
            high[j] = now[j] > high[j] ? now[j] : high[j];
        }
    memcpy(used, now, (size_t)n * sizeof *used);
}

enum { BLOCK = 64 };

WIDE static void see_many(int32_t n, const double *now, double *used, double *worst, double *when,
                          double *low, double *high, double stop) {
    for (int32_t j = 0; j < n; j += BLOCK)
        see_block(n - j < BLOCK ? n - j : BLOCK, now + j, used + j, worst + j, when + j, low + j,
                  high + j, stop);
}

/* Where wire j feeds input j, unscaled. */
WIDE static void see_straight(int32_t n, const int32_t *source, const double *y, double *used,
                              double *worst, double *when, double *low, double *high,
                              double stop) {
    double now[BLOCK];
    for (int32_t j = 0; j < n; j += BLOCK) {
        int32_t m = n - j < BLOCK ? n - j : BLOCK;
        for (int32_t i = 0; i < m; i++) now[i] = y[source[j + i]];
        see_block(m, now, used + j, worst + j, when + j, low + j, high + j, stop);
    }
}

WIDE static void route_plain(int32_t n, const int32_t *restrict target,
                             const int32_t *restrict source, const double *restrict y,
                             double *restrict u) {
    for (int32_t w = 0; w < n; w++) u[target[w]] = y[source[w]];
}

/* With single members scaled and others not, each as the Python path does it. */
static void route_all(const dt_batch *b, const dt_plan *p, double *now) {
    const int32_t *target = b->wire_target, *source = b->wire_source;
    if (p->plain) {
        route_plain(p->n_wires, target, source, p->outputs, now);
        return;
    }
    for (int32_t w = 0; w < p->n_wires; w++)
        now[target[w]] = b->wire_gain[w] * p->outputs[source[w]] + b->wire_offset[w];
}

WIDE static bool wide_finite(const double *values, int32_t n) { return finite_all(values, n); }

/* What the window's end makes of the inputs. `now` is room for them, filled where nothing feeds. */
static void see_all(const dt_batch *b, dt_plan *p, double *now, double stop) {
    if (p->plain && p->n_wires == p->n_inputs) { /* targets are sorted: each has its wire */
        see_straight(p->n_inputs, b->wire_source, p->outputs, p->inputs, p->worst, p->when, p->low,
                     p->high, stop);
        return;
    }
    route_all(b, p, now);
    see_many(p->n_inputs, now, p->inputs, p->worst, p->when, p->low, p->high, stop);
}

/* A line: the time, then what is recorded. */
static inline void record(const dt_plan *p, double time, double *line) {
    line[0] = time;
    if (p->straight) {
        memcpy(line + 1, p->outputs + p->recorded[0], (size_t)p->n_recorded * sizeof *line);
        return;
    }
    for (int32_t j = 0; j < p->n_recorded; j++) {
        int32_t place = p->recorded[j];
        line[j + 1] = place < p->n_outputs ? p->outputs[place] : p->inputs[place - p->n_outputs];
    }
}

/* So many whole windows, and of one that failed those who came before the failure. */
static void count_steps(dt_batch *b, const dt_plan *p, int64_t whole) {
    int32_t failed = atomic_load(&b->failed) - 1, last = -1;
    for (int32_t i = 0; i < b->n && failed >= 0; i++)
        if ((p->sequential ? p->order[i] : i) == failed) last = i;
    for (int32_t i = 0; i < b->n; i++)
        b->members[p->sequential ? p->order[i] : i].evaluations += whole + (i <= last);
}

/* When to look at the clock next, whatever a window costs. */
typedef struct {
    double begun, budget;
    int64_t next;
} watch;

static bool late(watch *w, int64_t done) {
    double spent = seconds_now() - w->begun;
    if (spent > w->budget) return true;
    double every = 0.1 * w->budget * (double)done / (spent + 1e-9);
    w->next = done + (every < 1 ? 1 : every > 1024 ? 1024 : (int64_t)every);
    return false;
}

typedef struct {
    double start, size, stop, origin;
    int64_t line, count;
} dt_stretch;

/* Whose turn it is in a sweep. */
typedef struct {
    void *instance;
    int32_t member, in_at, out_at, first_wire, last_wire;
} turn;

/* A batch of one rank of FMI 2 and plain wires: the same as dt_run below with everything at hand,
 * where windows of two near-free members last some 20 ns. From window `k` on; where it ended. */
static inline __attribute__((always_inline)) int64_t run_rank(
    dt_batch *b, dt_plan *p, const dt_stretch *s, int64_t k, double *lines, const turn *turns,
    double *now, int64_t end, int *failed, const bool sequential, const bool few) {
    const rank r = b->ranks[0];
    access_12 set = (access_12)r.set, get = (access_12)r.get;
    step_2 advance = (step_2)r.step;
    size_t n_in = (size_t)r.n_in, n_out = (size_t)r.n_out;
    double *inputs = p->inputs, *outputs = p->outputs;
    double *worst = p->worst, *low = p->low, *high = p->high;
    const int32_t *target = b->wire_target, *source = b->wire_source;
    int32_t n_wires = p->n_wires, n_outputs = p->n_outputs, n_recorded = p->n_recorded;
    double size = s->size, stop = s->origin + (double)(s->line + k) * size;
    double *line = lines + (size_t)k * (size_t)(1 + n_recorded);
    for (; k < end; k++) {
        double start = stop, *u = inputs, *y = outputs;
        stop = s->origin + (double)(s->line + k + 1) * size;
        b->time = start;
        for (int32_t i = 0; i < r.count; i++) {
            void *c = sequential ? turns[i].instance : b->instances[i];
            if (sequential) {
                for (int32_t w = turns[i].first_wire; w < turns[i].last_wire; w++)
                    leap_to(p, target[w], outputs[source[w]], stop);
                u = inputs + turns[i].in_at;
                y = outputs + turns[i].out_at;
            }
            int status = set(c, r.in_refs, n_in, u), stage = SETTING;
            if (status <= WARNING) {
                status = advance(c, start, size, r.no_set_prior), stage = STEPPING;
                if (status == DISCARD) {
                    dt_member *m = b->members + (sequential ? turns[i].member : i);
                    status = discarded(b, m, start, size) ? -1 : 0;
                }
                if (status >= 0 && status <= WARNING)
                    status = get(c, r.out_refs, n_out, y), stage = GETTING;
            }
            if (status < 0 || status > WARNING) {
                if (status > 0)
                    fail(b, b->members + (sequential ? turns[i].member : i), stage, status);
                *failed = FAILED;
                return k;
            }
            u += n_in;
            y += n_out;
        }
        if (!(few ? few_finite : wide_finite)(outputs, n_outputs)) {
            *failed = NO_NUMBER;
            return k;
        }
        if (!few) see_all(b, p, now, stop);
        for (int32_t j = 0; few && j < n_wires; j++) {
            int32_t at = target[j];
            double new = outputs[source[j]], gap = fabs(new - inputs[at]);
            inputs[at] = new;
            if (gap > worst[at]) {
                worst[at] = gap;
                p->when[at] = stop;
            }
            if (new < low[at]) low[at] = new;
            if (new > high[at]) high[at] = new;
        }
        record(p, stop, line);
        line += 1 + n_recorded;
        if (atomic_load_explicit(&b->ending, memory_order_relaxed)) return k + 1;
    }
    return k;
}

#define WAY(name, sequential, few)                                                               \
    static int64_t name(dt_batch *b, dt_plan *p, const dt_stretch *s, int64_t k, double *lines,  \
                        const turn *turns, double *now, int64_t end, int *failed) {              \
        return run_rank(b, p, s, k, lines, turns, now, end, failed, sequential, few);            \
    }
WAY(few_at_once, false, true)
WAY(many_at_once, false, false)
WAY(few_in_turn, true, true)
WAY(many_in_turn, true, false)
typedef int64_t (*way)(dt_batch *, dt_plan *, const dt_stretch *, int64_t, double *, const turn *,
                       double *, int64_t, int *);

/* The quick way for this run, if there is one. */
static way quick(const dt_batch *b, const dt_plan *p) {
    const rank *r = b->ranks;
    if (p->iteration || !p->plain || b->n_ranks != 1 || r->version != 2 || !r->n_in || !r->n_out ||
        (b->pool && !p->sequential))
        return NULL;
    bool few = p->n_outputs < FEW && p->n_wires < FEW;
    if (p->sequential) return few ? few_in_turn : many_in_turn;
    return few ? few_at_once : many_at_once;
}

static void take_turns(const dt_batch *b, const dt_plan *p, turn *turns) {
    for (int32_t i = 0; i < b->n; i++) {
        const dt_member *m = b->members + p->order[i];
        turns[i] = (turn){m->instance, p->order[i], m->in_at, m->out_at, m->first_wire,
                          m->last_wire};
    }
}

/* Run windows along the lines origin + k size, the first as given and starting at line `line`,
 * until all are done, one fails, or `budget` seconds are over. Times and recorded values go to
 * `lines`. How many were completed; -1 - k if the outputs of window k are no numbers. */
EXPORT int64_t dt_run(dt_batch *b, dt_plan *p, const dt_stretch *s, double *lines, double budget) {
    watch w = {seconds_now(), budget, 1};
    double *now = malloc(((size_t)p->n_inputs + 1) * sizeof *now);
    turn *turns = malloc(((size_t)b->n + 1) * sizeof *turns);
    p->iterations = p->doubtful = p->handed_over = 0;
    if (!now || !turns || fall_in(b)) {
        free(now);
        free(turns);
        return 0;
    }
    memcpy(now, p->inputs, (size_t)p->n_inputs * sizeof *now);
    take_turns(b, p, turns);
    way onward = quick(b, p);
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    b->size = s->size;
    double start = s->start, stop = s->stop;
    int64_t k = 0;
    int failed = 0;
    while (k < s->count) {
        if (k == w.next && late(&w, k)) break;
        if (k) {
            start = s->origin + (double)(s->line + k) * s->size;
            if (k == 1) start = s->stop;
            stop = s->origin + (double)(s->line + k + 1) * s->size;
        }
        b->time = start;
        bool timing = k & 1023 ? b->members[0].timed < FIRST_TIMED : k > 0;
        if (p->iteration)
            failed = iterated_window(b, p->iteration, p->inputs, p->outputs);
        else if (p->sequential)
            failed = gauss_seidel(b, p, timing, stop);
        else
            failed = jacobi(b, p, timing);
        if (!failed && !p->iteration && !wide_finite(p->outputs, p->n_outputs)) failed = NO_NUMBER;
        if (failed) break;
        see_all(b, p, now, stop);
        record(p, stop, lines + (size_t)k * (size_t)(1 + p->n_recorded));
        k++;
        if (p->iteration) {
            p->iterations += p->iteration->counted;
            p->doubtful += p->iteration->doubted;
        }
        if (atomic_load(&b->ending)) break;
        if (onward && k > 1 && (k & 1023) && b->members[0].timed >= FIRST_TIMED) {
            int64_t end = s->count < w.next ? s->count : w.next;
            k = onward(b, p, s, k, lines, turns, now, end, &failed);
            if (failed || atomic_load(&b->ending)) break;
        }
    }
    free(now);
    free(turns);
    if (!p->iteration) count_steps(b, p, k + (failed == NO_NUMBER));
    p->handed_over = failed == HANDED_OVER;
    return failed == NO_NUMBER ? -1 - k : k;
}

/* Tells whether Python and this library mean the same structures. */
EXPORT int64_t dt_layout(void) {
    return (int64_t)(sizeof(dt_member) + 1000 * (sizeof(dt_plan) + 1000 * (sizeof(dt_iteration) +
                                                                         1000 * sizeof(dt_group))));
}
