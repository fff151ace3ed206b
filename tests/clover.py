"""Clover's tables for tests: small figures here, whole matrices from the shared folder where it is there."""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "oracles" / "clover_tables.json"

ABBREVIATED = """
    M 11    0 0  0  3.643480526 0
    M 11    0 1  0  -0.010956925 0.372123081
    M 11    2 0  0  0.800930601 0
    M 11    2 1  0  -0.010956925 0.372123081
    M 11    2 2  0  -0.149187782 -0.0106736385
    M 12    1 0  0  0.023751 0.690314699
    M 12    1 1  0  -0.1340594295 0
    M 13    1 1  0  -0.1340594295 0
    M 22    0 0  0  4.401760871 0
    M 22    0 1  0  -0.02191385 0.744246162
    M 23    0 0  0  0.333646869 0
    M 23    0 1  0  -0.010956925 0.372123081
    M 33    0 0  0  1.163646869 0
    M 44    0 0  0  0.2 0
    M 55    0 0  0  0.179 0
    M 66    0 0  0  0.193 0
    B 1,12  2 0  0  -0.0141984 -1.601861202
    B 1,12  2 1  0  0.744246162 0.02191385
    B 1,12  2 2  0  -0.021347277 0.298375564
    B 1,13  0 1  0  0.372123081 0.010956925
    B 1,13  2 1  0  0.372123081 0.010956925
    B 1,13  2 2  0  -0.021347277 0.298375564
    B 1,23  1 1  0  0 0.268118859
    B 2,23  0 1  0  0.744246162 0.02191385
    D 12    1 0  0  0.690314699 -0.023751
    D 12    1 1  0  0 0.1340594295
    D 13    1 1  0  0 0.1340594295
    D 21    2 0  0  0 0.800930601
    D 21    2 1  0  -0.372123081 -0.010956925
    D 21    2 2  0  0.0106736385 -0.149187782
    D 23    0 1  0  0.372123081 0.010956925
    D 31    0 1  0  -0.1860615405 0
    D 31    2 1  0  -0.1860615405 0
    D 31    2 2  0  0.0106736385 -0.149187782
    D 32    0 1  0  -0.372123081 -0.010956925
    G 2     1 0  0  -37.2347379 1.024164
    G 2     1 1  0  0.24892875 -8.45420895
    G 2     1 1  1  0 -0.0141264
    G 2     1 1 -1  0 -0.0141264
    G 3     1 1  0  0.24892875 -8.45420895
    G 3     1 1  1  0 -0.0141264
    G 3     1 1 -1  0 -0.0141264
    G 5     1 1  1  0 -0.0141264
    G 5     1 1 -1  0 0.0141264
"""
"""Chapter II, Appendix A: coefficients that the rule of 0.01 keeps, before rounding to four digits, computed from
Armstrong's parameters: matrix, place, multiples of theta2, theta3 and theta5, cosine and sine. M holds the rotors."""

TABLE_III = (
    (-0.0260465621, 0.9924569629, 0.2616124497, 0.2821865536),
    (-0.0316123554, 0.7526196276, 0.1857506398, 0.1858377708),
    (-0.0341466817, 0.7971571548, 0.2115335078, 0.1999924999),
    (-0.0022066498, 0.2748497899, 0.0689628512, 0.0665767088),
    (0.047082438, 0.4306757343, 0.1131338959, 0.1015453723),
    (0.0, 0.0092574832, 0.0025520146, 0.0025043633),
)
"""Chapter II, Table III, computed again at 151 instants: exact minus abbreviated torques [N m]: mean, largest,
mean size and its deviation, joint by joint. What is printed: `torquec.papers.clover_comparisons`."""

TABLE_IV = (0.8719, 0.6746, 0.6223, 0.2839, 0.3059, 0.0073)
"""Chapter II, Table IV, computed again: mean sizes at 12000 random states; 5 % for sampling."""


def appendix_a(letter):
    """The coefficients of a matrix of Appendix A by place, multiples ((joint, k), ..) and whether it is a sine."""
    found = {}
    for line in ABBREVIATED.split("\n"):
        words = line.split()
        if not words or words[0] != letter:
            continue
        multiples = tuple((joint, int(k)) for joint, k in zip((1, 2, 4), words[2:5], strict=True) if int(k))
        cosine, sine = map(float, words[5:])
        found |= {(words[1], multiples, False): cosine} if cosine else {}
        found |= {(words[1], multiples, True): sine} if sine else {}
    return found


def tables():
    """The whole document; skips where there is none."""
    if not SHARED.exists():
        pytest.skip(f"{SHARED.name} is not here")
    return _read()


@functools.cache
def _read():
    return json.loads(SHARED.read_text())


def beside(title, ours, printed):
    """Print ours beside the paper's; shown by `pytest -s`."""
    with np.printoptions(precision=4, suppress=True, linewidth=150):
        sys.stdout.write(f"\n{title}\nours\n{np.asarray(ours)}\nprinted\n{np.asarray(printed)}\n")
