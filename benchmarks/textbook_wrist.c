/* Textbook inverse kinematics of an arm with a parallel base and a spherical wrist: M. Brandstoetter, A. Angerer,
 * M. Hofbaur, "An analytical solution of the inverse kinematics problem of industrial serial manipulators with an
 * ortho-parallel basis and a spherical wrist", 2014. All eight solutions, as the paper's equations read. */
#include <math.h>

typedef struct { double a1, a2, b, c1, c2, c3, c4; } Geometry;

static const Geometry GEOMETRY = {0.0, -0.0203, 0.14909, 0.0, 0.4318, 0.4318, 0.0};

void textbook_wrist(const double *const *in, double *const *out)
{
    const double *r = in[0], *p = in[1];
    const Geometry g = GEOMETRY;
    double *q = out[0];
    const double cx = p[0] - g.c4 * r[2], cy = p[1] - g.c4 * r[5], cz = p[2] - g.c4 * r[8];
    const double nx1 = sqrt(cx * cx + cy * cy - g.b * g.b) - g.a1;
    const double psi = atan2(cy, cx), side = atan2(g.b, nx1 + g.a1);
    const double t1[2] = {psi - side, psi + side - M_PI};
    const double z = cz - g.c1;
    const double s1 = sqrt(nx1 * nx1 + z * z), s2 = sqrt((nx1 + 2.0 * g.a1) * (nx1 + 2.0 * g.a1) + z * z);
    const double k2 = g.a2 * g.a2 + g.c3 * g.c3, k = sqrt(k2);
    const double u1 = acos((s1 * s1 + g.c2 * g.c2 - k2) / (2.0 * s1 * g.c2));
    const double u2 = acos((s2 * s2 + g.c2 * g.c2 - k2) / (2.0 * s2 * g.c2));
    const double v1 = atan2(nx1, z), v2 = atan2(nx1 + 2.0 * g.a1, z);
    const double t2[4] = {-u1 + v1, u1 + v1, -u2 - v2, u2 - v2};
    const double w1 = acos((s1 * s1 - g.c2 * g.c2 - k2) / (2.0 * g.c2 * k));
    const double w2 = acos((s2 * s2 - g.c2 * g.c2 - k2) / (2.0 * g.c2 * k));
    const double bend = atan2(g.a2, g.c3);
    const double t3[4] = {w1 - bend, -w1 - bend, w2 - bend, -w2 - bend};
    for (int i = 0; i < 4; i++) {
        const double first = t1[i / 2];
        const double sin1 = sin(first), cos1 = cos(first);
        const double s23 = sin(t2[i] + t3[i]), c23 = cos(t2[i] + t3[i]);
        const double m = r[2] * s23 * cos1 + r[5] * s23 * sin1 + r[8] * c23;
        const double t4 = atan2(r[5] * cos1 - r[2] * sin1, r[2] * c23 * cos1 + r[5] * c23 * sin1 - r[8] * s23);
        const double t5 = atan2(sqrt(1.0 - m * m), m);
        const double t6 = atan2(r[1] * s23 * cos1 + r[4] * s23 * sin1 + r[7] * c23,
                                -r[0] * s23 * cos1 - r[3] * s23 * sin1 - r[6] * c23);
        double *row = q + 6 * i, *flip = q + 6 * (i + 4);
        row[0] = flip[0] = first;
        row[1] = flip[1] = t2[i];
        row[2] = flip[2] = t3[i];
        row[3] = t4;
        flip[3] = t4 + M_PI;
        row[4] = t5;
        flip[4] = -t5;
        row[5] = t6;
        flip[5] = t6 - M_PI;
    }
}
