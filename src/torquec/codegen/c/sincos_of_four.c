/* Sines s and cosines c of four angles x. */
static void @FOUR@(const @REAL@ x[4], @REAL@ s[4], @REAL@ c[4])
{
    const @PAIR@ y0 = @ONE@(x[0]);
    const @PAIR@ y1 = @ONE@(x[1]);
    const @PAIR@ y2 = @ONE@(x[2]);
    const @PAIR@ y3 = @ONE@(x[3]);
    /* If the sum of sizes is within the limit, so is each angle. */
    const @REAL@ most = (@FABS@(x[0]) + @FABS@(x[1])) + (@FABS@(x[2]) + @FABS@(x[3]));
    s[0] = y0.sine;
    s[1] = y1.sine;
    s[2] = y2.sine;
    s[3] = y3.sine;
    c[0] = y0.cosine;
    c[1] = y1.cosine;
    c[2] = y2.cosine;
    c[3] = y3.cosine;
    if (!(most <= @LARGEST@)) {
        @FAR@(x[0], &s[0], &c[0]);
        @FAR@(x[1], &s[1], &c[1]);
        @FAR@(x[2], &s[2], &c[2]);
        @FAR@(x[3], &s[3], &c[3]);
    }
}
