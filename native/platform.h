/* ---- what operating systems do differently -------------------------------------------------- */

/* Locks, threads, the clock, memory that may not be there, and how a function is made visible: once
 * for POSIX (Linux, macOS), once for Windows. The rest of the kernel is plain C11. What `watch.c`
 * does is POSIX only. */

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#define __USE_MINGW_ANSI_STDIO 1 /* snprintf as in the standard */
#include <windows.h>
#undef ERROR /* of wingdi.h: a status of FMI here */
#undef far /* words of 1985 */
#undef near
#undef NEAR

#ifndef EXPORT /* an export of a system keeps all of this to itself */
#define EXPORT __declspec(dllexport)
#endif

typedef SRWLOCK lock;
typedef CONDITION_VARIABLE bell;
typedef HANDLE thread;
typedef DWORD thread_result;
#define THREAD_CALL WINAPI
#define LOCK_OPEN SRWLOCK_INIT

static inline void lock_new(lock *l) { InitializeSRWLock(l); }
static inline void lock_take(lock *l) { AcquireSRWLockExclusive(l); }
static inline void lock_leave(lock *l) { ReleaseSRWLockExclusive(l); }
static inline void lock_free(lock *l) { (void)l; }

static inline void bell_new(bell *b) { InitializeConditionVariable(b); }
static inline void bell_wait(bell *b, lock *l) { SleepConditionVariableSRW(b, l, INFINITE, 0); }
static inline void bell_ring(bell *b) { WakeConditionVariable(b); }
static inline void bell_ring_all(bell *b) { WakeAllConditionVariable(b); }
static inline void bell_free(bell *b) { (void)b; }

static inline int thread_start(thread *t, thread_result(THREAD_CALL *run)(void *), void *context) {
    *t = CreateThread(NULL, 0, run, context, 0, NULL);
    return *t != NULL;
}

static inline void thread_join(thread t) {
    WaitForSingleObject(t, INFINITE);
    CloseHandle(t);
}

/* A thread that nobody waits for. */
static inline int thread_apart(thread_result(THREAD_CALL *run)(void *)) {
    thread t;
    if (!thread_start(&t, run, NULL)) return 0;
    CloseHandle(t);
    return 1;
}

static inline void rest(double seconds) { Sleep((DWORD)(1000 * seconds)); }

static inline double seconds_now(void) {
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
}

/* Whether there is memory at this place. */
static inline int readable(const char *place) {
    char letter;
    SIZE_T n = 0;
    return ReadProcessMemory(GetCurrentProcess(), place, &letter, 1, &n) && n == 1;
}

/* Most FMUs come from Microsoft's compiler, where `long double` is `double`. */
#define LONG_DOUBLE_ARGUMENT(arguments) ((long double)va_arg(arguments, double))

#else

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifndef EXPORT
#define EXPORT __attribute__((visibility("default")))
#endif

typedef pthread_mutex_t lock;
typedef pthread_cond_t bell;
typedef pthread_t thread;
typedef void *thread_result;
#define THREAD_CALL
#define LOCK_OPEN PTHREAD_MUTEX_INITIALIZER

static inline void lock_new(lock *l) { pthread_mutex_init(l, NULL); }
static inline void lock_take(lock *l) { pthread_mutex_lock(l); }
static inline void lock_leave(lock *l) { pthread_mutex_unlock(l); }
static inline void lock_free(lock *l) { pthread_mutex_destroy(l); }

static inline void bell_new(bell *b) { pthread_cond_init(b, NULL); }
static inline void bell_wait(bell *b, lock *l) { pthread_cond_wait(b, l); }
static inline void bell_ring(bell *b) { pthread_cond_signal(b); }
static inline void bell_ring_all(bell *b) { pthread_cond_broadcast(b); }
static inline void bell_free(bell *b) { pthread_cond_destroy(b); }

static inline int thread_start(thread *t, thread_result (*run)(void *), void *context) {
    return pthread_create(t, NULL, run, context) == 0;
}

static inline void thread_join(thread t) { pthread_join(t, NULL); }

/* A thread that nobody waits for, and that takes no signals. */
static inline int thread_apart(thread_result (*run)(void *)) {
    thread t;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int started = thread_start(&t, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) pthread_detach(t);
    return started;
}

static inline void rest(double seconds) {
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&t, NULL);
}

static inline double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int opened_pipe(int way[2]) {
    if (pipe(way)) return way[0] = -1;
    for (int k = 0; k < 2; k++) {
        fcntl(way[k], F_SETFD, FD_CLOEXEC);
        fcntl(way[k], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

/* Whether there is memory at this place: the system refuses to send a letter from where nothing is. */
static inline int readable(const char *place) {
    static lock one_at_a_time = LOCK_OPEN;
    static int way[2] = {-1, -1};
    char letter;
    lock_take(&one_at_a_time);
    int torn = way[0] < 0 && opened_pipe(way);
    int found = !torn && write(way[1], place, 1) == 1 && read(way[0], &letter, 1) == 1;
    lock_leave(&one_at_a_time);
    return found;
}

#define LONG_DOUBLE_ARGUMENT(arguments) va_arg(arguments, long double)

#endif
