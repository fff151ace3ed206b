/* @p@: inverse kinematics by iteration. Written by torquec. How to use it stands in @p@_iteration.h. */

#include "@p@_iteration.h"
#include "@p@.h"

#include <math.h>

@tables@

/* At most @STEPS@ damped Newton steps from q; q becomes the best iterate, and error its pose error. */
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

@solve@
/* Shift q by whole turns next to the reference; compute status, and error by forward kinematics. */
static void finish(const double rotation[9], const double position[3], const double near_q[@N@],
    const double q[@N@], double placed[@N@], double *status, double error[2])
{
    int i;
    @finish@(q, rotation, position, near_q, placed, status, error);
    if (*status != *status) {
        *status = @REACH@; /* an input is NaN */
    }
    for (i = 0; i < @N@; ++i) {
        if (!(fabs(placed[i]) < HUGE_VAL)) {
            placed[i] = near_q[i]; /* the arm stays where it is */
            *status = @REACH@;
        }
    }
}

int @p@_every_pose(const double rotation[9], const double position[3], const double near_q[@N@],
    double q[@P@*@N@], double status[@P@], double error[2*@P@])
{
    double found[@P@][@N@];
    int count = 0;
    int k;
    solve(rotation, position, near_q, 1, found);
    for (k = 0; k < @P@; ++k) {
        finish(rotation, position, near_q, found[k], &q[k*@N@], &status[k], &error[2*k]);
        count += (status[k] < @REACH@) ? 1 : 0;
    }
    return count;
}

int @p@_nearest_branch(const double rotation[9], const double position[3], const double near_q[@N@],
    double q[@N@], int *branch, double *status, double error[2])
{
    double found[@P@][@N@];
    double least = HUGE_VAL;
    int count = 0;
    int i;
    int k;
    solve(rotation, position, near_q, 0, found);
    for (k = 0; k < @P@; ++k) {
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
