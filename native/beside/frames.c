/* ---- frames ----------------------------------------------------------------------------------- */

/* As docs/protocol.md has them; numbers are little-endian, as all machines are that this runs on. */

typedef struct {
    char mark[4];
    uint32_t kind;
    uint64_t number, size;
} frame_head; /* 24 bytes, without gaps */

typedef struct {
    unsigned char *data;
    size_t n, room, at; /* at: how much of it was read */
    bool short_of;      /* of memory, or of what was to be read */
} bytes;

#define MOST_BYTES ((size_t)1 << 32)

static void put(bytes *b, const void *data, size_t n) {
    if (b->room - b->n < n) {
        size_t room = 2 * (b->n + n) + 256;
        unsigned char *more = realloc(b->data, room);
        if (!more) {
            b->short_of = true;
            return;
        }
        b->data = more, b->room = room;
    }
    if (n) memcpy(b->data + b->n, data, n);
    b->n += n;
}

static void put_number(bytes *b, double x) { put(b, &x, sizeof x); }
static void put_count(bytes *b, size_t n) { put(b, &(uint64_t){n}, sizeof(uint64_t)); }

static void put_text(bytes *b, const char *text) {
    put_count(b, text ? strlen(text) : 0);
    if (text) put(b, text, strlen(text));
}

static void take(bytes *b, void *to, size_t n) {
    if (b->short_of || b->n - b->at < n) {
        b->short_of = true;
        memset(to, 0, n);
        return;
    }
    memcpy(to, b->data + b->at, n);
    b->at += n;
}

static double take_number(bytes *b) {
    double x;
    take(b, &x, sizeof x);
    return x;
}

static bool frame_sent(child *c, uint32_t kind, uint64_t number, const bytes *b) {
    frame_head head = {{'d', 'v', 'm', '1'}, kind, number, b->n};
    return child_send(c, &head, sizeof head) && (!b->n || child_send(c, b->data, b->n));
}

static int exactly(child *c, void *to, size_t n, double patience) {
    for (size_t had = 0; had < n;) {
        int waits = child_waits(c, patience);
        if (waits != 1) return waits;
        long more = child_read(c, (char *)to + had, n - had);
        if (more <= 0) return 0;
        had += (size_t)more;
    }
    return 1;
}

/* The next frame: 1; 0: there is none, as it has ended or writes nonsense; -1: too late. */
static int frame_received(child *c, frame_head *head, bytes *b, double patience) {
    int got = exactly(c, head, sizeof *head, patience);
    if (got != 1) return got;
    if (memcmp(head->mark, "dvm1", 4) || head->size > MOST_BYTES) return 0;
    b->n = b->at = 0;
    b->short_of = false;
    if (b->room < head->size + 1) {
        unsigned char *more = realloc(b->data, head->size + 1);
        if (!more) return 0;
        b->data = more, b->room = head->size + 1;
    }
    got = exactly(c, b->data, head->size, patience);
    if (got != 1) return got;
    b->n = head->size;
    b->data[b->n] = 0; /* it may be a text */
    return 1;
}

/* ---- texts in JSON ---- */

static size_t utf8_of(unsigned code, char *to) {
    if (code < 0x80) return to[0] = (char)code, 1;
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6), to[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    to[0] = (char)(0xE0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 63));
    to[2] = (char)(0x80 | (code & 63));
    return 3;
}

/* The text that a key of a plain JSON mapping has; NULL if there is none. Letters beyond the basic plane
 * become two. */
static char *json_text(const char *json, const char *key) {
    char *quoted = joined_text("\"", key, "\"");
    const char *at = quoted ? strstr(json, quoted) : NULL;
    if (at) at = strchr(at + strlen(quoted), ':');
    free(quoted);
    while (at && (*++at == ' ' || *at == '\n')) {}
    if (!at || *at != '"') return NULL;
    char *found = malloc(strlen(at) + 1), *to = found;
    for (at++; found && *at && *at != '"'; at++) {
        unsigned code = 0;
        if (*at != '\\') {
            *to++ = *at;
        } else if (*++at == 'u' && sscanf(at + 1, "%4x", &code) == 1) {
            to += utf8_of(code ? code : ' ', to);
            at += 4;
        } else if (!*at) {
            break;
        } else {
            *to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
        }
    }
    if (found) *to = 0;
    return found;
}
