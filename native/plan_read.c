/* ---- a plan, read from its block ----------------------------------------------------------- */

/* No twin: it reads what src/dovetail/runplan/writing.py writes, as docs/design/plan.md says it.
 * Every size, count and index is looked at before it is used; what does not fit is refused with a
 * sentence. Compared with the reader in Python by tests/conformance/test_plan.py. */

enum { PLAN_VERSION = 1, PLAN_HEADER = 32, PLAN_SECTION = 16, PLAN_SUMMED = 24 };
enum { SKIPPABLE = 1 };
enum { CO_SIMULATION = 1, MODEL_EXCHANGE };           /* kinds of members */
enum { CALLS_ROLLBACK = 1, CALLS_DERIVATIVES = 2, CALLS_INSIDE = 4, CALLS_EVENTS = 8, CALLS_ALL = 15 };
enum { FIXED_WINDOWS = 0, LAST_CONTROLLER = 6 };      /* kinds of controllers: see control.c */
enum { MOST_MEMBERS = 1 << 22, MOST_SIGNALS = 1 << 24, MOST_CHANGES = 1 << 28 };

/* A copy of the block, and all memory that was asked for on its behalf. */
typedef struct dt_block {
    unsigned char *bytes;
    void **kept;
    int32_t n_kept, room;
} dt_block;

static void block_free(dt_block *k) {
    if (!k) return;
    for (int32_t i = 0; i < k->n_kept; i++) free(k->kept[i]);
    free(k->kept);
    free(k->bytes);
    free(k);
}

/* Zeroed memory that lives as long as the block; NULL if there is none. */
static void *kept_new(dt_block *k, size_t count, size_t size) {
    if (k->n_kept == k->room) {
        int32_t room = 2 * k->room + 32;
        void **more = realloc(k->kept, (size_t)room * sizeof *more);
        if (!more) return NULL;
        k->kept = more;
        k->room = room;
    }
    void *found = calloc(count + 1, size);
    if (found) k->kept[k->n_kept++] = found;
    return found;
}

/* Where reading stands. The first thing that is wrong is what is told. */
typedef struct {
    const unsigned char *at, *end;
    const char *tag;
    char *why;
    size_t room;
    bool failed;
} reader;

static void refuse(reader *r, const char *format, ...) {
    if (r->failed) return;
    r->failed = true;
    if (!r->room) return;
    int used = r->tag ? snprintf(r->why, r->room, "section %s of the plan: ", r->tag) : 0;
    if (used < 0 || (size_t)used >= r->room) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->why + used, r->room - (size_t)used, format, arguments);
    va_end(arguments);
}

/* A section, opened by its tag; empty if there is none. */
typedef struct {
    const unsigned char *at;
    uint64_t size;
} section;

enum { SEC_SIGN, SEC_MEMB, SEC_WIRE, SEC_GRID, SEC_SCHM, SEC_RCRD, SEC_CTRL, SEC_XTRP, SEC_SOLV, SEC_CONV, SEC_CYCL, SEC_FIND, SEC_CUBE, SEC_BOND, SEC_TUNE, SEC_NAME, SEC_COUNT };
static const char section_tags[SEC_COUNT][5] = {"SIGN", "MEMB", "WIRE", "GRID", "SCHM", "RCRD",
                                               "CTRL", "XTRP", "SOLV", "CONV", "CYCL", "FIND", "CUBE", "BOND", "TUNE", "NAME"};

static uint32_t checksum_of(uint32_t sum, const unsigned char *bytes, size_t n) { /* CRC-32 */
    static const uint32_t by_nibble[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    sum = ~sum;
    for (size_t k = 0; k < n; k++) {
        sum = by_nibble[(sum ^ bytes[k]) & 15] ^ (sum >> 4);
        sum = by_nibble[(sum ^ (uint32_t)(bytes[k] >> 4)) & 15] ^ (sum >> 4);
    }
    return ~sum;
}

static uint32_t u32_at(const unsigned char *p) {
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint64_t u64_at(const unsigned char *p) {
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* Header and table of sections. */
static void open_block(reader *r, const unsigned char *p, uint64_t size, section *found) {
    const uint16_t one = 1;
    if (!*(const unsigned char *)&one) {
        refuse(r, "the plan is little-endian, and this machine is not");
        return;
    }
    if (size < PLAN_HEADER || memcmp(p, "DOVEPLAN", 8)) {
        refuse(r, "this is no plan of Dovetail: it does not begin as one");
        return;
    }
    if (u32_at(p + 8) != PLAN_VERSION) {
        refuse(r, "the plan is of version %lu, and %d is known", (unsigned long)u32_at(p + 8),
               PLAN_VERSION);
        return;
    }
    if (u64_at(p + 16) != size) {
        refuse(r, "the plan says it has %llu bytes, and has %llu",
               (unsigned long long)u64_at(p + 16), (unsigned long long)size);
        return;
    }
    uint32_t sum = checksum_of(0, p, PLAN_SUMMED);
    if (u32_at(p + 28) || checksum_of(sum, p + PLAN_HEADER, size - PLAN_HEADER) != u32_at(p + 24)) {
        refuse(r, "the plan is damaged: its checksum is another");
        return;
    }
    uint64_t at = PLAN_HEADER;
    for (uint32_t left = u32_at(p + 12); left; left--) {
        char tag[5] = {0};
        if (size - at < PLAN_SECTION) {
            refuse(r, "the plan ends inside of a section");
            return;
        }
        memcpy(tag, p + at, 4);
        uint32_t flags = u32_at(p + at + 4);
        uint64_t length = u64_at(p + at + 8);
        int known = 0;
        at += PLAN_SECTION;
        while (known < SEC_COUNT && memcmp(tag, section_tags[known], 4)) known++;
        for (int k = 0; k < 4; k++) /* it goes into a sentence */
            if (tag[k] < ' ' || tag[k] > '~') tag[k] = '?';
        if (length % 8 || length > size - at) {
            refuse(r, "section %s of the plan has no such size: %llu", tag,
                   (unsigned long long)length);
            return;
        }
        if (known == SEC_COUNT && !(flags & SKIPPABLE)) {
            refuse(r, "the plan has a section %s, which is not known", tag);
            return;
        }
        if (known < SEC_COUNT && found[known].at) {
            refuse(r, "the plan has two sections %s", tag);
            return;
        }
        if (known < SEC_COUNT) found[known] = (section){p + at, length};
        at += length;
    }
    if (at != size) refuse(r, "the plan goes on behind its last section");
}

static reader enter(reader *r, const section *all, int which) {
    static const unsigned char nothing = 0;
    reader inner = *r;
    inner.tag = section_tags[which];
    inner.at = all[which].at ? all[which].at : &nothing;
    inner.end = inner.at + all[which].size;
    if (!all[which].at) {
        inner.tag = NULL;
        refuse(&inner, "the plan has no section %s", section_tags[which]);
    }
    return inner;
}

static void leave(reader *r, reader *inner) {
    if (inner->at != inner->end) refuse(inner, "it is too long");
    r->failed = inner->failed;
}

static bool has(reader *r, uint64_t bytes, const char *name) {
    if (!r->failed && (uint64_t)(r->end - r->at) < bytes) refuse(r, "it ends before '%s'", name);
    return !r->failed;
}

static int64_t whole(reader *r, const char *name, int64_t least, int64_t most) {
    if (!has(r, 8, name)) return least;
    int64_t value = (int64_t)u64_at(r->at);
    r->at += 8;
    if (value < least || value > most) {
        refuse(r, "'%s' is %lld, not within %lld to %lld", name, (long long)value,
               (long long)least, (long long)most);
        return least;
    }
    return value;
}

static double real(reader *r, const char *name, bool positive) {
    double value = 0;
    if (!has(r, 8, name)) return 0;
    memcpy(&value, r->at, 8);
    r->at += 8;
    if (!isfinite(value) || (positive && value < 0)) refuse(r, "'%s' is no such number", name);
    return value;
}

/* A number not below zero, which may be infinite. */
static double endless(reader *r, const char *name) {
    double value = 0;
    if (!has(r, 8, name)) return 0;
    memcpy(&value, r->at, 8);
    r->at += 8;
    if (!(value >= 0)) refuse(r, "'%s' is no such number", name);
    return value;
}

/* So many elements of `size` bytes each; any number if `count` is below zero, which comes back. */
static const void *array_of(reader *r, const char *name, size_t size, int64_t *count) {
    if (!has(r, 8, name)) return NULL;
    uint64_t n = u64_at(r->at);
    r->at += 8;
    if (n > (uint64_t)(r->end - r->at) / size) {
        refuse(r, "it ends inside of '%s'", name);
        return NULL;
    }
    if (*count >= 0 && (uint64_t)*count != n) {
        refuse(r, "'%s' has %llu elements, not %lld", name, (unsigned long long)n,
               (long long)*count);
        return NULL;
    }
    const void *found = r->at;
    r->at += (n * size + 7) / 8 * 8; /* the section is a multiple of eight bytes, so this is in it */
    *count = (int64_t)n;
    return found;
}

/* Of 32 bits each, within bounds. NULL if something is wrong. */
static const int32_t *wholes(reader *r, const char *name, int64_t count, int64_t least,
                             int64_t most) {
    const int32_t *found = array_of(r, name, sizeof *found, &count);
    for (int64_t k = 0; !r->failed && k < count; k++)
        if (found[k] < least || found[k] > most)
            refuse(r, "'%s' [%lld] is %ld, not within %lld to %lld", name, (long long)k,
                   (long)found[k], (long long)least, (long long)most);
    return r->failed ? NULL : found;
}

static const double *reals(reader *r, const char *name, int64_t count) {
    const double *found = array_of(r, name, sizeof *found, &count);
    return r->failed ? NULL : found;
}

static const uint32_t *references(reader *r, const char *name, int64_t count) {
    const uint32_t *found = array_of(r, name, sizeof *found, &count);
    return r->failed ? NULL : found;
}

static int64_t sum_of(const int32_t *values, int64_t n) {
    int64_t sum = 0;
    for (int64_t k = 0; values && k < n; k++) sum += values[k];
    return sum;
}

static void no_memory(reader *r) {
    r->tag = NULL;
    refuse(r, "there is no memory for this plan");
}

/* ---- members and wires ----------------------------------------------------------------------- */

static void read_signals(reader *r, const section *all, dt_batch *b) {
    reader s = enter(r, all, SEC_SIGN);
    int64_t count = -1;
    b->n_outputs = (int32_t)whole(&s, "outputs", 0, MOST_SIGNALS);
    const double *start = array_of(&s, "start", sizeof *start, &count);
    if (count > MOST_SIGNALS) refuse(&s, "there are more than %d inputs", MOST_SIGNALS);
    leave(r, &s);
    if (r->failed) return;
    b->n_inputs = (int32_t)count;
    if (!(b->start = kept_new(b->block, (size_t)count, sizeof *start)))
        no_memory(r);
    else
        memcpy(b->start, start, (size_t)count * sizeof *start);
}

static void read_members(reader *r, const section *all, dt_batch *b, int32_t n) {
    reader s = enter(r, all, SEC_MEMB);
    const int32_t *kind = wholes(&s, "kind", n, CO_SIMULATION, MODEL_EXCHANGE);
    const int32_t *version = wholes(&s, "version", n, 1, 3);
    const int32_t *calls = wholes(&s, "calls", n, 0, CALLS_ALL);
    b->orders = wholes(&s, "order", n, -1, MAX_COLUMNS - 1);
    wholes(&s, "part", n, 0, INT32_MAX);
    const int32_t *n_in = wholes(&s, "n_in", n, 0, b->n_inputs);
    const int32_t *n_out = wholes(&s, "n_out", n, 0, b->n_outputs);
    const int32_t *in_at = wholes(&s, "in_at", n, 0, b->n_inputs);
    const int32_t *out_at = wholes(&s, "out_at", n, 0, b->n_outputs);
    const int32_t *n_in_refs = wholes(&s, "n_in_refs", n, 0, INT32_MAX);
    const int32_t *n_out_refs = wholes(&s, "n_out_refs", n, 0, INT32_MAX);
    const uint32_t *in_refs = references(&s, "in_refs", sum_of(n_in_refs, n));
    const uint32_t *out_refs = references(&s, "out_refs", sum_of(n_out_refs, n));
    int64_t in = 0, out = 0;
    for (int32_t k = 0; k < n && !s.failed; k++) {
        dt_member *m = b->members + k;
        if (in_at[k] < in || (in = (int64_t)in_at[k] + n_in[k]) > b->n_inputs)
            refuse(&s, "inputs of member %ld lie where there are none", (long)k);
        if (out_at[k] < out || (out = (int64_t)out_at[k] + n_out[k]) > b->n_outputs)
            refuse(&s, "outputs of member %ld lie where there are none", (long)k);
        if (version[k] < 3 && (n_in_refs[k] != n_in[k] || n_out_refs[k] != n_out[k]))
            refuse(&s, "member %ld has not one reference for each signal", (long)k);
        if (calls[k] & (version[k] < 3 ? CALLS_INSIDE : CALLS_DERIVATIVES))
            refuse(&s, "member %ld has calls that its version has not", (long)k);
        if ((kind[k] == MODEL_EXCHANGE) != (m->solved != NULL))
            refuse(&s, "member %ld is of another kind than what is bound to it", (long)k);
        if (!(calls[k] & CALLS_EVENTS) != !m->events)
            refuse(&s, "member %ld has events, or what is bound to it has", (long)k);
        if (m->events && (version[k] != 3 || !(calls[k] & CALLS_ROLLBACK) || m->remote))
            refuse(&s, "member %ld has events, and cannot go back", (long)k);
        b->guests += m->solved || m->events;
        b->early += m->early != 0;
        m->version = version[k];
        m->no_set_prior = 1; /* until a mark is left behind */
        m->rollback = calls[k] & CALLS_ROLLBACK;
        m->highest = MAX_COLUMNS - 1;
        m->n_in = n_in[k];
        m->n_set = n_in[k];
        m->n_out = n_out[k];
        m->in_at = in_at[k];
        m->out_at = out_at[k];
        m->in_refs = in_refs;
        m->out_refs = out_refs;
        in_refs += m->n_in_refs = n_in_refs[k];
        out_refs += m->n_out_refs = n_out_refs[k];
        if (!(calls[k] & CALLS_DERIVATIVES)) m->set_derivatives = NULL;
        if (!(calls[k] & CALLS_INSIDE)) m->log = NULL;
    }
    leave(r, &s);
}

/* Connected parameters: the last inputs of a member, which are set apart from the others. */
static void read_tuned(reader *r, const section *all, dt_batch *b) {
    if (!all[SEC_TUNE].at) return;
    reader s = enter(r, all, SEC_TUNE);
    const int32_t *count = wholes(&s, "count", b->n, 0, b->n_inputs);
    const int32_t *n_refs = wholes(&s, "n_refs", b->n, 0, INT32_MAX);
    for (int32_t k = 0; k < b->n && !s.failed; k++) {
        dt_member *m = b->members + k;
        if (!count[k] && !n_refs[k]) continue;
        if (count[k] > m->n_in || n_refs[k] > m->n_in_refs || !count[k] != !n_refs[k])
            refuse(&s, "member %ld has not so many inputs", (long)k);
        else if (m->version < 3 && n_refs[k] != count[k])
            refuse(&s, "member %ld has not one reference for each parameter", (long)k);
        if (m->remote || m->version == 1 || (m->events && !m->known))
            refuse(&s, "member %ld is of a kind that takes no connected parameters", (long)k);
        dt_tuned *t = s.failed ? NULL : kept_new(b->block, 1, sizeof *t);
        size_t size = (size_t)count[k] + 1; /* by it whether the FMU has any */
        double *room = s.failed ? NULL : kept_new(b->block, 3 * size, sizeof *room);
        if (!t || !room) {
            if (!s.failed) no_memory(&s);
            break;
        }
        m->n_in_refs -= n_refs[k];
        m->n_set -= count[k];
        *t = (dt_tuned){.refs = m->in_refs + m->n_in_refs, .n_refs = n_refs[k], .n = count[k]};
        if (!m->solved && !m->events) /* those take them at events only */
            t->now = m->known ? m->known : room, t->before = room + size, t->first = room + 2 * size;
        m->tuned = t;
        b->n_tuned++;
    }
    leave(r, &s);
}

static void read_wires(reader *r, const section *all, dt_batch *b) {
    reader s = enter(r, all, SEC_WIRE);
    int64_t n = -1;
    const int32_t *target = array_of(&s, "target", sizeof *target, &n);
    for (int64_t w = 0; w < n && !s.failed; w++)
        if (target[w] < (w ? target[w - 1] + 1 : 0) || target[w] >= b->n_inputs)
            refuse(&s, "'target' [%lld] is %ld: they ascend, up to %ld", (long long)w,
                   (long)target[w], (long)b->n_inputs - 1);
    b->wire_target = target;
    b->wire_source = wholes(&s, "source", n, 0, (int64_t)b->n_outputs - 1);
    b->wire_gain = reals(&s, "gain", n);
    b->wire_offset = reals(&s, "offset", n);
    leave(r, &s);
    if (r->failed) return;
    b->n_wires = (int32_t)n;
    for (int32_t k = 0, w = 0; k < b->n; k++) {
        dt_member *m = b->members + k;
        while (w < n && target[w] < m->in_at) w++;
        m->first_wire = w;
        m->plain = 1;
        for (; w < n && target[w] < m->in_at + m->n_in; w++)
            m->plain &= b->wire_gain[w] == 1.0 && b->wire_offset[w] == 0.0;
        m->last_wire = w;
    }
}

/* ---- how windows are made -------------------------------------------------------------------- */

static void read_scheme(reader *r, const section *all, dt_batch *b, dt_plan *p, int32_t *columns) {
    reader s = enter(r, all, SEC_SCHM);
    p->sequential = (int32_t)whole(&s, "sequential", 0, 1);
    *columns = (int32_t)whole(&s, "columns", 1, MAX_COLUMNS);
    if (*columns == 3) refuse(&s, "'columns' is 3: inputs are held, or follow lines or cubics");
    p->order = wholes(&s, "order", b->n, 0, (int64_t)b->n - 1);
    unsigned char *taken = kept_new(b->block, (size_t)b->n, 1);
    if (!taken) no_memory(&s);
    for (int32_t k = 0; k < b->n && !s.failed; k++)
        if (taken[p->order[k]]++) refuse(&s, "'order' has member %ld twice", (long)p->order[k]);
    int64_t in = 0, out = 0;
    p->plain = 1;
    for (int32_t k = 0; k < b->n && !s.failed; k++) {
        const dt_member *m = b->members + k;
        if (m->in_at != in || m->out_at != out) refuse(&s, "there are signals of no member");
        in += m->n_in;
        out += m->n_out;
        p->plain &= m->plain;
    }
    if (in != b->n_inputs || out != b->n_outputs) refuse(&s, "there are signals of no member");
    leave(r, &s);
}

static void read_recorded(reader *r, const section *all, dt_plan *p) {
    reader s = enter(r, all, SEC_RCRD);
    int64_t n = -1, places = (int64_t)p->n_outputs + p->n_inputs;
    const int32_t *found = array_of(&s, "places", sizeof *found, &n);
    if (n > MOST_SIGNALS) refuse(&s, "more than %d are recorded", MOST_SIGNALS);
    p->straight = n > 0;
    for (int64_t k = 0; k < n && !s.failed; k++) {
        if (found[k] < 0 || found[k] >= places)
            refuse(&s, "'places' [%lld] is %ld, not within 0 to %lld", (long long)k,
                   (long)found[k], (long long)places - 1);
        p->straight &= found[k] < p->n_outputs && found[k] == found[0] + k;
    }
    p->recorded = found;
    p->n_recorded = (int32_t)n;
    leave(r, &s);
}

static void read_windows(reader *r, const section *all, dt_plan *p) {
    reader s = enter(r, all, SEC_GRID);
    p->origin = real(&s, "origin", false);
    p->size = real(&s, "size", true);
    p->stop = real(&s, "stop", false);
    leave(r, &s);
    s = enter(r, all, SEC_CTRL);
    dt_sizes *o = &p->sizes;
    o->kind = (int32_t)whole(&s, "kind", FIXED_WINDOWS, LAST_CONTROLLER);
    o->order = (int32_t)whole(&s, "order", 0, 99);
    o->ranged = (int32_t)whole(&s, "ranged", 0, 1);
    o->rejects = (int32_t)whole(&s, "rejects", 0, 1);
    o->stops = (int32_t)whole(&s, "stops", 0, 1);
    o->rtol = real(&s, "rtol", true);
    o->atol = real(&s, "atol", true);
    o->first_size = real(&s, "first_size", true);
    o->min_size = real(&s, "min_size", true);
    o->max_size = endless(&s, "max_size");
    o->safety = real(&s, "safety", true);
    leave(r, &s);
}

static void read_curves(reader *r, const section *all, dt_batch *b, dt_plan *p) {
    dt_curves *e = kept_new(b->block, 1, sizeof *e);
    if (!e) {
        no_memory(r);
        return;
    }
    p->curves = e;
    e->order = b->orders;
    e->columns = 2;
    e->ramps = !all[SEC_XTRP].at;
    if (e->ramps) return;
    reader s = enter(r, all, SEC_XTRP);
    int64_t order = whole(&s, "order", 1, MAX_COLUMNS - 1);
    e->columns = (int32_t)order + 1;
    e->projection = reals(&s, "weights", order * MAX_COLUMNS * MAX_COLUMNS);
    leave(r, &s);
}

/* Arrays of all groups, one after another: each group takes its share. */
typedef struct {
    const int32_t *targets, *sources, *coupling, *moves, *places, *diagonal, *row, *column;
    const int32_t *term_row, *term_column, *term_change, *term_slot;
    const int32_t *factor, *forward, *backward;
    const double *gains, *offsets;
} shares;

static void within(reader *r, const char *name, int32_t group, const int32_t *values, int64_t n,
                   int64_t stride, int64_t least, int64_t most) {
    for (int64_t k = 0; k < n && !r->failed; k++)
        if (values[k * stride] < least || values[k * stride] > most)
            refuse(r, "'%s' of group %ld has %ld, not within %lld to %lld", name, (long)group,
                   (long)values[k * stride], (long long)least, (long long)most);
}

/* How many changes of outputs the columns of a group's Jacobian have; inputs that are moved. */
static int64_t changes_of(reader *r, const dt_batch *b, const dt_group *g, int32_t group) {
    int64_t changes = 0, moved = 0;
    for (int32_t k = 0; k < g->n_parts && !r->failed; k++) {
        const dt_member *m = b->members + g->parts[k];
        if (g->counts[k] > g->n_targets - moved)
            refuse(r, "group %ld moves more inputs than it has", (long)group);
        else
            within(r, "places", group, g->places + moved, g->counts[k], 1, 0,
                   (int64_t)m->n_in - 1);
        moved += g->counts[k];
        changes += (int64_t)g->counts[k] * m->n_out;
    }
    if (moved != g->n_targets) refuse(r, "group %ld moves fewer inputs than it has", (long)group);
    if (changes > MOST_CHANGES) refuse(r, "group %ld is too large", (long)group);
    return changes;
}

/* The sparse Jacobian of one group: every number of it points somewhere. */
static void check_elimination(reader *r, const dt_group *g, int32_t k, int64_t changes) {
    int64_t last = (int64_t)g->n_targets - 1, value = (int64_t)g->n_values - 1;
    within(r, "diagonal", k, g->diagonal, g->n_targets, 1, 0, value);
    within(r, "row", k, g->row, g->n_values, 1, 0, last);
    within(r, "column", k, g->column, g->n_values, 1, 0, last);
    within(r, "term_row", k, g->term_row, g->n_terms, 1, 0, last);
    within(r, "term_column", k, g->term_column, g->n_terms, 1, 0, last);
    within(r, "term_change", k, g->term_change, g->n_terms, 1, 0, changes - 1);
    within(r, "term_slot", k, g->term_slot, g->n_terms, 1, 0, value);
    within(r, "factor", k, g->factor, g->n_factor, 3, 0, value);
    within(r, "factor", k, g->factor + 1, g->n_factor, 3, -1, value);
    within(r, "factor", k, g->factor + 2, g->n_factor, 3, 0, value);
    within(r, "forward", k, g->forward, g->n_forward, 3, 0, last);
    within(r, "forward", k, g->forward + 1, g->n_forward, 3, 0, value);
    within(r, "forward", k, g->forward + 2, g->n_forward, 3, 0, last);
    within(r, "backward", k, g->backward, g->n_backward, 3, 0, last);
    within(r, "backward", k, g->backward + 1, g->n_backward, 3, 0, value);
    within(r, "backward", k, g->backward + 2, g->n_backward, 3, -1, last);
}

typedef struct {
    int64_t widest, changes, values;
} widths;

static void read_groups(reader *r, const section *all, dt_batch *b, const dt_plan *p,
                        dt_iteration *it, widths *most) {
    reader s = enter(r, all, SEC_CYCL);
    int64_t n = -1, signals = MOST_SIGNALS;
    const int32_t *members = array_of(&s, "n_members", sizeof *members, &n);
    const int32_t *cyclic = wholes(&s, "cyclic", n, 0, 1);
    const int32_t *targets = wholes(&s, "n_targets", n, 0, signals);
    const int32_t *coupling = wholes(&s, "n_coupling", n, 0, signals);
    const int32_t *moves = wholes(&s, "n_moves", n, 0, signals);
    const int32_t *values = wholes(&s, "n_values", n, 0, MOST_CHANGES);
    const int32_t *terms = wholes(&s, "n_terms", n, 0, MOST_CHANGES);
    const int32_t *factor = wholes(&s, "n_factor", n, 0, MOST_CHANGES);
    const int32_t *forward = wholes(&s, "n_forward", n, 0, MOST_CHANGES);
    const int32_t *backward = wholes(&s, "n_backward", n, 0, MOST_CHANGES);
    int64_t wires = sum_of(targets, n), moved = 0, diagonal = 0;
    for (int64_t k = 0; k < n && !s.failed; k++) diagonal += moves[k] ? targets[k] : 0;
    shares at = {0};
    at.targets = wholes(&s, "targets", wires, 0, (int64_t)b->n_inputs - 1);
    at.sources = wholes(&s, "sources", wires, 0, (int64_t)b->n_outputs - 1);
    at.gains = reals(&s, "gains", wires);
    at.offsets = reals(&s, "offsets", wires);
    at.coupling = wholes(&s, "coupling", sum_of(coupling, n), 0, (int64_t)b->n_outputs - 1);
    at.moves = wholes(&s, "moves", sum_of(moves, n), 0, signals);
    at.places = wholes(&s, "places", diagonal, 0, signals);
    at.diagonal = wholes(&s, "diagonal", diagonal, 0, MOST_CHANGES);
    at.row = wholes(&s, "row", sum_of(values, n), 0, signals);
    at.column = wholes(&s, "column", sum_of(values, n), 0, signals);
    at.term_row = wholes(&s, "term_row", sum_of(terms, n), 0, signals);
    at.term_column = wholes(&s, "term_column", sum_of(terms, n), 0, signals);
    at.term_change = wholes(&s, "term_change", sum_of(terms, n), 0, MOST_CHANGES);
    at.term_slot = wholes(&s, "term_slot", sum_of(terms, n), 0, MOST_CHANGES);
    at.factor = wholes(&s, "factor", 3 * sum_of(factor, n), -1, MOST_CHANGES);
    at.forward = wholes(&s, "forward", 3 * sum_of(forward, n), -1, MOST_CHANGES);
    at.backward = wholes(&s, "backward", 3 * sum_of(backward, n), -1, MOST_CHANGES);
    if (n > MOST_MEMBERS) refuse(&s, "there are more than %d groups", MOST_MEMBERS);
    dt_group *groups = s.failed ? NULL : kept_new(b->block, (size_t)n, sizeof *groups);
    if (!groups) no_memory(&s);
    for (int32_t k = 0; k < n && !s.failed; k++) {
        dt_group *g = groups + k;
        if (members[k] < 0 || members[k] > b->n - moved) {
            refuse(&s, "its groups have more members than there are");
            break;
        }
        *g = (dt_group){
            .n_parts = members[k], .cyclic = cyclic[k], .n_targets = targets[k],
            .n_coupling = coupling[k], .parts = p->order + moved, .targets = at.targets,
            .sources = at.sources, .coupling = at.coupling, .gains = at.gains,
            .offsets = at.offsets, .counts = at.moves, .places = at.places,
            .n_terms = terms[k], .n_values = values[k], .n_factor = factor[k],
            .n_forward = forward[k], .n_backward = backward[k], .term_row = at.term_row,
            .term_column = at.term_column, .term_change = at.term_change,
            .term_slot = at.term_slot, .diagonal = at.diagonal, .row = at.row,
            .column = at.column, .factor = at.factor, .forward = at.forward,
            .backward = at.backward, .n_unknown = targets[k], .number = k, .unknown = at.targets,
            .feeding = at.sources, .unknown_gains = at.gains, .unknown_offsets = at.offsets,
        };
        bool solves = it->method == NEWTON && g->cyclic;
        if (moves[k] != (solves ? g->n_parts : 0)) refuse(&s, "group %ld does not say which inputs are moved", (long)k);
        if (!solves && (g->n_values || g->n_terms || g->n_factor || g->n_forward || g->n_backward))
            refuse(&s, "group %ld has a Jacobian without need", (long)k);
        int64_t changes = solves && !s.failed ? changes_of(&s, b, g, k) : 0;
        if (solves && !s.failed) check_elimination(&s, g, k, changes);
        int32_t jacobian = moves[k] ? g->n_targets : 0;
        moved += g->n_parts;
        at.targets += g->n_targets, at.sources += g->n_targets;
        at.gains += g->n_targets, at.offsets += g->n_targets;
        at.coupling += g->n_coupling, at.moves += moves[k];
        at.places += jacobian, at.diagonal += jacobian;
        at.row += g->n_values, at.column += g->n_values;
        at.term_row += g->n_terms, at.term_column += g->n_terms;
        at.term_change += g->n_terms, at.term_slot += g->n_terms;
        at.factor += 3 * (int64_t)g->n_factor, at.forward += 3 * (int64_t)g->n_forward;
        at.backward += 3 * (int64_t)g->n_backward;
        if (g->n_targets > most->widest) most->widest = g->n_targets;
        if (g->n_coupling > most->widest) most->widest = g->n_coupling;
        if (changes > most->changes) most->changes = changes;
        if (g->n_values > most->values) most->values = g->n_values;
    }
    if (moved != b->n) refuse(&s, "its groups have fewer members than there are");
    it->groups = groups;
    it->n_groups = (int32_t)n;
    leave(r, &s);
}

/* How a root finder goes on, and which inputs it looks for, where those are not all. */
static void read_finder(reader *r, const section *all, dt_batch *b, dt_iteration *it) {
    dt_finder *f = it->finder = kept_new(b->block, 1, sizeof *f);
    if (!f) {
        no_memory(r);
        return;
    }
    f->relaxation = 1;
    if (!all[SEC_FIND].at) {
        if (it->method > NEWTON) refuse(r, "the plan has no section FIND, which its solver needs");
        return;
    }
    reader s = enter(r, all, SEC_FIND);
    f->relaxation = real(&s, "relaxation", true);
    f->largest = real(&s, "largest", true);
    f->filter = real(&s, "filter", true);
    f->depth = (int32_t)whole(&s, "depth", 0, MOST_SIGNALS);
    f->reused = (int32_t)whole(&s, "reused", 0, MOST_SIGNALS);
    int64_t targets = 0, n = -1, at = 0;
    for (int32_t k = 0; k < it->n_groups; k++) targets += it->groups[k].n_targets;
    const int32_t *closing = array_of(&s, "closing", sizeof *closing, &n);
    if (n > 0 && n != targets) refuse(&s, "'closing' has not one element for each target");
    if (n > 0 && (it->method == SWEEPS || it->method == NEWTON))
        refuse(&s, "'closing' is for root finders that ask one part after another");
    for (int64_t k = 0; k < n && !s.failed; k++)
        if (closing[k] != 0 && closing[k] != 1) refuse(&s, "'closing' is neither 0 nor 1");
    leave(r, &s);
    if (r->failed || n <= 0) return;
    unsigned char *fresh = kept_new(b->block, (size_t)b->n_inputs, 1);
    int32_t *inputs = kept_new(b->block, 2 * (size_t)targets, sizeof *inputs);
    double *scales = kept_new(b->block, 2 * (size_t)targets, sizeof *scales);
    if (!fresh || !inputs || !scales) {
        no_memory(r);
        return;
    }
    it->fresh = fresh;
    for (int32_t k = 0; k < it->n_groups; k++) {
        dt_group *g = (dt_group *)it->groups + k;
        g->unknown = inputs + 2 * at, g->feeding = inputs + 2 * at + g->n_targets;
        g->unknown_gains = scales + 2 * at, g->unknown_offsets = scales + 2 * at + g->n_targets;
        g->n_unknown = 0;
        for (int32_t i = 0; i < g->n_targets; i++) {
            if (!closing[at + i]) {
                fresh[g->targets[i]] = g->cyclic != 0;
                continue;
            }
            int32_t u = g->n_unknown++;
            inputs[2 * at + u] = g->targets[i];
            inputs[2 * at + g->n_targets + u] = g->sources[i];
            scales[2 * at + u] = g->gains[i];
            scales[2 * at + g->n_targets + u] = g->offsets[i];
        }
        at += g->n_targets;
    }
}

/* Room for what searches do, and for what they teach. */
static void make_room_to_search(reader *r, dt_batch *b, dt_iteration *it, size_t wide) {
    dt_finder *f = it->finder;
    size_t groups = (size_t)it->n_groups;
    f->weight = kept_new(b->block, wide, sizeof(double));
    f->rest = kept_new(b->block, wide, sizeof(double));
    f->old_r = kept_new(b->block, wide, sizeof(double));
    f->old_answer = kept_new(b->block, wide, sizeof(double));
    if (!f->weight || !f->rest || !f->old_r || !f->old_answer) no_memory(r);
    if (it->method != IQN_ILS || r->failed) return;
    lessons *rooms = kept_new(b->block, 3 * groups, sizeof *rooms);
    if (!rooms) {
        no_memory(r);
        return;
    }
    it->known = rooms, it->before_window = rooms + groups, it->before_tries = rooms + 2 * groups;
}

/* With cubics: substeps of members that only hold their inputs, and whose derivatives are told. */
static void read_cubics(reader *r, const section *all, dt_batch *b, dt_iteration *it) {
    enum { MOST_SUBSTEPS = 1 << 20 };
    reader s = enter(r, all, SEC_CUBE);
    const int32_t *substeps = wholes(&s, "substeps", b->n, 1, MOST_SUBSTEPS);
    const int32_t *told = wholes(&s, "told", b->n, 0, 1);
    if (it->method == NEWTON) refuse(&s, "Newton's method solves for no derivatives of inputs");
    dt_cubic *cubics = s.failed ? NULL : kept_new(b->block, (size_t)b->n, sizeof *cubics);
    if (!cubics && !s.failed) no_memory(&s);
    for (int32_t k = 0; k < b->n && !s.failed; k++) {
        dt_member *m = b->members + k;
        bool follows = b->orders[k] < 0 || b->orders[k] == MAX_COLUMNS - 1;
        if (m->solved || m->remote || m->tuned)
            refuse(&s, "member %ld is of a kind that takes no cubics", (long)k);
        if (!follows && (b->orders[k] || (m->n_in && substeps[k] == 1)))
            refuse(&s, "member %ld follows no cubics, and is not cut into substeps", (long)k);
        if (follows && substeps[k] != 1)
            refuse(&s, "member %ld follows cubics, and is cut into substeps", (long)k);
        if (told[k] && (!m->get_slopes || m->n_out_refs != m->n_out))
            refuse(&s, "member %ld tells no derivatives of its outputs", (long)k);
        m->cubic = cubics + k;
        *m->cubic = (dt_cubic){substeps[k], told[k],
                               kept_new(b->block, (size_t)m->n_out, sizeof(double)),
                               kept_new(b->block, (size_t)m->n_out, sizeof(int32_t))};
        if (!m->cubic->slopes || !m->cubic->orders) no_memory(&s);
        for (int32_t i = 0; i < m->n_out && !s.failed; i++) m->cubic->orders[i] = 1;
    }
    leave(r, &s);
    it->slopes_before = kept_new(b->block, (size_t)b->n_outputs, sizeof(double));
    it->rates = kept_new(b->block, (size_t)b->n_inputs, sizeof(double));
    if (!it->slopes_before || !it->rates) no_memory(r);
}

static void read_iteration(reader *r, const section *all, dt_batch *b, dt_plan *p,
                           int32_t columns) {
    dt_iteration *it = kept_new(b->block, 1, sizeof *it);
    if (!it) {
        no_memory(r);
        return;
    }
    p->iteration = it;
    it->columns = columns;
    it->slopes.row[1] = 1;
    reader s = enter(r, all, SEC_SOLV);
    it->method = (int32_t)whole(&s, "kind", SWEEPS, IQN_ILS);
    it->limit = (int32_t)whole(&s, "limit", 1, INT32_MAX);
    it->accept = (int32_t)whole(&s, "accept", 0, 1);
    it->fall_back_size = real(&s, "fall_back_size", true);
    leave(r, &s);
    s = enter(r, all, SEC_CONV);
    it->rtol = real(&s, "rtol", true);
    it->atol = real(&s, "atol", true);
    leave(r, &s);
    widths most = {1, 0, 1};
    if (!r->failed) read_groups(r, all, b, p, it, &most);
    if (!r->failed) read_finder(r, all, b, it);
    if (!r->failed) make_room_to_search(r, b, it, (size_t)(follows_cubics(it) ? 2 : 1) * (size_t)most.widest);
    if (!r->failed && follows_cubics(it)) read_cubics(r, all, b, it);
    if (r->failed) return;
    if (follows_cubics(it)) most.widest *= 2; /* their derivatives are unknown as well */
    if (most.changes < most.widest) most.changes = most.widest;
    size_t n_in = (size_t)b->n_inputs, wide = (size_t)most.widest;
    struct {
        double **place;
        size_t count;
    } rooms[] = {
        {&it->begin, n_in}, {&it->before, (size_t)b->n_outputs},
        {&it->coefficients, n_in * (size_t)columns},
        {&it->v, wide}, {&it->old, wide}, {&it->r, wide}, {&it->shift, wide}, {&it->moves, wide},
        {&it->changes, (size_t)most.changes}, {&it->jacobian, (size_t)most.values},
        {&it->values, (size_t)most.values},
    };
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++)
        if (!(*rooms[k].place = kept_new(b->block, rooms[k].count, sizeof(double)))) no_memory(r);
    if (!(it->evaluations = kept_new(b->block, (size_t)b->n, sizeof *it->evaluations)))
        no_memory(r);
}

/* The highest power of time that each input follows: that of its member, or of the run. */
static void find_powers(reader *r, dt_batch *b, dt_plan *p, int32_t columns) {
    int32_t highest = (p->curves ? p->curves->columns : columns) - 1;
    int32_t *follows = kept_new(b->block, (size_t)b->n_inputs, sizeof *follows);
    if (!follows) {
        no_memory(r);
        return;
    }
    for (int32_t k = 0; k < b->n; k++) {
        const dt_member *m = b->members + k;
        int32_t own = b->orders[k] < 0 || b->orders[k] > highest ? highest : b->orders[k];
        for (int32_t j = m->in_at; j < m->in_at + m->n_in; j++) follows[j] = own;
    }
    p->follows = follows;
}

static void read_bonds(reader *r, const section *all, dt_batch *b, dt_plan *p);

static void read_run(reader *r, const section *all, dt_batch *b) {
    dt_plan *p = kept_new(b->block, 1, sizeof *p);
    if (!p) {
        no_memory(r);
        return;
    }
    int32_t columns = 1;
    p->n_inputs = b->n_inputs;
    p->n_outputs = b->n_outputs;
    p->n_wires = b->n_wires;
    read_scheme(r, all, b, p, &columns);
    if (!r->failed) read_recorded(r, all, p);
    if (!r->failed) read_windows(r, all, p);
    if (!r->failed && (all[SEC_SOLV].at || all[SEC_CONV].at || all[SEC_CYCL].at)) {
        if (all[SEC_XTRP].at) refuse(r, "the plan iterates and extrapolates, which do not go together");
        if (!r->failed) read_iteration(r, all, b, p, columns);
    } else if (!r->failed && all[SEC_FIND].at) {
        refuse(r, "the plan has a root finder, and nothing that it solves");
    } else if (!r->failed && (all[SEC_XTRP].at || columns > 1)) {
        if (all[SEC_XTRP].at && columns > 1) refuse(r, "the plan extrapolates along straight lines");
        if (columns > 2) refuse(r, "the plan has cubics, and iterates nothing");
        if (!r->failed) read_curves(r, all, b, p);
    }
    if (!r->failed && all[SEC_CUBE].at && columns <= 2) refuse(r, "the plan has no cubics, and says how they are made");
    if (!r->failed) find_powers(r, b, p, columns);
    if (!r->failed) read_bonds(r, all, b, p);
    b->plan = p;
}

/* What members work with lies one behind the other: many of them are near-free, and then finding it
 * takes as long as their steps. */
static bool make_rooms(dt_batch *b) {
    size_t all = 0;
    for (int32_t i = 0; i < b->n; i++) {
        size_t in = (size_t)b->members[i].n_in, out = (size_t)b->members[i].n_out;
        all += in * MAX_COLUMNS + out * 4 + in * (1 + MAX_COLUMNS) + out;
    }
    double *room = kept_new(b->block, all, sizeof *room);
    for (int32_t i = 0; i < b->n && room; i++) {
        dt_member *m = b->members + i;
        m->inputs = room;
        m->outputs = m->inputs + (size_t)m->n_in * MAX_COLUMNS;
        m->scratch = m->outputs + (size_t)m->n_out * 4; /* values, then rows and outputs of columns */
        room = m->scratch + (size_t)m->n_in * (1 + MAX_COLUMNS) + (size_t)m->n_out;
    }
    if (!room) return false;
    b->first_move = kept_new(b->block, (size_t)b->n, sizeof *b->first_move);
    b->first_change = kept_new(b->block, (size_t)b->n, sizeof *b->first_change);
    b->counted = kept_new(b->block, (size_t)b->n, sizeof *b->counted);
    return b->first_move && b->first_change && b->counted;
}

/* The `n` members of a plan, with what is bound to each of them from outside: instance, functions,
 * log. NULL, and a sentence in `why`, if the block is not such a plan. */
EXPORT dt_batch *dt_batch_new(const void *block, uint64_t size, dt_member *members, int32_t n,
                              char *why, size_t room) {
    reader r = {.why = why, .room = room};
    section all[SEC_COUNT] = {{0}};
    dt_batch *b = calloc(1, sizeof *b);
    dt_block *k = calloc(1, sizeof *k);
    unsigned char *bytes = malloc((size_t)size + 8);
    if (room) *why = 0;
    if (!b || !k || !bytes) {
        free(b), free(k), free(bytes);
        no_memory(&r);
        return NULL;
    }
    b->block = k;
    b->n = n;
    b->members = members;
    k->bytes = bytes;
    memcpy(bytes, block, (size_t)size);
    open_block(&r, bytes, size, all);
    if (n < 0 || n > MOST_MEMBERS) refuse(&r, "there are more than %d members", MOST_MEMBERS);
    if (!r.failed) read_signals(&r, all, b);
    if (!r.failed) read_members(&r, all, b, n);
    if (!r.failed) join_hosts(b);
    if (!r.failed) read_tuned(&r, all, b);
    if (!r.failed) read_wires(&r, all, b);
    bool runs = false;
    for (int which = SEC_GRID; which <= SEC_BOND; which++) runs |= all[which].at != NULL;
    if (!r.failed && runs) read_run(&r, all, b);
    if (!r.failed && !make_rooms(b)) no_memory(&r);
    for (int32_t i = 0; i < n && !r.failed; i++)
        members[i].unusual = members[i].solved || members[i].remote || members[i].events || members[i].cubic || members[i].tuned;
    if (r.failed) {
        leave_hosts(b);
        block_free(k);
        free(b);
        return NULL;
    }
    return b;
}

/* Inputs that nothing feeds have these values from now on. */
EXPORT void dt_hold(dt_batch *b, const double *start) {
    memcpy(b->start, start, (size_t)b->n_inputs * sizeof *start);
}
