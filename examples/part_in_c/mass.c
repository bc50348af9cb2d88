/* A part in plain C: a mass that a force pushes. It dials out to a master and is used there as
   docs/protocol.md says, on this machine and without TLS.

       gcc -O2 -o mass mass.c && ./mass 127.0.0.1 4850

   and in Python: dv.load("dovetail://127.0.0.1:4850/mass", listen=True)

   For machines whose numbers are little-endian, which is all that matter here. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELLO = 1, WELCOME = 3, LIST = 16, OPEN, START, BEGIN, OUTPUTS, ADVANCE, CALL };
enum { SNAPSHOT = 23, RESTORE, DROP, CLOSE, DESCRIBE, VALUE = 65, SIGNALS, REACHED, FAILED };
enum { PLAIN = 80, MOST = 65536, KEPT = 64 };

static const char hello[] = "{\"protocol\": [1, 1], \"role\": \"host\", \"parts\": [\"mass\"]}";
static const char list[] = "[{\"name\": \"mass\", \"description\": \"a mass in plain C\"}]";
static const char described[] =
    "{\"description\": {"
    "\"inputs\": [{\"name\": \"force\", \"unit\": \"N\", \"start\": 0.0}],"
    "\"outputs\": [{\"name\": \"x\", \"unit\": \"m\"}, {\"name\": \"v\", \"unit\": \"m/s\"}],"
    "\"parameters\": [{\"name\": \"m\", \"unit\": \"kg\", \"start\": 2.0, \"variability\": \"fixed\"},"
    "                 {\"name\": \"x0\", \"unit\": \"m\", \"start\": 1.0, \"variability\": \"fixed\"}],"
    "\"feedthrough\": {\"x\": [], \"v\": []},"
    "\"capabilities\": {\"can_restore\": true, \"can_evaluate_now\": true},"
    "\"kind\": \"part in C\"}, \"members\": [\"snapshot\", \"restore\"]}";
static const char null[] = "{\"$\":\"tuple\",\"items\":[\"plain\",null]}";
static const char nothing[] = "{\"$\":\"tuple\",\"items\":[\"map\",[]]}";
static const char failed[] =
    "{\"$\":\"map\",\"items\":[[\"class\",\"ValueError\"],[\"said\",\"a part in C does not know this "
    "request\"],[\"facts\",null],[\"family\",\"input\"]]}";

typedef struct {
    char mark[4];
    uint32_t kind;
    uint64_t number, size;
} Head; /* 24 bytes, without gaps */

typedef struct {
    double x, v;
} State;

static double m, x0;
static State now;
static struct {
    uint64_t key; /* 0: free */
    State state;
} kept[KEPT];
static unsigned char data[MOST];

static int receive(int link, void *to, size_t size)
{
    for (size_t had = 0; had < size;) {
        ssize_t more = recv(link, (char *)to + had, size - had, 0);
        if (more <= 0) return 0;
        had += (size_t)more;
    }
    return 1;
}

static int answer(int link, uint32_t kind, uint64_t number, const void *what, size_t size)
{
    static unsigned char frame[sizeof(Head) + MOST];
    Head head = { { 'd', 'v', 'm', '1' }, kind, number, size };
    memcpy(frame, &head, sizeof head);
    memcpy(frame + sizeof head, what, size);
    for (size_t sent = 0; sent < sizeof head + size;) {
        ssize_t more = send(link, frame + sent, sizeof head + size - sent, MSG_NOSIGNAL);
        if (more <= 0) return 0;
        sent += (size_t)more;
    }
    return 1;
}

static int text(int link, uint32_t kind, uint64_t number, const char *said)
{
    return answer(link, kind, number, said, strlen(said));
}

/* The next frame into `data`; 0 if there is none. */
static int frame(int link, Head *head)
{
    if (!receive(link, head, sizeof *head)) return 0;
    if (memcmp(head->mark, "dvm1", 4) || head->size > MOST) return 0;
    return receive(link, data, head->size);
}

static double number_at(size_t place)
{
    double value;
    memcpy(&value, data + place, sizeof value);
    return value;
}

static uint64_t key_at(size_t place)
{
    uint64_t key;
    memcpy(&key, data + place, sizeof key);
    return key;
}

static void start(uint64_t size)
{
    uint32_t count, place;
    m = 2.0, x0 = 1.0;
    memcpy(&count, data + 12, sizeof count);
    for (uint32_t k = 0; k < count && 16 + 16 * (k + 1) <= size; ++k) {
        memcpy(&place, data + 16 + 16 * k, sizeof place);
        if (place == 1) m = number_at(16 + 16 * k + 8); /* place 0 is the input */
        if (place == 2) x0 = number_at(16 + 16 * k + 8);
    }
    now = (State){ x0, 0.0 };
}

/* flags, time, how many, x and v */
static int outputs(int link, uint32_t kind, uint64_t number, double time)
{
    unsigned char found[33] = { 0 };
    uint64_t count = 2;
    memcpy(found + 1, &time, 8);
    memcpy(found + 9, &count, 8);
    memcpy(found + 17, &now, 16);
    return answer(link, kind, number, found, sizeof found);
}

static int advance(int link, const Head *head)
{
    double size = number_at(8), stop = number_at(16), a = number_at(40) / m;
    now.x += size * now.v + size * size * a / 2.0;
    now.v += size * a;
    return outputs(link, REACHED, head->number, stop);
}

static int place_of(uint64_t key)
{
    for (int k = 0; k < KEPT; ++k)
        if (kept[k].key == key) return k;
    return -1;
}

static int keep(int link, const Head *head)
{
    for (size_t at = 0; at + 8 <= head->size; at += 8) {
        int place = place_of(head->kind == SNAPSHOT ? 0 : key_at(at));
        if (place < 0 && head->kind != DROP) return text(link, FAILED, head->number, failed);
        if (place < 0) continue;
        if (head->kind == SNAPSHOT) kept[place].key = key_at(at), kept[place].state = now;
        if (head->kind == RESTORE) now = kept[place].state;
        if (head->kind == DROP) kept[place].key = 0;
    }
    return head->kind == DROP || text(link, VALUE, head->number, null);
}

/* Answer one request; 0 when it is over. */
static int attend(int link, const Head *head)
{
    switch (head->kind) {
    case LIST: return text(link, PLAIN, head->number, list);
    case DESCRIBE:
    case OPEN: return text(link, PLAIN, head->number, described);
    case START: start(head->size); /* and so is BEGIN answered */
    case BEGIN: return text(link, VALUE, head->number, null);
    case OUTPUTS: return outputs(link, SIGNALS, head->number, 0.0);
    case ADVANCE: return advance(link, head);
    case SNAPSHOT:
    case RESTORE:
    case DROP: return keep(link, head);
    case CLOSE: text(link, VALUE, head->number, nothing); return 0;
    }
    return text(link, FAILED, head->number, failed);
}

/* Dial, greet, and be used until the master has no more questions; 0 if nobody is there. */
static int serve(const char *host, int port)
{
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int link = socket(AF_INET, SOCK_STREAM, 0), yes = 1, there;
    Head head;
    inet_pton(AF_INET, host, &place.sin_addr);
    there = connect(link, (struct sockaddr *)&place, sizeof place) == 0;
    setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (there && text(link, HELLO, 0, hello) && frame(link, &head) && head.kind == HELLO
        && frame(link, &head) && head.kind == WELCOME) {
        memset(kept, 0, sizeof kept);
        while (frame(link, &head) && attend(link, &head)) {}
    }
    close(link);
    return there;
}

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s ADDRESS PORT\n", words[0]);
        return 2;
    }
    for (int tries = 0; tries < 100;) { /* dials again after each run; gives up after 10 s */
        if (serve(words[1], atoi(words[2]))) tries = 0;
        else ++tries, usleep(100000);
    }
    return 0;
}
