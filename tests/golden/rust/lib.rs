//! small: written by torquec.
//! All operations.
//!
//! Every function is straight-line code: no loops, no allocation, no state, no standard library. Units are SI and radians unless a function says otherwise. Arguments are arrays of f64: inputs first, outputs last, matrices row by row.
//!
//! Results are to the last bit those of the C package compiled with -ffp-contract=off. Self-test: cargo test
//!
//! The operation counts below (subtractions and sign changes are additions; a sincos is one sine and cosine of one angle) are those of one call.

#![no_std]
#![allow(non_snake_case, unused_parens, unused_unsafe, unused_variables)]
#![allow(clippy::all)]

#[cfg_attr(unix, link(name = "m"))]
extern "C" {
    fn sqrt(x: f64) -> f64;
    fn exp(x: f64) -> f64;
    fn atan2(y: f64, x: f64) -> f64;
    fn sin(x: f64) -> f64;
    fn cos(x: f64) -> f64;
}

/// Sine and cosine of one angle, without a branch, an integer or a table.
///
/// (1) t = x (2/pi), rounded to a whole number by adding and subtracting 1.5 * 2^52
/// (2) r = x - t (pi/2), |r| <= pi/4; pi/2 is split in three, so that the first products are exact
/// (3) minimax polynomials in z = r^2 give sin r and cos r
/// (4) h = t mod 4, one of -2 .. 2, are the quarter turns left; a and b their cosine and sine
#[inline(always)]
fn sincos_of_one(x: f64) -> (f64, f64) {
    let t: f64 = ((x * 0.6366197723675814) + 6755399441055744.0) - 6755399441055744.0;
    let r: f64 = ((x - (t * 1.5707963267923333)) - (t * 2.5633441515839558e-12)) - (t * 1.0562999066987428e-23);
    let z: f64 = r * r;
    let zz: f64 = z * z;
    let sine: f64 = r + ((r * z) * (((-0.1666666666666663) + (0.00833333333332184 * z)) + (zz * (((-0.00019841269829358528) + (2.755731353851466e-06 * z)) + (zz * ((-2.505073438942366e-08) + (1.589543330515239e-10 * z)))))));
    let cosine: f64 = 1.0 + (z * (-0.5 + (z * ((0.041666666666666595 + ((-0.0013888888888873342) * z)) + (zz * ((2.480158728900208e-05 + ((-2.7557314217039046e-07) * z)) + (zz * (2.0875705396100116e-09 + ((-1.1358749246649925e-11) * z)))))))));
    let h: f64 = t - (4.0 * (((t * 0.25) + 6755399441055744.0) - 6755399441055744.0));
    let a: f64 = 1.0 - h.abs();
    let b: f64 = h * (2.0 - h.abs());
    ((a * sine) + (b * cosine), (a * cosine) - (b * sine))
}

/// Sines and cosines of N angles; the math library computes those beyond 100000.0 rad, of infinities and of NaN.
#[inline(always)]
fn sincos<const N: usize>(x: [f64; N]) -> ([f64; N], [f64; N]) {
    let mut s = [0.0; N];
    let mut c = [0.0; N];
    for k in 0..N {
        (s[k], c[k]) = sincos_of_one(x[k]);
    }
    for k in 0..N {
        if !(x[k].abs() <= 100000.0) {
            (s[k], c[k]) = unsafe { (sin(x[k]), cos(x[k])) };
        }
    }
    (s, c)
}

/// The smaller one; NaN when either is.
#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger one; NaN when either is.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// every_operation: 2 mul, 6 add, 1 div, 2 sincos, 8 other
/// SI.
///
/// in   x: 5 numbers
/// in   t: one number
/// in   A: 2 x 2, row by row
/// out  y: 6 numbers
/// out  M: 2 x 2, row by row
pub fn every_operation(
    x: &[f64; 5],
    t: &[f64; 1],
    A: &[f64; 4],
    y: &mut [f64; 6],
    M: &mut [f64; 4],
) {
    let v8: f64 = x[0] + x[1];
    let (s0, c0) = sincos([v8]);
    let v11: f64 = t[0]*s0[0];
    let (s1, c1) = sincos([v11]);
    let v15: f64 = (s0[0]*c0[0]) - 0.25;
    let v18: f64 = s1[0]/(2.0 + c0[0]);
    let v19: f64 = -x[2];
    let v21: f64 = (unsafe { sqrt((x[3]).abs()) });
    let v24: f64 = (unsafe { exp((-(x[4]).abs())) });
    let v25: f64 = (unsafe { atan2(x[1], x[4]) });
    let v26: f64 = smaller(x[0], t[0]);
    let v27: f64 = larger(x[1], t[0]);
    let v29: f64 = t[0] - x[2];
    let v30: f64 = if v29 >= 0.0 { A[1] } else { A[2] };
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
