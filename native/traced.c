/* ---- members that are compiled Python models -------------------------------------------------- */

/* Functions of a library that was built from a traced model, with the calls of model exchange in FMI 2:
 * the integrators of the kernel solve them as they solve FMUs; Python calls the same functions. A model
 * without states has steps of nothing.
 *
 * Twin of src/dovetail/models/dynamic_part.py, src/dovetail/models/algebraic.py,
 * src/dovetail/models/source.py.
 * Same bits: tests/conformance/test_native_models.py. */

typedef void (*traced_fn)(double, const double *, const double *, const double *, double *);

/* The same order as `NativeTraced` in src/dovetail/models/native_part.py. */
typedef struct {
    traced_fn rates, outputs; /* rates: NULL where there are no states */
    double *x, *u, *y;
    const double *p;
    double time;
    int32_t n_x, n_u, n_y, padding;
} dt_traced;

EXPORT int64_t dt_traced_layout(void) { return (int64_t)sizeof(dt_traced); }

EXPORT int dt_traced_set(void *c, const uint32_t *refs, size_t n, const double *values) {
    dt_traced *m = c;
    for (size_t k = 0; k < n; k++) {
        if (refs[k] >= (uint32_t)m->n_u) return ERROR;
        m->u[refs[k]] = values[k];
    }
    return OK;
}

EXPORT int dt_traced_get(void *c, const uint32_t *refs, size_t n, double *values) {
    dt_traced *m = c;
    m->outputs(m->time, m->x, m->u, m->p, m->y);
    for (size_t k = 0; k < n; k++) {
        if (refs[k] >= (uint32_t)m->n_y) return ERROR;
        values[k] = m->y[refs[k]];
    }
    return OK;
}

EXPORT int dt_traced_at(void *c, double time) {
    ((dt_traced *)c)->time = time;
    return OK;
}

EXPORT int dt_traced_in(void *c, const double *x, size_t n) {
    memcpy(((dt_traced *)c)->x, x, n * sizeof *x);
    return OK;
}

EXPORT int dt_traced_rates(void *c, double *dx, size_t n) {
    const dt_traced *m = c;
    if (n) m->rates(m->time, m->x, m->u, m->p, dx);
    return OK;
}
