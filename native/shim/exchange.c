/* ---- model exchange, of equations that are all there is ---------------------------------------- */

/* No twin: Python solves its models itself. */

static equations *exchanged(exported *e, const char *call) {
    if (allowed(e, call, WHILE_STEPPED) && e->exchange) return e->parts[0].instance;
    if (e && !e->exchange) tell(e, ERROR, "%s is for model exchange", call);
    return NULL;
}

/* It was made for model exchange, if it can be. */
static exported *for_exchange(exported *e) {
    equations *m = e ? only_equations(e) : NULL;
    if (m && m->q->n_x) {
        e->exchange = true;
        return e;
    }
    if (e) tell(e, ERROR, "this FMU is for co-simulation only");
    exported_free(e);
    return NULL;
}

static int stand_at(exported *e, const char *call, double time) {
    equations *m = exchanged(e, call);
    if (!m) return ERROR;
    m->time = e->time = time;
    return OK;
}

static int states_set(exported *e, const char *call, const double *x, size_t n) {
    equations *m = exchanged(e, call);
    if (!m || n != (size_t)m->q->n_x) return ERROR;
    memcpy(m->x, x, n * sizeof *x);
    return OK;
}

static int states_got(exported *e, const char *call, double *x, size_t n) {
    equations *m = exchanged(e, call);
    if (!m || n != (size_t)m->q->n_x) return ERROR;
    memcpy(x, m->x, n * sizeof *x);
    return OK;
}

static int rates_got(exported *e, const char *call, double *dx, size_t n) {
    equations *m = exchanged(e, call);
    if (!m || n != (size_t)m->q->n_x) return ERROR;
    m->q->rates(m->time, m->x, m->u, m->p, dx);
    return finite_all(dx, m->q->n_x) ? OK : DISCARD;
}

static int nominals_got(exported *e, const char *call, double *values, size_t n) {
    if (!exchanged(e, call)) return ERROR;
    for (size_t k = 0; k < n; k++) values[k] = 1.0;
    return OK;
}

/* ---- directional derivatives ---- */

/* The column of a known: a state by its value, or an input; the row of an unknown. -1: none. */
static int32_t line_of(const exported *e, const equations *m, uint32_t r, bool known) {
    const exported_block *b = &e->block;
    if (r >= b->n_variables) return -1;
    int32_t place = b->place[r], v = b->value[r], n_p = m->q->n_p, n_x = m->q->n_x;
    if (!known && b->role[r] == IS_RATE) return place < n_x ? place : -1;
    if (!known && b->role[r] == IS_OUTPUT)
        return (int32_t)e->members[0].out_refs[place] - n_p - m->q->n_u;
    if (known && b->role[r] == IS_INPUT) return n_x + place;
    if (!known || v < 0) return -1;
    int32_t state = (int32_t)b->value_reference[v] + b->element[r] - n_p;
    return state >= 0 && state < n_x ? state : -1;
}

static int directional(exported *e, const uint32_t *unknown, size_t n_unknown,
                       const uint32_t *known, size_t n_known, const double *seed, double *found) {
    equations *m = e ? only_equations(e) : NULL;
    if (!allowed(e, "GetDirectionalDerivative", STARTING | WHILE_STEPPED) || !m || !m->q->jacobian)
        return ERROR;
    int32_t width = m->q->n_x + m->q->n_u;
    m->q->jacobian(m->time, m->x, m->u, m->p, m->jacobian);
    for (size_t i = 0; i < n_unknown; i++) {
        int32_t row = line_of(e, m, unknown[i], false);
        if (row < 0) return ERROR;
        found[i] = 0;
        for (size_t k = 0; k < n_known; k++) {
            int32_t column = line_of(e, m, known[k], true);
            if (column < 0) return ERROR;
            found[i] += m->jacobian[row * width + column] * seed[k];
        }
    }
    return OK;
}
