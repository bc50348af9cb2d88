/* ---- a host answers ---------------------------------------------------------------------------- */

/* Twin of src/dovetail/hosts/worker.py.
 * Same bits: tests/conformance/test_hosted_windows.py. */

/* The other side of hosted.c: the members of a host, in the process where they live, step when they are
 * asked through the block. */

#ifdef __linux__

typedef struct {
    block_view v;
    dt_batch batch; /* what members need to know of a window; nobody else asks them */
    unsigned seen;
    int ring, bell, talk;
    void **saved; /* states by slot */
    int32_t n_saved, served;
} dt_served;

static atomic_int is_copy; /* an FMU has called fork(), and this is the other one */

static void note_copy(void) { atomic_store(&is_copy, 1); }

/* The members of a host, bound as those of a batch are; their places in the block are `in_at` and
 * `out_at`. `files`: to be woken by, to wake the master, and where it sends all other requests. */
EXPORT dt_served *dt_served_new(void *block, dt_member *members, int32_t n, int32_t n_in, int32_t n_out,
                                const int32_t *files) {
    static int told_once = 0;
    dt_served *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (!told_once) told_once = !pthread_atfork(NULL, NULL, note_copy);
    s->v = view_of(block, n, n_in, n_out);
    s->batch.n = n;
    s->batch.members = members;
    s->ring = files[0], s->bell = files[1], s->talk = files[2];
    s->seen = atomic_load(&s->v.head->asked);
    return s;
}

EXPORT void dt_served_free(dt_served *s) {
    free(s->saved);
    free(s);
}

/* Room for a state in this slot. */
static void **slot_of(dt_served *s, int32_t slot) {
    if (slot >= s->n_saved) {
        int32_t count = 2 * slot + 16;
        void **more = realloc(s->saved, (size_t)count * sizeof *more);
        if (!more) return NULL;
        memset(more + s->n_saved, 0, (size_t)(count - s->n_saved) * sizeof *more);
        s->saved = more;
        s->n_saved = count;
    }
    return s->saved + slot;
}

static int do_deed(dt_served *s, const deed *d) {
    dt_batch *b = &s->batch;
    dt_member *m = b->members + d->member;
    void **state = slot_of(s, d->slot);
    if (!state) return fail(b, m, SAVING, ERROR);
    unsigned status;
    switch (d->what) {
        case SAVE:
            status = ((get_state)m->get_state)(m->instance, state);
            return status > WARNING ? fail(b, m, SAVING, (int)status) : 0;
        case RESTORE:
            status = ((set_state)m->set_state)(m->instance, *state);
            return status > WARNING ? fail(b, m, RESTORING, (int)status) : 0;
        default:
            if (*state && m->free_state) ((get_state)m->free_state)(m->instance, state);
            *state = NULL;
            return 0;
    }
}

static inline void at_member(dt_served *s, int32_t k) {
    shared *head = s->v.head;
    atomic_store_explicit(&head->at, k, memory_order_relaxed);
    unsigned beat = atomic_load_explicit(&head->beat, memory_order_relaxed);
    atomic_store_explicit(&head->beat, beat + 1, memory_order_relaxed);
}

/* One member sets, steps and gets, as in a window of a run that nothing repeats. */
static int pass_member(dt_served *s, dt_member *m, bool timing) {
    dt_batch *b = &s->batch;
    unsigned status = set_reals(m, s->v.in + m->in_at);
    if (status > WARNING) return fail(b, m, SETTING, (int)status);
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) note_time(m, seconds_now() - begin);
    status = get_reals(m, s->v.out + m->out_at);
    return status > WARNING ? fail(b, m, GETTING, (int)status) : 0;
}

static int step_member(dt_served *s, dt_member *m, const told *t) {
    m->columns = t->columns;
    copy(m->inputs, s->v.in + (size_t)m->in_at * MAX_COLUMNS, m->n_in * m->columns);
    if (advance(&s->batch, m)) return 1;
    copy(s->v.out + m->out_at, m->outputs, m->n_out);
    return 0;
}

static void tell_notes(const dt_member *m, told *t) {
    t->timed = m->timed;
    t->seconds = m->timed_seconds;
    t->quickest = m->quickest;
    t->refused = m->refused;
    t->refused_until = m->refused_until;
}

/* What members before this one have given it in this sweep. */
static void bring_inner(dt_served *s, int32_t place, int32_t *wire) {
    for (; *wire < s->v.head->n_wires && s->v.wires[*wire].member == place; ++*wire) {
        const inner_wire *w = s->v.wires + *wire;
        double found = s->v.out[w->source];
        s->v.in[w->target] = w->plain ? found : w->gain * found + w->offset;
    }
}

static void do_steps(dt_served *s, int32_t action, bool timing) {
    dt_batch *b = &s->batch;
    for (int32_t k = 0, wire = 0; k < s->v.head->n_listed; k++) {
        int32_t place = action == PASS ? k : s->v.listed[k];
        if (action == SWEEP) bring_inner(s, place, &wire);
        dt_member *m = b->members + place;
        told *t = s->v.tell + place;
        at_member(s, place);
        m->no_set_prior = s->v.head->no_set_prior;
        if (t->again) m->again = 1;
        int failed = action == STEPS ? step_member(s, m, t) : pass_member(s, m, timing);
        if (action == STEPS || timing) tell_notes(m, t);
        if (failed) return;
    }
}

/* One question, and its answer. */
static void answer_question(dt_served *s) {
    shared *head = s->v.head;
    dt_batch *b = &s->batch;
    int32_t action = head->action;
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    b->time = head->time, b->size = head->size;
    bool done = true;
    for (int32_t k = 0; k < head->n_deeds && done; k++) {
        at_member(s, s->v.deeds[k].member);
        done = !do_deed(s, s->v.deeds + k);
    }
    if (done && action != NOTHING && action != ONWARD) do_steps(s, action, head->timing != 0);
    if (done && action == ONWARD) {
        dt_member *m = b->members + s->v.listed[0];
        at_member(s, s->v.listed[0]);
        unsigned status = step_on(b, m, s->v.ahead + m->out_at);
        if (status > WARNING) fail(b, m, STEPPING, (int)status);
    }
    head->stage = b->stage, head->status = b->status, head->reached = b->reached;
    head->ending = action == ONWARD ? 0 : atomic_load(&b->ending);
    head->failed = atomic_load(&b->failed);
}

/* Answer until there is something else to read where the master talks: 0. 1: it cannot be heard. */
EXPORT int dt_serve(dt_served *s) {
    shared *head = s->v.head;
    bool asked = false; /* what came last came another way: so may the next */
    patience p = {head->patience, head->patience, 0};
    for (;;) {
        if (asked ? spun_patiently(&p, &head->asked, s->seen) : spun(&head->asked, s->seen, 0)) {
            s->seen++;
            if (atomic_load_explicit(&head->asked, memory_order_acquire) != s->seen) return 1;
            answer_question(s);
            if (atomic_load(&is_copy)) _exit(0);
            atomic_store(&head->answered, s->seen);
            if (atomic_load(&head->master_sleeps)) wake(s->bell);
            asked = true;
            continue;
        }
        struct pollfd on[2] = {{.fd = s->ring, .events = POLLIN}, {.fd = s->talk, .events = POLLIN}};
        atomic_store(&head->host_sleeps, 1);
        if (atomic_load(&head->asked) == s->seen && poll(on, 2, -1) > 0) {
            atomic_store(&head->host_sleeps, 0);
            if (on[0].revents & (POLLNVAL | POLLERR | POLLHUP)) return 1;
            hush(s->ring);
            if (on[1].revents && atomic_load(&head->asked) == s->seen) return 0;
        }
        atomic_store(&head->host_sleeps, 0);
    }
}
#endif
