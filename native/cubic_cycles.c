/* ---- cycles whose inputs are cubics -------------------------------------------------------------- */

/* Twin of src/dovetail/algorithms/interface.py, src/dovetail/algorithms/gauss_seidel.py,
 * src/dovetail/assembly/attempt.py.
 * Same bits: tests/conformance/test_native_cubics.py. */

/* What these members have just answered beside their outputs. NO_NUMBER where it is none. */
static int take_slopes(const dt_batch *b, dt_iteration *it, const int32_t *members, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        const dt_member *m = b->members + members[k];
        if (!finite_all(m->cubic->slopes, m->n_out)) return NO_NUMBER;
        copy(it->slopes.now + m->out_at, m->cubic->slopes, m->n_out);
    }
    return 0;
}

static int ask_cubics(dt_batch *b, dt_iteration *it, const int32_t *members, int32_t count,
                      double *outputs) {
    int failed = ask(b, members, count, it->coefficients, MAX_COLUMNS, outputs);
    return failed ? failed : take_slopes(b, it, members, count);
}

/* The inputs of a member over the window, from outputs and derivatives as they stand. */
static void shape_cubics(const dt_batch *b, dt_iteration *it, const dt_member *m,
                         const double *outputs) {
    double *rows = it->coefficients + MAX_COLUMNS * (size_t)m->in_at;
    int32_t w = m->first_wire;
    for (int32_t j = 0, place = m->in_at; j < m->n_in; j++, place++) {
        double value = b->start[place], slope = 0;
        if (w < m->last_wire && b->wire_target[w] == place) {
            int32_t source = b->wire_source[w];
            value = m->plain ? outputs[source] : b->wire_gain[w] * outputs[source] + b->wire_offset[w];
            slope = m->plain ? it->slopes.now[source] : b->wire_gain[w] * it->slopes.now[source];
            w++;
        }
        hermite(it->begin[place], it->rates[place], value, slope, b->size, rows + MAX_COLUMNS * j);
    }
}

static int sweep_cubics(dt_batch *b, dt_iteration *it, const dt_group *g, double *outputs) {
    none_failed(b);
    for (int32_t k = 0; k < g->n_parts; k++) {
        dt_member *m = b->members + g->parts[k];
        shape_cubics(b, it, m, outputs);
        int failed = ask_cubics(b, it, g->parts + k, 1, outputs);
        if (failed) return failed;
    }
    return 0;
}

static void see_cubics(dt_batch *b, dt_iteration *it, const dt_group *g, const double *outputs) {
    for (int32_t k = 0; k < g->n_parts; k++)
        shape_cubics(b, it, b->members + g->parts[k], outputs);
}

/* What derivatives of outputs make of those that are unknown, times the window's size. */
static void route_cubics(const dt_batch *b, const dt_iteration *it, const dt_group *g, double *v) {
    for (int32_t i = 0; i < g->n_unknown; i++)
        v[i] = b->size * (g->unknown_gains[i] * it->slopes.now[g->feeding[i]]);
}

static void propose_cubic(const dt_batch *b, dt_iteration *it, int32_t j, double value, double move) {
    hermite(it->begin[j], it->rates[j], value, move / b->size, b->size,
            it->coefficients + MAX_COLUMNS * (size_t)j);
}

static void propose_cubics(const dt_batch *b, dt_iteration *it, const dt_group *g, const double *v) {
    for (int32_t i = 0; i < g->n_unknown; i++)
        propose_cubic(b, it, g->unknown[i], v[i], v[g->n_unknown + i]);
}

/* A search begins where a longer window has ended, or where derivatives lead. */
static void guess_cubics(const dt_batch *b, dt_iteration *it, const dt_group *g) {
    double h = b->size;
    for (int32_t i = 0; i < g->n_unknown; i++) {
        int32_t j = g->unknown[i];
        double value, slope;
        if (b->covering) {
            double line[MAX_COLUMNS];
            const double *row = b->covering + MAX_COLUMNS * (size_t)j;
            if (b->since != 0) {
                cubic_from(row, b->since, line);
                row = line;
            }
            value = cubic_at(row, h);
            slope = cubic_slope(row, h);
        } else {
            slope = isnan(it->rates[j]) ? 0 : it->rates[j];
            value = it->begin[j] + h * slope;
        }
        it->v[i] = value;
        it->v[g->n_unknown + i] = h * slope;
    }
}

/* A window opens: derivatives of inputs at its start, those of outputs there, in case it is not made,
 * and how those at its end are found. */
static void open_cubics(dt_batch *b, dt_iteration *it) {
    dt_slopes *s = &it->slopes;
    copy(it->slopes_before, s->now, b->n_outputs);
    memset(it->rates, 0, (size_t)b->n_inputs * sizeof *it->rates);
    for (int32_t i = 0; i < b->n; i++) {
        const dt_member *m = b->members + i;
        for (int32_t w = m->first_wire; w < m->last_wire; w++) {
            double slope = s->now[b->wire_source[w]];
            it->rates[b->wire_target[w]] = b->wire_gain[w] * slope;
        }
    }
    b->slopes = s;
    weigh_slopes(s, b->stop);
}

/* It ends. Whatever went wrong is for Python to say, which makes the window again, unless it would be
 * met there as well, or nothing can be done any more. */
static int close_cubics(dt_batch *b, dt_iteration *it, double *outputs, int failed) {
    for (int32_t i = 0; i < b->n && !failed; i++) failed = take_slopes(b, it, &i, 1);
    if (!failed) {
        remember_outputs(&it->slopes, outputs, b->n_outputs, b->stop);
        return 0;
    }
    copy(it->slopes.now, it->slopes_before, b->n_outputs);
    if (failed == UNCONVERGED) return failed;
    if (is_final(b)) {
        copy(outputs, it->before, b->n_outputs);
        return FAILED;
    }
    none_failed(b);
    return HANDED_OVER;
}
