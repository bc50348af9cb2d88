/* ---- what an export is, beside its plan ------------------------------------------------------ */

/* No twin: it reads what src/dovetail/exporting/block.py writes, as docs/design/exports.md says it. */

enum { BLOCK_VERSION = 3 };
enum { AS_REAL, AS_INT32, AS_BOOLEAN, AS_STRING, AS_INT64, LAST_SHOWN = AS_INT64 };
enum { AS_INT8 = LAST_SHOWN + 1, AS_UINT8, AS_INT16, AS_UINT16, AS_UINT32, AS_UINT64, LAST_TYPE = AS_UINT64 };
enum { IS_FMU, IS_EQUATIONS, IS_SOLVED }; /* kinds of parts: see solved_part.c */
enum { IS_TIME, IS_INPUT, IS_OUTPUT, IS_VALUE, IS_RATE, IS_STATE, IS_OTHER_INPUT, IS_OTHER_OUTPUT, LAST_ROLE = IS_OTHER_OUTPUT };

/* Variables of parts that directional derivatives are asked by, or for, in the order of the parts. `place`
 * counts the scalars: knowns are the states of all parts and behind them all inputs, unknowns the rates of
 * the states and behind them all outputs. */
typedef struct {
    int64_t n;
    const int32_t *part, *count, *place;
    const uint32_t *reference;
} derived_ones;

/* Wires that carry values that are no reals: from an element of a value to another one, or with gain and
 * offset to a real input. What is among `given`, so many rows for each, is looked up in `instead`. */
typedef struct {
    int64_t n;
    const int32_t *source, *source_element, *target, *target_element, *input, *rows;
    const double *gain, *offset, *given, *instead;
} carried_wires;

/* The arrays of `export.bin`; they lie in `kept`. */
typedef struct {
    dt_block kept;
    const char *token;
    double size, least; /* of windows; the least they are cut to where an iteration does not converge */
    int32_t n_parts;
    const char **folders, **identifiers, **tokens, **names;
    const int32_t *kinds, *versions, *resources, *follows, *saves;
    const double *tolerances; /* NaN: none */
    const double *blank;      /* outputs before any part was asked */
    int64_t n_outputs;
    /* values that parts can be given before they start, and tunable ones later */
    int64_t n_values, n_numbers, n_texts;
    const int32_t *value_part, *value_type, *value_count, *value_at, *value_given, *value_tunable;
    const uint32_t *value_reference;
    const double *numbers;
    const char **texts;
    /* variables of the FMU, by their value reference */
    int64_t n_variables;
    const int32_t *role, *type, *place, *value, *element, *state; /* state: which one it is; -1: none */
    /* how start values are found: parts in the order of direct feedthrough, loops together */
    int64_t n_groups;
    const int32_t *group_parts, *group_targets, *parts, *targets, *sources;
    const double *gains, *offsets;
    /* directional derivatives, where all parts have them */
    bool derives;
    int64_t n_states;
    derived_ones known, unknown;
    carried_wires carried;
    const int32_t *solver_method, *solver_states, *solver_told; /* of parts whose equations are solved here; told: 1 of steps, 2: it saves states */
    const double *solver_numbers; /* five for each part: rtol, atol, size, longest step, most steps */
    const double *control; /* what a controller of sizes remembers at first */
} exported_block;

/* Texts with a zero behind each; any number if `count` is below zero. */
static const char **texts_of(reader *r, dt_block *kept, const char *name, int64_t *count) {
    int64_t size = -1, n = 0;
    const char *bytes = array_of(r, name, 1, &size);
    if (!r->failed && size && bytes[size - 1]) refuse(r, "'%s' does not end", name);
    for (int64_t k = 0; !r->failed && k < size; k++) n += !bytes[k];
    if (!r->failed && *count >= 0 && *count != n) refuse(r, "'%s' has another count", name);
    if (r->failed) return NULL;
    const char **found = kept_new(kept, (size_t)n, sizeof *found);
    if (!found) {
        no_memory(r);
        return NULL;
    }
    for (int64_t k = 0; k < n; k++, bytes += strlen(bytes) + 1) found[k] = bytes;
    *count = n;
    return found;
}

static void read_values(reader *r, exported_block *b) {
    int64_t n = -1;
    b->value_part = array_of(r, "value_part", 4, &n);
    b->n_values = n;
    for (int64_t k = 0; !r->failed && k < n; k++)
        if (b->value_part[k] < 0 || b->value_part[k] >= b->n_parts) refuse(r, "no such part");
    b->value_type = wholes(r, "value_type", n, 0, LAST_TYPE);
    b->value_reference = references(r, "value_reference", n);
    b->value_count = wholes(r, "value_count", n, 1, MOST_SIGNALS);
    b->value_at = wholes(r, "value_at", n, 0, MOST_SIGNALS);
    b->value_given = wholes(r, "value_given", n, 0, 1);
    b->value_tunable = wholes(r, "value_tunable", n, 0, 1);
    b->n_numbers = b->n_texts = -1;
    b->numbers = array_of(r, "numbers", 8, &b->n_numbers);
    b->texts = texts_of(r, &b->kept, "texts", &b->n_texts);
    for (int64_t k = 0; !r->failed && k < n; k++) {
        int64_t room = b->value_type[k] == AS_STRING ? b->n_texts : b->n_numbers;
        if ((int64_t)b->value_at[k] + b->value_count[k] > room) refuse(r, "a value lies outside");
    }
}

static void read_variables(reader *r, exported_block *b) {
    int64_t n = -1;
    b->role = array_of(r, "role", 4, &n);
    b->n_variables = n;
    for (int64_t k = 0; !r->failed && k < n; k++)
        if (b->role[k] < 0 || b->role[k] > LAST_ROLE) refuse(r, "no such role");
    b->type = wholes(r, "type", n, 0, LAST_SHOWN);
    b->place = wholes(r, "place", n, 0, MOST_SIGNALS);
    b->value = wholes(r, "value", n, -1, b->n_values - 1);
    b->element = wholes(r, "element", n, 0, MOST_SIGNALS);
    b->state = wholes(r, "state", n, -1, MOST_SIGNALS);
    for (int64_t k = 0; !r->failed && k < n; k++) {
        int32_t v = b->value[k];
        if (b->role[k] == IS_OUTPUT && b->place[k] >= b->n_outputs) refuse(r, "no such output");
        bool is_value = b->role[k] == IS_VALUE || b->role[k] == IS_OTHER_INPUT || b->role[k] == IS_OTHER_OUTPUT;
        if (is_value && v < 0) refuse(r, "a variable has no value");
        if (v >= 0 && b->element[k] >= b->value_count[v]) refuse(r, "no such element");
    }
}

static void read_groups_at_start(reader *r, exported_block *b) {
    int64_t n = -1;
    b->group_parts = array_of(r, "group_parts", 4, &n);
    b->n_groups = n;
    b->group_targets = wholes(r, "group_targets", n, 0, MOST_SIGNALS);
    for (int64_t k = 0; !r->failed && k < n; k++)
        if (b->group_parts[k] < 0 || b->group_parts[k] > b->n_parts) refuse(r, "no such group");
    if (r->failed) return;
    int64_t parts = sum_of(b->group_parts, n), wires = sum_of(b->group_targets, n);
    b->parts = wholes(r, "parts", parts, 0, b->n_parts - 1);
    b->targets = wholes(r, "targets", wires, 0, MOST_SIGNALS);
    b->sources = wholes(r, "sources", wires, 0, b->n_outputs - 1);
    b->gains = reals(r, "gains", wires);
    b->offsets = reals(r, "offsets", wires);
}

static void belong_in_order(reader *r, const exported_block *b, const derived_ones *d) {
    int32_t last = 0;
    for (int64_t k = 0; !r->failed && k < d->n; last = d->part[k++])
        if (d->part[k] < last || d->part[k] >= b->n_parts) refuse(r, "derivatives of no such part");
}

static void read_derivatives(reader *r, exported_block *b) {
    derived_ones *known = &b->known, *unknown = &b->unknown;
    const int32_t *derives = wholes(r, "derives", 1, 0, 1);
    const int32_t *states = wholes(r, "states", 1, 0, MOST_SIGNALS);
    if (!r->failed) b->derives = *derives != 0, b->n_states = *states;
    known->n = unknown->n = -1;
    known->part = array_of(r, "known_part", 4, &known->n);
    known->count = wholes(r, "known_count", known->n, 1, MOST_SIGNALS);
    known->place = wholes(r, "known_place", known->n, 0, MOST_SIGNALS);
    known->reference = references(r, "known_reference", known->n);
    belong_in_order(r, b, known);
    unknown->part = array_of(r, "unknown_part", 4, &unknown->n);
    unknown->count = wholes(r, "unknown_count", unknown->n, 1, MOST_SIGNALS);
    unknown->place = wholes(r, "unknown_place", unknown->n, 0, MOST_SIGNALS);
    unknown->reference = references(r, "unknown_reference", unknown->n);
    belong_in_order(r, b, unknown);
    for (int64_t k = 0; !r->failed && k < b->n_variables; k++) {
        bool is_state = b->role[k] == IS_RATE || b->role[k] == IS_STATE;
        if ((is_state && b->place[k] >= b->n_states) || b->state[k] >= b->n_states)
            refuse(r, "no such state");
    }
}

static void read_carried(reader *r, exported_block *b) {
    carried_wires *c = &b->carried;
    int64_t n = -1;
    c->source = array_of(r, "carried_source", 4, &n);
    c->n = n;
    c->source_element = wholes(r, "carried_source_element", n, 0, MOST_SIGNALS);
    c->target = wholes(r, "carried_target", n, -1, b->n_values - 1);
    c->target_element = wholes(r, "carried_target_element", n, 0, MOST_SIGNALS);
    c->input = wholes(r, "carried_input", n, -1, MOST_SIGNALS);
    c->gain = reals(r, "carried_gain", n);
    c->offset = reals(r, "carried_offset", n);
    c->rows = wholes(r, "carried_rows", n, 0, MOST_SIGNALS);
    int64_t rows = r->failed ? 0 : sum_of(c->rows, n);
    c->given = reals(r, "carried_given", rows);
    c->instead = reals(r, "carried_instead", rows);
    for (int64_t k = 0; !r->failed && k < n; k++) {
        int32_t from = c->source[k], to = c->target[k];
        if (from < 0 || from >= b->n_values || c->source_element[k] >= b->value_count[from])
            refuse(r, "no such source");
        else if ((to < 0) == (c->input[k] < 0) || (to >= 0 && c->target_element[k] >= b->value_count[to]))
            refuse(r, "no such target");
        else if (to >= 0 && (b->value_type[from] == AS_STRING) != (b->value_type[to] == AS_STRING))
            refuse(r, "texts are no numbers");
        else if (to < 0 && b->value_type[from] == AS_STRING)
            refuse(r, "texts are no numbers");
    }
}

static bool is_block(reader *r, const unsigned char *p, uint64_t size) {
    if (size < PLAN_HEADER || memcmp(p, "DOVEEXPT", 8)) {
        refuse(r, "export.bin is none of Dovetail");
    } else if (u32_at(p + 8) != BLOCK_VERSION) {
        refuse(r, "export.bin is of version %lu, and %d is known", (unsigned long)u32_at(p + 8),
               BLOCK_VERSION);
    } else {
        uint32_t sum = checksum_of(0, p, PLAN_SUMMED);
        if (u64_at(p + 16) != size ||
            checksum_of(sum, p + PLAN_HEADER, size - PLAN_HEADER) != u32_at(p + 24))
            refuse(r, "export.bin is damaged");
    }
    return !r->failed;
}

/* Takes over `bytes`. False, and a sentence in `why`, if they are no such block. */
static bool read_block(exported_block *b, unsigned char *bytes, uint64_t size, char *why,
                       size_t room) {
    reader r = {.why = why, .room = room};
    int64_t one = 1, n = -1;
    memset(b, 0, sizeof *b);
    b->kept.bytes = bytes;
    if (!is_block(&r, bytes, size)) return false;
    r.at = bytes + PLAN_HEADER;
    r.end = bytes + size;
    const char **token = texts_of(&r, &b->kept, "token", &one);
    b->size = real(&r, "size", true);
    b->least = real(&r, "least", true);
    b->folders = texts_of(&r, &b->kept, "folders", &n);
    if (!r.failed && (n < 1 || n > MOST_MEMBERS)) refuse(&r, "export.bin has no parts");
    b->n_parts = (int32_t)n;
    b->identifiers = texts_of(&r, &b->kept, "identifiers", &n);
    b->tokens = texts_of(&r, &b->kept, "tokens", &n);
    b->names = texts_of(&r, &b->kept, "names", &n);
    b->kinds = wholes(&r, "kinds", n, 0, IS_SOLVED);
    b->versions = wholes(&r, "versions", n, 1, 3);
    b->resources = wholes(&r, "resources", n, 0, 1);
    b->follows = wholes(&r, "follows", n, 0, 1);
    b->saves = wholes(&r, "saves", n, 0, 2);
    b->tolerances = reals(&r, "tolerances", n);
    b->n_outputs = -1;
    b->blank = array_of(&r, "blank", 8, &b->n_outputs);
    if (!r.failed) read_values(&r, b);
    if (!r.failed) read_variables(&r, b);
    if (!r.failed) read_groups_at_start(&r, b);
    if (!r.failed) read_derivatives(&r, b);
    if (!r.failed) read_carried(&r, b);
    if (!r.failed) b->control = reals(&r, "control", MEMORY);
    b->solver_method = wholes(&r, "solver_method", b->n_parts, 0, BY_RK45);
    b->solver_states = wholes(&r, "solver_states", b->n_parts, 0, MOST_SIGNALS);
    b->solver_told = wholes(&r, "solver_told", b->n_parts, 0, 3);
    b->solver_numbers = reals(&r, "solver_numbers", 5 * (int64_t)b->n_parts);
    if (!r.failed && r.at != r.end) refuse(&r, "export.bin is too long");
    if (!r.failed && !(b->size > 0)) refuse(&r, "windows have no size");
    if (!r.failed) b->token = token[0];
    return !r.failed;
}

static void block_leave(exported_block *b) {
    for (int32_t i = 0; i < b->kept.n_kept; i++) free(b->kept.kept[i]);
    free(b->kept.kept);
    free(b->kept.bytes);
    memset(b, 0, sizeof *b);
}
