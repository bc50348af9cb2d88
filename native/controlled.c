/* ---- windows of sizes that a controller chooses ------------------------------------------------- */

/* Twin of src/dovetail/run/stepping.py.
 * Same bits: tests/conformance/test_native_control.py.
 * `Stepper.advance`, for members that all roll back, or windows that are never repeated. */

/* Each member takes its inputs and steps, in a way that can be checked. */
static int advance_each(sized *r) {
    journey *g = &r->g;
    dt_batch *b = g->b;
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + g->p->order[i];
        gather(g, m);
        copy(m->inputs, g->p->inputs + m->in_at, m->n_in);
        m->columns = 1;
        int failed = advance(b, m);
        m->evaluations--; /* counted with all others */
        if (failed) return FAILED;
        copy(g->outputs + m->out_at, m->outputs, m->n_out);
    }
    return 0;
}

/* Of a step that failed, the members up to the one that did. */
static void count_failed(sized *r, const dt_member *last) {
    dt_batch *b = r->g.b;
    if (!r->counted_each)
        for (int32_t i = 0; i < b->n; i++) r->evaluations[i] = b->members[i].evaluations;
    r->counted_each = true;
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + (r->order ? i : r->g.p->order[i]);
        m->evaluations++;
        if (m == last) return;
    }
}

/* The first member in a sweep with an output that is NaN or Inf: none comes after it. */
static const dt_member *first_bad(const journey *g) {
    for (int32_t i = 0; i < g->b->n && g->p->sequential; i++) {
        const dt_member *m = g->b->members + g->p->order[i];
        if (!finite_all(g->outputs + m->out_at, m->n_out)) return m;
    }
    return NULL;
}

/* A failure that Python would meet as well, or that leaves nothing to go back with. */
static bool is_final(const dt_batch *b) {
    if (!atomic_load(&b->failed)) return false;
    switch (b->stage) {
        case RESTORING: case REPEATING: case DIFFERING: case DIFFERING_NEXT: case INTERRUPTED: case LOST: return true;
        case EARLY: return false;
        default: return b->status == FATAL;
    }
}

/* One step of all, from where the run stands. */
static int stepped_over(sized *r, double start, double size, double stop, bool back) {
    journey *g = &r->g;
    dt_batch *b = g->b;
    dt_plan *p = g->p;
    bool timing = b->members[0].timed < FIRST_TIMED || !(r->c->windows & 1023);
    bool apart = timing || r->checks || r->bonds || b->hosts || b->guests || b->n_tuned || (b->pool && !p->sequential);
    b->time = start;
    b->size = size;
    b->stop = stop;
    tell_prior(r, back && r->c->rejects, apart || g->by_input);
    if (r->bonds) bonds_begin(r->bonds, g->outputs);
    if (p->iteration) {
        int failed = iterated_window(b, p->iteration, p->inputs, p->outputs);
        if (!failed && r->bonds) note_bonds(g, r->bonds, size, stop, r->bonds_now);
        if (!failed || failed == UNCONVERGED) r->c->iterations += p->iteration->counted;
        return failed;
    }
    atomic_store_explicit(&b->ending, 0, memory_order_relaxed);
    r->c->iterations += !p->sequential; /* also where it fails: all inputs are known before */
    int failed = b->guests && !r->c->rejects ? open_pass(b) : 0;
    if (failed)
        ;
    else if (p->curves)
        failed = extrapolated_window(g);
    else if (r->checks)
        failed = advance_each(r);
    else if (apart ? one_by_one(g, timing) : march_all(g, start, size))
        failed = FAILED;
    if (!failed && b->guests && throws(b, g->outputs)) failed = FAILED;
    if (failed == FAILED && b->guests && is_left(b))
        return !r->c->rejects && drop_window(b) == FAILED ? FAILED : HANDED_OVER;
    if (!failed && !p->curves && !finite_all(g->outputs, p->n_outputs)) failed = NO_NUMBER;
    if (!failed && r->bonds) note_bonds(g, r->bonds, size, stop, r->bonds_now);
    if (!failed) r->c->iterations += p->sequential;
    if (p->curves) return failed;
    if (failed)
        count_failed(r, failed == FAILED ? b->members + atomic_load(&b->failed) - 1 : first_bad(g));
    else
        r->passes++;
    return failed;
}

/* The same; where equations cannot be solved Python says why. */
static int step_over(sized *r, double start, double size, double stop, bool back) {
    dt_batch *b = r->g.b;
    int failed = stepped_over(r, start, size, stop, back);
    bool unsolved = failed == FAILED && b->stage == SOLVING && atomic_load(&b->failed);
    return unsolved && r->c->rejects ? HANDED_OVER : failed;
}

/* Whether a shorter window may cure what went wrong in a step. */
static bool may_be_cured(sized *r, int failed) {
    dt_batch *b = r->g.b;
    if (failed == UNCONVERGED) return true;
    bool cures = r->c->rejects || (r->c->kind == CUT && !r->c->stops);
    if (!cures || (failed != FAILED && failed != NO_NUMBER) || is_final(b)) return false;
    if (failed == FAILED && b->stage == SAVING) return false; /* hosts say so with the first step */
    r->culprit = failed == FAILED ? atomic_load(&b->failed) : 0;
    none_failed(b);
    return true;
}

/* A member failed that could step over the window at first: it is the iteration that goes astray, and
 * Python cuts the window. */
static bool goes_astray(const dt_batch *b, const dt_iteration *it, int failed) {
    const dt_sizes *o = &b->plan->sizes;
    if ((failed != FAILED && failed != NO_NUMBER) || o->kind != CUT || !o->stops || is_final(b)) return false;
    int32_t i = atomic_load(&b->failed) - 1;
    return failed == NO_NUMBER || b->members[i].evaluations > it->evaluations[i] + 1;
}

/* The run stands where it has come to. */
static void stand_there(sized *r) {
    journey *g = &r->g;
    if (g->by_input) {
        route_all(g, g->p->inputs);
        return;
    }
    look(g);
    copy((double *)g->seen.used, (double *)g->seen.now, 2 * g->seen.pairs);
}

/* What was used for the inputs at the end of the step that was made. */
static void keep_used(sized *r, double *used) {
    const dt_plan *p = r->g.p;
    if (r->g.by_input)
        copy(used, p->iteration ? p->inputs : (double *)r->g.seen.used, p->n_inputs);
}

/* The whole window, then both halves, which are to be kept. */
static int try_doubled(sized *r, tried *t) {
    journey *g = &r->g;
    dt_plan *p = g->p;
    const window *w = &t->w;
    double half = w->size / 2, middle = w->start + half;
    int failed = step_over(r, w->start, w->size, w->stop, false);
    if (failed) return may_be_cured(r, failed) ? t->failed = 1, 0 : failed;
    copy(r->ahead, g->outputs, p->n_outputs);
    if (p->iteration && p->iteration->columns > 1) {
        memcpy(r->found, p->iteration->coefficients, bytes(p->iteration->columns * p->n_inputs));
        g->b->covering = r->found;
        g->b->since = 0;
    }
    if (states_back(r, true)) return BROKEN;
    signals_back(r);
    g->b->keeps = p->iteration != NULL;
    failed = step_over(r, w->start, half, middle, false);
    g->b->keeps = false;
    if (failed) return may_be_cured(r, failed) ? t->failed = 2, 0 : failed;
    copy(r->middle, g->outputs, p->n_outputs);
    if (r->bonds) copy(r->bonds_middle, r->bonds_now, bonds_width(r->bonds));
    r->c->doubtful += p->iteration && p->iteration->doubted;
    keep_used(r, r->used);
    stand_there(r);
    if (p->iteration) swap_states(r);
    g->b->since = middle - w->start;
    failed = step_over(r, middle, half, w->stop, true);
    if (failed) return may_be_cured(r, failed) ? t->failed = 3, 0 : failed;
    r->c->doubtful += p->iteration && p->iteration->doubted;
    copy(r->end, g->outputs, p->n_outputs);
    keep_used(r, r->last);
    return 0;
}

/* One step over the whole window. */
static int try_once(sized *r, tried *t) {
    int failed = step_over(r, t->w.start, t->w.size, t->w.stop, false);
    if (failed) return may_be_cured(r, failed) ? t->failed = 1, 0 : failed;
    if (r->g.p->iteration) r->c->doubtful += r->g.p->iteration->doubted;
    copy(r->end, r->g.outputs, r->g.p->n_outputs);
    keep_used(r, r->last);
    return 0;
}

/* The next window has this size: what is expected of how inputs move. */
static void scale_course(sized *r, double size) {
    journey *g = &r->g;
    dt_plan *p = g->p;
    if (*p->known && size != r->c->course_size) {
        double ratio = size / r->c->course_size, *moved = (double *)g->seen.moved;
        if (!g->by_input)
            for (int32_t j = 0; j < 2 * g->seen.pairs; j++) moved[j] *= ratio;
        for (int32_t j = 0; j < p->n_inputs; j++) {
            if (g->by_input) p->moved[j] *= ratio;
            p->turned[j] *= ratio * ratio;
        }
    }
    r->c->course_size = size;
}

/* A step that stands is watched and recorded. `used`: its inputs at the end, where they moved. */
static void settle(sized *r, const double *outputs, const double *used, double size, double stop,
                   double *line) {
    journey *g = &r->g;
    copy(g->outputs, outputs, g->p->n_outputs);
    if (g->by_input) copy((double *)g->seen.used, used, g->p->n_inputs);
    scale_course(r, size);
    window_ends(g, stop, line);
}

/* What its ports took goes to the next row. */
static void settle_bonds(sized *r, const double *row) {
    if (!r->bonds) return;
    int32_t width = bonds_width(r->bonds);
    copy(r->bonds->rows, row, width);
    r->bonds->rows += width;
}

static decision judge(sized *r, const tried *t) {
    switch (r->c->kind) {
        case DOUBLING: return judge_doubling(r->c, t, r->low, r->high);
        case CHECKED: return judge_checked(r->c, t);
        case DEFECT: return judge_defect(&r->g, r->c, t, r->low, r->high);
        case FOLLOWS: return judge_following(r->c, t);
        default: return judge_adaptive(r->c, t);
    }
}

/* What a window begins with. */
typedef struct {
    double memory[MEMORY];
    int64_t passes, by_error, by_convergence, iterations, doubtful;
} beginning;

static beginning begin(sized *r) {
    journey *g = &r->g;
    dt_plan *p = g->p;
    dt_control *c = r->c;
    beginning at = {.passes = r->passes,
                    .by_error = c->by_error,
                    .by_convergence = c->by_convergence,
                    .iterations = c->iterations,
                    .doubtful = c->doubtful};
    memcpy(at.memory, c->memory, sizeof at.memory);
    copy(r->start, g->outputs, p->n_outputs);
    copy(r->seen, (double *)g->seen.used, 2 * g->seen.pairs);
    g->b->covering = NULL;
    eventful_begin(g->b);
    tuned_begin(g->b);
    solvers_begin(g->b);
    r->counted_each = false;
    if (!g->by_input) return at;
    copy(r->fed, p->inputs, p->n_inputs);
    for (int32_t i = 0; i < g->b->n; i++) r->evaluations[i] = g->b->members[i].evaluations;
    if (p->iteration && c->kind == CUT)
        memcpy(p->iteration->evaluations, r->evaluations, (size_t)g->b->n * sizeof *r->evaluations);
    if (p->iteration && follows_cubics(p->iteration)) keep_slopes(r);
    if (p->iteration && p->iteration->known)
        recall_lessons(p->iteration->before_tries, p->iteration->known, p->iteration->n_groups);
    if (p->curves && !p->curves->ramps) {
        r->past = *p->curves;
        memcpy(r->values, p->curves->values, bytes(p->n_inputs * p->curves->columns));
    }
    return at;
}

/* As if the window had not been tried: Python makes it. */
static int left(sized *r, const beginning *at, bool moved) {
    dt_batch *b = r->g.b;
    dt_control *c = r->c;
    if (moved) {
        if (states_back(r, false)) return FAILED;
        signals_back(r);
    }
    memcpy(c->memory, at->memory, sizeof at->memory);
    r->passes = at->passes;
    c->by_error = at->by_error;
    c->by_convergence = at->by_convergence;
    c->iterations = at->iterations;
    c->doubtful = at->doubtful;
    for (int32_t i = 0; i < b->n && (r->g.by_input || r->counted_each); i++)
        b->members[i].evaluations = r->evaluations[i];
    solvers_uncount(b);
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    return HANDED_OVER;
}

/* One window, however often it is tried; its lines. 0, or why it was not made. */
static int controlled_window(sized *r, double *lines, int64_t width, int64_t *made) {
    dt_control *c = r->c;
    dt_batch *b = r->g.b;
    bool doubled = c->kind == DOUBLING;
    tried t = {next_window(c->origin, c->size, c->stop, c->time), 0, r->g.p->n_outputs,
               r->start, r->ahead, r->middle, r->end};
    beginning at = begin(r);
    bool moved = false;
    if (c->kind == FOLLOWS && !next_size(c, t.w.stop, &(double){0})) return left(r, &at, false);
    for (;;) {
        if (c->kind == CUT) t.w = cut_window(c, &t.w);
        if (!(t.w.stop > t.w.start) || (c->rejects && is_instant(&t.w))) return left(r, &at, moved);
        if (atomic_load_explicit(&b->interrupted, memory_order_relaxed))
            return left(r, &at, moved) == HANDED_OVER ? INTERRUPTED_BETWEEN : FAILED;
        t.failed = r->culprit = 0;
        c->tried_start = t.w.start, c->tried_size = t.w.size, c->tried_stop = t.w.stop;
        int64_t doubtful = c->doubtful;
        if (keep_states(r, &t.w)) return is_final(b) ? FAILED : left(r, &at, moved);
        moved = true;
        int failed = doubled ? try_doubled(r, &t) : try_once(r, &t);
        if (failed == FAILED && b->stage == SAVING && !is_final(b)) failed = HANDED_OVER;
        if (failed == HANDED_OVER) return left(r, &at, true);
        if (failed) return failed == BROKEN ? FAILED : failed;
        decision said = judge(r, &t);
        if (said.what == GIVE_UP && t.failed && r->culprit) {
            if (states_back(r, false)) return FAILED;
            signals_back(r);
            atomic_store(&b->failed, r->culprit);
            return FAILED;
        }
        if (said.what == GIVE_UP)
            return c->rejects || t.failed ? left(r, &at, true) : GAVE_UP;
        if (said.what == ACCEPT) {
            double half = t.w.size / 2;
            if (doubled) {
                copy((double *)r->g.seen.used, r->seen, 2 * r->g.seen.pairs);
                settle(r, r->middle, r->used, half, t.w.start + half, lines);
                settle_bonds(r, r->bonds_middle);
                lines += width;
            }
            settle(r, r->end, r->last, doubled ? half : t.w.size, t.w.stop, lines);
            settle_bonds(r, r->bonds_now);
            *made = doubled ? 2 : 1;
            c->windows++;
            c->beyond += said.beyond;
            c->time = t.w.stop;
            if (said.size) c->origin = t.w.stop, c->size = said.size;
            return 0;
        }
        c->doubtful = doubtful;
        *(said.what == RETRY_ERROR ? &c->by_error : &c->by_convergence) += 1;
        if (t.failed == 1) b->covering = NULL;
        b->since = 0;
        if (states_back(r, false)) return FAILED;
        signals_back(r);
        t.w = (window){t.w.start, said.size, t.w.start + said.size};
    }
}

/* The plan says what the controller is asked for. */
static void take_options(dt_control *c, const dt_sizes *o) {
    c->kind = o->kind, c->order = o->order;
    c->ranged = o->ranged, c->rejects = o->rejects, c->stops = o->stops;
    c->rtol = o->rtol, c->atol = o->atol, c->safety = o->safety;
    c->first_size = o->first_size, c->min_size = o->min_size, c->max_size = o->max_size;
}

/* Windows of a controller until the run is over, one cannot be made here, `room` lines are full, or
 * `budget` seconds are over. Times and recorded values go to `lines`; how many of these. */
EXPORT int64_t dt_controlled(dt_batch *b, dt_memory *memory, dt_control *c, double *lines,
                             int64_t room, int64_t width, double budget) {
    dt_plan *p = b->plan;
    watch clock = {seconds_now(), budget, 1, 0};
    sized r;
    c->windows = c->by_error = c->by_convergence = c->beyond = c->iterations = c->doubtful = 0;
    c->outcome = 0;
    if (!p || !p->sizes.kind || lacks_slopes(p, memory)) {
        c->outcome = HANDED_OVER;
        return 0;
    }
    take_options(c, &p->sizes);
    take_up(p, memory);
    for (int32_t i = 0; i < b->n && c->rejects; i++)
        if (!b->members[i].rollback || !(b->members[i].get_state || b->members[i].solved)) c->outcome = HANDED_OVER;
    if (!b->n || c->outcome || !sized_new(&r, b, p, c)) return 0;
    clock.until = naps_begin();
    lend(lines, room, width, 1 + p->n_recorded);
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    int64_t rows = 0, made = 0;
    while (c->time < c->stop && rows + 2 <= room) {
        if (c->windows == clock.next && late(&clock, c->windows)) break;
        c->outcome = controlled_window(&r, lines + rows * width, width, &made);
        if (c->outcome) break;
        rows += made;
        if (atomic_load(&b->ending) || overdue(&clock)) break;
    }
    take_back();
    naps_end();
    if (c->windows) note_inputs(&r.g);
    if (c->outcome == GAVE_UP) {
        tell_inputs(&r.g, r.start, r.end);
        memcpy(c->found, r.end, bytes(p->n_outputs));
    }
    if (c->outcome == FAILED && b->time != c->tried_start) { /* its second half */
        c->tried_start = b->time;
        c->tried_size = b->size;
    } else if (c->outcome == FAILED && b->size != c->tried_size) {
        c->tried_size = b->size;
        c->tried_stop = b->time + b->size;
    }
    if (c->outcome == GAVE_UP || c->outcome == FAILED) copy(r.g.outputs, r.start, p->n_outputs);
    if (r.g.outputs != p->outputs)
        memcpy(p->outputs, r.g.outputs, (size_t)p->n_outputs * sizeof *p->outputs);
    if (!c->outcome || c->outcome == HANDED_OVER) route_all(&r.g, p->inputs);
    sized_free(&r);
    own_again(b);
    hand_back(p, memory);
    return rows;
}
