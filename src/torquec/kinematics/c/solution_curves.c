/* A point on a curve of solutions, its tangent, and the pose that defines the curve. */
struct curve {
    const double *rotation, *position;
    double border[6], point[@N@ + 1], tangent[@N@ + 1];
};

static double least_singular(const double q[@N@], const double rotation[9], const double position[3])
{
    double border[6], tangent[@N@ + 1], gap, least;
    @curve_start@(q, rotation, position, border, tangent, &gap, &least);
    return least;
}

/* Go h along the tangent, and correct back to the curve; returns the error before the last correction. */
static double corrected(const struct curve *on, double h, double moved[@N@ + 1], double along[@N@ + 1])
{
    double missed = HUGE_VAL;
    int i;
    int k;
    for (i = 0; i <= @N@; ++i) {
        moved[i] = on->point[i] + h*on->tangent[i];
    }
    for (k = 0; k < @CORRECTIONS@; ++k) {
        double next[@N@ + 1];
        @curve_step@(moved, on->tangent, on->border, on->rotation, on->position, next, along, &missed);
        for (i = 0; i <= @N@; ++i) {
            moved[i] = next[i];
        }
    }
    return missed;
}

/* 1 if g may touch zero between two points, by the least value of the cubic through values and slopes. */
static int is_unclear(double a, double b, double slope_a, double slope_b)
{
    double least = HUGE_VAL;
    int k;
    if (!((slope_a < 0.0) && (slope_b > 0.0))) {
        return 0;
    }
    for (k = 1; k < 10; ++k) {
        double s = 0.1*k, r = 1.0 - s;
        double cubic = a*(1.0 + 2.0*s)*r*r + slope_a*s*r*r + b*s*s*(3.0 - 2.0*s) - slope_b*s*s*r;
        least = (cubic < least) ? cubic : least;
    }
    return least < 0.25*((a < b) ? a : b);
}

/* Find the solution between the current point and the one h further, by false position. */
static void enclose(const struct curve *on, double h, double other, struct pool *found)
{
    double low = 0.0, high = h, below = on->point[@N@], above = other;
    double moved[@N@ + 1], along[@N@ + 1], error[2];
    int k;
    for (k = 0; k < @ENCLOSING@; ++k) {
        double share = (below*above < 0.0) ? below/(below - above) : 0.5;
        double at = low + share*(high - low);
        (void)corrected(on, at, moved, along);
        if (moved[@N@]*below > 0.0) {
            low = at;
            below = moved[@N@];
            above *= 0.5;
        } else {
            high = at;
            above = moved[@N@];
            below *= 0.5;
        }
    }
    refine(on->rotation, on->position, moved, error);
    (void)add(found, moved, error);
}

/* Follow a curve in one direction; returns 1 if it is closed. */
static int follow(struct curve on, struct pool *found)
{
    double first[@N@ + 1], first_tangent[@N@ + 1];
    double h = @FIRST_STEP@;
    double slope = on.tangent[@N@];
    int begins_met = fabs(on.point[@N@]) < @ON_CURVE@;
    double side = ((begins_met ? slope : on.point[@N@]) < 0.0) ? -1.0 : 1.0;
    int taken = 0, crossed = 0;
    int i;
    int k;
    for (i = 0; i <= @N@; ++i) {
        first[i] = on.point[i];
        first_tangent[i] = on.tangent[i];
    }
    for (k = 0; k < @CURVE_STEPS@; ++k) {
        double moved[@N@ + 1], along[@N@ + 1];
        double missed = corrected(&on, h, moved, along);
        double g = moved[@N@], length = 0.0, cosine = 0.0, back = 0.0;
        int crosses = g*side < 0.0;
        int unclear;
        int is_on;
        for (i = 0; i <= @N@; ++i) {
            length += (moved[i] - on.point[i])*(moved[i] - on.point[i]);
            cosine += along[i]*on.tangent[i];
            back += along[i]*first_tangent[i];
        }
        unclear = !crosses && is_unclear(side*on.point[@N@], side*g, side*h*on.tangent[@N@], side*h*along[@N@]);
        is_on = (missed < @ON_CURVE@) && (cosine > @LARGEST_TURN@) && (sqrt(length) < 1.5*h);
        if (crosses && begins_met && (taken == 0) && (h > 2.0*@LEAST_STEP@)) {
            is_on = 0; /* the interval would contain the solution that the curve starts from */
        }
        if (unclear && (h > @CLOSE_LOOK@)) {
            is_on = 0;
        }
        if (is_on == 0) {
            h *= 0.4;
            if (!(h >= @LEAST_STEP@)) {
                return 0;
            }
            continue;
        }
        if (crosses || unclear) {
            enclose(&on, h, g, found);
            ++crossed;
        }
        side = crosses ? -side : side;
        ++taken;
        for (i = 0; i <= @N@; ++i) {
            on.point[i] = moved[i];
            on.tangent[i] = along[i];
        }
        if ((taken > 8) && (back > 0.8)) {
            double apart = (g - first[@N@])*(g - first[@N@]);
            for (i = 0; i < @N@; ++i) {
                double way = moved[i] - first[i];
                if (turning[i] > 0.0) {
                    way -= 6.283185307179586*floor((way/6.283185307179586) + 0.5);
                }
                apart += way*way;
            }
            if (sqrt(apart) < 0.75*h) {
                return 1;
            }
        }
        if ((fabs(g) > @WIDEST@) || (crossed == @CROSSINGS@)) {
            return 0;
        }
        h = (1.6*h < @LARGEST_STEP@) ? 1.6*h : @LARGEST_STEP@;
    }
    return 0;
}

/* Follow the curve through q in both directions. */
static void search_curve(const double q[@N@], const double rotation[9], const double position[3], struct pool *found)
{
    struct curve on;
    double moved[@N@ + 1], along[@N@ + 1], gap, least;
    int i;
    on.rotation = rotation;
    on.position = position;
    @curve_start@(q, rotation, position, on.border, on.tangent, &gap, &least);
    for (i = 0; i < @N@; ++i) {
        on.point[i] = q[i];
    }
    on.point[@N@] = gap;
    (void)corrected(&on, 0.0, moved, along);
    for (i = 0; i <= @N@; ++i) {
        on.point[i] = moved[i];
        on.tangent[i] = along[i];
    }
    if (follow(on, found) == 0) {
        for (i = 0; i <= @N@; ++i) {
            on.tangent[i] = -on.tangent[i];
        }
        (void)follow(on, found);
    }
}
