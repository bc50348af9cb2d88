/* ---- events at known times: samples and jumps of parts that are equations ------------------------ */

/* Twin of src/dovetail/assembly/standstill.py, src/dovetail/run/stepping.py.
 * Same bits: tests/exporting/test_events.py. */

enum { EVENT_ROUNDS = 100 };

static equations *equations_in_part(const exported *e, int32_t i) {
    return e->block.kinds[i] == IS_EQUATIONS ? e->parts[i].instance : NULL;
}

/* When windows have to end next. */
static double next_event(const exported *e) {
    double next = INFINITY;
    if (!e->has_equations) return next;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        const equations *m = equations_in_part(e, i);
        double own = m ? equations_next(m) : INFINITY;
        if (own < next) next = own;
    }
    return next;
}

/* Whether a part stands where something jumps; after a change from outside also where it was sampled. */
static bool has_event(const exported *e) {
    bool found = false;
    if (!e->has_equations) return found;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        const equations *m = equations_in_part(e, i);
        found |= m && (m->due || (m->sampling && e->dirty));
    }
    return found;
}

/* Windows start anew behind an event: from outputs right of it, and with nothing learned. */
static void begin_behind(exported *e) {
    dt_iteration *it = e->batch->plan->iteration;
    memcpy(e->memory.inputs, e->batch->start, (size_t)e->batch->n_inputs * sizeof(double));
    for (int32_t w = 0; w < e->batch->n_wires; w++)
        e->memory.inputs[e->batch->wire_target[w]] = on_wire(e->batch, w, e->memory.outputs);
    for (int32_t i = 0; i < e->block.n_parts; i++)
        copy(e->members[i].outputs, e->memory.outputs + e->members[i].out_at, e->members[i].n_out);
    e->memory.points = 0;
    for (int32_t k = 0; it && it->known && k < it->n_groups; k++) forget(it->known + k);
}

/* Every part that can be asked while time stands still answers for the new inputs, until nothing
 * changes any more; FMUs keep the outputs of their last step. */
static int event_here(exported *e) {
    size_t n = (size_t)e->block.n_outputs;
    double *old = malloc((n + 1) * sizeof *old), error = INFINITY;
    int status = old ? OK : ERROR;
    e->jumping = true;
    memcpy(e->route, e->batch->start, (size_t)e->batch->n_inputs * sizeof(double));
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        e->parts[i].has_tried = false;
        if (equations_in_part(e, i)) equations_take(equations_in_part(e, i));
    }
    for (int round = 0; round < EVENT_ROUNDS && error > 1 && status == OK; round++) {
        memcpy(old, e->memory.outputs, n * sizeof *old);
        status = pass_at_start(e, false);
        error = 0;
        for (size_t k = 0; k < n; k++) {
            double change = fabs(e->memory.outputs[k] - old[k]);
            double scaled = change / (fabs(old[k]) * START_RTOL + START_ATOL);
            if (!(scaled <= error)) error = isnan(scaled) ? INFINITY : scaled;
        }
    }
    e->jumping = false;
    free(old);
    if (status == OK && error > 1) {
        tell(e, ERROR, "the outputs do not settle at the event at t = %.17g s", e->time);
        status = ERROR;
    }
    if (status == OK) begin_behind(e);
    e->dirty = false;
    return status;
}

/* All parts agree right behind what was due, if anything was. */
static int events_here(exported *e) { return has_event(e) ? event_here(e) : OK; }
