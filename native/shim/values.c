/* ---- values of the parts inside -------------------------------------------------------------- */

/* Twin of src/dovetail/fmi/calls/access.py.
 * Same bits: tests/exporting/test_same_bits.py. */

/* The functions that set and get a type, by version; FMI 1 and 2 keep 64-bit numbers as integers. */
static const char *access_word(int version, int type, bool sets) {
    static const char *const old[][2] = {{"GetReal", "SetReal"},
                                         {"GetInteger", "SetInteger"},
                                         {"GetBoolean", "SetBoolean"},
                                         {"GetString", "SetString"},
                                         {"GetInteger", "SetInteger"}};
    static const char *const new[][2] = {{"GetFloat64", "SetFloat64"},
                                         {"GetInt32", "SetInt32"},
                                         {"GetBoolean", "SetBoolean"},
                                         {"GetString", "SetString"},
                                         {"GetInt64", "SetInt64"},
                                         {"GetInt8", "SetInt8"},
                                         {"GetUInt8", "SetUInt8"},
                                         {"GetInt16", "SetInt16"},
                                         {"GetUInt16", "SetUInt16"},
                                         {"GetUInt32", "SetUInt32"},
                                         {"GetUInt64", "SetUInt64"}};
    return version == 3 ? new[type][sets] : old[type > LAST_SHOWN ? AS_INT64 : type][sets];
}

typedef int (*plain_call)(void *, const uint32_t *, size_t, void *);
typedef int (*sized_call)(void *, const uint32_t *, size_t, void *, size_t);

static int exchange_of(const exported *e, int32_t v, bool sets, void *values) {
    const exported_block *b = &e->block;
    int32_t i = b->value_part[v];
    const char *word = access_word(b->versions[i], b->value_type[v], sets);
    void *function = function_of(e, i, word);
    int status = ERROR;
    if (function && b->kinds[i] == IS_EQUATIONS) {
        status = OK;
        for (int32_t k = 0; k < b->value_count[v] && (unsigned)status <= WARNING; k++) {
            uint32_t reference = b->value_reference[v] + (uint32_t)k;
            status = ((plain_call)function)(e->parts[i].instance, &reference, 1,
                                            (double *)values + k);
        }
    } else if (function && b->versions[i] == 3)
        status = ((sized_call)function)(e->parts[i].instance, b->value_reference + v, 1, values,
                                        (size_t)b->value_count[v]);
    else if (function)
        status = ((plain_call)function)(e->parts[i].instance, b->value_reference + v, 1, values);
    return (unsigned)status > WARNING ? failed_in(e, i, word, status) : status;
}

/* Elements of `size` bytes: as many as the variable has, of the type the part takes. */
static void *as_taken(const exported *e, int32_t v, void *room) {
    const exported_block *b = &e->block;
    const double *from = e->numbers + b->value_at[v];
    int version = b->versions[b->value_part[v]];
    for (int32_t k = 0; k < b->value_count[v]; k++) {
        switch (b->value_type[v]) {
            case AS_REAL: ((double *)room)[k] = from[k]; break;
            case AS_STRING: ((char **)room)[k] = e->texts[b->value_at[v] + k]; break;
            case AS_BOOLEAN:
                if (version == 2)
                    ((int32_t *)room)[k] = from[k] != 0;
                else
                    ((char *)room)[k] = from[k] != 0;
                break;
            case AS_INT64:
                if (version == 3) {
                    ((int64_t *)room)[k] = (int64_t)from[k];
                    break;
                } /* fall through */
            case AS_INT32: ((int32_t *)room)[k] = (int32_t)from[k]; break;
            case AS_INT8: ((int8_t *)room)[k] = (int8_t)from[k]; break;
            case AS_UINT8: ((uint8_t *)room)[k] = (uint8_t)from[k]; break;
            case AS_INT16: ((int16_t *)room)[k] = (int16_t)from[k]; break;
            case AS_UINT16: ((uint16_t *)room)[k] = (uint16_t)from[k]; break;
            case AS_UINT32: ((uint32_t *)room)[k] = (uint32_t)from[k]; break;
            default: ((uint64_t *)room)[k] = (uint64_t)from[k];
        }
    }
    return room;
}

/* Gives a part the value that is kept here. */
static int give(exported *e, int32_t v) {
    void *room = calloc((size_t)e->block.value_count[v], 8);
    if (!room) return ERROR;
    int status = exchange_of(e, v, true, as_taken(e, v, room));
    free(room);
    return status;
}

/* A number of a type, among several. */
static double whole_at(const void *room, int type, int32_t k) {
    switch (type) {
        case AS_INT64: return (double)((const int64_t *)room)[k];
        case AS_INT8: return ((const int8_t *)room)[k];
        case AS_UINT8: return ((const uint8_t *)room)[k];
        case AS_INT16: return ((const int16_t *)room)[k];
        case AS_UINT16: return ((const uint16_t *)room)[k];
        case AS_UINT32: return ((const uint32_t *)room)[k];
        case AS_UINT64: return (double)((const uint64_t *)room)[k];
        default: return ((const int32_t *)room)[k];
    }
}

/* Asks a part for one element. Strings stay its own, until it is called again. */
static int asked(exported *e, int32_t v, int32_t element, double *number, const char **text) {
    const exported_block *b = &e->block;
    int version = b->versions[b->value_part[v]], type = b->value_type[v];
    void *room = calloc((size_t)b->value_count[v], 8);
    if (!room) return ERROR;
    int status = exchange_of(e, v, false, room);
    if ((unsigned)status <= WARNING) {
        if (type == AS_STRING)
            *text = ((const char **)room)[element];
        else if (type == AS_REAL)
            *number = ((double *)room)[element];
        else if (type == AS_BOOLEAN)
            *number = version == 2 ? ((int32_t *)room)[element] != 0 : ((char *)room)[element] != 0;
        else
            *number = whole_at(room, version < 3 ? AS_INT32 : type, element);
    }
    free(room);
    return status;
}

/* Whether the value of a part is asked of it, or is what was kept here. */
static bool lives(const exported *e, int32_t v) {
    return e->mode != INSTANTIATED &&
           (e->block.versions[e->block.value_part[v]] > 1 ||
            e->parts[e->block.value_part[v]].started);
}

static void is_stale(exported *e);

/* A value of a part was set from outside: at once where the part listens, else when it starts. */
static int value_set(exported *e, int32_t v) {
    e->given[v] = 1;
    if (e->mode == INSTANTIATED) return OK;
    e->dirty = true;
    is_stale(e);
    return give(e, v);
}

/* Before parts enter initialization: all that was given. */
static int give_all(exported *e, int32_t part) {
    for (int32_t v = 0; v < e->block.n_values; v++) {
        if (e->block.value_part[v] != part || !e->given[v]) continue;
        int status = give(e, v);
        if ((unsigned)status > WARNING) return status;
    }
    return OK;
}

static bool keeps_numbers(exported *e) {
    const exported_block *b = &e->block;
    e->numbers = malloc(((size_t)b->n_numbers + 1) * sizeof *e->numbers);
    e->texts = calloc((size_t)b->n_texts + 1, sizeof *e->texts);
    e->given = calloc((size_t)b->n_values + 1, 1);
    if (!e->numbers || !e->texts || !e->given) return false;
    memcpy(e->numbers, b->numbers, (size_t)b->n_numbers * sizeof *e->numbers);
    for (int64_t k = 0; k < b->n_texts; k++)
        if (!(e->texts[k] = joined_text(b->texts[k], "", ""))) return false;
    for (int64_t v = 0; v < b->n_values; v++) e->given[v] = b->value_given[v] != 0;
    return true;
}

/* ---- variables of the export ----------------------------------------------------------------- */

static int solve_start(exported *e);
static int state_asked(const exported *e, const derived_ones *d, int32_t place, double *value);

/* The equations, where they are all there is. */
static equations *only_equations(const exported *e) {
    bool alone = e->block.n_parts == 1 && e->block.kinds[0] == IS_EQUATIONS;
    return alone ? e->parts[0].instance : NULL;
}

static bool is_variable(const exported *e, uint32_t reference, int type) {
    if (reference < e->block.n_variables) {
        int found = e->block.type[reference];
        if (found == type || (type == AS_INT32 && found == AS_INT64 && e->fmi == 2)) return true;
    }
    tell(e, ERROR, "there is no variable of this type with the value reference %lu",
         (unsigned long)reference);
    return false;
}

/* Real inputs and outputs, and values of parts of any type; strings go to `text`. */
static int variable_got(exported *e, uint32_t r, int type, double *number, const char **text) {
    if (!is_variable(e, r, type)) return ERROR;
    const exported_block *b = &e->block;
    int32_t place = b->place[r], v = b->value[r];
    switch (b->role[r]) {
        case IS_TIME: *number = e->time; return OK;
        case IS_INPUT: *number = e->batch->start[place]; return OK;
        case IS_OUTPUT:
            if (e->mode == INITIALIZING && e->dirty) {
                int status = solve_start(e);
                if ((unsigned)status > WARNING) return status;
            }
            if (e->exchange && e->mode == UNDER_WAY)
                return equations_get(e->parts[0].instance, e->members[0].out_refs + place, 1, number);
            if (e->mode == INSTANTIATED && v >= 0)
                *number = e->numbers[b->value_at[v] + b->element[r]];
            else
                *number = e->memory.outputs[place];
            return OK;
        case IS_RATE:
        case IS_STATE:
            if (e->mode == INITIALIZING && e->dirty) {
                int status = solve_start(e);
                if ((unsigned)status > WARNING) return status;
            }
            return state_asked(e, b->role[r] == IS_RATE ? &b->unknown : &b->known, place, number);
        case IS_OTHER_OUTPUT:
            if (e->mode == INITIALIZING && e->dirty) {
                int status = solve_start(e);
                if ((unsigned)status > WARNING) return status;
            }
            break;
        default: break;
    }
    if (lives(e, v)) return asked(e, v, b->element[r], number, text);
    int32_t at = b->value_at[v] + b->element[r];
    if (type == AS_STRING)
        *text = e->texts[at];
    else
        *number = e->numbers[at];
    return OK;
}

/* An input that nothing feeds inside is held until it is set again: its past is the same. */
static void input_set(exported *e, int32_t place, double value) {
    if (e->batch->start[place] != value) is_stale(e);
    e->batch->start[place] = value;
    e->memory.inputs[place] = value;
    if (e->exchange && e->mode == UNDER_WAY)
        equations_set(e->parts[0].instance, e->members[0].in_refs + place, 1, &value);
    for (int32_t k = 0; k < MAX_COLUMNS && e->memory.past; k++)
        e->memory.past[(size_t)k * (size_t)e->batch->n_inputs + (size_t)place] = value;
    e->dirty = true;
}

/* 0: none is refused */
static int variable_set(exported *e, uint32_t r, int type, double number, const char *text) {
    if (!is_variable(e, r, type)) return ERROR;
    const exported_block *b = &e->block;
    if (b->role[r] == IS_INPUT) {
        input_set(e, b->place[r], number);
        return OK;
    }
    int32_t v = b->value[r];
    bool fixed = b->role[r] == IS_OTHER_OUTPUT && !b->place[r];
    if (v < 0 || fixed || (e->mode == UNDER_WAY && !b->value_tunable[v])) {
        tell(e, ERROR, "the variable with value reference %lu cannot be set now", (unsigned long)r);
        return ERROR;
    }
    int32_t at = b->value_at[v] + b->element[r];
    if (type == AS_STRING) {
        char *copy = joined_text(text ? text : "", "", "");
        if (!copy) return ERROR;
        free(e->texts[at]);
        e->texts[at] = copy;
    } else {
        e->numbers[at] = number;
    }
    return value_set(e, v);
}
