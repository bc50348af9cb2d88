/* An exported system as an FMU: the kernel, and the calls of FMI 2.0 and 3.0 around it.
 *
 * The library of every FMU that Dovetail exports from a system. Which parts there are, how they are
 * wired and how windows are made is data in its resources: the plan of the run, as hosts and the kernel
 * get it (docs/design/plan.md), and `export.bin` (docs/design/exports.md). There is no Python in it.
 * One translation unit; all but the functions of FMI stays hidden.
 */
#define WITHOUT_PYTHON 1
#define WITHOUT_NAPS 1
#define EXPORT static __attribute__((unused))

#include "../kernel.c"

#ifdef _WIN32
#define FMI_EXPORT __declspec(dllexport)
#define LIBRARY_SUFFIX ".dll"
#define SEPARATOR "\\"
#else
#include <dlfcn.h>
#define FMI_EXPORT __attribute__((visibility("default")))
#define SEPARATOR "/"
#ifdef __APPLE__
#define LIBRARY_SUFFIX ".dylib"
#else
#define LIBRARY_SUFFIX ".so"
#endif
#endif

#include "block.c"
#include "system.c"
#include "places.c"
#include "libraries.c"
#include "jumps.c"
#include "equations.c"
#include "equations_calls.c"
#include "solved_part.c"
#include "parts.c"
#include "values.c"
#include "carried.c"
#include "start.c"
#include "junctions.c"
#include "surface.c"
#include "sliding.c"
#include "initialization.c"
#include "events.c"
#include "single.c"
#include "sized.c"
#include "steps.c"
#include "states.c"
#include "life.c"
#include "exchange.c"
#include "derivatives.c"
#include "fmi2.c"
#include "fmi3.c"
