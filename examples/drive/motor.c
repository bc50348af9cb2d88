/* A direct-current motor: L i' = u - R i - k w, J w' = k i - load. */

#define GUID "{dovetail-example-motor}"
#define STATES 2

enum { VOLTAGE, LOAD, SPEED, CURRENT, RESISTANCE, INDUCTANCE, CONSTANT, INERTIA, COUNT };

static const double START[COUNT] = { 0, 0, 0, 0, 0.5, 5e-3, 0.1, 5e-3 };
static const int STATE[STATES] = { CURRENT, SPEED };

static void outputs(double *v) { (void)v; /* both are states */ }

static void derivatives(const double *v, double *rates)
{
    double back = v[CONSTANT] * v[SPEED];
    rates[0] = (v[VOLTAGE] - v[RESISTANCE] * v[CURRENT] - back) / v[INDUCTANCE];
    rates[1] = (v[CONSTANT] * v[CURRENT] - v[LOAD]) / v[INERTIA];
}

#include "fmi2.c"
