/* Triple buffer: one writer passes whole records to one reader, and neither ever waits. Written by torquec.
 *
 * There are three slots. The writer owns one, the reader owns one, and the third lies between them. Each side swaps its
 * own slot with the one between by a single atomic exchange. A record is published whole or not at all; the reader
 * always gets the newest published record, and never one that is being written.
 *
 * The caller allocates the slots: the writer fills slots[buffer.writer], the reader reads slots[buffer.reader].
 * Needs C11 (<stdatomic.h>). One thread or interrupt may publish, and one other may take.
 */
#ifndef TORQUEC_TRIPLE_BUFFER_H_INCLUDED
#define TORQUEC_TRIPLE_BUFFER_H_INCLUDED

#include <stdatomic.h>

#define TORQUEC_TRIPLE_FRESH 4u /* flag beside the slot number (0 to 2): published, and not yet taken */
#define TORQUEC_TRIPLE_SLOT 3u

typedef struct {
    atomic_uint between;
    unsigned writer;
    unsigned reader;
} torquec_triple_buffer;

/* Call this before the tasks start. */
static inline void torquec_triple_start(torquec_triple_buffer *buffer)
{
    atomic_init(&buffer->between, 1u);
    buffer->writer = 0u;
    buffer->reader = 2u;
}

/* Writer: publish slots[writer], which is complete. Afterwards `writer` is another slot, with stale content. */
static inline void torquec_triple_publish(torquec_triple_buffer *buffer)
{
    const unsigned fresh = buffer->writer | TORQUEC_TRIPLE_FRESH;
    buffer->writer = atomic_exchange_explicit(&buffer->between, fresh, memory_order_acq_rel) & TORQUEC_TRIPLE_SLOT;
}

/* Reader: returns 1 if there is a newer record, now in slots[reader]; 0 if slots[reader] is still the newest. */
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
