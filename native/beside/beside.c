/* A Python model as an FMU that runs in a Python of its own, beside the importer.
 *
 * The library of every FMU that `dv.export(..., beside=True)` and `@dv.export_class` write. It starts the
 * Python that `beside.json` in its resources names, and asks it over a pipe in the frames of
 * docs/protocol.md. There is no Python in the importer's process, so that it may hold another one. The
 * other side is src/dovetail/exporting/beside/. One translation unit; all but the functions of FMI stays
 * hidden.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#undef ERROR /* of wingdi.h: a status of FMI here */
#define FMI_EXPORT __declspec(dllexport)
#else
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#define FMI_EXPORT __attribute__((visibility("default")))
#ifdef __APPLE__
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#else
extern char **environ;
#endif
#endif

enum { OK, WARNING, DISCARD, ERROR, FATAL };

static char *joined_text(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *found = malloc(size);
    if (found) snprintf(found, size, "%s%s%s", a, b, c);
    return found;
}

#define RESOURCE_MARK "/beside.json"
#include "../shim/places.c"

#include "process.c"
#include "frames.c"
#include "instance.c"
#include "requests.c"
#include "fmi2.c"
#include "fmi3.c"
