/* ---- a process that is ended from inside ----------------------------------------------------- */

/* No twin: it is about the process. */

/* An FMU that crashes or calls exit() takes the process with it, and nothing can be done about
 * that here. But it need not happen without a word, nor look like success: while somebody watches,
 * the instances that were alive are named on standard error, and exit() leaves with code 1. */
#ifndef _WIN32
#include <signal.h>
#include <unistd.h>

#define NAMED 5 /* instances in the message */

static const struct {
    int number;
    const char *did;
} deadly[] = {
    {SIGSEGV, "used memory that is not its own"},
    {SIGBUS, "used memory that is not there"},
    {SIGFPE, "divided by zero"},
    {SIGILL, "ran into what is no program"},
    {SIGABRT, "gave up"},
};
#define DEADLY (sizeof deadly / sizeof *deadly)

static struct sigaction usual[DEADLY];
static volatile sig_atomic_t watching = 0;
static char advice[512]; /* the rest of the message */
static char apart[1 << 16]; /* a stack for the handler, as the usual one may be exhausted */

static void cry(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t n = write(2, text, left);
        if (n <= 0) return;
        text += n, left -= (size_t)n;
    }
}

/* Without the lock: who died may hold it. */
static void last_words(const char *did) {
    int told = 0;
    cry("dovetail: an FMU ");
    cry(did);
    cry(" and ended the process; alive were");
    for (dt_log *log = all_logs; log && told <= NAMED; log = log->next, told++) {
        if (told == NAMED) {
            cry(" and others");
            break;
        }
        cry(told ? ", '" : " '");
        cry(log->name);
        cry("'");
    }
    cry(advice);
    cry("\n");
}

static void died(int number) {
    for (size_t k = 0; k < DEADLY; k++)
        if (deadly[k].number == number) {
            if (all_logs) last_words(deadly[k].did);
            sigaction(number, &usual[k], NULL);
        }
    raise(number); /* comes through when this returns */
}

static void called_exit(void) {
    if (!watching || !all_logs) return;
    last_words("called exit()");
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
