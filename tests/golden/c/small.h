/* small: written by torquec.
 * All operations.
 *
 * Every function is plain C99: no loops, no allocation, no state. It is reentrant, and its arrays
 * may overlap. Units are SI and radians unless a function says otherwise. Arguments are arrays of
 * double: inputs first, outputs last, matrices row by row.
 *
 * DIR is the folder of this package, and holds nothing else. In another folder:
 * Compile:    cc -O3 -march=native -c DIR/small.c
 * Self-test:  cc -O2 DIR/small.c DIR/selftest.c -lm -o selftest && ./selftest
 * or both:    cmake -S DIR -B build && cmake --build build && ctest --test-dir build
 *
 * Add -ffp-contract=off for results that are the same to the last bit at every optimization level;
 * with gcc for a processor that has fused multiply-adds also add -fno-tree-slp-vectorize, because
 * gcc 12 fuses there in spite of the first option. The file refuses -ffast-math and
 * -ffinite-math-only: its sums keep their order, and it handles NaN.
 *
 * The operation counts below (subtractions and sign changes are additions; a sincos is one sine
 * and cosine of one angle) are those of one call.
 */

#ifndef SMALL_H_INCLUDED
#define SMALL_H_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

/* every_operation: 2 mul, 6 add, 1 div, 2 sincos, 8 other
 * SI.
 *   in   x: 5 numbers
 *   in   t: one number
 *   in   A: 2 x 2, row by row
 *   out  y: 6 numbers
 *   out  M: 2 x 2, row by row
 */
void small_every_operation(const double x[5], const double t[1], const double A[4], double y[6],
    double M[4]);

#ifdef __cplusplus
}
#endif

#endif /* SMALL_H_INCLUDED */
