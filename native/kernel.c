/* Dovetail's native kernel: many FMU instances stepped in one call.
 *
 * A plain C library without any Python in it, loaded by ctypes. It knows four things: a log that
 * FMUs write into, a batch of instances with their function pointers and buffers bound once, the
 * evaluation of that batch (serially or on a pool of threads), and a fused run of many windows.
 * Arithmetic is that of the Python path, operation by operation; compile with -ffp-contract=off.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- logs: what an FMU says, kept until somebody asks ------------------------------------- */

#define LOG_ROOM 16384

typedef struct dt_log {
    pthread_mutex_t lock;
    size_t used;
    char name[256];
    char text[LOG_ROOM]; /* lines "status category message\n"; the newest stay */
    struct dt_log *next;
} dt_log;

static pthread_mutex_t all_logs_lock = PTHREAD_MUTEX_INITIALIZER;
static dt_log *all_logs = NULL;

EXPORT dt_log *dt_log_new(const char *name) {
    dt_log *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    pthread_mutex_init(&log->lock, NULL);
    snprintf(log->name, sizeof log->name, "%s", name);
    pthread_mutex_lock(&all_logs_lock);
    log->next = all_logs;
    all_logs = log;
    pthread_mutex_unlock(&all_logs_lock);
    return log;
}

EXPORT void dt_log_free(dt_log *log) {
    pthread_mutex_lock(&all_logs_lock);
    for (dt_log **p = &all_logs; *p; p = &(*p)->next)
        if (*p == log) {
            *p = log->next;
            break;
        }
    pthread_mutex_unlock(&all_logs_lock);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

static void log_line(dt_log *log, int status, const char *category, const char *message) {
    char line[2048];
    int n = snprintf(line, sizeof line, "%d\t%s\t%s\n", status, category ? category : "",
                     message ? message : "");
    size_t size = n < 0 ? 0 : (size_t)n >= sizeof line ? sizeof line - 1 : (size_t)n;
    if (size && line[size - 1] != '\n') line[size - 1] = '\n';
    for (size_t k = 0; k + 1 < size; k++)
        if (line[k] == '\n' || line[k] == '\r') line[k] = ' ';
    pthread_mutex_lock(&log->lock);
    if (log->used + size > LOG_ROOM) { /* drop the older half */
        size_t keep = log->used / 2;
        memmove(log->text, log->text + log->used - keep, keep);
        log->used = keep;
    }
    memcpy(log->text + log->used, line, size);
    log->used += size;
    pthread_mutex_unlock(&log->lock);
}

/* Copies the text out and empties the log; the number of bytes. */
EXPORT size_t dt_log_take(dt_log *log, char *out, size_t room) {
    pthread_mutex_lock(&log->lock);
    size_t n = log->used < room ? log->used : room;
    memcpy(out, log->text + log->used - n, n);
    log->used = 0;
    pthread_mutex_unlock(&log->lock);
    return n;
}

/* FMI 2: the environment is the log. */
EXPORT void dt_logger2(void *environment, const char *name, int status, const char *category,
                       const char *message, ...) {
    (void)name;
    if (!environment || !message) return;
    char text[1536];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    log_line(environment, status, category, text);
}

/* FMI 1 has no environment: the log is found by the instance's name. */
EXPORT void dt_logger1(void *component, const char *name, int status, const char *category,
                       const char *message, ...) {
    (void)component;
    if (!name || !message) return;
    char text[1536];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    pthread_mutex_lock(&all_logs_lock);
    dt_log *log = all_logs;
    while (log && strcmp(log->name, name)) log = log->next;
    pthread_mutex_unlock(&all_logs_lock);
    if (log) log_line(log, status, category, text);
}

/* FMI 3. */
EXPORT void dt_logger3(void *environment, int status, const char *category, const char *message) {
    if (environment) log_line(environment, status, category, message);
}

/* Whether all are numbers, by their exponents: quicker than arithmetic, and it vectorizes. */
static inline bool finite(const double *values, int32_t n) {
    uint64_t bad = 0;
    for (int32_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bad |= ((bits >> 52) & 0x7ff) == 0x7ff;
    }
    return !bad;
}

/* ---- members ------------------------------------------------------------------------------ */

enum { OK = 0, WARNING = 1, DISCARD = 2 };
enum { SETTING = 1, STEPPING = 2, GETTING = 3, SAVING = 4, RESTORING = 5, REPEATING = 6,
       EARLY = 7 };

typedef int (*access_12)(void *, const uint32_t *, size_t, double *);
typedef int (*access_3)(void *, const uint32_t *, size_t, double *, size_t);
typedef int (*derive_12)(void *, const uint32_t *, size_t, const int *, const double *);
typedef int (*step_1)(void *, double, double, char);
typedef int (*step_2)(void *, double, double, int);
typedef int (*step_3)(void *, double, double, bool, bool *, bool *, bool *, double *);
typedef int (*get_state)(void *, void **);
typedef int (*set_state)(void *, void *);
typedef int (*real_status)(void *, int, double *);
typedef int (*boolean_status)(void *, int, int *);

/* What Python fills in. Arrays belong to Python and outlive the batch. */
typedef struct dt_member {
    /* of every step, side by side */
    void *instance;
    void *set_real, *do_step, *get_real;
    const uint32_t *in_refs, *out_refs;
    int32_t version, no_set_prior;
    int32_t n_in_refs, n_out_refs;      /* variables, of which some may be arrays */
    int32_t n_in, n_out, in_at, out_at; /* scalars, and their places among those of all */
    int32_t first_wire, last_wire, plain;
    int32_t rollback; /* save the state when a window opens */
    void *get_state, *set_state, *free_state, *set_derivatives;
    void *get_real_status, *get_boolean_status; /* FMI 2 */
    /* kept here */
    void *saved;
    double *inputs, *outputs, *scratch; /* of the last step: what went in, what came out */
    int32_t stepped, columns;
    int64_t evaluations, timed;
    double timed_seconds;
} dt_member;

struct pool;

typedef struct dt_batch {
    int32_t n;
    dt_member *members;
    const int32_t *wire_target, *wire_source;
    const double *wire_gain, *wire_offset;
    const double *start; /* inputs that nothing feeds */
    double time, size;
    atomic_int failed; /* member + 1, of the first failure */
    atomic_int ending; /* member + 1, of one that asks to end the simulation after this step */
    int32_t status, stage;
    double reached;
    struct pool *pool;
} dt_batch;

#define MAX_COLUMNS 4

EXPORT dt_batch *dt_batch_new(int32_t n, dt_member *members, const int32_t *target,
                              const int32_t *source, const double *gain, const double *offset,
                              const double *start) {
    dt_batch *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->n = n;
    b->members = members;
    b->wire_target = target;
    b->wire_source = source;
    b->wire_gain = gain;
    b->wire_offset = offset;
    b->start = start;
    for (int32_t i = 0; i < n; i++) {
        dt_member *m = members + i;
        m->inputs = calloc((size_t)m->n_in * MAX_COLUMNS + 1, sizeof(double));
        m->outputs = calloc((size_t)m->n_out + 1, sizeof(double));
        m->scratch = calloc((size_t)m->n_in + 1, sizeof(double));
    }
    return b;
}

static int fail(dt_batch *b, dt_member *m, int stage, int status) {
    int none = 0;
    if (atomic_compare_exchange_strong(&b->failed, &none, (int)(m - b->members) + 1)) {
        b->status = status;
        b->stage = stage;
    }
    return 1;
}

static inline int set_reals(dt_member *m, double *values) {
    if (m->n_in == 0) return OK;
    if (m->version == 3)
        return ((access_3)m->set_real)(m->instance, m->in_refs, (size_t)m->n_in_refs, values,
                                       (size_t)m->n_in);
    return ((access_12)m->set_real)(m->instance, m->in_refs, (size_t)m->n_in, values);
}

static inline int get_reals(dt_member *m, double *values) {
    if (m->n_out == 0) return OK;
    if (m->version == 3)
        return ((access_3)m->get_real)(m->instance, m->out_refs, (size_t)m->n_out_refs, values,
                                       (size_t)m->n_out);
    return ((access_12)m->get_real)(m->instance, m->out_refs, (size_t)m->n_out, values);
}

/* u' , u'' ... at the start of the window, from the coefficients of its powers. */
static int set_slopes(dt_member *m, const double *coefficients, int columns) {
    static const double factorial[MAX_COLUMNS] = {1, 1, 2, 6};
    if (!m->set_derivatives) return 3;
    int order[64];
    double value[64];
    for (int k = 1; k < columns; k++)
        for (int j = 0; j < m->n_in; j += 64) {
            int n = m->n_in - j < 64 ? m->n_in - j : 64;
            for (int i = 0; i < n; i++) {
                order[i] = k;
                value[i] = factorial[k] * coefficients[(j + i) * columns + k];
            }
            int status = ((derive_12)m->set_derivatives)(m->instance, m->in_refs + j, (size_t)n,
                                                         order, value);
            if (status > WARNING) return status;
        }
    return OK;
}

/* A step that ended at `reached`: one that asks for the end there is fine if the step is
 * complete. An early return is not ours to handle here. */
static int ended(dt_batch *b, dt_member *m, double t, double h, double reached, bool terminate) {
    if (reached >= t + h * (1 - 1e-9)) {
        if (terminate) atomic_store(&b->ending, (int)(m - b->members) + 1);
        return 0;
    }
    b->reached = reached;
    return fail(b, m, EARLY, terminate);
}

/* FMI 1 and 2 tell of an early end by discarding the step. */
static int discarded(dt_batch *b, dt_member *m, double t, double h) {
    double reached = t;
    int terminated = 0;
    if (m->get_real_status) ((real_status)m->get_real_status)(m->instance, 2, &reached);
    if (m->get_boolean_status) ((boolean_status)m->get_boolean_status)(m->instance, 3, &terminated);
    if ((t < reached && reached <= t + h) || terminated)
        return ended(b, m, t, h, reached, terminated);
    return fail(b, m, STEPPING, DISCARD);
}

static inline int step(dt_batch *b, dt_member *m, double t, double h) {
    int status;
    if (m->version == 2) {
        status = ((step_2)m->do_step)(m->instance, t, h, m->no_set_prior);
        if (status == DISCARD) return discarded(b, m, t, h);
    } else if (m->version == 3) {
        bool event = false, terminate = false, early = false;
        double last = t + h;
        status = ((step_3)m->do_step)(m->instance, t, h, m->no_set_prior, &event, &terminate,
                                      &early, &last);
        if (status <= WARNING && (early || terminate)) {
            return ended(b, m, t, h, early ? last : t + h, terminate);
        }
    } else {
        status = ((step_1)m->do_step)(m->instance, t, h, 1);
        if (status == DISCARD) return discarded(b, m, t, h);
    }
    return status > WARNING ? fail(b, m, STEPPING, status) : 0;
}

/* One genuine step from the inputs in m->inputs to the outputs in m->outputs. */
static int advance(dt_batch *b, dt_member *m) {
    int columns = m->columns;
    double *values = m->inputs;
    if (columns > 1) {
        values = m->scratch;
        for (int j = 0; j < m->n_in; j++) values[j] = m->inputs[j * columns];
    }
    m->stepped = 1; /* whatever happens now, it is no longer where it was */
    m->evaluations++;
    int status = set_reals(m, values);
    if (status > WARNING) return fail(b, m, SETTING, status);
    if (columns > 1 && m->n_in && (status = set_slopes(m, m->inputs, columns)) > WARNING)
        return fail(b, m, SETTING, status);
    bool timing = (m->evaluations & 63) == 0;
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) {
        m->timed_seconds += seconds_now() - begin;
        m->timed++;
    }
    status = get_reals(m, m->outputs);
    return status > WARNING ? fail(b, m, GETTING, status) : 0;
}

/* Back to the start of the window, if it has moved. */
static int rewind_member(dt_batch *b, dt_member *m) {
    if (!m->stepped) return 0;
    if (!m->rollback) return fail(b, m, REPEATING, 0);
    int status = ((set_state)m->set_state)(m->instance, m->saved);
    int me = (int)(m - b->members) + 1;
    atomic_compare_exchange_strong(&b->ending, &me, 0);
    m->stepped = 0;
    return status > WARNING ? fail(b, m, RESTORING, status) : 0;
}

/* The outputs for these inputs: from memory if they are those of the last step. */
static int answer(dt_batch *b, dt_member *m, const double *inputs, int columns, double *outputs) {
    size_t bytes = (size_t)m->n_in * (size_t)columns * sizeof(double);
    if (!m->stepped || m->columns != columns || memcmp(m->inputs, inputs, bytes)) {
        if (rewind_member(b, m)) return 1;
        memcpy(m->inputs, inputs, bytes);
        m->columns = columns;
        if (advance(b, m)) return 1;
    }
    if (outputs != m->outputs)
        memcpy(outputs, m->outputs, (size_t)m->n_out * sizeof(double));
    return 0;
}

/* ---- a pool of threads -------------------------------------------------------------------- */

typedef void (*work)(void *context, int index);

typedef struct pool {
    int workers;
    pthread_t threads[64];
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_int generation, next, busy;
    int count, stop;
    work run;
    void *context;
} pool;

static void drain(pool *p) {
    int i;
    while ((i = atomic_fetch_add(&p->next, 1)) < p->count) p->run(p->context, i);
}

static void *worker(void *argument) {
    pool *p = argument;
    int seen = 0;
    for (;;) {
        for (int spin = 0; spin < 20000 && atomic_load(&p->generation) == seen; spin++) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        pthread_mutex_lock(&p->lock);
        while (atomic_load(&p->generation) == seen && !p->stop)
            pthread_cond_wait(&p->wake, &p->lock);
        seen = atomic_load(&p->generation);
        int stop = p->stop;
        pthread_mutex_unlock(&p->lock);
        if (stop) return NULL;
        drain(p);
        pthread_mutex_lock(&p->lock);
        if (atomic_fetch_sub(&p->busy, 1) == 1) pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
}

static void parallel(pool *p, int count, work run, void *context) {
    pthread_mutex_lock(&p->lock);
    p->count = count;
    p->run = run;
    p->context = context;
    atomic_store(&p->next, 0);
    atomic_store(&p->busy, p->workers);
    atomic_fetch_add(&p->generation, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    drain(p); /* the caller works too */
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->busy)) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pool_free(pool *p) {
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    atomic_fetch_add(&p->generation, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < p->workers; k++) pthread_join(p->threads[k], NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->done);
    free(p);
}

/* Step members on this many threads; 1 is serial. How many there are now. */
EXPORT int dt_threads(dt_batch *b, int threads) {
    if (b->pool) {
        pool_free(b->pool);
        b->pool = NULL;
    }
    if (threads < 2) return 1;
    pool *p = calloc(1, sizeof *p);
    if (!p) return 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    for (int k = 0; k < threads - 1 && k < 64; k++)
        if (pthread_create(&p->threads[p->workers], NULL, worker, p) == 0) p->workers++;
    if (p->workers == 0) {
        pool_free(p);
        return 1;
    }
    b->pool = p;
    return p->workers + 1;
}

/* ---- evaluation --------------------------------------------------------------------------- */

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
    free(b);
}

/* A window opens: who may have to go back saves its state. 0, or 1 for a failure. */
EXPORT int dt_open(dt_batch *b, double time, double size) {
    b->time = time;
    b->size = size;
    atomic_store(&b->failed, 0);
    atomic_store(&b->ending, 0);
    for (int32_t i = 0; i < b->n; i++) {
        dt_member *m = b->members + i;
        m->stepped = 0;
        if (!m->rollback) continue;
        int status = ((get_state)m->get_state)(m->instance, &m->saved);
        if (status > WARNING) return fail(b, m, SAVING, status);
    }
    return 0;
}

/* The window ends earlier: whoever has stepped goes back. */
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

/* 2 if an output of these members is no number. */
static int numbers(const dt_batch *b, const int32_t *members, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (!finite(b->members[members[k]].outputs, b->members[members[k]].n_out)) return 2;
    return 0;
}

/* Ask these members, each with its rows of `coefficients`; answers go to their places. */
EXPORT int dt_ask(dt_batch *b, const int32_t *members, int32_t count, const double *coefficients,
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
    memcpy(inputs, b->start + m->in_at, (size_t)m->n_in * sizeof(double));
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
EXPORT int dt_sweep(dt_batch *b, const int32_t *members, int32_t count, const double *begin,
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
        if (!finite(m->outputs, m->n_out)) return 2;
    }
    return 0;
}

/* Columns of a difference Jacobian: for each member, moving each of its `places` by its move at
 * the window's end; the changes of all its outputs, one row per move, one after another. */
EXPORT int dt_columns(dt_batch *b, const int32_t *members, int32_t count, const int32_t *counts,
                      const int32_t *places, const double *moves, const double *coefficients,
                      int32_t columns, double *changes) {
    atomic_store(&b->failed, 0);
    for (int32_t k = 0; k < count; k++) {
        dt_member *m = b->members + members[k];
        size_t bytes = (size_t)m->n_out * sizeof(double);
        double *rows = malloc(((size_t)m->n_in * (size_t)columns + (size_t)m->n_out + 1) *
                              sizeof(double));
        if (!rows) return fail(b, m, SETTING, 3);
        double *base = rows + (size_t)m->n_in * (size_t)columns;
        memcpy(rows, coefficients + (size_t)m->in_at * (size_t)columns,
               (size_t)m->n_in * (size_t)columns * sizeof(double));
        int failed = answer(b, m, rows, columns, m->outputs);
        memcpy(base, m->outputs, bytes);
        for (int32_t j = 0; j < counts[k] && !failed; j++) {
            size_t place = (size_t)places[j] * (size_t)columns + (size_t)(columns - 1);
            double kept = rows[place];
            rows[place] = kept + (columns == 1 ? moves[j] : moves[j] / b->size);
            failed = answer(b, m, rows, columns, m->outputs);
            rows[place] = kept;
            for (int i = 0; i < m->n_out; i++) changes[i] = m->outputs[i] - base[i];
            changes += m->n_out;
        }
        places += counts[k];
        moves += counts[k];
        free(rows);
        if (failed) return 1;
    }
    return 0;
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

/* ---- a fused run -------------------------------------------------------------------------- */

typedef struct {
    dt_batch *b;
    double *inputs;
    double *outputs;
    bool timing;
} jacobi_window;

static inline int plain_step(dt_batch *b, dt_member *m, double *inputs, double *outputs,
                             bool timing) {
    int status = set_reals(m, inputs + m->in_at);
    if (status > WARNING) return fail(b, m, SETTING, status);
    double begin = timing ? seconds_now() : 0;
    if (step(b, m, b->time, b->size)) return 1;
    if (timing) {
        m->timed_seconds += seconds_now() - begin;
        m->timed++;
    }
    status = get_reals(m, outputs + m->out_at);
    return status > WARNING ? fail(b, m, GETTING, status) : 0;
}

static void jacobi_one(void *context, int index) {
    jacobi_window *w = context;
    if (atomic_load(&w->b->failed)) return;
    plain_step(w->b, w->b->members + index, w->inputs, w->outputs, w->timing);
}

typedef struct {
    int32_t sequential;      /* 0: Jacobi, 1: Gauss-Seidel in `order` */
    int32_t n_inputs, n_outputs, n_recorded, n_wires, plain;
    const int32_t *order;
    const int32_t *recorded; /* places among outputs, then inputs */
    double *inputs, *outputs; /* as they stand */
    double *used;             /* what the last window was given */
    double *worst, *when, *low, *high; /* what the witness saw */
} dt_plan;

/* All inputs from all outputs; those that nothing feeds stay as they are. */
static void route_all(const dt_batch *b, const dt_plan *p, double *inputs) {
    const int32_t *target = b->wire_target, *source = b->wire_source;
    const double *y = p->outputs;
    if (p->plain)
        for (int32_t w = 0; w < p->n_wires; w++) inputs[target[w]] = y[source[w]];
    else
        for (int32_t i = 0; i < b->n; i++) {
            const dt_member *m = b->members + i;
            if (m->plain)
                for (int32_t w = m->first_wire; w < m->last_wire; w++)
                    inputs[target[w]] = y[source[w]];
            else
                for (int32_t w = m->first_wire; w < m->last_wire; w++)
                    inputs[target[w]] = b->wire_gain[w] * y[source[w]] + b->wire_offset[w];
        }
}

/* How far inputs were from what their sources gave, and the range they cover. */
static void witness(dt_plan *p, const double *restrict used, const double *restrict now,
                    double stop) {
    double *restrict low = p->low, *restrict high = p->high, *restrict worst = p->worst;
    int worse = 0;
    for (int32_t j = 0; j < p->n_inputs; j++) {
        double gap = now[j] - used[j];
        gap = gap < 0 ? -gap : gap;
        worse |= gap > worst[j];
        low[j] = now[j] < low[j] ? now[j] : low[j];
        high[j] = now[j] > high[j] ? now[j] : high[j];
    }
    if (!worse) return;
    for (int32_t j = 0; j < p->n_inputs; j++) {
        double gap = now[j] - used[j];
        gap = gap < 0 ? -gap : gap;
        if (gap > worst[j]) {
            worst[j] = gap;
            p->when[j] = stop;
        }
    }
}

/* One window; nonzero if a member failed. `used` takes what each was given. */
static int one_window(dt_batch *b, dt_plan *p, double *used, bool timing) {
    if (p->sequential) {
        for (int32_t i = 0; i < b->n; i++) {
            dt_member *m = b->members + p->order[i];
            route(b, m, p->outputs, used + m->in_at);
            if (plain_step(b, m, used, p->outputs, timing)) return 1;
        }
        return 0;
    }
    if (b->pool) {
        jacobi_window w = {b, used, p->outputs, timing};
        parallel(b->pool, b->n, jacobi_one, &w);
        return atomic_load(&b->failed) != 0;
    }
    for (int32_t i = 0; i < b->n; i++)
        if (plain_step(b, b->members + i, used, p->outputs, timing)) return 1;
    return 0;
}

/* So many whole windows, and of one that failed those who came before the failure. */
static void count_steps(dt_batch *b, const dt_plan *p, int64_t whole) {
    int32_t failed = atomic_load(&b->failed) - 1, last = -1;
    for (int32_t i = 0; i < b->n && failed >= 0; i++)
        if ((p->sequential ? p->order[i] : i) == failed) last = i;
    for (int32_t i = 0; i < b->n; i++)
        b->members[p->sequential ? p->order[i] : i].evaluations += whole + (i <= last);
}

/* Run windows start[k] .. start[k] + size[k], ending at stop[k], until all are done, one fails,
 * or `budget` seconds are over. Rows of recorded values go to `rows`. How many were completed;
 * -1 - k if the outputs of window k are no numbers. */
EXPORT int64_t dt_run(dt_batch *b, dt_plan *p, int64_t count, const double *start,
                      const double *size, const double *stop, double *rows, double budget) {
    double begun = seconds_now();
    double *now = p->inputs, *used = p->used;
    atomic_store(&b->failed, 0);
    memcpy(used, now, (size_t)p->n_inputs * sizeof(double));
    int64_t k, done = 0, whole = 0, look = 1; /* when to look at the clock next, whatever a step costs */
    for (k = 0; k < count; k++) {
        b->time = start[k];
        b->size = size[k];
        if (k == look) {
            double spent = seconds_now() - begun;
            if (spent > budget) break;
            double every = 0.1 * budget * (double)k / (spent + 1e-9);
            look = k + (every < 1 ? 1 : every > 256 ? 256 : (int64_t)every);
        }
        double *other = used; /* what stood as inputs is what this window is given */
        used = now;
        now = other;
        if (one_window(b, p, used, (k & 1023) == 0)) break;
        done = whole = k + 1;
        if (!finite(p->outputs, p->n_outputs)) {
            done = -1 - k;
            break;
        }
        route_all(b, p, now);
        witness(p, used, now, stop[k]);
        double *row = rows + (size_t)k * (size_t)p->n_recorded;
        for (int32_t j = 0; j < p->n_recorded; j++) {
            int32_t place = p->recorded[j];
            row[j] = place < p->n_outputs ? p->outputs[place] : now[place - p->n_outputs];
        }
        if (atomic_load(&b->ending)) break;
    }
    count_steps(b, p, whole);
    if (now != p->inputs) memcpy(p->inputs, now, (size_t)p->n_inputs * sizeof(double));
    return done;
}

/* Tells whether Python and this library mean the same structures. */
EXPORT int32_t dt_layout(void) { return (int32_t)(1000 * sizeof(dt_member) + sizeof(dt_plan)); }
