/* ---- members that live in hosts --------------------------------------------------------------- */

/* Twin of src/dovetail/hosts/proxy.py.
 * Same bits: tests/conformance/test_hosted_windows.py. */

/* A host is asked through a block of memory that both sides share. A question is a few deeds, such as
 * to save a state, and then a step of one member or of several. Deeds are kept until the next step, so
 * that one message is enough for both. Both sides spin a little and then sleep until the other one
 * rings. What a host writes there is checked: it may be anything. Hosts are for Linux. */

enum { NOTHING, PASS, SWEEP, STEPS, ONWARD }; /* what to do behind the deeds */
enum { SAVE, RESTORE, RELEASE };             /* deeds */
enum { ALIVE, ENDED_ITSELF, TOO_LATE, GARBLED }; /* what became of a host */

typedef struct {
    int32_t member, what, slot;
} deed;

/* What one member is told, and what is known of it afterwards. */
typedef struct {
    int32_t columns, again;
    int32_t highest, refused;
    int64_t timed;
    double seconds, quickest, refused_until;
} told;

/* Inside a host, in a sweep: what one member gives goes to one after it. */
typedef struct {
    int32_t target, source, member, plain; /* places in the block; whose input */
    double gain, offset;
} inner_wire;

/* The beginning of the block. A turn is a number that grows with each question; who sleeps says so
 * before, and looks at it once more then. */
typedef struct {
    _Alignas(64) atomic_uint asked;
    _Alignas(64) atomic_uint answered;
    _Alignas(64) atomic_uint host_sleeps;
    _Alignas(64) atomic_uint master_sleeps;
    _Alignas(64) atomic_uint beat; /* grows with each step */
    atomic_int at;                 /* whose */
    _Alignas(64) int32_t action;   /* the question */
    int32_t n_deeds, n_listed, n_wires, no_set_prior, timing;
    double time, size, patience;
    _Alignas(64) int32_t failed;   /* the answer: a member + 1 */
    int32_t stage, status, ending;
    double reached;
} shared;

/* Where things are in the block, for members with so many signals. */
typedef struct {
    shared *head;
    deed *deeds;
    int32_t *listed;
    told *tell;
    inner_wire *wires;
    double *in, *out, *ahead; /* rows of powers; outputs; those of one more step */
    size_t size;
    int32_t most_deeds;
} block_view;

static size_t placed(size_t *at, size_t count, size_t each) {
    size_t here = *at;
    *at += (count * each + 63) / 64 * 64;
    return here;
}

static block_view view_of(void *block, int32_t n, int32_t n_in, int32_t n_out) {
    uintptr_t from = (uintptr_t)block;
    size_t at = 0, members = (size_t)n, out = (size_t)n_out;
    block_view v = {.most_deeds = 8 * n + 64};
    v.head = (shared *)(from + placed(&at, 1, sizeof(shared)));
    v.deeds = (deed *)(from + placed(&at, (size_t)v.most_deeds, sizeof(deed)));
    v.listed = (int32_t *)(from + placed(&at, members, sizeof(int32_t)));
    v.tell = (told *)(from + placed(&at, members, sizeof(told)));
    v.wires = (inner_wire *)(from + placed(&at, (size_t)n_in, sizeof(inner_wire)));
    v.in = (double *)(from + placed(&at, (size_t)n_in * MAX_COLUMNS, sizeof(double)));
    v.out = (double *)(from + placed(&at, out, sizeof(double)));
    v.ahead = (double *)(from + placed(&at, out, sizeof(double)));
    v.size = at;
    return v;
}

EXPORT uint64_t dt_hosted_size(int32_t n, int32_t n_in, int32_t n_out) {
    return view_of(NULL, n, n_in, n_out).size;
}

/* A member as its master sees it. */
typedef struct dt_remote {
    struct dt_host *host;
    int32_t place, index;         /* in its host, in its batch */
    int32_t in_at, out_at;        /* in the block */
    int32_t stage, status, posted; /* how its step ended; it is in a question already */
    double reached;
} dt_remote;

/* How long to spin before sleeping. Where it was in vain, it will be so again as a rule, and takes the
 * other side its turn: on a busy machine both go by sleeping, with a long look now and then. */
typedef struct {
    double full, now; /* seconds */
    unsigned waits;
} patience;

typedef struct dt_host {
    block_view v;
    int ring, bell, process; /* to wake it, to be woken by it, to see it end */
    int32_t n, dead, waiting, interruptible;
    double timeout;          /* seconds */
    patience patience;
    unsigned turn;
    dt_batch *b;
    struct dt_host *next;    /* in the batch */
    dt_remote *members;
    deed *deeds;             /* that wait for the next step */
    int32_t *listed;         /* who is asked now */
    int32_t n_deeds, n_listed, action;
    int32_t failed, stage, status, bad_deed; /* of the last question */
    int32_t *free_slots, n_free, n_slots;
    void (*late)(double);    /* told after 1, 10, 100 s of waiting for one answer */
} dt_host;

#ifdef __linux__
#include <errno.h>
#include <poll.h>

static inline bool spun(atomic_uint *number, unsigned unlike, double seconds) {
    if (atomic_load_explicit(number, memory_order_acquire) != unlike) return true;
    if (seconds <= 0) return false;
    double until = seconds_now() + seconds;
    do
        for (int k = 0; k < 64; k++) {
            if (atomic_load_explicit(number, memory_order_acquire) != unlike) return true;
            pause_briefly();
        }
    while (seconds_now() < until);
    return false;
}

enum { LOOK_LONG_EVERY = 64 };
static const double SHORT_LOOK = 2e-6;

static bool spun_patiently(patience *p, atomic_uint *number, unsigned unlike) {
    double least = p->full < SHORT_LOOK ? p->full : SHORT_LOOK;
    bool found = spun(number, unlike, ++p->waits % LOOK_LONG_EVERY ? p->now : p->full);
    p->now = found ? p->full : p->now / 4 > least ? p->now / 4 : least;
    return found;
}

static void wake(int bell) {
    uint64_t one = 1;
    ssize_t n = write(bell, &one, sizeof one);
    (void)n; /* it is full: whoever sleeps there is woken by that */
}

static void hush(int bell) {
    uint64_t rung;
    ssize_t n = read(bell, &rung, sizeof rung);
    (void)n;
}

/* Waits for the answer; 0, or 1: the host is dead, or Ctrl-C was pressed and it is left with it. */
static int awaited(dt_host *h, double limit) {
    shared *s = h->v.head;
    unsigned before = h->turn - 1, beat = atomic_load(&s->beat);
    double since = 0, begun = 0, due = 1;
    while (!spun_patiently(&h->patience, &s->answered, before)) {
        if (since == 0) since = begun = seconds_now();
        struct pollfd on[2] = {{.fd = h->bell, .events = POLLIN}, {.fd = h->process, .events = POLLIN}};
        atomic_store(&s->master_sleeps, 1);
        bool sleeps = atomic_load(&s->answered) == before;
        if (sleeps) poll(on, 2, limit > 0 && limit < 0.1 ? (int)(1000 * limit) + 1 : 100);
        atomic_store(&s->master_sleeps, 0);
        hush(h->bell);
        if (atomic_load(&s->answered) != before) break;
        if (h->interruptible && h->b && atomic_load(&h->b->interrupted)) return 1;
        if (sleeps && (on[0].revents & POLLNVAL)) return h->dead = GARBLED, 1;
        if (sleeps && on[1].revents) return h->dead = ENDED_ITSELF, 1;
        if (h->late && seconds_now() - begun > due) h->late(due), due *= 10;
        unsigned now = atomic_load(&s->beat);
        if (now != beat) beat = now, since = seconds_now(); /* the next part has begun */
        if (limit > 0 && seconds_now() - since > limit) return h->dead = TOO_LATE, 1;
    }
    if (atomic_load_explicit(&s->answered, memory_order_acquire) != h->turn) return h->dead = GARBLED, 1;
    h->waiting = 0;
    return 0;
}

static void publish(dt_host *h, int32_t action) {
    shared *s = h->v.head;
    memcpy(h->v.deeds, h->deeds, (size_t)h->n_deeds * sizeof *h->deeds);
    memcpy(h->v.listed, h->listed, (size_t)h->n_listed * sizeof *h->listed);
    s->n_deeds = h->n_deeds;
    s->n_listed = h->n_listed;
    s->action = h->action = action;
    s->failed = 0;
    h->n_deeds = 0;
    h->waiting = 1;
    atomic_store(&s->asked, ++h->turn);
    if (atomic_load(&s->host_sleeps)) wake(h->ring);
}

static bool from_a_host(int32_t stage) {
    return stage == SETTING || stage == STEPPING || stage == GETTING || stage == SAVING ||
           stage == RESTORING || stage == EARLY || stage == SLOPING || stage == FOLLOWING;
}

/* The answer has come: what it says of those who were asked. It is read once, and checked. */
static int taken(dt_host *h) {
    const volatile shared *s = h->v.head;
    int32_t failed = s->failed, stage = s->stage, status = s->status, ending = s->ending;
    double reached = s->reached;
    if (failed < 0 || failed > h->n || (failed && !from_a_host(stage)) || ending < 0 || ending > h->n)
        return h->dead = GARBLED, 1;
    h->failed = failed, h->stage = stage, h->status = status;
    h->bad_deed = failed && (stage == SAVING || stage == RESTORING);
    bool reached_it = h->bad_deed != 0;
    for (int32_t k = 0; k < h->n_listed; k++) {
        dt_remote *r = h->members + h->listed[k];
        reached_it = reached_it || failed == r->place + 1;
        r->stage = reached_it ? stage : 0;
        r->status = status, r->reached = reached;
    }
    if (h->b && ending) atomic_store(&h->b->ending, h->members[ending - 1].index + 1);
    return 0;
}

/* A question that is on its way, or was left alone, comes to its end. */
static int settled(dt_host *h, double limit) {
    return h->dead || (h->waiting && (awaited(h, limit) || taken(h)));
}

/* Answers that nobody has fetched are not wanted any more. */
static void hosts_forget(dt_batch *b) {
    for (dt_host *h = b->hosts; h; h = h->next)
        for (int32_t k = 0; k < h->n; k++) h->members[k].posted = 0;
}

/* A question without a step, for the deeds that wait. */
static int flushed(dt_host *h) {
    if (settled(h, h->timeout)) return 1;
    h->failed = 0;
    if (!h->n_deeds) return 0;
    h->n_listed = 0;
    publish(h, NOTHING);
    return awaited(h, h->timeout) || taken(h);
}

/* Room for a new question. */
static int ready(dt_host *h) {
    if (settled(h, h->timeout)) return h->failed = 0, 1;
    h->n_listed = 0;
    if (h->n_deeds <= h->v.most_deeds / 2) return 0;
    return flushed(h) || h->failed;
}

static int keep_deed(dt_remote *r, int32_t what, int32_t slot) {
    dt_host *h = r->host;
    if (h->dead) return ERROR;
    if (h->n_deeds == h->v.most_deeds && (flushed(h) || h->failed)) return ERROR;
    h->deeds[h->n_deeds++] = (deed){r->place, what, slot};
    return OK;
}

/* States are numbers here: one more than their slot. */
static int remote_get_state(void *instance, void **state) {
    dt_remote *r = instance;
    dt_host *h = r->host;
    if (!*state) {
        int32_t slot = h->n_free ? h->free_slots[--h->n_free] : h->n_slots;
        if (slot == h->n_slots) {
            int32_t *more = realloc(h->free_slots, ((size_t)slot + 1) * sizeof *more);
            if (!more) return ERROR;
            h->free_slots = more;
            h->n_slots++;
        }
        *state = (void *)((uintptr_t)slot + 1);
    }
    return keep_deed(r, SAVE, (int32_t)((uintptr_t)*state - 1));
}

static int remote_set_state(void *instance, void *state) {
    ((dt_remote *)instance)->posted = 0;
    return keep_deed(instance, RESTORE, (int32_t)((uintptr_t)state - 1));
}

static int remote_free_state(void *instance, void **state) {
    dt_remote *r = instance;
    int32_t slot = (int32_t)((uintptr_t)*state - 1);
    r->host->free_slots[r->host->n_free++] = slot;
    *state = NULL;
    return keep_deed(r, RELEASE, slot);
}

/* Why there is no answer: as a failure of this member, or of the one that the host was at. */
static int unanswered(dt_batch *b, dt_member *m) {
    dt_host *h = m->remote->host;
    if (!h->dead) return fail(b, m, INTERRUPTED, 0);
    int32_t at = atomic_load(&h->v.head->at);
    if (h->waiting && at >= 0 && at < h->n) m = b->members + h->members[at].index;
    return fail(b, m, LOST, h->dead);
}

/* One more member of a question that is being put together: a step from m->inputs. */
static void post(dt_batch *b, dt_member *m) {
    dt_remote *r = m->remote;
    dt_host *h = r->host;
    shared *s = h->v.head;
    if (!h->n_listed) {
        s->time = b->time, s->size = b->size;
        s->no_set_prior = m->no_set_prior;
    }
    told *t = h->v.tell + r->place;
    t->columns = m->columns, t->again = m->again;
    m->again = 0;
    copy(h->v.in + (size_t)r->in_at * MAX_COLUMNS, m->inputs, m->n_in * m->columns);
    h->listed[h->n_listed++] = r->place;
    m->stepped = r->posted = 1;
}

/* No new question can be put: why not. */
static int not_ready(dt_batch *b, dt_host *h, dt_member *m) {
    if (h->dead || !h->failed) return unanswered(b, m);
    return fail(b, b->members + h->members[h->failed - 1].index, h->stage, h->status);
}

/* Those in hosts are asked before anybody waits: begin, post each, send. */
static int hosts_ready(dt_batch *b) {
    for (dt_host *h = b->hosts; h; h = h->next)
        if (ready(h)) return not_ready(b, h, b->members + h->members->index);
    hosts_forget(b);
    return 0;
}

static void hosts_send(dt_batch *b) {
    for (dt_host *h = b->hosts; h; h = h->next)
        if (h->n_listed) publish(h, STEPS);
}

static bool is_posted(const dt_member *m) { return m->remote && m->remote->posted; }

/* What was measured there; a number that is none is passed over. */
static void take_notes(dt_member *m) {
    const volatile told *t = m->remote->host->v.tell + m->remote->place;
    int64_t timed = t->timed;
    double seconds = t->seconds, quickest = t->quickest, until = t->refused_until;
    int32_t refused = t->refused;
    if (timed >= m->timed && isfinite(seconds) && seconds >= 0 && isfinite(quickest)) {
        m->timed = timed;
        m->timed_seconds = seconds;
        m->quickest = quickest;
    }
    if (refused > 0 && refused < MAX_COLUMNS) m->refused = refused, m->refused_until = until;
}

/* Twin of `advance`: the step of a member that lives in a host. */
static int remote_advance(dt_batch *b, dt_member *m) {
    dt_remote *r = m->remote;
    dt_host *h = r->host;
    m->stepped = 1;
    m->answered = 0;
    m->evaluations++;
    if (!r->posted) {
        if (ready(h)) return not_ready(b, h, m);
        post(b, m);
        publish(h, STEPS);
    }
    if (h->waiting && (awaited(h, h->timeout) || taken(h))) return unanswered(b, m);
    r->posted = 0;
    take_notes(m);
    if (r->stage) {
        b->reached = r->reached;
        dt_member *who = h->bad_deed && h->failed ? b->members + h->members[h->failed - 1].index : m;
        return fail(b, who, r->stage, r->status);
    }
    copy(m->outputs, h->v.out + r->out_at, m->n_out);
    m->answered = 1;
    return 0;
}

/* Twin of `step_on`. */
static unsigned remote_step_on(dt_batch *b, dt_member *m, double *outputs) {
    dt_remote *r = m->remote;
    dt_host *h = r->host;
    if (ready(h)) return FATAL;
    h->listed[0] = r->place;
    h->n_listed = 1;
    h->v.head->time = b->time, h->v.head->size = b->size;
    publish(h, ONWARD);
    if (awaited(h, h->timeout) || taken(h)) return FATAL;
    if (h->failed) return (unsigned)h->status;
    copy(outputs, h->v.ahead + r->out_at, m->n_out);
    return OK;
}

/* One more member of a step with inputs that are held, of which nothing is kept. */
static void list_member(dt_batch *b, dt_remote *r, const double *given) {
    dt_host *h = r->host;
    dt_member *m = b->members + r->index;
    copy(h->v.in + r->in_at, given + m->in_at, m->n_in);
    h->listed[h->n_listed++] = r->place;
    h->v.tell[r->place].again = m->again;
    m->again = 0;
    m->stepped = 1;
}

static void ask_listed(dt_batch *b, dt_host *h, int32_t action, bool timing) {
    shared *s = h->v.head;
    s->time = b->time, s->size = b->size;
    s->no_set_prior = b->members[h->members->index].no_set_prior;
    s->timing = timing;
    publish(h, action);
}

/* The answer to such a step goes to its places among the outputs of all. */
static int take_listed(dt_batch *b, dt_host *h, double *outputs, bool timing) {
    if (awaited(h, h->timeout) || taken(h)) return unanswered(b, b->members + h->members->index);
    if (h->failed) {
        const dt_remote *r = h->members + h->failed - 1;
        b->reached = r->reached;
        return fail(b, b->members + r->index, h->stage, h->status);
    }
    for (int32_t k = 0; k < h->n_listed; k++) {
        const dt_remote *r = h->members + h->listed[k];
        dt_member *m = b->members + r->index;
        copy(outputs + m->out_at, h->v.out + r->out_at, m->n_out);
        if (timing) take_notes(m);
    }
    return 0;
}

/* All members of each host make the same step: the message has nothing in it but these inputs. `given`:
 * the inputs of all. */
static int pass_asked(dt_batch *b, const double *given, bool timing) {
    if (hosts_ready(b)) return 1;
    for (dt_host *h = b->hosts; h; h = h->next) {
        for (int32_t k = 0; k < h->n; k++) list_member(b, h->members + k, given);
        ask_listed(b, h, PASS, timing);
    }
    return 0;
}

static int pass_answered(dt_batch *b, double *outputs, bool timing) {
    for (dt_host *h = b->hosts; h; h = h->next)
        if (take_listed(b, h, outputs, timing)) return 1;
    return 0;
}

/* How many members of one host come one after another here. */
static int32_t in_a_row(const dt_batch *b, const int32_t *order, int32_t turn) {
    const dt_remote *first = b->members[order[turn]].remote, *next;
    int32_t end = turn + 1;
    while (end < b->n && (next = b->members[order[end]].remote) && next->host == first->host) end++;
    return end - turn;
}

/* In a sweep they are asked at once; `inner` says what goes from one to another of them on the way.
 * Nonzero if one failed. */
static int row_swept(dt_batch *b, const int32_t *order, int32_t turn, int32_t count,
                     const double *given, const int32_t *turn_of, double *outputs, bool timing) {
    dt_host *h = b->members[order[turn]].remote->host;
    inner_wire *inner = h->v.wires;
    if (ready(h)) return not_ready(b, h, b->members + order[turn]);
    int32_t n = 0;
    for (int32_t i = turn; i < turn + count; i++) {
        const dt_member *m = b->members + order[i];
        list_member(b, m->remote, given);
        for (int32_t w = m->first_wire; w < m->last_wire; w++) {
            int32_t source = b->wire_source[w], from = turn_of[source];
            if (from < turn || from >= i) continue;
            const dt_member *giver = b->members + order[from];
            inner[n++] = (inner_wire){
                .target = m->remote->in_at + b->wire_target[w] - m->in_at,
                .source = giver->remote->out_at + source - giver->out_at,
                .member = m->remote->place,
                .plain = m->plain,
                .gain = b->wire_gain[w],
                .offset = b->wire_offset[w],
            };
        }
    }
    h->v.head->n_wires = n;
    ask_listed(b, h, SWEEP, timing);
    return take_listed(b, h, outputs, timing);
}

/* The members of a batch find their hosts, and these the batch. */
static void join_hosts(dt_batch *b) {
    for (int32_t i = 0; i < b->n; i++) {
        dt_remote *r = b->members[i].remote;
        if (!r) continue;
        r->index = i;
        if (r->host->b == b) continue;
        r->host->b = b;
        r->host->next = b->hosts;
        b->hosts = r->host;
    }
}

static void leave_hosts(dt_batch *b) {
    for (dt_host *h = b->hosts; h; h = h->next) h->b = NULL;
}

EXPORT void dt_host_tell(dt_host *h, void (*late)(double)) { h->late = late; }

/* A host whose block has room for `n` members. `spin`: seconds before it sleeps, on both sides. */
EXPORT dt_host *dt_host_new(void *block, int32_t n, int32_t n_in, int32_t n_out, const int32_t *files,
                            double timeout, double spin) {
    dt_host *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->v = view_of(block, n, n_in, n_out);
    h->ring = files[0], h->bell = files[1], h->process = files[2];
    h->n = n;
    h->timeout = timeout;
    h->patience = (patience){spin, spin, 0};
    h->interruptible = 1;
    h->members = calloc((size_t)n + 1, sizeof *h->members);
    h->deeds = calloc((size_t)h->v.most_deeds, sizeof *h->deeds);
    h->listed = calloc((size_t)n + 1, sizeof *h->listed);
    if (!h->members || !h->deeds || !h->listed) {
        free(h->members), free(h->deeds), free(h->listed), free(h);
        return NULL;
    }
    h->v.head->patience = spin;
    return h;
}

EXPORT void dt_host_free(dt_host *h) {
    free(h->members), free(h->deeds), free(h->listed), free(h->free_slots), free(h);
}

/* A member lives there, at this place; `saves`: it can save its state. */
EXPORT void dt_host_bind(dt_host *h, int32_t place, dt_member *m, int32_t in_at, int32_t out_at,
                         int32_t saves) {
    dt_remote *r = h->members + place;
    *r = (dt_remote){.host = h, .place = place, .in_at = in_at, .out_at = out_at};
    m->remote = r;
    m->instance = r;
    if (!saves) return;
    m->get_state = (void *)remote_get_state;
    m->set_state = (void *)remote_set_state;
    m->free_state = (void *)remote_free_state;
}

/* Before anything else is asked of the host: what it still does ends, and what waits is done. 0, or
 * 1 + the place of a member whose deed failed; -1: see `dt_host_dead`. */
EXPORT int32_t dt_host_flush(dt_host *h, double limit, int32_t *stage, int32_t *status) {
    h->interruptible = 0;
    int lost = settled(h, limit > 0 ? limit : h->timeout) || flushed(h);
    h->interruptible = 1;
    *stage = h->stage, *status = h->status;
    return lost ? -1 : h->failed;
}

/* Whether it has been left with a question. */
EXPORT int32_t dt_host_waits(const dt_host *h) { return h->waiting; }

/* What became of it; 0: nothing. */
EXPORT int32_t dt_host_dead(const dt_host *h) { return h->dead; }

/* The inputs that a member was given last, at the start of its step. */
EXPORT void dt_host_inputs(const dt_member *m, double *values) {
    const dt_remote *r = m->remote;
    const block_view *v = &r->host->v;
    if (r->host->action == PASS || r->host->action == SWEEP)
        memcpy(values, v->in + r->in_at, (size_t)m->n_in * sizeof *values);
    else
        for (int32_t j = 0; j < m->n_in; j++) values[j] = m->inputs[j * (m->columns ? m->columns : 1)];
}

static bool is_lost(const dt_member *m) { return m->remote && m->remote->host->dead; }
static void unpost(dt_member *m) { m->remote->posted = 0; }
#else
/* Nothing lives elsewhere. */
static int remote_advance(dt_batch *b, dt_member *m) { return fail(b, m, LOST, ENDED_ITSELF); }
static unsigned remote_step_on(dt_batch *b, dt_member *m, double *outputs) {
    (void)b, (void)m, (void)outputs;
    return FATAL;
}
static bool is_lost(const dt_member *m) { return m->remote != NULL; }
static void unpost(dt_member *m) { (void)m; }
static bool is_posted(const dt_member *m) { return (void)m, false; }
static void post(dt_batch *b, dt_member *m) { (void)b, (void)m; }
static int hosts_ready(dt_batch *b) { return (void)b, 0; }
static void hosts_forget(dt_batch *b) { (void)b; }
static void hosts_send(dt_batch *b) { (void)b; }
static int pass_asked(dt_batch *b, const double *given, bool timing) {
    return (void)b, (void)given, (void)timing, 0;
}
static int pass_answered(dt_batch *b, double *outputs, bool timing) {
    return (void)b, (void)outputs, (void)timing, 0;
}
static int32_t in_a_row(const dt_batch *b, const int32_t *order, int32_t turn) {
    return (void)b, (void)order, (void)turn, 1;
}
static int row_swept(dt_batch *b, const int32_t *order, int32_t turn, int32_t count,
                     const double *given, const int32_t *turn_of, double *outputs, bool timing) {
    (void)order, (void)turn, (void)count, (void)given, (void)turn_of, (void)outputs, (void)timing;
    return (void)b, 0;
}
static void join_hosts(dt_batch *b) { (void)b; }
static void leave_hosts(dt_batch *b) { (void)b; }
#endif
