/* ---- sizes that go by convergence -------------------------------------------------------------- */

/* Twin of src/dovetail/controllers/adaptive.py, src/dovetail/controllers/fixed_step.py.
 * Same bits: tests/conformance/test_native_control.py. */

/* What `CUT` remembers: `CutWindows`. */
enum { CUTS, CUT_LEAST, CUT_WHEN, CUT_SIZE, CUT_CALM };
enum { CALM = 4 };

/* The window, or the first of equal steps to its end. */
static window cut_window(const dt_control *c, const window *w) {
    double size = c->memory[CUT_SIZE];
    if (!c->memory[CUTS] || size >= w->size) return *w;
    double steps = ceil(w->size / size - 1e-9), stop = w->start + w->size / steps;
    return (window){w->start, stop - w->start, stop};
}

static decision judge_cut(dt_control *c, const tried *t) {
    double *memory = c->memory, half = t->w.size / 2;
    if (!t->failed) {
        if (memory[CUTS] && memory[CUT_SIZE] != INFINITY && ++memory[CUT_CALM] >= CALM) {
            double size = 2 * memory[CUT_SIZE];
            memory[CUT_SIZE] = size < c->first_size ? size : INFINITY;
            memory[CUT_CALM] = 0;
        }
        return (decision){ACCEPT, 0, false};
    }
    if (half < c->min_size || !can_be_told(&t->w, half, c->first_size)) return GIVEN_UP;
    if (!memory[CUTS] || half < memory[CUT_LEAST]) {
        memory[CUT_LEAST] = half;
        memory[CUT_WHEN] = t->w.start;
    }
    memory[CUTS]++;
    memory[CUT_SIZE] = half;
    memory[CUT_CALM] = 0;
    return (decision){RETRY_CONVERGENCE, half, false};
}

static decision judge_adaptive(dt_control *c, const tried *t) {
    const window *w = &t->w;
    if (c->kind == CUT) return judge_cut(c, t);
    if (!t->failed) {
        double size = 2 * w->size;
        return (decision){ACCEPT, c->max_size < size ? c->max_size : size, false};
    }
    double size = w->size / 5;
    if (size < c->min_size || !can_be_told(w, size, c->first_size)) return GIVEN_UP;
    return (decision){RETRY_CONVERGENCE, size, false};
}
