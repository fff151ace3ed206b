"""The error of the single-precision sine and cosine, float by float, for every choice of fused operations."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from torquec.codegen.sincos import SincosTable

_SOURCE = """\
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 4096
#define SUM(fused, a, b, c) ((fused) ? fmaf(a, b, c) : (a)*(b) + (c))

static float x[N], t[N], r[N], a[N], b[N];
static double s[N], c[N], sine_r[N], cosine_r[N];

static inline void reduce(int k, int fused)
{
    const float w = @round@;
    t[k] = SUM(fused & 1, x[k], @two_over_pi@, w) - w;
    r[k] = (x[k] - t[k]*@p1@) - t[k]*@p2@;
    r[k] = (fused & 2) ? fmaf(-t[k], @p3@, r[k]) : r[k] - t[k]*@p3@;
    const float h = t[k] - 4.0f*((t[k]*0.25f + w) - w);
    a[k] = 1.0f - fabsf(h);
    b[k] = h*(2.0f - fabsf(h));
    /* a and b are whole: sin x and cos x are sin r and cos r but for their signs, in this order or the other. */
    sine_r[k] = a[k]*s[k] - b[k]*c[k];
    cosine_r[k] = a[k]*c[k] + b[k]*s[k];
}

static inline float sine(float r, int fused)
{
    const float z = r*r;
    const float inner = SUM(fused & 2, z*z, @s2@, SUM(fused & 1, @s1@, z, @s0@));
    return SUM(fused & 4, r*z, inner, r);
}

static inline float cosine(float r, int fused)
{
    const float z = r*r;
    const float inner = SUM(fused & 2, z*z, @c2@, SUM(fused & 1, @c1@, z, @c0@));
    return SUM(fused & 8, z, SUM(fused & 4, z, inner, -0.5f), 1.0f);
}

#define TRY(f, exact, fused) { \\
    double most = 0.0; \\
    for (int k = 0; k < N; ++k) { const double e = fabs(f(r[k], fused) - exact[k]); most = e > most ? e : most; } \\
    worst = most > worst ? most : worst; }
#define TRY4(f, exact, from) TRY(f, exact, from) TRY(f, exact, from + 1) TRY(f, exact, from + 2) TRY(f, exact, from + 3)

int main(void)
{
    const float first = 0x1p-13f, last = @largest@;
    uint32_t low, high;
    double worst = 0.0;
    (void)memcpy(&low, &first, 4);
    (void)memcpy(&high, &last, 4);
    for (uint64_t start = low; start <= high; start += (uint64_t)N*@stride@) {
        for (int k = 0; k < N; ++k) {
            const uint64_t at = start + (uint64_t)k*@stride@;
            const uint32_t word = at > high ? high : (uint32_t)at;
            (void)memcpy(&x[k], &word, 4);
            s[k] = sin((double)x[k]);
            c[k] = cos((double)x[k]);
        }
        for (int fused = 0; fused < 4; ++fused) {
            for (int k = 0; k < N; ++k) reduce(k, fused);
            TRY4(sine, sine_r, 0) TRY4(sine, sine_r, 4)
            TRY4(cosine, cosine_r, 0) TRY4(cosine, cosine_r, 4) TRY4(cosine, cosine_r, 8) TRY4(cosine, cosine_r, 12)
        }
    }
    printf("%.17g", worst);
    return 0;
}
"""


def largest_error(folder: Path, table: SincosTable, *, stride: int = 1) -> float:
    """The largest error of sine and cosine at every `stride`-th float from 2^-13 to the largest angle."""
    p1, p2, p3 = table.half_pi_parts
    words = {"round": table.round, "two_over_pi": table.two_over_pi, "largest": table.largest_angle}
    words |= {"p1": p1, "p2": p2, "p3": p3}
    words |= {f"s{k}": value for k, value in enumerate(table.sine)}
    words |= {f"c{k}": value for k, value in enumerate(table.cosine)}
    text = _SOURCE.replace("@stride@", str(stride))
    for word, value in words.items():
        text = text.replace(f"@{word}@", f"{float(np.float32(value))!r}f")
    source, program = folder / "every_float.c", folder / "every_float"
    source.write_text(text)
    options = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]
    subprocess.run(["gcc", *options, str(source), "-lm", "-o", str(program)], check=True)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return float(done.stdout)
