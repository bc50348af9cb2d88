/* Reads plans, damaged or not, and runs those that the kernel takes, with members that look at every
   reference and value they are given. Compiled with sanitizers: what is read or written out of bounds
   ends the program.

   plan_harness FILE: for each plan the count of members, the size, and the bytes. */

#include "kernel.c"

enum { WINDOWS = 4, MOST_ITERATIONS = 30 };

static double looked_at;

static int set_12(void *c, const uint32_t *r, size_t n, const double *v) {
    (void)c;
    for (size_t k = 0; k < n; k++) looked_at += (double)r[k] + v[k];
    return 0;
}

static int set_3(void *c, const uint32_t *r, size_t n, const double *v, size_t m) {
    (void)c;
    for (size_t k = 0; k < n; k++) looked_at += (double)r[k];
    for (size_t k = 0; k < m; k++) looked_at += v[k];
    return 0;
}

static int get_12(void *c, const uint32_t *r, size_t n, double *v) {
    for (size_t k = 0; k < n; k++) v[k] = (double)(r[k] & 7) + *(double *)c;
    return 0;
}

static int get_3(void *c, const uint32_t *r, size_t n, double *v, size_t m) {
    for (size_t k = 0; k < n; k++) looked_at += (double)r[k];
    for (size_t k = 0; k < m; k++) v[k] = *(double *)c;
    return 0;
}

static int derive_12_in(void *c, const uint32_t *r, size_t n, const int *o, const double *v) {
    (void)c;
    for (size_t k = 0; k < n; k++) looked_at += (double)r[k] + o[k] + v[k];
    return 0;
}

static int step_in_1(void *c, double t, double h, char anew) {
    (void)anew;
    *(double *)c = 0.5 * *(double *)c + t + h;
    return 0;
}

static int step_in_2(void *c, double t, double h, int prior) { return step_in_1(c, t, h, (char)prior); }

static int step_in_3(void *c, double t, double h, bool prior, bool *event, bool *terminate, bool *early,
                     double *last) {
    *event = *terminate = *early = false;
    *last = t + h;
    return step_in_1(c, t, h, prior);
}

static int keep_state(void *c, void **state) {
    if (!*state) *state = malloc(sizeof(double));
    memcpy(*state, c, sizeof(double));
    return 0;
}

static int bring_back(void *c, void *state) {
    memcpy(c, state, sizeof(double));
    return 0;
}

static int let_go(void *c, void **state) {
    (void)c;
    free(*state);
    *state = NULL;
    return 0;
}

static void run_it(dt_batch *b) {
    dt_plan *p = b->plan;
    if (!p) return;
    if (p->iteration && p->iteration->limit > MOST_ITERATIONS) p->iteration->limit = MOST_ITERATIONS;
    size_t in = (size_t)b->n_inputs, out = (size_t)b->n_outputs, width = 1 + (size_t)p->n_recorded;
    size_t columns = p->curves ? (size_t)p->curves->columns : p->iteration ? (size_t)p->iteration->columns : 1;
    double *vectors[11], *outputs = calloc(out ? out : 1, sizeof(double));
    for (int k = 0; k < 11; k++) vectors[k] = calloc(in ? in : 1, sizeof(double));
    double *trial = calloc(in * columns + 1, sizeof(double)), *past = calloc(in * columns + 2 * out + 1, sizeof(double));
    double *lines = calloc(WINDOWS * width, sizeof(double)), *slopes = calloc(out + 1, sizeof(double));
    int32_t known = 0;
    dt_memory m = {
        .inputs = vectors[0], .outputs = outputs, .worst = vectors[1], .when = vectors[2],
        .low = vectors[3], .high = vectors[4], .bend = vectors[5], .bent = vectors[6],
        .off = vectors[7], .way = vectors[8], .turn = vectors[9], .moved = vectors[10],
        .turned = NULL, .trial = trial, .past = past, .slopes = slopes, .known = &known,
    };
    for (int32_t i = 0; i < b->n; i++)
        if (b->members[i].cubic && b->members[i].cubic->substeps > 8) b->members[i].cubic->substeps = 8;
    if (p->iteration && follows_cubics(p->iteration)) m.points = 1, m.times[0] = -.1, m.rows[1] = 1;
    m.turned = calloc(in ? in : 1, sizeof(double));
    dt_stretch single = {0, .1, .1, 0, 1, (int64_t)width};
    dt_stretch many = {.1, .1, .2, 1, WINDOWS - 1, (int64_t)width};
    if (dt_run(b, &m, &single, lines, 1) == 1) dt_run(b, &m, &many, lines + width, 1);
    for (int k = 0; k < 11; k++) free(vectors[k]);
    free(m.turned), free(outputs), free(trial), free(past), free(slopes), free(lines);
}

int main(int count, char **given) {
    FILE *file = count == 2 ? fopen(given[1], "rb") : NULL;
    uint32_t head[2];
    long taken = 0, refused = 0;
    if (!file) return 2;
    while (fread(head, sizeof *head, 2, file) == 2) {
        unsigned char *bytes = malloc(head[1] ? head[1] : 1);
        dt_member *members = calloc(head[0] ? head[0] : 1, sizeof *members);
        double *stands = calloc(head[0] ? head[0] : 1, sizeof *stands);
        char why[160] = "";
        if (fread(bytes, 1, head[1], file) != head[1]) return 2;
        for (uint32_t k = 0; k < head[0]; k++) { /* FMI 1, 2, 3 in turns, as the plans have them */
            int version = 1 + (int)(k % 3);
            members[k] = (dt_member){
                .instance = stands + k,
                .set_real = version == 3 ? (void *)set_3 : (void *)set_12,
                .get_real = version == 3 ? (void *)get_3 : (void *)get_12,
                .do_step = version == 3   ? (void *)step_in_3
                           : version == 2 ? (void *)step_in_2
                                          : (void *)step_in_1,
                .set_derivatives = (void *)derive_12_in,
                .get_state = version > 1 ? (void *)keep_state : NULL,
                .set_state = version > 1 ? (void *)bring_back : NULL,
                .free_state = version > 1 ? (void *)let_go : NULL,
            };
        }
        dt_batch *b = dt_batch_new(bytes, head[1], members, (int32_t)head[0], why, sizeof why);
        bool fits = b != NULL;
        for (uint32_t k = 0; fits && k < head[0]; k++) fits = members[k].version == 1 + (int)(k % 3);
        if (!b && !*why) return 3; /* no word about it */
        taken += b != NULL;
        refused += b == NULL;
        if (fits) run_it(b);
        if (b) dt_batch_free(b);
        free(bytes), free(members), free(stands);
    }
    fclose(file);
    printf("%ld taken, %ld refused\n", taken, refused);
    return 0;
}
