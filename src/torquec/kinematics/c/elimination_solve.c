/* An interval of the hidden joint's angle on which the eliminant may be zero, and the eliminant at both ends. */
struct cell {
    double low, width, left, right;
    int crossing;
};

struct cells {
    struct cell at[@CELLS@];
    int count;
};

/* The matrix M at an angle of the hidden joint; the eliminant is computed from it. */
static void matrix_at(const double parts[3*@SIZE@*@SIZE@], double angle, double matrix[@SIZE@*@SIZE@])
{
    double c = cos(angle), s = sin(angle);
    int i;
    for (i = 0; i < @SIZE@*@SIZE@; ++i) {
        matrix[i] = parts[i] + c*parts[@SIZE@*@SIZE@ + i] + s*parts[2*@SIZE@*@SIZE@ + i];
    }
}

static double eliminant_at(const double parts[3*@SIZE@*@SIZE@], double angle)
{
    double matrix[@SIZE@*@SIZE@], value;
    matrix_at(parts, angle, matrix);
    @value@(matrix, &value);
    return value;
}

static void keep_cell(struct cells *cells, const struct cell *one)
{
    if (cells->count < @CELLS@) {
        cells->at[cells->count++] = *one;
    }
}

/* Sort the cells between values at low + k step: those with one root into `simple`, those to subdivide into `open`.
   The first and the last cell are left out. */
static void scan(const double f[], int count, double low, double step, struct cells *simple, struct cells *open)
{
    int k;
    for (k = 1; k < count - 2; ++k) {
        double here = f[k + 1] - f[k];
        double before = fabs(here - (f[k] - f[k - 1])), after = fabs((f[k + 2] - f[k + 1]) - here);
        double bend = (before > after) ? before : after;
        double least = (fabs(f[k]) < fabs(f[k + 1])) ? fabs(f[k]) : fabs(f[k + 1]);
        struct cell one;
        one.low = low + k*step;
        one.width = step;
        one.left = f[k];
        one.right = f[k + 1];
        one.crossing = (f[k] >= 0.0) != (f[k + 1] >= 0.0);
        if (one.crossing && (bend <= @STRAIGHT@*fabs(here))) {
            keep_cell(simple, &one);
        } else if (one.crossing || !(least > @CLEAR@*bend)) {
            keep_cell(open, &one);
        }
    }
}

/* The root in a cell by false position (Illinois variant); the middle of the cell if the sign does not change. */
static double root_in(const double parts[3*@SIZE@*@SIZE@], const struct cell *one)
{
    double a = one->low, b = one->low + one->width, fa = one->left, fb = one->right;
    double x = 0.5*(a + b);
    int before = 0; /* end moved last; when it moves again, the value at the other end is halved */
    int k;
    for (k = 0; one->crossing && (k < @FALSE_POSITION@); ++k) {
        double f;
        x = (fb == fa) ? a : (a - fa*(b - a)/(fb - fa));
        f = eliminant_at(parts, x);
        if ((f >= 0.0) == (fa >= 0.0)) {
            a = x;
            fa = f;
            fb *= (before == 1) ? 0.5 : 1.0;
            before = 1;
        } else {
            b = x;
            fb = f;
            fa *= (before == -1) ? 0.5 : 1.0;
            before = -1;
        }
    }
    return x;
}

/* 1 if `other` differs from all solutions so far, apart from whole turns. */
static int is_new(double q[@P@][@N@], int count, const double other[@N@])
{
    int i;
    int k;
    for (k = 0; k < count; ++k) {
        double largest = 0.0;
        for (i = 0; i < @N@; ++i) {
            double apart = other[i] - q[k][i];
            if (turning[i] > 0.0) {
                apart -= @TURN@*floor(apart/@TURN@ + 0.5);
            }
            largest = (fabs(apart) > largest) ? fabs(apart) : largest;
        }
        if (!(largest > @APART@)) {
            return 0;
        }
    }
    return 1;
}

/* Write all solutions into q, then rows of NaN; without a solution, the nearest approach found. */
static void solve(const double rotation[9], const double position[3], const double near_q[@N@], int every,
    double q[@P@][@N@])
{
    double parts[3*@SIZE@*@SIZE@], f[@GRID@ + 3];
    struct cells simple, open[2];
    int count = 0;
    int level;
    int i;
    int k;
    @eliminant@(rotation, position, parts);
    simple.count = 0;
    open[0].count = 0;
    for (k = 0; k < @GRID@; ++k) {
        f[k + 1] = eliminant_at(parts, k*(@TURN@/@GRID@));
    }
    f[0] = f[@GRID@];
    f[@GRID@ + 1] = f[1];
    f[@GRID@ + 2] = f[2];
    scan(f, @GRID@ + 3, -@TURN@/@GRID@, @TURN@/@GRID@, &simple, &open[0]);
    for (level = 0; level < @LEVELS@; ++level) {
        const struct cells *from = &open[level % 2];
        struct cells *to = &open[1 - level % 2];
        to->count = 0;
        for (k = 0; k < from->count; ++k) {
            double part = from->at[k].width/@PARTS@;
            for (i = 0; i < @PARTS@ + 3; ++i) {
                f[i] = eliminant_at(parts, from->at[k].low + (i - 1)*part);
            }
            scan(f, @PARTS@ + 3, from->at[k].low - part, part, &simple, to);
        }
    }
    for (k = 0; k < open[@LEVELS@ % 2].count; ++k) {
        keep_cell(&simple, &open[@LEVELS@ % 2].at[k]);
    }
    for (k = 0; (k < simple.count) && (count < @P@); ++k) {
        double matrix[@SIZE@*@SIZE@], other[@N@], error[2], root = root_in(parts, &simple.at[k]);
        matrix_at(parts, root, matrix);
        @solution@(matrix, &root, rotation, position, near_q, other);
        refine(rotation, position, other, error);
        if (is_met(error) && is_new(q, count, other)) {
            for (i = 0; i < @N@; ++i) {
                q[count][i] = other[i];
            }
            ++count;
        }
    }
    if (count == 0) {
        search_from_starts(rotation, position, near_q, every, q);
        count = 1;
    }
    for (k = count; k < @P@; ++k) {
        for (i = 0; i < @N@; ++i) {
            q[k][i] = NAN;
        }
    }
}
