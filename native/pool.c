/* ---- a pool of threads -------------------------------------------------------------------- */

/* No twin: Python steps one part after another. */

typedef void (*work)(void *context, int index);

typedef struct pool {
    int workers;
    thread threads[64];
    lock lock;
    bell wake, done;
    atomic_int generation, next, busy;
    int count, stop;
    work run;
    void *context;
} pool;

static void drain(pool *p) {
    int i;
    while ((i = atomic_fetch_add(&p->next, 1)) < p->count) p->run(p->context, i);
}

static inline void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

enum { PATIENCE = 20000 }; /* pauses: about the time of a step that is worth a thread */

/* Until a number is this, or patience ends. */
static void spin(atomic_int *number, int wanted) {
    for (int k = 0; k < PATIENCE && atomic_load(number) != wanted; k++) pause_briefly();
}

/* Until it is no longer this. */
static void spin_away(atomic_int *number, int seen) {
    for (int k = 0; k < PATIENCE && atomic_load(number) == seen; k++) pause_briefly();
}

static thread_result THREAD_CALL worker(void *argument) {
    pool *p = argument;
    int seen = 0;
    thread_begins();
    for (;;) {
        spin_away(&p->generation, seen);
        lock_take(&p->lock);
        while (atomic_load(&p->generation) == seen && !p->stop)
            bell_wait(&p->wake, &p->lock);
        seen = atomic_load(&p->generation);
        int stop = p->stop;
        lock_leave(&p->lock);
        if (stop) return thread_ends(), (thread_result)0;
        drain(p);
        lock_take(&p->lock);
        if (atomic_fetch_sub(&p->busy, 1) == 1) bell_ring(&p->done);
        lock_leave(&p->lock);
    }
}

static void parallel(pool *p, int count, work run, void *context) {
    lock_take(&p->lock);
    p->count = count;
    p->run = run;
    p->context = context;
    atomic_store(&p->next, 0);
    atomic_store(&p->busy, p->workers);
    atomic_fetch_add(&p->generation, 1);
    bell_ring_all(&p->wake);
    lock_leave(&p->lock);
    drain(p); /* the caller works too */
    spin(&p->busy, 0); /* sleeping and waking take longer than the others need as a rule */
    lock_take(&p->lock);
    while (atomic_load(&p->busy)) bell_wait(&p->done, &p->lock);
    lock_leave(&p->lock);
}

static void pool_free(pool *p) {
    lock_take(&p->lock);
    p->stop = 1;
    atomic_fetch_add(&p->generation, 1);
    bell_ring_all(&p->wake);
    lock_leave(&p->lock);
    for (int k = 0; k < p->workers; k++) thread_join(p->threads[k]);
    lock_free(&p->lock);
    bell_free(&p->wake);
    bell_free(&p->done);
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
    lock_new(&p->lock);
    bell_new(&p->wake);
    bell_new(&p->done);
    for (int k = 0; k < threads - 1 && k < 64; k++)
        if (thread_start(&p->threads[p->workers], worker, p)) p->workers++;
    if (p->workers == 0) {
        pool_free(p);
        return 1;
    }
    b->pool = p;
    return p->workers + 1;
}
