/* Search for more solutions: from poses beside the requested one, and along curves of solutions. */
static void search(const double rotation[9], const double position[3], const double near_q[@N@],
    double ended[@B@][@N@], const int missed[@B@], struct pool *found)
{
    int begun;
    int i;
    int j;
    int k;
    for (k = 0; k < @BESIDES@; ++k) {
        double turned[9], moved[3], begin[@B@*@N@], error[2];
        for (i = 0; i < 3; ++i) {
            for (j = 0; j < 3; ++j) {
                turned[3*i + j] = beside[k][3*i]*rotation[j] + beside[k][3*i + 1]*rotation[3 + j]
                    + beside[k][3*i + 2]*rotation[6 + j];
            }
            moved[i] = position[i] + beside[k][9 + i];
        }
        @start@(turned, moved, near_q, begin);
        for (j = 0; j < @B@; ++j) {
            refine(rotation, position, &begin[j*@N@], error);
            (void)add(found, &begin[j*@N@], error);
        }
    }
    begun = found->count;
@search_curves@
}

/* Write all branches and further solutions into q. Without `every` the reference is another start, and there is no
   further search if any start reached the pose. */
static void solve(const double rotation[9], const double position[3], const double near_q[@N@], int every,
    double q[@P@][@N@])
{
    double begin[@B@*@N@], ended[@B@][@N@], error[2];
    struct pool found;
    int own[@B@], missed[@B@], coincident[@B@], left[@ROOM@];
    int is_open = 0;
    int i;
    int k;
    found.count = 0;
    @start@(rotation, position, near_q, begin);
    for (k = 0; k < @B@; ++k) {
        double least;
        for (i = 0; i < @N@; ++i) {
            ended[k][i] = begin[k*@N@ + i];
        }
        refine(rotation, position, ended[k], error);
        own[k] = add(&found, ended[k], error);
        least = @least@;
        missed[k] = !is_met(error) && (error[0] < @HOPELESS_M@) && (error[1] < @HOPELESS@);
        coincident[k] = is_met(error) && (own[k] < 0) && (least < @APART@);
        if (missed[k] || (is_met(error) && ((own[k] < 0) || (least < @NEARLY_SINGULAR@)))) {
            is_open = 1;
        }
        for (i = 0; i < @N@; ++i) {
            /* A branch that ended at another branch's solution has none of its own, unless the two coincide. */
            q[k][i] = (is_met(error) && (own[k] < 0) && !coincident[k]) ? begin[k*@N@ + i] : ended[k][i];
        }
    }
    if (every == 0) {
        double other[@N@];
        for (i = 0; i < @N@; ++i) {
            other[i] = near_q[i];
        }
        refine(rotation, position, other, error);
        (void)add(&found, other, error);
        is_open = found.count == 0;
    }
    if (is_open) {
        search(rotation, position, near_q, ended, missed, &found);
    }
    for (k = 0; k < @ROOM@; ++k) {
        left[k] = k < found.count;
    }
    for (k = 0; k < @B@; ++k) {
        if (own[k] >= 0) {
            left[own[k]] = 0;
        }
    }
    for (k = 0; k < @P@; ++k) {
        double nearest = HUGE_VAL;
        int choice = -1;
        int j;
        if (k >= @B@) {
            for (i = 0; i < @N@; ++i) {
                q[k][i] = begin[(k % @B@)*@N@ + i];
            }
        } else if ((own[k] >= 0) || coincident[k]) {
            continue;
        }
        for (j = 0; j < found.count; ++j) {
            if (left[j]) {
                double apart = (k < @B@) ? distance(found.q[j], &begin[k*@N@]) : (double)j;
                if (apart < nearest) {
                    nearest = apart;
                    choice = j;
                }
            }
        }
        if (choice >= 0) {
            left[choice] = 0;
            for (i = 0; i < @N@; ++i) {
                q[k][i] = found.q[choice][i];
            }
        }
    }
}
