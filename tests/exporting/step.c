/* Steps an FMU of FMI 2 twenty times, without anything but C: LIBRARY TOKEN RESOURCES REFERENCE. */

#ifdef _WIN32
#include <windows.h>
#define opened(path) ((void *)LoadLibraryA(path))
#define dlsym(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define opened(path) dlopen(path, RTLD_NOW | RTLD_LOCAL)
#endif
#include <stdio.h>
#include <stdlib.h>

static void *found(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (!function) exit(2);
    return function;
}

int main(int count, char **given) {
    void *library = count == 5 ? opened(given[1]) : NULL;
    if (!library) return 2;
    void *(*make)(const char *, int, const char *, const char *, void *, int, int) =
        found(library, "fmi2Instantiate");
    int (*set_up)(void *, int, double, double, int, double) = found(library, "fmi2SetupExperiment");
    int (*enter)(void *) = found(library, "fmi2EnterInitializationMode");
    int (*leave)(void *) = found(library, "fmi2ExitInitializationMode");
    int (*step)(void *, double, double, int) = found(library, "fmi2DoStep");
    int (*get)(void *, const unsigned *, size_t, double *) = found(library, "fmi2GetReal");
    void (*release)(void *) = found(library, "fmi2FreeInstance");
    unsigned reference = (unsigned)atoi(given[4]);
    void *one = make("it", 1, given[2], given[3], NULL, 0, 0);
    if (!one || set_up(one, 0, 0, 0, 0, 0) || enter(one) || leave(one)) return 3;
    for (int k = 0; k < 20; k++) {
        double value;
        if (step(one, k * 0.1, 0.1, 1) || get(one, &reference, 1, &value)) return 4;
        printf("%a\n", value);
    }
    release(one);
    return 0;
}
