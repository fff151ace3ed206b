/* Sine s and cosine c of one angle x: single precision is meant for processors without vectors. */
static void @EACH@(@REAL@ x, @REAL@ *s, @REAL@ *c)
{
    const @PAIR@ y = @ONE@(x);
    *s = y.sine;
    *c = y.cosine;
    @FAR@(x, s, c);
}
