/* Records of a loop: histograms of times, and a log with one entry for every cycle. Written by torquec.
 *
 * The loop writes, one reader reads, and neither waits: if the reader is late, entries are dropped and counted.
 */
#ifndef TORQUEC_RECORD_H_INCLUDED
#define TORQUEC_RECORD_H_INCLUDED

#include "torquec_guard.h"

#include <stdatomic.h>

/* Bins of a histogram of times: 16 per octave, so that the width of a bin is at most a sixteenth of its time. */
#define TORQUEC_BINS 544

typedef struct {
    _Atomic uint64_t bins[TORQUEC_BINS];
    _Atomic uint64_t largest; /* [ns] */
} torquec_histogram;

void torquec_histogram_count(torquec_histogram *histogram, int64_t nanoseconds);

/* The first nanosecond of a bin; the bin of a time. */
uint64_t torquec_bin_start(int bin);
int torquec_bin(uint64_t nanoseconds);

/* First words of a log entry; then come q, qd, wanted torques and sent torques, one double per joint each. */
enum {
    TORQUEC_LOG_CYCLE,
    TORQUEC_LOG_PLANNED, /* [ns] by the driver's clock, as WOKE */
    TORQUEC_LOG_WOKE,
    TORQUEC_LOG_READ, /* [ns], duration of reading; then of computing and of writing */
    TORQUEC_LOG_COMPUTE,
    TORQUEC_LOG_WRITE,
    TORQUEC_LOG_MODE,
    TORQUEC_LOG_FAULTS,
    TORQUEC_LOG_AGE, /* of the coefficients [ns]; -1 without */
    TORQUEC_LOG_WORDS
};

typedef struct {
    _Atomic uint64_t written;
    _Atomic uint64_t taken;
    _Atomic uint64_t dropped;
    uint64_t capacity; /* entries, a power of two */
    uint64_t words;    /* TORQUEC_LOG_WORDS + 4 joints */
    int64_t *entries;  /* capacity x words */
} torquec_log;

/* Writer: add one entry. Without a sample, q and qd are NaN; without a call of the law, the wanted torques are. */
void torquec_log_put(torquec_log *log, const int64_t *words, int joints, const torquec_sample *sample,
    const double *wanted, const double *tau);

/* Reader: copy up to `most` entries, oldest first; returns their number. */
uint64_t torquec_log_take(torquec_log *log, int64_t *entries, uint64_t most);

#endif /* TORQUEC_RECORD_H_INCLUDED */
