/* Steps of an FMU of FMI 2 as a tool in C makes them; for export.py. */

#include <stdint.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seconds that so many steps of this size take; below 0: one failed. */
double stepped(int (*step)(void *, double, double, int), void *instance, int64_t count, double size) {
    double begin = seconds();
    for (int64_t k = 0; k < count; k++)
        if (step(instance, (double)k * size, size, 1)) return -1;
    return seconds() - begin;
}
