/* ---- times of jumps, once or over and over ------------------------------------------------------- */

/* Twin of src/dovetail/models/repeated_jumps.py. Same bits: tests/exporting/test_tables.py. */

/* The time of jump `k`; jumps that come again do so after `-period`, in both directions of time. */
static double jump_at(const double *jumps, int64_t n, double period, int64_t k) {
    if (!n || period >= 0) return k < 0 ? -INFINITY : k < n ? jumps[k] : INFINITY;
    int64_t place = k % n, cycle = k / n;
    if (place < 0) place += n, cycle--;
    return jumps[place] - (double)cycle * period;
}

/* The first jump behind a time. */
static int64_t jump_behind(const double *jumps, int64_t n, double period, double time) {
    int64_t k = n && period < 0 ? ((int64_t)floor((time - jumps[0]) / -period) - 1) * n : 0;
    while (jump_at(jumps, n, period, k) <= time) k++;
    return k;
}
