/* ---- a process that is ended from inside ----------------------------------------------------- */

/* No twin: it is about the process. */

/* An FMU that crashes or calls exit() takes the process with it, and nothing can be done about
 * that here. But it is reported, and does not look like success: while a run is watched,
 * the instances that were alive are named on standard error, and exit() leaves with code 1. */
#ifndef _WIN32
#include <signal.h>

#define NAMED 5 /* instances in the message */

static const struct {
    int number;
    const char *did;
} deadly[] = {
    {SIGSEGV, "caused a segmentation fault"},
    {SIGBUS, "caused a bus error"},
    {SIGFPE, "divided by zero"},
    {SIGILL, "executed an illegal instruction"},
    {SIGABRT, "called abort()"},
};
#define DEADLY (sizeof deadly / sizeof *deadly)

static struct sigaction usual[DEADLY];
static volatile sig_atomic_t watching = 0;
static char advice[512]; /* the rest of the message */
static char apart[1 << 16]; /* a stack for the handler, as the usual one may be exhausted */

static void print(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t n = write(2, text, left);
        if (n <= 0) return;
        text += n, left -= (size_t)n;
    }
}

/* Without the lock: the thread that died may hold it. */
static void report_end(const char *did) {
    int named = 0;
    print("dovetail: an FMU ");
    print(did);
    print(" and ended the process; alive were");
    for (dt_log *log = all_logs; log && named <= NAMED; log = log->next, named++) {
        if (named == NAMED) {
            print(" and others");
            break;
        }
        print(named ? ", '" : " '");
        print(log->name);
        print("'");
    }
    print(advice);
    print("\n");
}

static void died(int number) {
    for (size_t k = 0; k < DEADLY; k++)
        if (deadly[k].number == number) {
            if (all_logs) report_end(deadly[k].did);
            sigaction(number, &usual[k], NULL);
        }
    raise(number); /* comes through when this returns */
}

static void called_exit(void) {
    if (!watching || !all_logs) return;
    report_end("called exit()");
    _exit(1);
}

/* Watch until called with NULL; `more` ends the message. */
EXPORT void dt_watch(const char *more) {
    static int registered = 0;
    if (!more) {
        if (watching)
            for (size_t k = 0; k < DEADLY; k++) sigaction(deadly[k].number, &usual[k], NULL);
        watching = 0;
        return;
    }
    snprintf(advice, sizeof advice, "%s", more);
    if (watching) return;
    if (!registered) registered = !atexit(called_exit);
    stack_t stack = {.ss_sp = apart, .ss_size = sizeof apart};
    sigaltstack(&stack, NULL);
    struct sigaction act = {.sa_handler = died, .sa_flags = SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    for (size_t k = 0; k < DEADLY; k++) sigaction(deadly[k].number, &act, &usual[k]);
    watching = 1;
}
#else
EXPORT void dt_watch(const char *more) { (void)more; }
#endif
