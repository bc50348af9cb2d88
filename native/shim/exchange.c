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
