/* Different solutions of a pose. */
struct pool {
    double q[@ROOM@][@N@];
    int count;
};

static double distance(const double a[@N@], const double b[@N@])
{
    const double turn = 6.283185307179586;
    double largest = 0.0;
    int i;
    for (i = 0; i < @N@; ++i) {
        double apart = a[i] - b[i];
        if (turning[i] > 0.0) {
            apart -= turn*floor((apart/turn) + 0.5);
        }
        largest = (fabs(apart) > largest) ? fabs(apart) : largest;
    }
    return largest;
}

/* Add q if it meets the pose and is new; returns its index, or -1. */
static int add(struct pool *found, const double q[@N@], const double error[2])
{
    int i;
    int k;
    if (!is_met(error) || (found->count == @ROOM@)) {
        return -1;
    }
    for (k = 0; k < found->count; ++k) {
        if (distance(found->q[k], q) < @APART@) {
            return -1;
        }
    }
    for (i = 0; i < @N@; ++i) {
        found->q[found->count][i] = q[i];
    }
    return found->count++;
}
