/* ---- when a call that runs many windows comes back ------------------------------------------ */

/* No twin: Python looks at the time itself, and is told of Ctrl-C. */

/* Reading the time takes as long as a quick window. So a thread counts naps while there are calls
 * that run many windows, and each of their windows looks at that number. It ends when there have
 * been none for a while. Ctrl-C counts as many naps as make every call come back. */
enum { LAST_NAPS = 40, NAPS = 3 };
static const double NAP = 0.02; /* seconds */

static atomic_uint naps;

#ifndef WITHOUT_NAPS
static lock naps_lock = LOCK_OPEN;
static int nap_callers, napping;

static thread_result THREAD_CALL nap(void *nothing) {
    (void)nothing;
    for (int idle = 0;;) {
        rest(NAP);
        atomic_fetch_add(&naps, 1);
        lock_take(&naps_lock);
        idle = nap_callers ? 0 : idle + 1;
        int over = idle > LAST_NAPS;
        if (over) napping = 0;
        lock_leave(&naps_lock);
        if (over) return 0;
    }
}

#ifndef _WIN32
/* A child process has one thread only, and nobody in a call. */
static void naps_forked(void) {
    lock_new(&naps_lock);
    nap_callers = napping = 0;
}
#endif

#endif

/* A call begins that looks at `naps`; the number at which it comes back. */
#ifdef WITHOUT_NAPS /* a library that may leave while a thread sleeps in it; its calls are short */
static unsigned naps_begin(void) { return atomic_load(&naps) + NAPS; }
static void naps_end(void) {}
#else
static unsigned naps_begin(void) {
    lock_take(&naps_lock);
#ifndef _WIN32
    static int told = 0;
    if (!told) told = !pthread_atfork(NULL, NULL, naps_forked);
#endif
    nap_callers++;
    if (!napping) napping = thread_apart(nap);
    lock_leave(&naps_lock);
    return atomic_load(&naps) + NAPS;
}

static void naps_end(void) {
    lock_take(&naps_lock);
    if (nap_callers) nap_callers--;
    lock_leave(&naps_lock);
}
#endif

/* ---- Ctrl-C --------------------------------------------------------------------------------- */

#ifndef _WIN32
static dt_batch *_Atomic heeding; /* whose run Ctrl-C ends */
static struct sigaction heeded;   /* who else hears of it */

static void pressed(int number) {
    dt_batch *b = atomic_load(&heeding);
    if (b) atomic_store(&b->interrupted, 1);
    atomic_fetch_add(&naps, NAPS);
    void (*other)(int) = heeded.sa_handler;
    if (other != SIG_DFL && other != SIG_IGN) other(number);
}

/* From now on Ctrl-C ends what this batch is doing, after the step that is running; then it goes
 * to whom it would have gone. NULL: no longer. For the thread that Ctrl-C belongs to. */
EXPORT void dt_heed(dt_batch *b) {
    if (!b) {
        if (atomic_load(&heeding)) sigaction(SIGINT, &heeded, NULL);
        atomic_store(&heeding, NULL);
        return;
    }
    atomic_store(&b->interrupted, 0);
    if (!atomic_exchange(&heeding, b)) {
        sigaction(SIGINT, NULL, &heeded);
        struct sigaction act = heeded;
        act.sa_handler = pressed;
        act.sa_flags &= ~SA_SIGINFO;
        sigaction(SIGINT, &act, NULL);
    }
}
#else
EXPORT void dt_heed(dt_batch *b) { (void)b; }
#endif
