/* ---- values that are no reals, from part to part ------------------------------------------------- */

/* Twin of src/dovetail/junctions/wires.py. Same bits: tests/exporting/test_carried.py.
 *
 * The kernel knows real inputs and outputs. What else goes from part to part is read behind a step of its
 * source, and given before a step of its target. Numbers are kept in between; texts are where they were. */

static int32_t carried_from_part(const exported *e, int64_t w) {
    return e->block.value_part[e->block.carried.source[w]];
}

/* The part that a wire feeds. */
static int32_t carried_to_part(const exported *e, int64_t w) {
    const carried_wires *c = &e->block.carried;
    if (c->target[w] >= 0) return e->block.value_part[c->target[w]];
    for (int32_t i = 0; i < e->block.n_parts; i++) {
        const dt_member *m = e->members + i;
        if (c->input[w] >= m->in_at && c->input[w] < m->in_at + m->n_in) return i;
    }
    return -1;
}

static bool carries_text(const exported *e, int64_t w) {
    return e->block.value_type[e->block.carried.source[w]] == AS_STRING;
}

/* Before any part was asked: start values. */
static void carried_begin(exported *e) {
    const exported_block *b = &e->block;
    for (int64_t w = 0; w < b->carried.n; w++) {
        int32_t v = b->carried.source[w];
        if (!carries_text(e, w)) e->carried[w] = b->numbers[b->value_at[v] + b->carried.source_element[w]];
    }
}

/* What a part gives to others, read. */
static int carried_read(exported *e, int32_t i) {
    const carried_wires *c = &e->block.carried;
    for (int64_t w = 0; w < c->n; w++) {
        if (carried_from_part(e, w) != i || carries_text(e, w)) continue;
        int status = asked(e, c->source[w], c->source_element[w], e->carried + w, NULL);
        if ((unsigned)status > WARNING) return status;
    }
    return OK;
}

static int carried_text(exported *e, int64_t w, int32_t at) {
    const carried_wires *c = &e->block.carried;
    int32_t v = c->source[w];
    const char *text = e->block.texts[e->block.value_at[v] + c->source_element[w]];
    double number;
    if (lives(e, v)) {
        int status = asked(e, v, c->source_element[w], &number, &text);
        if ((unsigned)status > WARNING) return status;
    }
    char *copy = joined_text(text ? text : "", "", "");
    if (!copy) return ERROR;
    free(e->texts[at]);
    e->texts[at] = copy;
    return OK;
}

static double carried_number(const exported *e, int64_t w, const double *given, const double *instead) {
    double value = e->carried[w];
    for (int32_t k = 0; k < e->block.carried.rows[w]; k++)
        if (given[k] == value) return instead[k];
    return value;
}

/* What others give to a part, set. */
static int carried_give(exported *e, int32_t i) {
    const exported_block *b = &e->block;
    const carried_wires *c = &b->carried;
    const double *given = c->given, *instead = c->instead;
    for (int64_t w = 0; w < c->n; given += c->rows[w], instead += c->rows[w], w++) {
        int32_t v = c->target[w];
        if (carried_to_part(e, w) != i) continue;
        if (v < 0) {
            double value = c->gain[w] * carried_number(e, w, given, instead) + c->offset[w];
            e->batch->start[c->input[w]] = e->memory.inputs[c->input[w]] = value;
            continue;
        }
        int32_t at = b->value_at[v] + c->target_element[w];
        if (carries_text(e, w)) {
            int status = carried_text(e, w, at);
            if ((unsigned)status > WARNING) return status;
        } else {
            double value = carried_number(e, w, given, instead);
            if (e->given[v] && e->numbers[at] == value) continue;
            e->numbers[at] = value;
        }
        e->given[v] = 1;
        int status = give(e, v);
        if ((unsigned)status > WARNING) return status;
    }
    return OK;
}

/* A window in which each part steps once, with inputs that are held; the status of what failed beside the
 * steps in `why`. */
static int carried_window(exported *e, int *why) {
    journey *g = &e->single;
    dt_batch *b = e->batch;
    double *used = (double *)g->seen.used;
    *why = OK;
    if (g->p->plain)
        copy(used, g->outputs, b->n_outputs);
    else
        for (int32_t w = 0; w < b->n_wires; w++) used[w] = on_wire(b, w, g->outputs);
    for (int32_t i = 0; i < b->n && !g->p->sequential; i++)
        if ((unsigned)(*why = carried_give(e, i)) > WARNING) return FAILED;
    for (int32_t turn = 0; turn < b->n; turn++) {
        int32_t i = g->p->order[turn];
        if (g->p->sequential && (unsigned)(*why = carried_give(e, i)) > WARNING) return FAILED;
        if (plain_step(g, turn, false)) return FAILED;
        if ((unsigned)(*why = carried_read(e, i)) > WARNING) return FAILED;
    }
    return finite_all(g->outputs, b->n_outputs) ? 0 : NO_NUMBER;
}
