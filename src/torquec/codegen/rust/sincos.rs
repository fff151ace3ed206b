/// Sine and cosine of one angle, without a branch, an integer or a table.
///
/// (1) t = x (2/pi), rounded to a whole number by adding and subtracting 1.5 * 2^@BITS@
/// (2) r = x - t (pi/2), |r| <= pi/4; pi/2 is split in three, so that the first products are exact
/// (3) minimax polynomials in z = r^2 give sin r and cos r
/// (4) h = t mod 4, one of -2 .. 2, are the quarter turns left; a and b their cosine and sine
#[inline(always)]
fn sincos_of_one(x: @REAL@) -> (@REAL@, @REAL@) {
    let t: @REAL@ = ((x * @TWO_OVER_PI@) + @ROUND@) - @ROUND@;
    let r: @REAL@ = ((x - (t * @P1@)) - (t * @P2@)) - (t * @P3@);
    let z: @REAL@ = r * r;
    let zz: @REAL@ = z * z;
    let sine: @REAL@ = r + ((r * z) * @S_OF_Z@);
    let cosine: @REAL@ = 1.0 + (z * (-0.5 + (z * @C_OF_Z@)));
    let h: @REAL@ = t - (4.0 * (((t * 0.25) + @ROUND@) - @ROUND@));
    let a: @REAL@ = 1.0 - h.abs();
    let b: @REAL@ = h * (2.0 - h.abs());
    ((a * sine) + (b * cosine), (a * cosine) - (b * sine))
}

/// Sines and cosines of N angles; the math library computes those beyond @LARGEST@ rad, of infinities and of NaN.
#[inline(always)]
fn sincos<const N: usize>(x: [@REAL@; N]) -> ([@REAL@; N], [@REAL@; N]) {
    let mut s = [0.0; N];
    let mut c = [0.0; N];
    for k in 0..N {
        (s[k], c[k]) = sincos_of_one(x[k]);
    }
    for k in 0..N {
        if !(x[k].abs() <= @LARGEST@) {
            (s[k], c[k]) = unsafe { (@SIN@(x[k]), @COS@(x[k])) };
        }
    }
    (s, c)
}
