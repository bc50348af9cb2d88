/* ---- steps in windows whose sizes a controller chooses -------------------------------------------- */

/* Twin of src/dovetail/models/nested_part.py, src/dovetail/run/stepping.py.
 * Same bits: tests/exporting/test_sized.py.
 *
 * Each step of the importer begins a grid of its own, of the size that was chosen last, and cuts the last
 * window at its end. What a controller remembers lies among the vectors of the state. */

enum { SIZED_NUMBERS = 2 }; /* the size of the next window, that of the last one that was watched */

static bool is_sized(const exported *e) { return e->batch->plan->sizes.kind != FIXED_WINDOWS; }

static size_t ranged_signals(const exported *e) {
    int32_t wires = e->batch->n_wires, outputs = e->batch->n_outputs;
    return (size_t)(wires > outputs ? wires : outputs);
}

static size_t sized_numbers(const exported *e) {
    if (!is_sized(e)) return 0;
    size_t past = MAX_COLUMNS * (size_t)e->batch->n_inputs;
    return SIZED_NUMBERS + MEMORY + 2 * ranged_signals(e) + past + (size_t)e->batch->n_outputs;
}

static void sized_place(exported *e, double *at) {
    e->sized = at;
    if (!is_sized(e)) return;
    e->control.low = at + SIZED_NUMBERS + MEMORY;
    e->control.high = e->control.low + ranged_signals(e);
    e->control.past = e->control.high + ranged_signals(e);
    e->control.found = e->control.past + MAX_COLUMNS * (size_t)e->batch->n_inputs;
}

/* Before the first window. */
static void sized_begin(exported *e) {
    if (!is_sized(e)) return;
    e->sized[0] = e->sized[1] = e->batch->plan->sizes.first_size;
    memcpy(e->sized + SIZED_NUMBERS, e->block.control, MEMORY * sizeof *e->sized);
}

/* Why the controller made no further window, told; the status. */
static int sized_explained(exported *e, const dt_control *c) {
    if (c->outcome == FAILED || c->outcome == NO_NUMBER) return explained(e, c->outcome == NO_NUMBER);
    tell(e, ERROR, "windows cannot be made so short that their error is small enough, at t = %.17g s; "
         "something may jump there, or come out otherwise each time", e->time);
    return ERROR;
}

/* A window that the clock hardly resolves is made as it is: nothing can be compared over it. */
static bool is_last_bit(const exported *e, window w) {
    return !(w.stop > w.start) || (e->batch->plan->sizes.kind == DOUBLING && is_instant(&w));
}

/* From where time stands to `target`. */
static int sized_to(exported *e, double target) {
    dt_control *c = &e->control;
    e->terminated = e->lined = false;
    for (double origin = e->time; e->time < target;) {
        int status = events_here(e);
        double event = next_event(e);
        if (status != OK) return status;
        memcpy(c->memory, e->sized + SIZED_NUMBERS, sizeof c->memory);
        c->origin = origin, c->size = e->sized[0], c->course_size = e->sized[1];
        c->time = e->time;
        c->stop = event < target ? event : target;
        e->batch->singles = 1;
        window w = next_window(c->origin, c->size, c->stop, c->time);
        if (is_last_bit(e, w)) {
            dt_stretch s = {w.start, w.size, w.stop, 0, 1, 1};
            if (few_windows(e, &s, e->lines) != 1) return explained(e, false);
            e->time = w.stop;
            continue;
        }
        int64_t rows = dt_controlled(e->batch, &e->memory, c, e->lines, AT_ONCE, 1, INFINITY);
        if (rows) e->time = c->time;
        origin = c->origin;
        e->sized[0] = c->size, e->sized[1] = c->course_size;
        memcpy(e->sized + SIZED_NUMBERS, c->memory, sizeof c->memory);
        if (rows && dt_ending(e->batch) >= 0) {
            e->terminated = true;
            return OK;
        }
        if (c->outcome && !(c->outcome == HANDED_OVER && rows)) return sized_explained(e, c);
    }
    return events_here(e);
}
