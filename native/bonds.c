/* ---- bonds: what passes between ports, window by window ------------------------------------------ */

/* Twin of src/dovetail/junctions/ledger.py, src/dovetail/junctions/bonds.py.
 * Same bits: tests/conformance/test_native_bonds.py. */

/* Ports of all bonds, one after another. `place`: of an input, and of the output beside it. */
typedef struct dt_bonds {
    int32_t n, n_ports;
    const int32_t *ports;    /* by bond */
    const int32_t *is_power; /* by bond: else the flow itself is what counts */
    const int32_t *inputs, *outputs, *sizes, *shows_flow;
    const double *given_gain, *given_offset, *shown_gain, *shown_offset;
    double *begun; /* the outputs of ports where the window began, one after another */
    double *rows;  /* memory from outside: a row per window, NULL if nobody asks */
} dt_bonds;

/* Of each row: size and end of the window, and of each bond what its ports take together at both ends,
 * the same without signs, and at the end. */
enum { BOND_ROW = 2, BOND_COLUMNS = 3, MOST_OF_PORT = 7 };

static inline int32_t bonds_width(const dt_bonds *d) { return BOND_ROW + BOND_COLUMNS * d->n; }

static const int32_t *places_of_ports(reader *s, const char *name, const dt_bonds *d, int32_t most) {
    const int32_t *places = wholes(s, name, d->n_ports, 0, most);
    for (int32_t k = 0; k < d->n_ports && !s->failed; k++)
        if (places[k] + (int64_t)d->sizes[k] > most) refuse(s, "'%s' lie where there are none", name);
    return places;
}

static void read_bonds(reader *r, const section *all, dt_batch *b, dt_plan *p) {
    if (!all[SEC_BOND].at) return;
    reader s = enter(r, all, SEC_BOND);
    dt_bonds *d = kept_new(b->block, 1, sizeof *d);
    if (!d) {
        no_memory(r);
        return;
    }
    int64_t n = -1;
    d->ports = array_of(&s, "ports", sizeof *d->ports, &n);
    if (n < 1 || n > MOST_SIGNALS) refuse(&s, "there are no bonds");
    int64_t all_ports = 0;
    for (int64_t k = 0; k < n && !s.failed; k++) {
        if (d->ports[k] < 1 || d->ports[k] > MOST_SIGNALS) refuse(&s, "a bond has no ports");
        all_ports += d->ports[k];
    }
    if (all_ports > MOST_SIGNALS) refuse(&s, "there are too many ports");
    if (!s.failed) d->n = (int32_t)n, d->n_ports = (int32_t)all_ports;
    d->is_power = wholes(&s, "is_power", d->n, 0, 1);
    d->sizes = wholes(&s, "sizes", d->n_ports, 1, MOST_OF_PORT);
    d->inputs = places_of_ports(&s, "inputs", d, b->n_inputs);
    d->outputs = places_of_ports(&s, "outputs", d, b->n_outputs);
    d->shows_flow = wholes(&s, "shows_flow", d->n_ports, 0, 1);
    d->given_gain = reals(&s, "given_gain", d->n_ports);
    d->given_offset = reals(&s, "given_offset", d->n_ports);
    d->shown_gain = reals(&s, "shown_gain", d->n_ports);
    d->shown_offset = reals(&s, "shown_offset", d->n_ports);
    d->begun = kept_new(b->block, (size_t)d->n_ports * MOST_OF_PORT, sizeof *d->begun);
    if (!d->begun) no_memory(&s);
    leave(r, &s);
    p->bonds = d;
}

/* A window begins with these outputs. */
static void bonds_begin(const dt_bonds *d, const double *outputs) {
    for (int32_t k = 0; k < d->n_ports; k++)
        copy(d->begun + MOST_OF_PORT * k, outputs + d->outputs[k], d->sizes[k]);
}

/* What a port takes. `coefficients`: of its inputs, as powers of a time. */
static double port_takes(const dt_bonds *d, int32_t port, bool power, const double *coefficients,
                    int32_t columns, double since, const double *outputs) {
    double sum = 0;
    for (int32_t i = 0; i < d->sizes[port]; i++, coefficients += columns) {
        double value = coefficients[columns - 1];
        for (int32_t c = columns - 2; c >= 0; c--) value = value * since + coefficients[c];
        double given = d->given_gain[port] * value + d->given_offset[port];
        double shown = d->shown_gain[port] * outputs[i] + d->shown_offset[port];
        sum += power ? given * shown : d->shows_flow[port] ? shown : given;
    }
    return sum;
}

/* It has ended, with inputs along these powers of time: its row. */
static void bonds_end(const dt_bonds *d, const double *inputs, int32_t columns, const double *outputs,
                      double size, double stop, double *row) {
    *row++ = size;
    *row++ = stop;
    for (int32_t k = 0, port = 0; k < d->n; k++) {
        double first = 0, last = 0, moved = 0, left = 0;
        for (int32_t i = 0; i < d->ports[k]; i++, port++) {
            const double *own = inputs + (size_t)d->inputs[port] * (size_t)columns;
            double a = port_takes(d, port, d->is_power[k], own, columns, 0, d->begun + MOST_OF_PORT * port);
            double z = port_takes(d, port, d->is_power[k], own, columns, size, outputs + d->outputs[port]);
            first += a, last += z, moved += fabs(a), left += fabs(z);
        }
        *row++ = first + last;
        *row++ = moved + left;
        *row++ = last;
    }
}
