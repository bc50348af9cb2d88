/* ---- untrusted formats ----------------------------------------------------------------------- */

/* No twin: Python has no varargs to print. */

/* printf for messages of FMUs. Some hand over a text with a stray "%" and no arguments at all:
 * "100% sure". The usual printf follows whatever lies there instead; here a string is read only
 * where there is memory, "%n" writes nothing, and what makes no sense stays as it is. */
#include <limits.h>

#define SPEC 48 /* letters of one "%-08.3lf" */
#define ARGUMENTS 64 /* that a message has at the most: behind them the stack may end */

typedef struct {
    char *at, *end; /* room for one more letter and the final zero */
} sink;

static void put(sink *s, const char *text, size_t n) {
    size_t room = (size_t)(s->end - s->at);
    if (n > room) n = room;
    memcpy(s->at, text, n);
    s->at += n;
}

/* A copy of at most `room` - 1 letters of a string, page by page; -1 if there is no memory. */
static long copied(char *out, size_t room, const char *text) {
    size_t n = 0;
    while (n + 1 < room) {
        if (!readable(text + n)) {
            if (!n) return -1;
            break;
        }
        size_t chunk = 4096 - (uintptr_t)(text + n) % 4096;
        if (chunk > room - 1 - n) chunk = room - 1 - n;
        size_t seen = strnlen(text + n, chunk);
        memcpy(out + n, text + n, seen);
        n += seen;
        if (seen < chunk) break;
    }
    out[n] = 0;
    return (long)n;
}

/* Letters of a specification: flags, width, precision, length; where its conversion is. */
static const char *conversion_of(const char *p, int *stars, int *longs, int *size, int *wide) {
    *stars = *longs = *size = *wide = 0;
    p += strspn(p, "-+ #0");
    for (; (*p >= '0' && *p <= '9') || *p == '.' || *p == '*'; p++) *stars += *p == '*';
    for (; *p && strchr("hljztLq", *p); p++) {
        *longs += *p == 'l';
        *longs += 2 * (*p == 'q' || *p == 'j');
        *size += *p == 'z' || *p == 't';
        *wide += *p == 'L';
    }
    return p;
}

/* A specification with each number in it cut to three digits. "%.999999999f" would have the C
 * library write a gigabyte, of which a thousand letters are kept. */
static void shortened(char *spec, const char *message, size_t length) {
    int digits = 0;
    for (; length; length--, message++) {
        if (*message < '0' || *message > '9') digits = 0;
        else if (digits || *message != '0') digits++;
        if (digits <= 3) *spec++ = *message;
    }
    *spec = 0;
}

#define WRITE(value)                                                                               \
    (stars == 2   ? snprintf(piece, sizeof piece, spec, star[0], star[1], value)                   \
     : stars == 1 ? snprintf(piece, sizeof piece, spec, star[0], value)                            \
                  : snprintf(piece, sizeof piece, spec, value))

/* As vsnprintf, without its trust. */
static void formatted(char *out, size_t room, const char *message, va_list arguments) {
    sink s = {out, out + room - 1};
    int taken = 0;
    while (*message && s.at < s.end) {
        size_t plain = strcspn(message, "%");
        put(&s, message, plain);
        message += plain;
        if (!*message) break;
        int stars, longs, size, wide, star[2] = {0, 0}, n = 0;
        const char *last = conversion_of(message + 1, &stars, &longs, &size, &wide);
        size_t length = (size_t)(last - message) + 1;
        int spaced = message[1] == ' ' && !strchr("dieEfFgG", *last);
        if (*last == '%' && length == 2) {
            put(&s, "%", 1);
            message += 2;
            continue;
        }
        if (!*last || !strchr("diouxXcspneEfFgGaA", *last) || spaced || length >= SPEC || stars > 2 ||
            taken + stars >= ARGUMENTS) {
            put(&s, message, 1); /* no specification: a percent sign */
            message++;
            continue;
        }
        char spec[SPEC], piece[1024], text[1024];
        const char *given;
        shortened(spec, message, length);
        taken += stars + 1;
        for (int k = 0; k < stars; k++) star[k] = va_arg(arguments, int) % 1000;
        switch (*last) {
        case 's':
            given = va_arg(arguments, const char *);
            if (longs || copied(text, sizeof text, given ? given : "(null)") < 0)
                put(&s, message, length);
            else
                n = WRITE(text);
            break;
        case 'n': (void)va_arg(arguments, void *); break;
        case 'p': n = WRITE(va_arg(arguments, void *)); break;
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'c':
            if (longs > 1) n = WRITE(va_arg(arguments, long long));
            else if (longs) n = WRITE(va_arg(arguments, long));
            else if (size) n = WRITE(va_arg(arguments, size_t));
            else n = WRITE(va_arg(arguments, int));
            break;
        default:
            if (wide) n = WRITE(LONG_DOUBLE_ARGUMENT(arguments));
            else n = WRITE(va_arg(arguments, double));
        }
        if (n > 0) put(&s, piece, (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1);
        message += length;
    }
    *s.at = 0;
}
