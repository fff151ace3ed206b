/* Triple buffer: one writer hands whole records to one reader, and neither ever waits. Written by torquec.
 *
 * There are three slots. The writer owns one, the reader owns one, and the third lies between them; each side changes its
 * own slot for the one between with a single atomic exchange. A record is published whole or not at all, the reader
 * always gets the newest one that was published, and none is read while it is written.
 *
 * The slots themselves belong to the caller: slots[buffer.writer] is being written, slots[buffer.reader] is being read.
 * C11: <stdatomic.h>. One thread or interrupt may publish, one other may take.
 */
#ifndef TORQUEC_TRIPLE_BUFFER_H_INCLUDED
#define TORQUEC_TRIPLE_BUFFER_H_INCLUDED

#include <stdatomic.h>

#define TORQUEC_TRIPLE_FRESH 4u /* beside the number of the slot, 0 to 2: it was published and not yet taken */
#define TORQUEC_TRIPLE_SLOT 3u

typedef struct {
    atomic_uint between;
    unsigned writer;
    unsigned reader;
} torquec_triple_buffer;

/* Before the tasks start. */
static inline void torquec_triple_start(torquec_triple_buffer *buffer)
{
    atomic_init(&buffer->between, 1u);
    buffer->writer = 0u;
    buffer->reader = 2u;
}

/* The writer: slots[writer] is complete. Afterwards `writer` is another slot, whose old content means nothing. */
static inline void torquec_triple_publish(torquec_triple_buffer *buffer)
{
    const unsigned fresh = buffer->writer | TORQUEC_TRIPLE_FRESH;
    buffer->writer = atomic_exchange_explicit(&buffer->between, fresh, memory_order_acq_rel) & TORQUEC_TRIPLE_SLOT;
}

/* The reader: 1 when there was a newer record, which is slots[reader] now; 0 when slots[reader] is the newest still. */
static inline int torquec_triple_take(torquec_triple_buffer *buffer)
{
    if ((atomic_load_explicit(&buffer->between, memory_order_relaxed) & TORQUEC_TRIPLE_FRESH) == 0u) {
        return 0;
    }
    buffer->reader =
        atomic_exchange_explicit(&buffer->between, buffer->reader, memory_order_acq_rel) & TORQUEC_TRIPLE_SLOT;
    return 1;
}

#endif /* TORQUEC_TRIPLE_BUFFER_H_INCLUDED */
