/* Start number `again` of the table: within the joint limits, or around the reference for joints without limits. */
static void begin_again(const double near_q[@N@], int again, double q[@N@])
{
    int i;
    for (i = 0; i < @N@; ++i) {
        q[i] = near_q[i];
        if (moving[i] > 0.0) {
            double low = (lower[i] > (near_q[i] - half[i])) ? lower[i] : (near_q[i] - half[i]);
            double high = (upper[i] < (near_q[i] + half[i])) ? upper[i] : (near_q[i] + half[i]);
            q[i] = low + restart[again][i]*((high > low) ? (high - low) : 0.0);
        }
    }
}

/* Write the only branch into q: iterate from the reference, then from the table's starts, until the pose is met. */
static void solve(const double rotation[9], const double position[3], const double near_q[@N@], int every,
    double q[@P@][@N@])
{
    double error[2];
    int again;
    int i;
    (void)every;
    for (i = 0; i < @N@; ++i) {
        q[0][i] = near_q[i];
    }
    refine(rotation, position, q[0], error);
    for (again = 0; (again < @STARTS@) && !is_met(error); ++again) {
        double other[@N@], other_error[2];
        begin_again(near_q, again, other);
        refine(rotation, position, other, other_error);
        if ((other_error[0] + other_error[1]) < (error[0] + error[1])) {
            for (i = 0; i < @N@; ++i) {
                q[0][i] = other[i];
            }
            error[0] = other_error[0];
            error[1] = other_error[1];
        }
    }
}
