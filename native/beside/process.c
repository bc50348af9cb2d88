/* ---- the Python process ----------------------------------------------------------------------- */

/* Started in a group of its own, so that Ctrl-C is for the importer; it ends when its connection does.
 * On POSIX the connection is a socket in the place of its standard input, on Windows two pipes. What it
 * prints goes where the importer writes its errors. */

#define LAST_PATIENCE 5.0 /* seconds that it has to end by itself */

#ifdef _WIN32

typedef struct {
    HANDLE process, job, to, from;
    DWORD id;
} child;

static bool child_is_ours(const child *c) { return c->process != NULL; }

static void closed(HANDLE *h) {
    if (*h) CloseHandle(*h);
    *h = NULL;
}

static bool child_start(child *c, const char *python, const char *script, char *why, size_t room) {
    SECURITY_ATTRIBUTES handed = {sizeof handed, NULL, TRUE};
    STARTUPINFOW given = {.cb = sizeof given, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION made;
    HANDLE in = NULL, out = NULL;
    size_t size = strlen(python) + strlen(script) + 64;
    char *text = malloc(size);
    memset(c, 0, sizeof *c);
    if (!text) return false;
    snprintf(text, size, "\"%s\" -E -X utf8 \"%s\" pipes", python, script);
    wchar_t *line = wide(text);
    free(text);
    bool right = line && CreatePipe(&in, &c->to, &handed, 0) && CreatePipe(&c->from, &out, &handed, 0);
    if (right) {
        SetHandleInformation(c->to, HANDLE_FLAG_INHERIT, 0);
        SetHandleInformation(c->from, HANDLE_FLAG_INHERIT, 0);
        given.hStdInput = in;
        given.hStdOutput = out;
        given.hStdError = GetStdHandle(STD_ERROR_HANDLE);
        right = CreateProcessW(NULL, line, NULL, NULL, TRUE,
                               CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP, NULL,
                               NULL, &given, &made);
    }
    if (!right) snprintf(why, room, "error %lu of Windows", (unsigned long)GetLastError());
    free(line), closed(&in), closed(&out);
    if (!right) {
        closed(&c->to), closed(&c->from);
        return false;
    }
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {0};
    limit.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    c->job = CreateJobObjectW(NULL, NULL); /* it goes when the importer goes */
    if (c->job) {
        SetInformationJobObject(c->job, JobObjectExtendedLimitInformation, &limit, sizeof limit);
        AssignProcessToJobObject(c->job, made.hProcess);
    }
    c->process = made.hProcess;
    c->id = made.dwProcessId;
    ResumeThread(made.hThread);
    CloseHandle(made.hThread);
    return true;
}

static bool child_send(child *c, const void *data, size_t n) {
    DWORD done;
    for (const char *at = data; n; at += done, n -= done)
        if (!WriteFile(c->to, at, (DWORD)(n < 1 << 20 ? n : 1 << 20), &done, NULL)) return false;
    return true;
}

/* 1: there is something to read; 0: it has ended; -1: too late. */
static int child_waits(child *c, double patience) {
    DWORD there = 0;
    for (double slept = 0; patience < 0 || slept < patience; slept += 0.01) {
        if (!PeekNamedPipe(c->from, NULL, 0, NULL, &there, NULL)) return 0;
        if (there) return 1;
        if (patience < 0) return 1; /* reading waits */
        Sleep(10);
    }
    return -1;
}

static long child_read(child *c, void *data, size_t n) {
    DWORD done = 0;
    return ReadFile(c->from, data, (DWORD)(n < 1 << 20 ? n : 1 << 20), &done, NULL) ? (long)done : 0;
}

static void child_end(child *c, bool at_once, char *how, size_t room) {
    DWORD code = 0;
    *how = 0;
    if (!c->process) return;
    closed(&c->to);
    if (at_once || WaitForSingleObject(c->process, (DWORD)(1000 * LAST_PATIENCE)) != WAIT_OBJECT_0)
        TerminateProcess(c->process, 1);
    WaitForSingleObject(c->process, 5000);
    if (GetExitCodeProcess(c->process, &code))
        snprintf(how, room, "with exit code %lu", (unsigned long)code);
    closed(&c->from), closed(&c->process), closed(&c->job);
}

#else

typedef struct {
    pid_t id, owner; /* a copy that fork() made of the importer owns nothing */
    int link;
} child;

static bool child_is_ours(const child *c) { return c->id && c->owner == getpid(); }

static bool child_start(child *c, const char *python, const char *script, char *why, size_t room) {
    char *words[] = {(char *)python, "-E", "-X", "utf8", (char *)script, "socket", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t ways;
    sigset_t none, usual;
    int ends[2], failed;
    memset(c, 0, sizeof *c);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
        snprintf(why, room, "%s", strerror(errno));
        return false;
    }
    for (int k = 0; k < 2; k++) fcntl(ends[k], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], 0);
    posix_spawn_file_actions_adddup2(&files, 2, 1);
    posix_spawnattr_init(&ways);
    sigemptyset(&none);
    sigemptyset(&usual);
    static const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP};
    for (int k = 0; k < 5; k++) sigaddset(&usual, signals[k]);
    posix_spawnattr_setsigmask(&ways, &none);
    posix_spawnattr_setsigdefault(&ways, &usual);
    posix_spawnattr_setpgroup(&ways, 0);
    posix_spawnattr_setflags(
        &ways, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    failed = posix_spawnp(&c->id, python, &files, &ways, words, environ);
    posix_spawnattr_destroy(&ways);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (failed) {
        snprintf(why, room, "%s", strerror(failed));
        close(ends[0]);
        memset(c, 0, sizeof *c);
        return false;
    }
    c->link = ends[0];
    c->owner = getpid();
    return true;
}

static bool child_send(child *c, const void *data, size_t n) {
#ifdef MSG_NOSIGNAL
    int how = MSG_NOSIGNAL;
#else
    int how = 0;
#endif
    for (const char *at = data; n;) {
        ssize_t done = send(c->link, at, n, how);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done, n -= (size_t)done;
    }
    return true;
}

/* 1: there is something to read; 0: it has ended; -1: too late. */
static int child_waits(child *c, double patience) {
    struct pollfd one = {.fd = c->link, .events = POLLIN};
    int found;
    if (patience < 0) return 1; /* reading waits */
    do found = poll(&one, 1, (int)(1000 * patience));
    while (found < 0 && errno == EINTR);
    return found > 0 ? 1 : found ? 0 : -1;
}

static long child_read(child *c, void *data, size_t n) {
    ssize_t done;
    do done = recv(c->link, data, n, 0);
    while (done < 0 && errno == EINTR);
    return done > 0 ? (long)done : 0;
}

/* Close the connection and wait until it is gone, with all that it has started and left in its group. */
static void child_end(child *c, bool at_once, char *how, size_t room) {
    siginfo_t info = {0};
    int status = 0;
    *how = 0;
    if (!c->id) return;
    if (c->owner != getpid()) {
        close(c->link);
        c->id = 0;
        return;
    }
    shutdown(c->link, SHUT_RDWR);
    close(c->link);
    for (double slept = 0; !at_once && slept < LAST_PATIENCE; slept += 0.002) {
        if (waitid(P_PID, (id_t)c->id, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid) break;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    kill(-c->id, SIGKILL);
    while (waitpid(c->id, &status, 0) < 0)
        if (errno != EINTR) break;
    if (WIFSIGNALED(status)) snprintf(how, room, "by signal %d", WTERMSIG(status));
    else snprintf(how, room, "with exit code %d", WEXITSTATUS(status));
    c->id = 0;
}

#endif
