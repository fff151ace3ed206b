/* small: written by torquec. How to use it stands in small.h. */

#include "small.h"

#include <math.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#error "this file needs its sums in their order: compile it without -ffast-math and its parts"
#endif
#if defined(__RECIPROCAL_MATH__)
#error "this file needs its divisions: compile it without -freciprocal-math"
#endif
#if defined(__FINITE_MATH_ONLY__)
#if (__FINITE_MATH_ONLY__ > 0)
#error "this file handles NaN and infinities: compile it without -ffinite-math-only"
#endif
#endif
#if defined(__clang__)
#if (__clang_major__ > 10)
#pragma clang fp reassociate(off)
#endif
#if (__clang_major__ > 17)
#pragma clang fp reciprocal(off)
#endif
#endif

/* Sine and cosine together, without a branch, an integer or a table, so that compilers can evaluate
 * several angles in one vector. At most 1.5 units in the last place wrong for |x| <= 100000.0.
 *
 * (1) t = x (2/pi), rounded to a whole number by adding and subtracting 1.5 * 2^52
 * (2) r = x - t (pi/2), |r| <= pi/4; pi/2 is split in three, so that the first products are exact
 * (3) minimax polynomials in z = r^2 give sin r and cos r
 * (4) h = t mod 4, one of -2 .. 2, are the quarter turns left; a and b their cosine and sine
 */
typedef struct {
    double sine;
    double cosine;
} small_angle;

static inline small_angle small_sincos(double x)
{
    small_angle y;
#if defined(__FLT_EVAL_METHOD__) && ((__FLT_EVAL_METHOD__ < 0) || (__FLT_EVAL_METHOD__ == 2))
    /* The compiler keeps more digits than a double has: (1) would not round. */
    y.sine = sin(x);
    y.cosine = cos(x);
#else
    const double t = ((x*0.6366197723675814) + 6755399441055744.0) - 6755399441055744.0;
    const double r = ((x - (t*1.5707963267923333)) - (t*2.5633441515839558e-12))
        - (t*1.0562999066987428e-23);
    const double z = r*r;
    const double zz = z*z;
    const double s01 = -0.1666666666666663 + (0.00833333333332184*z);
    const double s23 = -0.00019841269829358528 + (2.755731353851466e-06*z);
    const double s45 = -2.505073438942366e-08 + (1.589543330515239e-10*z);
    const double c01 = 0.041666666666666595 + (-0.0013888888888873342*z);
    const double c23 = 2.480158728900208e-05 + (-2.7557314217039046e-07*z);
    const double c45 = 2.0875705396100116e-09 + (-1.1358749246649925e-11*z);
    const double sine = r + ((r*z)*(s01 + (zz*(s23 + (zz*s45)))));
    const double cosine = 1.0 + (z*(-0.5 + (z*(c01 + (zz*(c23 + (zz*c45)))))));
    const double h = t - (4.0*(((t*0.25) + 6755399441055744.0) - 6755399441055744.0));
    const double a = 1.0 - fabs(h);
    const double b = h*(2.0 - fabs(h));
    y.sine = (a*sine) + (b*cosine);
    y.cosine = (a*cosine) - (b*sine);
#endif
    return y;
}

/* Angles beyond 100000.0, infinities and NaN go through math.h. */
static void small_far_sincos(double x, double *s, double *c)
{
    if (!(fabs(x) <= 100000.0)) {
        *s = sin(x);
        *c = cos(x);
    }
}

/* Sines s and cosines c of four angles x. */
static void small_sincos4(const double x[4], double s[4], double c[4])
{
    const small_angle y0 = small_sincos(x[0]);
    const small_angle y1 = small_sincos(x[1]);
    const small_angle y2 = small_sincos(x[2]);
    const small_angle y3 = small_sincos(x[3]);
    /* If the sum of sizes is within the limit, so is each angle. */
    const double most = (fabs(x[0]) + fabs(x[1])) + (fabs(x[2]) + fabs(x[3]));
    s[0] = y0.sine;
    s[1] = y1.sine;
    s[2] = y2.sine;
    s[3] = y3.sine;
    c[0] = y0.cosine;
    c[1] = y1.cosine;
    c[2] = y2.cosine;
    c[3] = y3.cosine;
    if (!(most <= 100000.0)) {
        small_far_sincos(x[0], &s[0], &c[0]);
        small_far_sincos(x[1], &s[1], &c[1]);
        small_far_sincos(x[2], &s[2], &c[2]);
        small_far_sincos(x[3], &s[3], &c[3]);
    }
}

/* The smaller one; NaN when either is. */
static double small_smaller(double a, double b)
{
    return ((a < b) || (a != a)) ? a : b;
}

/* The larger one; NaN when either is. */
static double small_larger(double a, double b)
{
    return ((a > b) || (a != a)) ? a : b;
}

/* every_operation: 2 mul, 6 add, 1 div, 2 sincos, 8 other */
void small_every_operation(const double x[5], const double t[1], const double A[4], double y[6],
    double M[4])
{
    const double v8 = x[0] + x[1];
    const double x0[4] = {v8, v8, v8, v8};
    double s0[4];
    double c0[4];
    small_sincos4(x0, s0, c0);
    const double v11 = t[0]*s0[0];
    const double x1[4] = {v11, v11, v11, v11};
    double s1[4];
    double c1[4];
    small_sincos4(x1, s1, c1);
    const double v15 = (s0[0]*c0[0]) - 0.25;
    const double v18 = s1[0]/(2.0 + c0[0]);
    const double v19 = -x[2];
    const double v21 = sqrt(fabs(x[3]));
    const double v24 = exp((-fabs(x[4])));
    const double v25 = atan2(x[1], x[4]);
    const double v26 = small_smaller(x[0], t[0]);
    const double v27 = small_larger(x[1], t[0]);
    const double v29 = t[0] - x[2];
    const double v30 = (v29 >= 0.0) ? A[1] : A[2];
    y[0] = v15;
    y[1] = v18;
    y[2] = v19;
    y[3] = v21;
    y[4] = v24;
    y[5] = v25;
    M[0] = v26;
    M[1] = v27;
    M[2] = v30;
    M[3] = -1.5;
}
