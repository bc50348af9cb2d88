/* ---- evaluation --------------------------------------------------------------------------- */

/* Twin of src/dovetail/assembly/attempt.py, src/dovetail/estimators/rollback.py.
 * Same bits: tests/conformance/test_agreement.py, tests/conformance/test_asking.py. */

static void free_saved(dt_member *m) {
    if (m->saved && m->free_state) ((get_state)m->free_state)(m->instance, &m->saved);
    m->saved = NULL;
}

EXPORT void dt_batch_free(dt_batch *b) {
    dt_threads(b, 1);
    for (int32_t i = 0; i < b->n; i++) {
        free_saved(b->members + i);
        free(b->members[i].inputs);
        free(b->members[i].outputs);
        free(b->members[i].scratch);
    }
    free(b->first_move);
    free(b->first_change);
    free(b);
}

/* A window opens: members that may have to roll back save their state. 0, or 1 for a failure. */
EXPORT int dt_open(dt_batch *b, double time, double size) {
    b->time = time;
    b->size = size;
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        m->stepped = 0;
        if (!m->rollback || !m->get_state) continue;
        unsigned status = ((get_state)m->get_state)(m->instance, &m->saved);
        if (status > WARNING) return fail(b, m, SAVING, status);
    }
    return 0;
}

/* The window ends earlier: members that have stepped roll back. */
EXPORT int dt_abandon(dt_batch *b) {
    for (int32_t i = 0; i < b->n; i++)
        if (rewind_member(b, b->members + i)) return 1;
    return 0;
}

EXPORT void dt_shorten(dt_batch *b, double size) { b->size = size; }

typedef struct {
    dt_batch *b;
    const int32_t *members;
    const double *coefficients;
    int columns;
    double *outputs;
} asking;

static void ask_one(void *context, int index) {
    asking *a = context;
    dt_member *m = a->b->members + a->members[index];
    if (atomic_load(&a->b->failed)) return;
    answer(a->b, m, a->coefficients + (size_t)m->in_at * (size_t)a->columns, a->columns,
           a->outputs + m->out_at);
}

/* 2 if an output of these members is NaN or Inf. */
static int numbers(const dt_batch *b, const int32_t *members, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (!finite_all(b->members[members[k]].outputs, b->members[members[k]].n_out)) return 2;
    return 0;
}

/* Ask these members, each with its rows of `coefficients`; answers go to their places. */
static int ask(dt_batch *b, const int32_t *members, int32_t count, const double *coefficients,
               int32_t columns, double *outputs) {
    asking a = {b, members, coefficients, columns, outputs};
    atomic_store(&b->failed, 0);
    if (b->pool && count > 1) {
        parallel(b->pool, count, ask_one, &a);
    } else {
        for (int32_t k = 0; k < count; k++) {
            ask_one(&a, k);
            if (atomic_load(&b->failed)) break;
        }
    }
    return atomic_load(&b->failed) != 0 ? 1 : numbers(b, members, count);
}

/* The inputs of one member, from the outputs of all. */
static inline void route(const dt_batch *b, const dt_member *m, const double *outputs,
                         double *inputs) {
    if (m->last_wire - m->first_wire < m->n_in) copy(inputs, b->start + m->in_at, m->n_in);
    if (m->plain) {
        for (int32_t w = m->first_wire; w < m->last_wire; w++)
            inputs[b->wire_target[w] - m->in_at] = outputs[b->wire_source[w]];
    } else {
        for (int32_t w = m->first_wire; w < m->last_wire; w++)
            inputs[b->wire_target[w] - m->in_at] =
                b->wire_gain[w] * outputs[b->wire_source[w]] + b->wire_offset[w];
    }
}

/* One after another, each seeing what came before. `coefficients` take what each was given:
 * held values (1 column), or straight lines from `begin` (2 columns). */
static int sweep(dt_batch *b, const int32_t *members, int32_t count, const double *begin,
                 double *coefficients, int32_t columns, double *outputs) {
    atomic_store(&b->failed, 0);
    for (int32_t k = 0; k < count; k++) {
        dt_member *m = b->members + members[k];
        double *rows = coefficients + (size_t)m->in_at * (size_t)columns;
        if (columns == 1) {
            route(b, m, outputs, rows);
        } else {
            route(b, m, outputs, m->scratch);
            for (int j = 0; j < m->n_in; j++) {
                double first = begin[m->in_at + j];
                rows[2 * j + 1] = (m->scratch[j] - first) / b->size;
                rows[2 * j] = first;
            }
        }
        if (answer(b, m, rows, columns, outputs + m->out_at)) return 1;
        if (!finite_all(m->outputs, m->n_out)) return 2;
    }
    return 0;
}

/* The members that Python asks, made once for each set: converting arguments takes longer than
 * near-free members need. NumPy arrays come as they are; `data_at` is where they keep the address
 * of their numbers, 0 where what comes is that address. The same order as `NativeQuestion` in
 * kernel.py. */
typedef struct {
    dt_batch *batch;
    const int32_t *members;
    int32_t count, data_at;
} dt_question;

static double *numbers_of(const dt_question *q, void *array) {
    return q->data_at ? *(double **)((char *)array + q->data_at) : array;
}

EXPORT int dt_ask(const dt_question *q, void *coefficients, int32_t columns, void *outputs) {
    return ask(q->batch, q->members, q->count, numbers_of(q, coefficients), columns,
               numbers_of(q, outputs));
}

EXPORT int dt_sweep(const dt_question *q, void *begin, void *coefficients, int32_t columns,
                    void *outputs) {
    return sweep(q->batch, q->members, q->count, numbers_of(q, begin),
                 numbers_of(q, coefficients), columns, numbers_of(q, outputs));
}

typedef struct {
    dt_batch *b;
    const int32_t *members, *counts, *places;
    const double *moves, *coefficients;
    int columns;
    double *changes;
} moving;

/* The columns of one member. */
static void move_one(void *context, int index) {
    moving *c = context;
    dt_batch *b = c->b;
    if (atomic_load(&b->failed)) return;
    dt_member *m = b->members + c->members[index];
    int columns = c->columns;
    double *rows = m->scratch + m->n_in, *base = rows + (size_t)m->n_in * (size_t)columns;
    double *changes = c->changes + b->first_change[index];
    copy(rows, c->coefficients + (size_t)m->in_at * (size_t)columns, m->n_in * columns);
    if (answer(b, m, rows, columns, m->outputs)) return;
    copy(base, m->outputs, m->n_out);
    for (int32_t j = 0; j < c->counts[index]; j++, changes += m->n_out) {
        int64_t at = b->first_move[index] + j;
        size_t place = (size_t)c->places[at] * (size_t)columns + (size_t)(columns - 1);
        double kept = rows[place];
        rows[place] = kept + (columns == 1 ? c->moves[at] : c->moves[at] / b->size);
        if (answer(b, m, rows, columns, m->outputs)) return;
        rows[place] = kept;
        for (int i = 0; i < m->n_out; i++) changes[i] = m->outputs[i] - base[i];
    }
}

/* Columns of a difference Jacobian: for each member, moving each of its `places` by its move at
 * the window's end; the changes of all its outputs, one row per move, one after another. */
EXPORT int dt_columns(dt_batch *b, const int32_t *members, int32_t count, const int32_t *counts,
                      const int32_t *places, const double *moves, const double *coefficients,
                      int32_t columns, double *changes) {
    moving c = {b, members, counts, places, moves, coefficients, columns, changes};
    int64_t move = 0, change = 0;
    atomic_store(&b->failed, 0);
    for (int32_t k = 0; k < count; k++) {
        b->first_move[k] = move;
        b->first_change[k] = change;
        move += counts[k];
        change += (int64_t)counts[k] * b->members[members[k]].n_out;
    }
    if (b->pool && count > 1)
        parallel(b->pool, count, move_one, &c);
    else
        for (int32_t k = 0; k < count && !atomic_load(&b->failed); k++) move_one(&c, k);
    return atomic_load(&b->failed) != 0;
}

/* Which member asks to end the simulation; -1 for none. */
EXPORT int32_t dt_ending(dt_batch *b) { return atomic_load(&b->ending) - 1; }

/* Of the first failure: which member, in which call, with which status. */
EXPORT void dt_failure(dt_batch *b, int32_t *member, int32_t *stage, int32_t *status,
                       double *reached) {
    *member = atomic_load(&b->failed) - 1;
    *stage = b->stage;
    *status = b->status;
    *reached = b->reached;
}
