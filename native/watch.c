/* ---- a process that is ended from inside ----------------------------------------------------- */

/* No twin: it is about the process. */

/* An FMU that crashes or calls exit() takes the process with it, and nothing can be done about
 * that here. But it is reported, and does not look like success: while a run is watched,
 * the instances that were alive are named on standard error. exit() leaves with code 1 whether it
 * is watched or not. Outside commands only signals are heard that nobody else listens to. */
static struct {
    char *begin, *end;
} lent; /* where a run writes its lines: it may be memory of a file */

/* The last line is no wider than what is written to it: behind it may be memory of others. */
static void lend(double *lines, int64_t rows, int64_t width, int64_t written) {
    lent.begin = (char *)lines;
    lent.end = rows > 0 ? (char *)(lines + (rows - 1) * width + written) : lent.begin;
}

static void take_back(void) { lent.begin = lent.end = NULL; }

#ifndef _WIN32
#include <signal.h>
#include <sys/mman.h>

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
static bool heard[DEADLY], lasting[DEADLY]; /* by `died`: now, and as long as the process lasts */
static volatile sig_atomic_t watching = 0, leaving = 0;
static char *board; /* where it is noted that something was said */
static char library[512], library_is[16]; /* the FMU whose library is being loaded or unloaded */
#define OUTSIDE_COMMANDS                                                                           \
    "; placement=dv.Isolated() gives each FMU a process of its own, and names the one that crashes"
static char advice[512] = OUTSIDE_COMMANDS; /* the rest of the message */
static char apart[1 << 16]; /* a stack for the handler, as the usual one may be exhausted */

static void print(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t n = write(2, text, left);
        if (n <= 0) return;
        text += n, left -= (size_t)n;
    }
}

/* What steers a terminal stays out of it: names come from files. */
static char plain_letter(char c) { return (unsigned char)c < 32 || c == 127 ? '?' : c; }

/* Without the lock: the thread that died may hold it. */
static void report_end(const char *did) {
    int named = 0;
    if (board) *board = 1;
    print("dovetail: an FMU ");
    print(did);
    print(" and ended the process");
    if (*library) {
        print(" while the library of '");
        print(library);
        print("' was being ");
        print(library_is);
    }
    print(all_logs ? "; alive were" : "");
    for (dt_log *log = all_logs; log && named <= NAMED; log = log->next, named++) {
        if (named == NAMED) {
            print(" and others");
            break;
        }
        char name[sizeof log->name];
        size_t n = 0;
        for (; log->name[n]; n++) name[n] = plain_letter(log->name[n]);
        name[n] = 0;
        print(named ? ", '" : " '");
        print(name);
        print("'");
    }
    print(advice);
    print("\n");
}

/* A file of lines that something else has cut short is no fault of an FMU: what is missing becomes
 * memory of our own, and whoever lent it sees that the file has changed. */
static bool was_cut_short(const siginfo_t *info) {
    char *at = info->si_addr;
    if (at < lent.begin || at >= lent.end) return false;
    char *page = at - (uintptr_t)at % (uintptr_t)sysconf(_SC_PAGESIZE);
    return mmap(page, (size_t)(lent.end - page), PROT_READ | PROT_WRITE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static void died(int number, siginfo_t *info, void *context) {
    (void)context;
    if (number == SIGBUS && was_cut_short(info)) return;
    for (size_t k = 0; k < DEADLY; k++)
        if (deadly[k].number == number) {
            if ((watching || !leaving) && (all_logs || *library)) report_end(deadly[k].did);
            sigaction(number, &usual[k], NULL);
            heard[k] = false;
        }
    raise(number); /* comes through when this returns */
}

static void ended_by(const char *call) {
    if (leaving || !(all_logs || *library)) return;
    report_end(call);
    _exit(1);
}

static void called_exit(void) { ended_by("called exit()"); }

static void called_quick_exit(void) { ended_by("called quick_exit()"); }

/* In a thread that calls FMUs: one that ends as it should has said so before. */
static pthread_key_t thread_that_calls;

static void called_pthread_exit(void *nothing) {
    (void)nothing;
    report_end("called pthread_exit()");
    _exit(1);
}

static int has_key = 0;

static void thread_begins(void) {
    if (has_key) pthread_setspecific(thread_that_calls, library);
}

static void thread_ends(void) {
    if (has_key) pthread_setspecific(thread_that_calls, NULL);
}

/* Hear of deadly signals: of all, or of those that have no handler, as others may live by theirs. */
static void listen_for_ends(bool all) {
    stack_t stack = {.ss_sp = apart, .ss_size = sizeof apart}, there;
    if (all || (!sigaltstack(NULL, &there) && (there.ss_flags & SS_DISABLE)))
        sigaltstack(&stack, NULL);
    struct sigaction act = {.sa_sigaction = died, .sa_flags = SA_ONSTACK | SA_SIGINFO}, now;
    sigemptyset(&act.sa_mask);
    for (size_t k = 0; k < DEADLY; k++) {
        if (heard[k] || sigaction(deadly[k].number, NULL, &now)) continue;
        if (!all && ((now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)) continue;
        heard[k] = !sigaction(deadly[k].number, &act, &usual[k]);
        lasting[k] = heard[k] && !all;
    }
}

/* Once in a process: an FMU that ends it does not look like success. `lasts`: nor does one that ends
 * the thread which this is called from, as that lasts as long as the process. */
EXPORT void dt_guard(int lasts) {
    static int guarded = 0;
    if (guarded) return;
    guarded = 1;
    atexit(called_exit);
#ifdef __GLIBC__
    at_quick_exit(called_quick_exit);
#endif
    has_key = !pthread_key_create(&thread_that_calls, called_pthread_exit);
    if (lasts) thread_begins();
    listen_for_ends(false);
}

/* From now on exit() is none of an FMU, or somebody else sees to it and says what to do. */
EXPORT void dt_leave(void) {
    leaving = 1;
    if (!watching) *advice = 0;
}

/* A byte that becomes 1 when something was said. */
EXPORT void dt_watch_board(char *place) { board = place; }

/* The library of this FMU is being "loaded" or "unloaded", until called with NULL. */
EXPORT void dt_watch_library(const char *name, const char *what) {
    size_t n = 0;
    snprintf(library_is, sizeof library_is, "%s", what ? what : "");
    for (; name && name[n] && n + 1 < sizeof library; n++) library[n] = plain_letter(name[n]);
    library[n] = 0;
}

/* Watch until called with NULL; `more` ends the message. */
EXPORT void dt_watch(const char *more) {
    if (!more) {
        for (size_t k = 0; k < DEADLY; k++)
            if (heard[k] && !lasting[k]) {
                sigaction(deadly[k].number, &usual[k], NULL);
                heard[k] = false;
            }
        snprintf(advice, sizeof advice, "%s", OUTSIDE_COMMANDS);
        watching = 0;
        return;
    }
    snprintf(advice, sizeof advice, "%s", more);
    if (!watching) listen_for_ends(true);
    watching = 1;
}
#else
EXPORT void dt_watch(const char *more) { (void)more; }
static void thread_begins(void) {}
static void thread_ends(void) {}
EXPORT void dt_guard(int lasts) { (void)lasts; }
EXPORT void dt_leave(void) {}
EXPORT void dt_watch_board(char *place) { (void)place; }
EXPORT void dt_watch_library(const char *name, const char *what) { (void)name, (void)what; }
#endif
