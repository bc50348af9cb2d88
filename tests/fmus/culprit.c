/* An FMU of FMI 2 (co-simulation) that does what it must not: x' = 1 + u, y = x, and once, where
   the environment variable CULPRIT says, a deed. It says "place deed" or "place deed argument"; the
   places are ctor, dtor, make, init, step (at t = 0.5), terminate and free.

   Faults end the process, hang it or disturb it. Intrusions try to get at what lies outside; their
   error number is the output `outcome` then: 0 is success, -1 says that nothing was tried. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define IS(word) (!strcmp(what, word))

typedef int Status;
enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING };
typedef void (*Logger)(void *, const char *, Status, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, Status);
    void *environment;
} Callbacks;
typedef struct {
    double x, u, time, outcome;
    Logger logger;
    void *environment;
    char name[64], resources[1024];
} Instance;

static void hang(void)
{
    for (volatile unsigned i = 0;; ++i) { }
}

static int deep(volatile char *above, int n)
{
    volatile char here[4096];
    here[0] = (char)n;
    return n < 0 ? 0 : deep(here, n + 1) + here[0] + above[0];
}

static void spoil_heap(void)
{
    char *volatile p = malloc(32);
    char *volatile q = malloc(32);
    memset(p, 0x41, 4096);
    free(q);
    free(p);
    q = malloc(5000);
    free(q);
}

static void *sleep_on(void *nothing)
{
    for (;;) sleep(1);
    return nothing;
}

static void fault(const char *what)
{
    if (IS("segfault")) *(volatile int *)8 = 1;
    if (IS("abort")) abort();
    if (IS("stack")) deep("", 1);
    if (IS("heap")) spoil_heap();
    if (IS("double_free")) {
        char *volatile p = malloc(2000), *volatile q = malloc(2000);
        free(p);
        free(p);
        free(q);
    }
    if (IS("exit")) exit(0);
    if (IS("_exit")) _exit(0);
    if (IS("quick_exit")) quick_exit(0);
    if (IS("hang")) hang();
    if (IS("fork") && fork() < 0) abort();
    if (IS("close"))
        for (int k = 3; k < 1024; k++) close(k);
    if (IS("close_all"))
        for (int k = 0; k < 1024; k++) close(k);
    if (IS("close_stdout")) close(1);
    if (IS("pthread_exit")) pthread_exit(NULL);
    if (IS("garbage"))
        for (int k = 3; k < 64; k++) {
            struct stat kind;
            if (!fstat(k, &kind) && S_ISSOCK(kind.st_mode)) {
                ssize_t n = write(k, "dvt1 what is this? what is this? what is this?", 46);
                (void)n;
            }
        }
    if (IS("surroundings")) {
        struct sigaction ignored = { .sa_handler = SIG_IGN };
        sigset_t all;
        if (chdir("/")) abort();
        setlocale(LC_ALL, "C.UTF-8");
        sigaction(SIGINT, &ignored, NULL);
        sigaction(SIGCHLD, &ignored, NULL);
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        umask(0777);
        clearenv();
    }
    if (IS("leak"))
        for (;;) {
            char *p = malloc(1 << 20);
            if (p) memset(p, 1, 1 << 20);
        }
    if (IS("threads"))
        for (pthread_t t; !pthread_create(&t, NULL, sleep_on, NULL); pthread_detach(t)) { }
    if (IS("kill9")) kill(getpid(), SIGKILL);
    if (IS("die_talking")) {
        fprintf(stderr, "the oil is gone\n");
        *(volatile int *)8 = 1;
    }
}

static int opened(const char *path, int how)
{
    int fd = open(path, how, 0600);
    if (fd < 0) return errno;
    close(fd);
    return 0;
}

static int connected(int family, const void *address, socklen_t size)
{
    int fd = socket(family, SOCK_STREAM, 0);
    int found = fd < 0 || connect(fd, address, size) ? errno : 0;
    if (fd >= 0) close(fd);
    return found;
}

static int own_files(void)
{
    char text[8] = "", folder[1024];
    FILE *f = fopen("notes.txt", "w");
    if (!f || fputs("hello", f) < 0 || fclose(f)) return errno;
    if (rename("notes.txt", "kept.txt") || !(f = fopen("kept.txt", "r"))) return errno;
    if (!fgets(text, sizeof text, f) || strcmp(text, "hello")) return ENODATA;
    fclose(f);
    snprintf(folder, sizeof folder, "%s/mine", getenv("TMPDIR"));
    if (mkdir(folder, 0700) || rmdir(folder)) return errno;
    return 0;
}

/* What came of it: 0, or an error number. */
static int tried(const Instance *c, const char *what, const char *argument)
{
    int number = atoi(argument);
    char path[2048];
    errno = 0;
    if (IS("own_files")) return own_files();
    if (IS("resource")) {
        snprintf(path, sizeof path, "%s/data.txt", c->resources);
        return opened(path, O_RDONLY);
    }
    if (IS("write_resource")) {
        snprintf(path, sizeof path, "%s/data.txt", c->resources);
        return opened(path, O_WRONLY | O_TRUNC);
    }
    if (IS("thread")) {
        pthread_t t;
        int found = pthread_create(&t, NULL, sleep_on, NULL);
        if (!found) pthread_detach(t);
        return found;
    }
    if (IS("read")) return opened(argument, O_RDONLY);
    if (IS("write")) return opened(argument, O_WRONLY | O_CREAT);
    if (IS("empty")) return opened(argument, O_RDONLY | O_TRUNC);
    if (IS("list")) {
        DIR *found = opendir(argument);
        if (found) closedir(found);
        return found ? 0 : errno;
    }
    if (IS("unlink")) return unlink(argument) ? errno : 0;
    if (IS("truncate")) return truncate(argument, 0) ? errno : 0;
    if (IS("chmod")) return chmod(argument, 0) ? errno : 0;
    if (IS("utime")) return utimensat(AT_FDCWD, argument, NULL, 0) ? errno : 0;
    if (IS("mkdir")) return mkdir(argument, 0700) ? errno : 0;
    if (IS("rename")) return rename(argument, "mine") ? errno : 0;
    if (IS("hard_link")) return link(argument, "linked") ? errno : opened("linked", O_RDONLY);
    if (IS("soft_link"))
        return symlink(argument, "pointing") ? errno : opened("pointing", O_RDONLY);
    if (IS("write_soft_link"))
        return symlink(argument, "pointing") ? errno : opened("pointing", O_WRONLY | O_TRUNC);
    if (IS("through_proc")) {
        snprintf(path, sizeof path, "/proc/self/root/%s", argument);
        return opened(path, O_RDONLY);
    }
    if (IS("tcp")) {
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)number) };
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return connected(AF_INET, &to, sizeof to);
    }
    if (IS("unix")) {
        struct sockaddr_un to = { .sun_family = AF_UNIX };
        snprintf(to.sun_path, sizeof to.sun_path, "%s", argument);
        return connected(AF_UNIX, &to, sizeof to);
    }
    if (IS("udp")) {
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        return fd < 0 ? errno : close(fd);
    }
    if (IS("kill")) return kill(number, SIGUSR1) ? errno : 0;
    if (IS("ptrace")) {
        if (ptrace(PTRACE_ATTACH, number, NULL, NULL)) return errno;
        waitpid(number, NULL, 0);
        ptrace(PTRACE_DETACH, number, NULL, NULL);
        return 0;
    }
    if (IS("limit_other")) {
        struct rlimit found;
        return prlimit(number, RLIMIT_NOFILE, NULL, &found) ? errno : 0;
    }
    if (IS("spawn")) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0) return errno;
        waitpid(child, NULL, 0);
        return 0;
    }
    if (IS("system")) {
        errno = 0;
        return system("exit 7") == 7 << 8 ? 0 : errno ? errno : ENOEXEC;
    }
    if (IS("exec")) {
        execl("/bin/true", "true", (char *)NULL);
        return errno;
    }
    if (IS("shared_memory")) {
        int id = (int)syscall(SYS_shmget, IPC_PRIVATE, 4096, 0600);
        return id < 0 ? errno : (syscall(SYS_shmctl, id, IPC_RMID, NULL), 0);
    }
    if (IS("terminal")) {
        char letter = 'x';
        return ioctl(2, TIOCSTI, &letter) ? errno : 0;
    }
    if (IS("outlive")) return (int)syscall(SYS_prctl, 1, 0, 0, 0, 0) ? errno : 0;
    if (IS("call")) return syscall(number, 0, 0, 0, 0, 0, 0) < 0 ? errno : 0;
    if (IS("secret")) return getenv("CULPRIT_SECRET") ? 0 : ENOENT;
    fault(what);
    return 0;
}

static void at(const char *place, Instance *c)
{
    static char said[4096];
    const char *given = getenv("CULPRIT");
    if (!given) return;
    snprintf(said, sizeof said, "%s", given);
    char *what = strchr(said, ' ');
    if (!what) return;
    *what++ = 0;
    char *argument = strchr(what, ' ');
    if (argument) *argument++ = 0;
    if (!strcmp(said, place)) {
        int found = tried(c, what, argument ? argument : "");
        if (c) c->outcome = found;
    }
}

__attribute__((constructor)) static void loaded(void) { at("ctor", NULL); }
__attribute__((destructor)) static void unloaded(void) { at("dtor", NULL); }

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT Status fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *names)
{
    (void)c, (void)on, (void)n, (void)names;
    return OK;
}

EXPORT void *fmi2Instantiate(const char *name, int type, const char *token, const char *resources,
    const Callbacks *calls, int visible, int logging)
{
    (void)type, (void)token, (void)visible, (void)logging;
    Instance *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->outcome = -1;
    c->logger = calls->logger;
    c->environment = calls->environment;
    snprintf(c->name, sizeof c->name, "%s", name);
    const char *path = resources && !strncmp(resources, "file://", 7) ? resources + 7 : "";
    snprintf(c->resources, sizeof c->resources, "%s", path);
    at("make", c);
    return c;
}

EXPORT void fmi2FreeInstance(void *c)
{
    at("free", c);
    free(c);
}

EXPORT Status fmi2SetupExperiment(void *c, int has, double tolerance, double start, int ends,
    double stop)
{
    (void)has, (void)tolerance, (void)ends, (void)stop;
    ((Instance *)c)->time = start;
    return OK;
}

EXPORT Status fmi2EnterInitializationMode(void *c)
{
    at("init", c);
    return OK;
}

EXPORT Status fmi2ExitInitializationMode(void *c) { return (void)c, OK; }
EXPORT Status fmi2Terminate(void *c)
{
    at("terminate", c);
    return OK;
}

EXPORT Status fmi2Reset(void *c) { return (void)c, OK; }

EXPORT Status fmi2DoStep(void *instance, double time, double size, int kept)
{
    Instance *c = instance;
    (void)kept;
    if (time <= 0.5 + 1e-9 && time + size > 0.5 + 1e-9) at("step", c);
    c->x += (1 + c->u) * size;
    c->time = time + size;
    return OK;
}

EXPORT Status fmi2GetReal(void *instance, const unsigned *refs, size_t n, double *values)
{
    Instance *c = instance;
    for (size_t k = 0; k < n; k++)
        values[k] = refs[k] == 1 ? c->u : refs[k] == 3 ? c->outcome : c->x;
    return OK;
}

EXPORT Status fmi2SetReal(void *instance, const unsigned *refs, size_t n, const double *values)
{
    Instance *c = instance;
    for (size_t k = 0; k < n; k++)
        if (refs[k] == 1) c->u = values[k];
    return OK;
}

EXPORT Status fmi2GetFMUstate(void *c, void **state)
{
    if (!*state) *state = malloc(sizeof(Instance));
    if (*state) memcpy(*state, c, sizeof(Instance));
    return *state ? OK : ERROR;
}

EXPORT Status fmi2SetFMUstate(void *c, void *state)
{
    memcpy(c, state, sizeof(Instance));
    return OK;
}

EXPORT Status fmi2FreeFMUstate(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

EXPORT Status fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = 4 * sizeof(double);
    return OK;
}

EXPORT Status fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size)
{
    (void)c;
    memcpy(bytes, state, size);
    return OK;
}

EXPORT Status fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state)
{
    if (fmi2GetFMUstate(c, state)) return ERROR;
    memcpy(*state, bytes, size);
    return OK;
}
