/* Sine s and cosine c of one angle x: single precision is for processors that take one number at a time. */
static void @EACH@(@REAL@ x, @REAL@ *s, @REAL@ *c)
{
    const @PAIR@ y = @ONE@(x);
    *s = y.sine;
    *c = y.cosine;
    @FAR@(x, s, c);
}
