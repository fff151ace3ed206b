/* Hand-overs between two threads: every record whole, none older than one before. Argument: how many. */
#include "triple_buffer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 16

typedef struct {
    unsigned long words[WORDS];
} record;

static torquec_triple_buffer buffer;
static record slots[3];
static unsigned long count;

static void *writer(void *unused)
{
    unsigned long k;
    int w;
    (void)unused;
    for (k = 1; k <= count; ++k) {
        record *own = &slots[buffer.writer];
        for (w = 0; w < WORDS; ++w) {
            own->words[w] = k*(unsigned long)(w + 1);
        }
        torquec_triple_publish(&buffer);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    unsigned long last = 0, taken = 0;
    int w;
    count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000ul;
    torquec_triple_start(&buffer);
    if (pthread_create(&thread, NULL, writer, NULL) != 0) {
        return 2;
    }
    while (last < count) {
        if (torquec_triple_take(&buffer)) {
            const record *own = &slots[buffer.reader];
            const unsigned long now = own->words[0];
            for (w = 0; w < WORDS; ++w) {
                if (own->words[w] != now*(unsigned long)(w + 1)) {
                    printf("torn after %lu\n", last);
                    return 1;
                }
            }
            if (now <= last) {
                printf("backwards: %lu after %lu\n", now, last);
                return 1;
            }
            last = now;
            ++taken;
        }
    }
    (void)pthread_join(thread, NULL);
    printf("%lu published, %lu taken\n", count, taken);
    return 0;
}
