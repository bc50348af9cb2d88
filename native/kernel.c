/* Dovetail's native kernel: many FMU instances stepped in one call.
 *
 * A plain C library without any Python in it, loaded by ctypes. It knows a log that FMUs write
 * into, a batch of instances with their function pointers and buffers bound once, the evaluation
 * of that batch (serially or on a pool of threads), fused runs of many windows, iterated or not, and
 * the steps of an integrator over the equations of model exchange.
 * Arithmetic is that of the Python path, operation by operation; compile with -ffp-contract=off.
 * One translation unit, one file per idea; each names the Python files whose twin it is, and the tests
 * that compare them to the last bit.
 */
#include "platform.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops over all signals: once more for newer processors, chosen when the library is loaded. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default"), noinline))
#else
#define WIDE __attribute__((noinline))
#endif

#include "format.c"
#include "log.c"
#include "watch.c"
#include "exchange.c"
#include "integrate.c"
#include "member.c"
#include "tuned.c"
#include "cubic.c"
#include "pool.c"
#include "hosted.c"
#include "serving.c"
#include "ask.c"
#include "rootfinders.c"
#include "iterated.c"
#include "cubic_cycles.c"
#include "witness.c"
#include "plan.c"
#include "lessons.c"
#include "ranks.c"
#include "extrapolated.c"
#include "plan_read.c"
#include "bonds.c"
#include "ticks.c"
#include "solved.c"
#include "explicit.c"
#include "traced.c"
#include "eventful.c"
#include "fused.c"
#include "windows.c"
#include "control.c"
#include "doubling.c"
#include "adaptive.c"
#include "defect.c"
#include "following.c"
#include "marks.c"
#include "controlled.c"
#ifndef WITHOUT_PYTHON /* exports begin anew by themselves */
#include "again.c"
#endif
