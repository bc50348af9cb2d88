/* x' = u, y = x, w = 2 u. In FMI 2 the input comes with its derivatives; in FMI 3 the callback is
   asked for it in the middle and at the end of each half of a step. Exact for cubic inputs. */

#include "fmu.h"

static void equations(State *s)
{
    s->v.der_x = AT(u);
    s->v.y = s->v.x;
    s->v.w = 2 * AT(u);
}

#if FMI < 3
static Status advance(Instance *c, double size)
{
    double power = 1;
    for (int k = 0; k <= INPUT_ORDER; ++k) {
        power *= size / (k + 1);
        c->s.v.x += power * input_at(&c->s, REF_u, k, 0);
    }
    return OK;
}
#else
/* The input at `time`, from whoever knows it; or, with `finished`, shows the outputs then. */
static double ask(Instance *c, double time, bool finished, double *end)
{
    if (!c->intermediate) return c->s.v.u;
    bool requested = false;
    double when = *end;
    c->s.v.time = time;
    c->s.mode = INTERMEDIATE;
    c->s.touched = false;
    c->may_set = !finished;
    c->may_get = finished;
    equations(&c->s);
    c->intermediate(c->environment, time, c->may_set, c->may_get, finished,
        finished && c->may_return_early, &requested, &when);
    if (c->s.mode == INTERMEDIATE) c->s.mode = STEP;
    if (requested && finished && c->may_return_early && when < *end) {
        *end = when > time ? when : time;
        c->returned_early = true;
    }
    return c->s.v.u;
}

static Status advance(Instance *c, double size)
{
    double now = c->s.v.time, end = now + size, half = size / 2, u = c->s.v.u;
    while (now < end) {
        double next = end - now < 1.5 * half ? end : now + half;
        double middle = ask(c, (now + next) / 2, false, &end);
        double last = ask(c, next, false, &end);
        c->s.v.x += (next - now) / 6 * (u + 4 * middle + last);
        u = last;
        now = next;
        ask(c, now, true, &end);
    }
    c->reached = now;
    return c->s.mode == STEP ? OK : ERROR;
}
#endif
