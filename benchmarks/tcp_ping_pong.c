/* The limit: a few numbers to another process and back, by TCP on loopback, both sides polling.
 *
 *   tcp_ping_pong ROUNDS
 *
 * Prints the time of a round in seconds: the median of blocks of a hundred. Linux.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EACH = 100, SIZE = 24 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All of a message; 0 if the other side is gone. */
static int take(int link, char *into) {
    for (size_t had = 0; had < SIZE;) {
        ssize_t found = recv(link, into + had, SIZE - had, MSG_DONTWAIT);
        if (found == 0) return 0;
        if (found > 0) had += (size_t)found;
    }
    return 1;
}

int main(int count, char **words) {
    int rounds = count > 1 ? atoi(words[1]) : 20000, yes = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof place;
    char data[SIZE] = { 0 };
    if (bind(listener, (struct sockaddr *)&place, size) || listen(listener, 1)) return 1;
    getsockname(listener, (struct sockaddr *)&place, &size);
    pid_t other = fork();
    int link;
    if (other == 0) {
        link = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(link, (struct sockaddr *)&place, size)) return 1;
        setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        while (take(link, data))
            if (send(link, data, SIZE, MSG_NOSIGNAL) != SIZE) break;
        return 0;
    }
    link = accept(listener, NULL, NULL);
    setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    int blocks = rounds / EACH;
    double *took = calloc((size_t)blocks, sizeof *took);
    for (int b = 0; b < blocks; b++) {
        double begin = now();
        for (int k = 0; k < EACH; k++)
            if (send(link, data, SIZE, 0) != SIZE || !take(link, data)) return 1;
        took[b] = (now() - begin) / EACH;
    }
    qsort(took, (size_t)blocks, sizeof *took, ascending);
    printf("%.9f\n", took[blocks / 2]);
    close(link);
    waitpid(other, NULL, 0);
    return 0;
}
