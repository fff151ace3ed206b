/* Sizes and offsets of the structures: callers in other languages compare them with their own first. Written by torquec. */
#include "driver_simulated.h"
#include "torquec_loop.h"

#include <stddef.h>

void torquec_loop_layout(int64_t *sizes);

void torquec_loop_layout(int64_t *sizes)
{
    const size_t places[] = {sizeof(torquec_loop), offsetof(torquec_loop, law), offsetof(torquec_loop, driver),
        offsetof(torquec_loop, counters), offsetof(torquec_loop, log), offsetof(torquec_loop, cycle),
        offsetof(torquec_loop, duration), offsetof(torquec_loop, stop_asked), sizeof(torquec_channel),
        sizeof(torquec_simulated)};
    size_t k;
    for (k = 0; k < sizeof places/sizeof *places; ++k) {
        sizes[k] = (int64_t)places[k];
    }
}
