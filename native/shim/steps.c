/* ---- steps: as many windows as fit, the last one cut at the end ------------------------------- */

/* Twin of src/dovetail/core/window.py, src/dovetail/controllers/fixed_step.py.
 * Same bits: tests/exporting/test_same_bits.py. */

enum { CALM_WINDOWS = 4 };

/* Where time stands among the lines of windows; nearer than a billionth of one is on it. */
typedef struct {
    double slack, line; /* the next line */
    int64_t k;          /* the last one */
    bool on_line;
} standing;

static standing stands(const exported *e) {
    double origin = e->start, size = e->block.size;
    double slack = 1e-9 * size, least = 4 * resolution(farther(e->time, origin));
    if (least > slack) slack = least;
    double k = floor((e->time - origin + slack) / size);
    bool on_line = fabs(e->time - (origin + k * size)) <= slack;
    return (standing){slack, origin + (k + 1) * size, (int64_t)k, on_line};
}

/* The next window, and whole ones behind it that may be made in the same call. Ends on lines are those of
 * the lines, whatever rounding the importer's times have. */
static dt_stretch next_stretch(const exported *e, standing at, double target) {
    double size = e->block.size, event = next_event(e);
    dt_stretch s = {.start = e->time, .line = at.k, .count = 1, .width = 1};
    s.stop = at.line <= target + at.slack ? at.line : target;
    if (event < s.stop - 1e-9 * (s.stop - e->time)) s.stop = event;
    if (event < target) target = event; /* whole windows up to there, the last one may end there */
    bool whole = at.on_line && s.stop == at.line;
    s.size = whole ? size : s.stop - e->time;
    if (e->cut < s.size) {
        s.stop = e->time + s.size / ceil(s.size / e->cut - 1e-9);
        s.size = s.stop - e->time;
    } else if (whole && target >= at.line + size - at.slack) {
        int64_t many = (int64_t)floor((target - e->start + at.slack) / size) - at.k;
        s.count = many < 1 ? 1 : many > AT_ONCE ? AT_ONCE : many;
    }
    if (e->junctions) s.count = 1; /* unknowns follow each */
    return s;
}

/* Windows were made whose iterations converged: after some of them longer ones are tried again. */
static void calm_down(exported *e) {
    if (isinf(e->cut) || ++e->calm < CALM_WINDOWS) return;
    e->calm = 0;
    e->cut *= 2;
    if (e->cut >= e->block.size) e->cut = INFINITY;
}

/* A window did not converge: a shorter one is tried, if there is any. */
static bool cut_down(exported *e, const dt_stretch *s) {
    const window tried = {e->time, s->size, e->time + s->size};
    double half = tried.size / 2;
    if (half < e->block.least || !can_be_told(&tried, half, e->block.size)) return false;
    e->cut = half;
    e->calm = 0;
    return true;
}

/* Why windows were not all made, told; the status. */
static int explained(exported *e, bool no_number) {
    int32_t member = -1, stage = 0, status = ERROR;
    double reached = e->time;
    if ((unsigned)e->beside > WARNING) return e->beside == FATAL ? FATAL : ERROR;
    if (no_number) {
        for (int32_t i = 0; i < e->block.n_parts; i++) {
            const dt_member *m = e->members + i;
            if (!finite_all(e->memory.outputs + m->out_at, m->n_out)) member = i;
        }
        tell(e, ERROR, "part '%s' returned NaN or Inf after t = %.17g s",
             member < 0 ? "?" : e->block.names[member], e->time);
        return ERROR;
    }
    dt_failure(e->batch, &member, &stage, &status, &reached);
    if (member < 0) {
        tell(e, ERROR, "the iteration did not converge at t = %.17g s", e->time);
        return ERROR;
    }
    hand_on(e, member, OK);
    const char *name = e->block.names[member];
    switch (stage) {
        case EARLY:
            tell(e, ERROR, "part '%s' ended its step early, at t = %.17g s", name, reached);
            return ERROR;
        case REPEATING:
        case DIFFERING:
        case DIFFERING_NEXT:
            tell(e, ERROR, "part '%s' cannot be rolled back: a step made again gave something else",
                 name);
            return ERROR;
        default:
            tell(e, status == FATAL ? FATAL : ERROR, "part '%s' returned status %d at t = %.17g s",
                 name, (int)status, e->time);
            return status == FATAL ? FATAL : ERROR;
    }
}

/* Whether inner FMUs may have to go back: an importer has a state of ours. */
static void tell_horizon(exported *e) {
    if (e->horizon == (e->states == 0)) return;
    e->horizon = e->states == 0;
    for (int32_t i = 0; i < e->block.n_parts; i++) e->members[i].no_set_prior = e->horizon;
    for (int32_t k = 0; k < e->single.n_ranks; k++) e->single.ranks[k].no_set_prior = e->horizon;
}

/* From where time stands to `target`. `terminated` is set where a part asks to end. */
static int advance_to(exported *e, double target) {
    tell_horizon(e);
    if (is_sized(e)) return sized_to(e, target);
    int quick = quick_step(e, target);
    if (quick >= 0) return quick;
    e->terminated = e->lined = false;
    int status = e->junctions && *e->junctions->stale ? settle_junctions(e, e->block.size, false) : OK;
    for (double again = 0; status == OK;) {
        status = events_here(e);
        if (status != OK) return status;
        standing at = stands(e);
        if (e->time >= target - at.slack) {
            e->lined = e->time == e->start + (double)at.k * e->block.size && isinf(e->cut);
            e->line = at.k;
            return status;
        }
        dt_stretch s = next_stretch(e, at, target);
        if (again > 0) s = (dt_stretch){e->time, again, e->time + again, at.k, 1, 1};
        again = 0;
        e->batch->singles = 1; /* steps are timed for threads only, and there are none */
        int64_t done = goes_singly(e, s.count) ? few_windows(e, &s, e->lines)
                                               : dt_run(e->batch, &e->memory, &s, e->lines, INFINITY);
        int64_t whole = done < 0 ? -1 - done : done;
        if (whole) {
            e->time = e->lines[whole - 1];
            calm_down(e);
            if (e->junctions && (status = events_here(e)) == OK) status = settle_junctions(e, s.size, false);
        }
        if (whole && dt_ending(e->batch) >= 0) {
            e->terminated = true;
            return OK;
        }
        if (whole == s.count) continue;
        if (done >= 0 && e->memory.handed_over && cut_down(e, &s)) {
            again = e->cut; /* the same window, shorter */
            continue;
        }
        return explained(e, done < 0);
    }
    return status;
}
