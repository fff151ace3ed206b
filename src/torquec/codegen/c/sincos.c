/* Sine and cosine together, without a branch, an integer or a table, so that compilers can evaluate
 * several angles in one vector. @ACCURACY@ for |x| <= @LARGEST@.
 *
 * (1) t = x (2/pi), rounded to a whole number by adding and subtracting @ROUNDS@
 * (2) r = x - t (pi/2), |r| <= pi/4; pi/2 is split in three, so that the first products are exact
 * (3) minimax polynomials in z = r^2 give sin r and cos r
 * (4) h = t mod 4, one of -2 .. 2, are the quarter turns left; a and b their cosine and sine
 */
typedef struct {
    @REAL@ sine;
    @REAL@ cosine;
} @PAIR@;

static inline @PAIR@ @ONE@(@REAL@ x)
{
    @PAIR@ y;
#if defined(__FLT_EVAL_METHOD__) && @WIDER@
    /* The compiler keeps more digits than a @REAL@ has: (1) would not round. */
    y.sine = @SIN@(x);
    y.cosine = @COS@(x);
#else
    const @REAL@ t = ((x*@TWO_OVER_PI@) + @ROUND@) - @ROUND@;
    const @REAL@ r = ((x - (t*@P1@)) - (t*@P2@))
        - (t*@P3@);
    const @REAL@ z = r*r;
    const @REAL@ zz = z*z;
@POLYNOMIALS@    const @REAL@ sine = r + ((r*z)*@S_OF_Z@);
    const @REAL@ cosine = @UNIT@ + (z*(-@HALF@ + (z*@C_OF_Z@)));
    const @REAL@ h = t - (@FOUR_@*(((t*@QUARTER@) + @ROUND@) - @ROUND@));
    const @REAL@ a = @UNIT@ - @FABS@(h);
    const @REAL@ b = h*(@TWO@ - @FABS@(h));
    y.sine = (a*sine) + (b*cosine);
    y.cosine = (a*cosine) - (b*sine);
#endif
    return y;
}

/* Angles beyond @LARGEST@, infinities and NaN go through math.h. */
static void @FAR@(@REAL@ x, @REAL@ *s, @REAL@ *c)
{
    if (!(@FABS@(x) <= @LARGEST@)) {
        *s = @SIN@(x);
        *c = @COS@(x);
    }
}
