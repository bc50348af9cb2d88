/* Counts from `first` on, `per_second` times a second, which only a fraction tells exactly. After
   the fourth beat a countdown of `rest` begins. */

#define HAS_EVENTS
#define HAS_INTERVALS
#define HAS_FRACTIONS
#define PRIVATE                                                                                    \
    int beaten, rested;                                                                            \
    bool told;
#include "fmu.h"

enum { BEAT, PAUSE }; /* as in the table */

static void equations(State *s)
{
    s->v.beats = s->v.first + s->beaten + s->v.beat;
    s->v.pauses = s->rested + s->v.pause;
}

static Status advance(Instance *c, double size)
{
    (void)c, (void)size;
    return OK;
}

static double announced(const State *s)
{
    (void)s;
    return INFINITY;
}

static double next_event(const State *s) { return announced(s); }

static bool event(State *s, bool *states_changed)
{
    (void)states_changed;
    s->beaten += s->v.beat;
    s->rested += s->v.pause;
    return false;
}

static int interval(State *s, size_t clock, double *value)
{
    *value = clock == BEAT ? round(1e3 / s->v.per_second) / 1e3 : s->v.rest;
    if (clock == PAUSE && s->beaten < 4) return 0;
    bool is_new = !s->told;
    if (clock == PAUSE) s->told = true;
    return is_new ? 2 : 1;
}

static void fraction(State *s, size_t clock, uint64_t *counter, uint64_t *resolution)
{
    *counter = clock == BEAT;
    *resolution = (uint64_t)s->v.per_second;
}

static void set_interval(State *s, double value) { (void)s, (void)value; }

#if SCHEDULED
static bool calls_back(const State *s) { return s->v.beat && s->beaten == 4; }
#endif
