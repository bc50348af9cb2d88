/* The limit: a few numbers to other processes and back, through memory that both share.
 *
 *   ping_pong HOSTS ROUNDS SPIN
 *
 * All are asked before any is awaited; both sides spin for so many seconds and then sleep on a futex.
 * Prints the time of a round in seconds: the median of blocks of a hundred. Linux.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EACH = 100 };

typedef struct {
    _Alignas(64) atomic_uint asked;
    _Alignas(64) atomic_uint answered;
    _Alignas(64) double in[8];
    _Alignas(64) double out[8];
} both;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void await(atomic_uint *number, unsigned wanted, double spin) {
    if (atomic_load(number) == wanted) return;
    for (double until = spin > 0 ? now() + spin : 0; spin > 0 && now() < until;)
        for (int k = 0; k < 64; k++)
            if (atomic_load_explicit(number, memory_order_acquire) == wanted) return;
    unsigned seen;
    while ((seen = atomic_load(number)) != wanted)
        syscall(SYS_futex, number, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void tell(atomic_uint *number, unsigned value, double spin) {
    atomic_store(number, value);
    if (spin < 1) syscall(SYS_futex, number, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int hosts = atoi(argv[1]), rounds = atoi(argv[2]);
    double spin = atof(argv[3]), *took = calloc((size_t)rounds, sizeof *took);
    both *b = mmap(NULL, sizeof *b * (size_t)hosts, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int h = 0; h < hosts; h++)
        if (!fork()) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (unsigned turn = 1;; turn++) {
                await(&b[h].asked, turn, spin);
                for (int k = 0; k < 8; k++) b[h].out[k] = b[h].in[k] + 1;
                tell(&b[h].answered, turn, spin);
            }
        }
    int blocks = rounds / EACH;
    for (int k = 0; k < blocks * EACH; k++) {
        if (k % EACH == 0) took[k / EACH] = now();
        for (int h = 0; h < hosts; h++) {
            for (int j = 0; j < 8; j++) b[h].in[j] = k;
            tell(&b[h].asked, (unsigned)k + 1, spin);
        }
        for (int h = 0; h < hosts; h++) await(&b[h].answered, (unsigned)k + 1, spin);
        if (k % EACH == EACH - 1) took[k / EACH] = (now() - took[k / EACH]) / EACH;
    }
    qsort(took, (size_t)blocks, sizeof *took, ascending);
    printf("%.9f\n", took[blocks / 2]);
    return 0;
}
