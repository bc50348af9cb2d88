/* ---- in and out of initialization ------------------------------------------------------------ */

/* Twin of src/dovetail/assembly/assembly.py.
 * Same bits: tests/exporting/test_start.py. */

static int enter_part(exported *e, int32_t i) {
    void *instance = e->parts[i].instance;
    double own = e->block.tolerances[i], tolerance = isnan(own) ? e->tolerance : own;
    bool has = !isnan(own) || e->has_tolerance;
    int status = OK;
    if (e->block.versions[i] == 2) {
        int (*set_up)(void *, int, double, double, int, double) =
            (int (*)(void *, int, double, double, int, double))function_of(e, i, "SetupExperiment");
        status = set_up ? set_up(instance, has, has ? tolerance : 0.0, e->start, 0, 0.0) : OK;
        if ((unsigned)status > WARNING) return failed_in(e, i, "SetupExperiment", status);
    }
    if ((unsigned)(status = give_all(e, i)) > WARNING) return status;
    if (e->block.versions[i] == 2) {
        int (*enter)(void *) = (int (*)(void *))function_of(e, i, "EnterInitializationMode");
        status = enter ? enter(instance) : ERROR;
    } else if (e->block.versions[i] == 3) {
        int (*enter)(void *, bool, double, double, bool, double) =
            (int (*)(void *, bool, double, double, bool, double))function_of(
                e, i, "EnterInitializationMode");
        status = enter ? enter(instance, has, has ? tolerance : 0.0, e->start, false, 0.0) : ERROR;
    }
    return (unsigned)status > WARNING ? failed_in(e, i, "EnterInitializationMode", status) : OK;
}

static int enter_initialization(exported *e) {
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        int status = enter_part(e, i);
        if ((unsigned)status > WARNING) return status;
    }
    e->time = e->start;
    e->batch->plan->origin = e->start;
    e->mode = INITIALIZING;
    e->dirty = true;
    return OK;
}

/* Outputs as they are when initialization is over: some FMUs work theirs out only then. */
static int late_outputs(exported *e, int32_t i) {
    dt_member *m = e->members + i;
    if (e->block.versions[i] == 1) return OK;
    int status = get_reals(m, e->memory.outputs + m->out_at);
    if ((unsigned)status > WARNING) return failed_in(e, i, "getting its outputs", status);
    if ((unsigned)(status = carried_read(e, i)) > WARNING) return status;
    if (finite_all(e->memory.outputs + m->out_at, m->n_out)) return OK;
    tell(e, ERROR, "part '%s' gives an output that is NaN or Inf at the start", e->block.names[i]);
    return ERROR;
}

static int leave_initialization(exported *e) {
    int status = e->dirty ? solve_start(e) : OK;
    if ((unsigned)status > WARNING) return status;
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        if (e->block.versions[i] == 1) continue; /* it was initialized when it was asked */
        int (*leave)(void *) = (int (*)(void *))function_of(e, i, "ExitInitializationMode");
        status = leave ? leave(e->parts[i].instance) : ERROR;
        if ((unsigned)status > WARNING) return failed_in(e, i, "ExitInitializationMode", status);
        if (solved_in_part(e, i) && (unsigned)(status = solved_begin(e, i)) > WARNING) return status;
    }
    for (int32_t i = 0; i < e->block.n_parts; i++)
        if ((unsigned)(status = late_outputs(e, i)) > WARNING) return status;
    memcpy(e->memory.inputs, e->batch->start, (size_t)e->batch->n_inputs * sizeof(double));
    for (int32_t w = 0; w < e->batch->n_wires; w++)
        e->memory.inputs[e->batch->wire_target[w]] = on_wire(e->batch, w, e->memory.outputs);
    for (int32_t i = 0; i < e->block.n_parts; i++)
        copy(e->members[i].outputs, e->memory.outputs + e->members[i].out_at, e->members[i].n_out);
    e->mode = UNDER_WAY;
    e->lined = true;
    e->line = 0;
    return OK;
}
