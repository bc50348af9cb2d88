/* ---- evaluation --------------------------------------------------------------------------- */

/* Twin of src/dovetail/assembly/attempt.py, src/dovetail/estimators/rollback.py.
 * Same bits: tests/conformance/test_agreement.py, tests/conformance/test_asking.py. */

static void block_free(struct dt_block *k);
static void plan_free(struct dt_plan *p);

static void free_saved(dt_member *m) {
    if (m->saved && m->free_state) ((get_state)m->free_state)(m->instance, &m->saved);
    m->saved = NULL;
}

EXPORT void dt_batch_free(dt_batch *b) {
    dt_threads(b, 1);
    hosts_forget(b);
    for (int32_t i = 0; i < b->n; i++) free_saved(b->members + i);
    leave_hosts(b);
    plan_free(b->plan);
    block_free(b->block);
    free(b);
}

/* A window opens: members that may have to roll back save their state. 0, or 1 for a failure.
 * `natively`: it is made here, and so members take part whose equations are solved here. */
static int open_window(dt_batch *b, double time, double size, bool natively) {
    b->time = time;
    b->size = size;
    none_failed(b);
    if (b->hosts) hosts_forget(b);
    if (atomic_load_explicit(&b->ending, memory_order_relaxed)) atomic_store(&b->ending, 0);
    for (int32_t i = 0; i < b->n && natively && b->guests; i++)
        if (b->members[i].solved) solved_mark(b->members + i);
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        m->stepped = 0;
        if (m->unusual) {
            if (m->solved && natively && solved_open(b, m)) return 1;
            if (m->solved || (m->events && !natively)) continue; /* Python asks it itself */
            if (m->events) eventful_mark(m);
            if (m->tuned) tuned_mark(m);
        }
        if (m->rollback && m->until_check <= 0)
            copy(m->outputs + 2 * m->n_out, m->outputs, m->n_out);
        if (!m->rollback || !m->get_state || b->keeps) continue;
        unsigned status = ((get_state)m->get_state)(m->instance, &m->saved);
        if (status > WARNING) return fail(b, m, SAVING, status);
    }
    return 0;
}

EXPORT int dt_open(dt_batch *b, double time, double size) {
    return open_window(b, time, size, false);
}

/* The window ends earlier: members that have stepped roll back. */
EXPORT int dt_abandon(dt_batch *b) {
    for (int32_t i = 0; i < b->n; i++)
        if (rewind_member(b, b->members + i)) return 1;
    return 0;
}

/* A member is brought back from outside to where its window opened: before that, and after. */
EXPORT int dt_look_ahead(dt_batch *b, int32_t index) {
    dt_member *m = b->members + index;
    m->ahead = 0;
    return m->stepped && m->rollback && m->until_check <= 0 && look_ahead(b, m);
}

EXPORT int dt_check(dt_batch *b, int32_t index) {
    dt_member *m = b->members + index;
    atomic_store(&b->failed, 0);
    if (!m->stepped || !m->rollback || !m->set_state || !is_due(m)) return 0;
    return check_rollback(b, m);
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

/* One that lives in a host is asked, and answers when its turn comes. One whose rollback is checked on
 * the way is asked alone. */
static int ask_one_ahead(dt_batch *b, dt_member *m, const double *inputs, int32_t columns) {
    int32_t n = m->n_in * columns;
    if (!m->remote || (m->stepped && m->columns == columns && same(m->inputs, inputs, n))) return 0;
    if (m->stepped && (m->until_check <= 0 || !m->rollback)) return 0;
    if (rewind_member(b, m)) return 1;
    copy(m->inputs, inputs, n);
    m->columns = columns;
    post(b, m);
    return 0;
}

/* Those that live in hosts are asked at once. */
static int ask_ahead(dt_batch *b, const int32_t *members, int32_t count, const double *coefficients,
                     int32_t columns) {
    if (hosts_ready(b)) return 1;
    for (int32_t k = 0; k < count; k++) {
        dt_member *m = b->members + members[k];
        if (ask_one_ahead(b, m, coefficients + (size_t)m->in_at * (size_t)columns, columns)) return 1;
    }
    hosts_send(b);
    return 0;
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
    none_failed(b);
    if (b->hosts && count > 1 && ask_ahead(b, members, count, coefficients, columns)) return 1;
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
    none_failed(b);
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

/* The rows of a member as they are moved in this round, the first of which moves nothing; `back`: they
 * are put back. NULL: it has had all its rounds. */
static double *moved_rows(const moving *c, int32_t index, int32_t round, bool back) {
    const dt_batch *b = c->b;
    const dt_member *m = b->members + c->members[index];
    double *rows = m->scratch + m->n_in;
    if (round >= c->counts[index]) return NULL;
    if (round < 0) {
        copy(rows, c->coefficients + (size_t)m->in_at * (size_t)c->columns, m->n_in * c->columns);
        return rows;
    }
    int64_t at = b->first_move[index] + round;
    size_t place = (size_t)c->places[at] * (size_t)c->columns + (size_t)(c->columns - 1);
    double kept = c->coefficients[(size_t)m->in_at * (size_t)c->columns + place];
    rows[place] = back ? kept : kept + (c->columns == 1 ? c->moves[at] : c->moves[at] / b->size);
    return rows;
}

/* The columns of all, where some live in hosts: in rounds, in which all hosts step at once. */
static int move_together(const moving *c, int32_t count) {
    dt_batch *b = c->b;
    double *rows;
    for (int32_t round = -1, left = count; left; round++) {
        if (hosts_ready(b)) return 1;
        for (int32_t k = 0; k < count; k++)
            if ((rows = moved_rows(c, k, round, false)) &&
                ask_one_ahead(b, b->members + c->members[k], rows, c->columns))
                return 1;
        hosts_send(b);
        left = 0;
        for (int32_t k = 0; k < count; k++) {
            dt_member *m = b->members + c->members[k];
            if (!(rows = moved_rows(c, k, round, false))) continue;
            double *base = rows + (size_t)m->n_in * (size_t)c->columns;
            if (answer(b, m, rows, c->columns, m->outputs)) return 1;
            if (round < 0)
                copy(base, m->outputs, m->n_out);
            else
                for (int i = 0; i < m->n_out; i++)
                    c->changes[b->first_change[k] + (int64_t)round * m->n_out + i] =
                        m->outputs[i] - base[i];
            moved_rows(c, k, round, true);
            left += round + 1 < c->counts[k];
        }
    }
    return 0;
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
    if (b->hosts && count > 1)
        move_together(&c, count);
    else if (b->pool && count > 1)
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
