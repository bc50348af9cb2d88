/* It keeps a speed: u = kp (wanted - speed) + ki times the integral of that. */

#define GUID "{dovetail-example-governor}"
#define STATES 1

enum { SPEED, VOLTAGE, INTEGRAL, WANTED, KP, KI, COUNT };

static const double START[COUNT] = { 0, 0, 0, 100, 0.2, 1 };
static const int STATE[STATES] = { INTEGRAL };

static void outputs(double *v)
{
    v[VOLTAGE] = v[KP] * (v[WANTED] - v[SPEED]) + v[KI] * v[INTEGRAL];
}

static void derivatives(const double *v, double *rates) { rates[0] = v[WANTED] - v[SPEED]; }

#include "fmi2.c"
