/* ---- the FMUs inside ------------------------------------------------------------------------- */

/* Twin of src/dovetail/fmi/calls/fmi1.py, src/dovetail/fmi/calls/fmi2.py, src/dovetail/fmi/calls/fmi3.py.
 * Same bits: tests/exporting/test_same_bits.py. */

/* A function of a part by what stands behind the prefix of its version; NULL if there is none. */
static void *function_of(const exported *e, int32_t i, const char *suffix) {
    static const char *const prefixes[] = {"", "fmi", "fmi2", "fmi3"};
    const char *prefix = prefixes[e->block.versions[i]];
    char name[512];
    void *found = NULL;
    if (e->block.kinds[i] == IS_EQUATIONS) return equations_function(suffix);
    if (e->block.versions[i] == 1) {
        snprintf(name, sizeof name, "%s_%s%s", e->block.identifiers[i], prefix, suffix);
        found = symbol_in(e->parts[i].library, name);
    }
    snprintf(name, sizeof name, "%s%s", prefix, suffix);
    return found ? found : symbol_in(e->parts[i].library, name);
}

static bool load_part(exported *e, int32_t i) {
    part *p = e->parts + i;
    const char *name = e->block.identifiers[i];
    char *inside = joined_text("/", e->block.folders[i], "");
    p->home = inside ? joined_text(e->resources, inside, "") : NULL;
    free(inside);
    bool tried = false;
    for (int k = 0; p->home && k < N_PLATFORMS && !p->library; k++) {
        size_t size = strlen(p->home) + strlen(name) + 64;
        char *path = malloc(size);
        if (!path) return false;
        snprintf(path, size, "%s/binaries/%s/%s" LIBRARY_SUFFIX, p->home, platforms[k], name);
        if (is_there(path)) {
            tried = true;
            p->library = library_at(path);
        }
        free(path);
    }
    if (p->library) return true;
    if (tried)
        tell(e, ERROR, "the binary of part '%s' cannot be loaded: %s", e->block.names[i],
             library_trouble());
    else
        tell(e, ERROR, "part '%s' has no binary for " MACHINE "-" SYSTEM " in %s/binaries",
             e->block.names[i], p->home ? p->home : "its folder");
    return false;
}

static void *made_1(const exported *e, int32_t i, part *p) {
    typedef void *(*function)(const char *, const char *, const char *, const char *, double, char,
                              char, callbacks_1, char);
    function make = (function)function_of(e, i, "InstantiateSlave");
    callbacks_1 given = {(void *)dt_logger1, (void *)calloc, (void *)free, NULL};
    p->where = uri_of(p->home);
    if (!make || !p->where) return NULL;
    return make(p->name, e->block.tokens[i], p->where, "application/x-fmu-sharedlibrary", 0.0, 0, 0,
                given, (char)e->logging);
}

static void *made_2(const exported *e, int32_t i, part *p) {
    typedef void *(*function)(const char *, int, const char *, const char *, const callbacks_2 *, int,
                              int);
    function make = (function)function_of(e, i, "Instantiate");
    char *folder = joined_text(p->home, "/resources", "");
    p->where = folder ? uri_of(folder) : NULL;
    free(folder);
    p->callbacks = (callbacks_2){(void *)dt_logger2, (void *)calloc, (void *)free, NULL, p->log};
    if (!make || !p->where) return NULL;
    int type = e->block.kinds[i] != IS_SOLVED; /* 1: co-simulation */
    return make(p->name, type, e->block.tokens[i], p->where, &p->callbacks, 0, e->logging);
}

static void *made_3(const exported *e, int32_t i, part *p, const dt_member *m) {
    typedef void *(*function)(const char *, const char *, const char *, bool, bool, bool, bool,
                              const uint32_t *, size_t, void *, void *, void *);
    function make = (function)function_of(e, i, "InstantiateCoSimulation");
    bool asks = e->block.follows[i] && m->n_in_refs;
    p->where = joined_text(p->home, SEPARATOR "resources" SEPARATOR, "");
    if (!make || !p->where) return NULL;
    return make(p->name, e->block.tokens[i], e->block.resources[i] ? p->where : NULL, false,
                e->logging, false, false, asks ? m->in_refs : NULL,
                asks ? (size_t)m->n_in_refs : 0, p->log, (void *)dt_logger3,
                asks ? (void *)dt_intermediate : NULL);
}

/* Bound before the plan is read: what a member is told is there by then. */
static void bind_part(exported *e, int32_t i) {
    dt_member *m = e->members + i;
    bool three = e->block.versions[i] == 3;
    m->set_real = function_of(e, i, three ? "SetFloat64" : "SetReal");
    m->get_real = function_of(e, i, three ? "GetFloat64" : "GetReal");
    m->do_step = function_of(e, i, "DoStep");
    m->get_state = function_of(e, i, three ? "GetFMUState" : "GetFMUstate");
    m->set_state = function_of(e, i, three ? "SetFMUState" : "SetFMUstate");
    m->free_state = function_of(e, i, three ? "FreeFMUState" : "FreeFMUstate");
    if (e->block.versions[i] == 1) m->get_state = m->set_state = m->free_state = NULL;
    m->set_derivatives = three ? NULL : function_of(e, i, "SetRealInputDerivatives");
    m->get_real_status = three ? NULL : function_of(e, i, "GetRealStatus");
    if (e->block.versions[i] == 2) m->get_boolean_status = function_of(e, i, "GetBooleanStatus");
    m->log = e->parts[i].log;
    if (e->block.kinds[i] == IS_SOLVED) solved_bind(m);
}

static bool make_part(exported *e, int32_t i) {
    part *p = e->parts + i;
    dt_member *m = e->members + i;
    int version = e->block.versions[i];
    p->has_tried = p->started = false;
    p->tried = calloc((size_t)m->n_in + 1, sizeof *p->tried);
    p->followed = calloc((size_t)m->n_in + 1, sizeof *p->followed);
    if (!p->tried || !p->followed) return false;
    p->instance = e->block.kinds[i] == IS_EQUATIONS ? equations_new(p->library)
                  : version == 1 ? made_1(e, i, p)
                  : version == 2 ? made_2(e, i, p)
                                 : made_3(e, i, p, m);
    hand_on(e, i, e->logging ? OK : WARNING);
    if (!p->instance) {
        tell(e, ERROR, "part '%s' cannot be instantiated", e->block.names[i]);
        return false;
    }
    m->instance = e->block.kinds[i] == IS_SOLVED ? solved_new(e, i, p->instance) : p->instance;
    if (!m->instance || !m->set_real || !m->get_real || !m->do_step) {
        tell(e, ERROR, "the binary of part '%s' lacks functions of FMI %d", e->block.names[i], version);
        return false;
    }
    if (e->block.follows[i])
        dt_follow(p->log, m->set_real, p->instance, m->in_refs, (size_t)m->n_in_refs, p->followed,
                  (size_t)m->n_in);
    return true;
}

static void free_part(exported *e, int32_t i, bool terminates) {
    part *p = e->parts + i;
    int version = e->block.versions[i];
    if (p->instance && e->mode != DEAD) {
        int (*end)(void *) =
            (int (*)(void *))function_of(e, i, version == 1 ? "TerminateSlave" : "Terminate");
        void (*release)(void *) = (void (*)(void *))function_of(
            e, i, version == 1 ? "FreeSlaveInstance" : "FreeInstance");
        if (terminates && end) end(p->instance);
        if (release) release(p->instance);
    }
    solved_free(solved_in_part(e, i));
    e->members[i].instance = NULL;
    p->instance = NULL;
    free(p->tried), free(p->followed), free(p->where);
    p->tried = p->followed = NULL;
    p->where = NULL;
}
