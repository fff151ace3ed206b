/* Records of a loop; see torquec_record.h. Written by torquec. */
#include "torquec_record.h"

#include <stddef.h>
#include <string.h>

#define SET(place, value) atomic_store_explicit(&(place), (value), memory_order_relaxed)
#define GET(place) atomic_load_explicit(&(place), memory_order_relaxed)

int torquec_bin(uint64_t nanoseconds)
{
    int octave = 0, bin;
    uint64_t rest = nanoseconds;
    if (nanoseconds < 16u) {
        return (int)nanoseconds;
    }
    while (rest >= 32u) {
        rest >>= 1;
        ++octave;
    }
    bin = 16*octave + (int)rest;
    return bin < TORQUEC_BINS ? bin : TORQUEC_BINS - 1;
}

uint64_t torquec_bin_start(int bin)
{
    return bin < 32 ? (uint64_t)bin : (uint64_t)(16 + bin%16) << (bin/16 - 1);
}

void torquec_histogram_count(torquec_histogram *histogram, int64_t nanoseconds)
{
    const uint64_t time = nanoseconds > 0 ? (uint64_t)nanoseconds : 0u;
    const int bin = torquec_bin(time);
    SET(histogram->bins[bin], GET(histogram->bins[bin]) + 1u);
    if (time > GET(histogram->largest)) {
        SET(histogram->largest, time);
    }
}

/* Copy numbers; without numbers, write NaN, as bits that are all one. */
static void put_numbers(int64_t *place, const double *numbers, size_t bytes)
{
    if (numbers != NULL) {
        (void)memcpy(place, numbers, bytes);
    } else {
        (void)memset(place, 0xff, bytes);
    }
}

void torquec_log_put(torquec_log *log, const int64_t *words, int joints, const torquec_sample *sample,
    const double *wanted, const double *tau)
{
    const size_t bytes = (size_t)joints*sizeof(double);
    const uint64_t place = GET(log->written);
    int64_t *entry;
    if (log->capacity == 0u) {
        return;
    }
    if (place - atomic_load_explicit(&log->taken, memory_order_acquire) >= log->capacity) {
        SET(log->dropped, GET(log->dropped) + 1u);
        return;
    }
    entry = log->entries + (place & (log->capacity - 1u))*log->words;
    (void)memcpy(entry, words, TORQUEC_LOG_WORDS*sizeof *entry);
    entry += TORQUEC_LOG_WORDS;
    put_numbers(entry, sample != NULL ? sample->q : NULL, bytes);
    put_numbers(entry + joints, sample != NULL ? sample->qd : NULL, bytes);
    put_numbers(entry + 2*joints, wanted, bytes);
    put_numbers(entry + 3*joints, tau, bytes);
    atomic_store_explicit(&log->written, place + 1u, memory_order_release);
}

uint64_t torquec_log_take(torquec_log *log, int64_t *entries, uint64_t most)
{
    const uint64_t taken = GET(log->taken);
    uint64_t count = atomic_load_explicit(&log->written, memory_order_acquire) - taken, k;
    if (count > most) {
        count = most;
    }
    for (k = 0u; k < count; ++k) {
        (void)memcpy(entries + k*log->words, log->entries + ((taken + k) & (log->capacity - 1u))*log->words,
            (size_t)log->words*sizeof *entries);
    }
    atomic_store_explicit(&log->taken, taken + count, memory_order_release);
    return count;
}
