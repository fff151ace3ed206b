"""The C of bounded iterations, with @words@ that :mod:`torquec.kinematics.iteration_text` fills in."""

from __future__ import annotations

FIRST_NEAR = """\
    @start@(rotation, position, near_q, begin, missed);"""
"""Where the branches of a near arm start: at the closed form."""

FIRST_NUMERIC = """\
    for (i = 0; i < @N@; ++i) {
        begin[i] = near_q[i];
    }
    missed[0] = 0.0;"""
"""Where a numeric arm starts: at the reference."""

NEAR_START = """\
/* Start number `again` of a branch: beside the closed form's. */
static void begin_again(const double begin[@N@], const double near_q[@N@], int branch, int again, double q[@N@])
{
    int i;
    (void)near_q;
    for (i = 0; i < @N@; ++i) {
        q[i] = begin[i] + moving[i]*restart[again*@B@ + branch][i];
    }
}"""
"""How a branch of a near arm starts again."""

NUMERIC_START = """\
/* Start number `again`: anywhere within the limits, or about the reference where there are none. */
static void begin_again(const double begin[@N@], const double near_q[@N@], int branch, int again, double q[@N@])
{
    int i;
    (void)branch;
    for (i = 0; i < @N@; ++i) {
        q[i] = begin[i];
        if (moving[i] > 0.0) {
            double low = (lower[i] > (near_q[i] - half[i])) ? lower[i] : (near_q[i] - half[i]);
            double high = (upper[i] < (near_q[i] + half[i])) ? upper[i] : (near_q[i] + half[i]);
            q[i] = low + restart[again][i]*((high > low) ? (high - low) : 0.0);
        }
    }
}"""
"""How a numeric arm starts again."""

SOURCE = """\
/* @p@: inverse kinematics by iteration. Written by torquec. How to use it stands in @p@_iteration.h. */

#include "@p@_iteration.h"
#include "@p@.h"

#include <math.h>

@tables@

/* At most @STEPS@ damped Newton steps from q, which becomes the best of them; error is what it misses. */
static void refine(const double rotation[9], const double position[3], double q[@N@], double error[2])
{
    double best[@N@];
    double least = HUGE_VAL;
    int i;
    int k;
    for (i = 0; i < @N@; ++i) {
        best[i] = q[i];
    }
    error[0] = HUGE_VAL;
    error[1] = HUGE_VAL;
    for (k = 0; k < @STEPS@; ++k) {
        double moved[@N@], before[2];
        @step@(q, rotation, position, moved, before);
        if ((before[0] + before[1]) < least) {
            least = before[0] + before[1];
            error[0] = before[0];
            error[1] = before[1];
            for (i = 0; i < @N@; ++i) {
                best[i] = q[i];
            }
        }
        if (!((before[0] > @CLOSED@) || (before[1] > @CLOSED@))) {
            break;
        }
        for (i = 0; i < @N@; ++i) {
            q[i] = moved[i];
        }
    }
    for (i = 0; i < @N@; ++i) {
        q[i] = best[i];
    }
}

static int is_met(const double error[2])
{
    return (error[0] <= @MISSED@) && (error[1] <= @MISSED@);
}

/* Whether two positions are one, whole turns aside. */
static int is_same(const double a[@N@], const double b[@N@])
{
    const double turn = 6.283185307179586;
    int i;
    for (i = 0; i < @N@; ++i) {
        double apart = a[i] - b[i];
        if (turning[i] > 0.0) {
            apart -= turn*floor((apart/turn) + 0.5);
        }
        if (!(fabs(apart) < @APART@)) {
            return 0;
        }
    }
    return 1;
}

/* Whether q stands where a branch before `count`, other than `own`, meets the pose. */
static int is_taken(double every[@B@][@N@], double missed[@B@][2], int count, int own, const double q[@N@])
{
    int k;
    for (k = 0; k < count; ++k) {
        if ((k != own) && is_met(missed[k]) && is_same(every[k], q)) {
            return 1;
        }
    }
    return 0;
}

@begin@

static int met_branches(double error[@B@][2])
{
    int count = 0;
    int k;
    for (k = 0; k < @B@; ++k) {
        count += is_met(error[k]);
    }
    return count;
}

/* All branches into q and error; with `every`, those that miss start again although others meet the pose. */
static void solve(const double rotation[9], const double position[3], const double near_q[@N@], int every,
    double q[@B@][@N@], double error[@B@][2])
{
    double begin[@B@*@N@], missed[@B@];
    int again;
    int branch;
    int i;
@first@
    for (branch = 0; branch < @B@; ++branch) {
        for (i = 0; i < @N@; ++i) {
            q[branch][i] = begin[branch*@N@ + i];
        }
        refine(rotation, position, q[branch], error[branch]);
    }
    for (again = 0; again < @STARTS@; ++again) {
        int open = 0;
        if ((every == 0) && (met_branches(error) > 0)) {
            break;
        }
        for (branch = 0; branch < @B@; ++branch) {
            double other[@N@], other_error[2];
            int better;
            int had = is_met(error[branch]);
            if ((had && !is_taken(q, error, branch, branch, q[branch])) || !(missed[branch] < @HOPEFUL@)) {
                continue;
            }
            open = 1;
            begin_again(&begin[branch*@N@], near_q, branch, again, other);
            refine(rotation, position, other, other_error);
            better = !had && ((other_error[0] + other_error[1]) < (error[branch][0] + error[branch][1]));
            if (is_met(other_error)) {
                better = !is_taken(q, error, @B@, branch, other);
            }
            if (better) {
                for (i = 0; i < @N@; ++i) {
                    q[branch][i] = other[i];
                }
                error[branch][0] = other_error[0];
                error[branch][1] = other_error[1];
            }
        }
        if (open == 0) {
            break;
        }
    }
}

/* Whole turns next to the reference, status and error as measured on the arm. */
static void finish(const double rotation[9], const double position[3], const double near_q[@N@],
    const double q[@N@], double placed[@N@], double *status, double error[2])
{
    int i;
    @finish@(q, rotation, position, near_q, placed, status, error);
    if (*status != *status) {
        *status = @REACH@; /* NaN came in */
    }
    for (i = 0; i < @N@; ++i) {
        if (!(fabs(placed[i]) < HUGE_VAL)) {
            placed[i] = near_q[i]; /* the arm stays where it is */
            *status = @REACH@;
        }
    }
}

int @p@_every_pose(const double rotation[9], const double position[3], const double near_q[@N@],
    double q[@B@*@N@], double status[@B@], double error[2*@B@])
{
    double found[@B@][@N@], missed[@B@][2];
    int count = 0;
    int k;
    solve(rotation, position, near_q, 1, found, missed);
    for (k = 0; k < @B@; ++k) {
        finish(rotation, position, near_q, found[k], &q[k*@N@], &status[k], &error[2*k]);
        count += (status[k] < @REACH@) ? 1 : 0;
    }
    return count;
}

int @p@_nearest_branch(const double rotation[9], const double position[3], const double near_q[@N@],
    double q[@N@], int *branch, double *status, double error[2])
{
    double found[@B@][@N@], missed[@B@][2];
    double least = HUGE_VAL;
    int count = 0;
    int i;
    int k;
    solve(rotation, position, near_q, 0, found, missed);
    for (k = 0; k < @B@; ++k) {
        double placed[@N@], state, off[2], cost = 0.0;
        finish(rotation, position, near_q, found[k], placed, &state, off);
        count += (state < @REACH@) ? 1 : 0;
        for (i = 0; i < @N@; ++i) {
            cost += (placed[i] - near_q[i])*(placed[i] - near_q[i]);
        }
        cost += @SEVERE@*((state >= @LIMITS@) ? state : 0.0);
        if ((k == 0) || (cost < least)) {
            least = cost;
            *branch = k;
            *status = state;
            error[0] = off[0];
            error[1] = off[1];
            for (i = 0; i < @N@; ++i) {
                q[i] = placed[i];
            }
        }
    }
    return count;
}
"""
"""The file itself."""
