/* ---- a controller as data -------------------------------------------------------------------- */

/* Twin of src/dovetail/subsystems/control.py.
 * Same bits: tests/conformance/test_native_control.py. */

enum { DOUBLING = 1, ADAPTIVE = 2, CHECKED = 3, DEFECT = 4, CUT = 5, FOLLOWS = 6 };
enum { MEMORY = 16, BROKEN = 5, GAVE_UP = 6, INTERRUPTED_BETWEEN = 7 };

/* What decides on the sizes of windows, what it remembers, the grid and where the run stands on it.
 * The same order as `NativeControl` in fmi/native/controlled.py. */
typedef struct dt_control {
    int32_t kind, order; /* of the algorithm's error; FOLLOWS: steps over two windows */
    int32_t ranged;      /* errors are weighed by the ranges that signals have covered */
    int32_t rejects;     /* every member rolls back */
    int32_t stops;       /* at an error beyond the tolerance */
    int32_t outcome;     /* why it came back, 0: time or room was over */
    double rtol, atol, first_size, min_size, max_size, safety;
    double origin, size, stop, time;
    double course_size;        /* of the last window that was watched */
    double tried_start, tried_size, tried_stop; /* the window that failed */
    double memory[MEMORY];     /* by the names of each kind */
    double *low, *high, *past; /* and by signal */
    const double *ends;        /* of the windows of a run that is followed */
    double *found;             /* outputs at the end of a window that was given up */
    int64_t n_ends, all_told;
    int64_t windows, by_error, by_convergence, beyond, iterations, doubtful; /* of one call */
} dt_control;

/* What the controller says of a window. */
enum { ACCEPT, RETRY_ERROR, RETRY_CONVERGENCE, GIVE_UP };
typedef struct {
    int what;
    double size; /* of the next window, 0 to go on along the grid; or of the next try */
    bool beyond; /* accepted though its error is too large */
} decision;

static const decision GIVEN_UP = {GIVE_UP, 0, false};

/* A window that was tried: outputs at its start, where the long step ended, in the middle, and at its
 * end. `failed`: 1 + the number of the step that did not converge, 0 if all did. */
typedef struct {
    window w;
    int failed;
    int32_t n;
    const double *start, *ahead, *middle, *end;
} tried;
