"""Tracking errors of a sampled computed-torque law: a tube around a reference that no motion leaves.

The law reads positions and speeds at every sample and asks for a torque, which acts d to d + 1 sampling intervals later
(`tracking_disturbance` has the equations). Then the error obeys edd = -u - w with the feedback u, and |w| <= W in every
cell of time, for all motions in the tube.

(1)  The gains of each joint's loop (`tracking_loop`) turn the W of all intervals into errors at samples; between them
     |e| <= max at both samples + T^2/8 max |edd|, and speeds are below the larger of the two
(2)  The witness states radii of position, speed, acceleration and feedback for every cell. They are a tube if (1), with
     the W of these radii, gives smaller ones, every one: up to the first instant outside all bounds hold, so that the
     motion is strictly inside then. So there is none
(3)  No torque that is asked for exceeds its drive's limit in the tube, or the witness is refused. Where all joints have
     the same gains the loop multiplies M w as it does w: then M(t) w of an earlier time is bounded as M(t) R times the
     torques that act, and M(t) (D |w'| + rest), cell by cell
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from torquec_check.claim import Bound, Claim, Standing, claimed_robot, named, rounded_down, rounded_up
from torquec_check.document import RefusedError, canonical_hash, expect, fields, items, number, numbers
from torquec_check.reference_motion import REMEDY, reference_of
from torquec_check.robot import robot_of
from torquec_check.rows import UNIT, UP, Array
from torquec_check.tracking_disturbance import Disturbance, Problem, applied, disturbance
from torquec_check.tracking_loop import LEAST_SHARE, MOST_DELAY, Loop, cells_of, reached
from torquec_check.tracking_sets import check_plain, listed, sets_of

FORMAT = "torquec tracking witness 1"
_MOST_CELLS, _MOST_LENGTH, _MOST_NUMBERS = 20_000, 200_000, 2_000_000
"""Cells; sampling intervals; cells times joints times bodies: each takes some 2 kB."""


def problem_of(document: Any) -> Problem:
    """The problem of a witness's document; raises `RefusedError` where it is malformed."""
    names = "robot_document model_errors loop sets reference cells efforts start"
    values = fields(document, names, "witness", ignored="format certificate radii claim sha256")
    stated, errors, loop, sets, reference, cells, efforts, start = values
    robot = robot_of(stated)
    check_plain(stated)
    n = robot.n
    lengths = [expect(int, each, "cells") for each in items(cells, "cells")]
    if not lengths or min(lengths) < 1 or len(lengths) > _MOST_CELLS or sum(lengths) > _MOST_LENGTH:
        raise RefusedError("cells: one at least, each of one sampling interval at least", remedy=REMEDY)
    if len(lengths) * n * len(robot.bodies) > _MOST_NUMBERS:
        raise RefusedError("cells: too many for the memory that a robot of so many joints takes", remedy=REMEDY)
    limits = [math.inf if each is None else number(each, "efforts") for each in items(efforts, "efforts", n)]
    begin = [np.array(numbers(each, "start", n)) for each in fields(start, "position speed", "start")]
    wrong = np.array(numbers(errors, "model_errors", n))
    if min(wrong.min(), begin[0].min(), begin[1].min()) < 0.0:
        raise RefusedError("an error of the model or at the start is negative", remedy=REMEDY)
    motion = reference_of(reference, n)
    law = _loop(loop, n)
    if any(law.speed_filter) and (not motion.starts_at_rest or begin[1].any()):
        raise RefusedError("speeds by difference need a start at rest", remedy=REMEDY)
    if cells_of(lengths)[-1][0] * law.period < motion.duration:
        raise RefusedError("the cells end before the reference does", remedy=REMEDY)
    sets_ = sets_of(sets, stated, robot)
    if any(law.speed_filter[k] and sets_.speed_noise[k] for k in range(n)):
        raise RefusedError("a speed is measured and differenced", remedy=REMEDY)
    return Problem(robot, wrong, law, sets_, motion, tuple(cells_of(lengths)), np.array(limits), *begin)


def check_tracking(document: Any) -> Claim:
    """The proven claim of a witness's document; raises `RefusedError` unless its tube is invariant (2)."""
    if document.get("sha256") != canonical_hash({k: v for k, v in document.items() if k != "sha256"}):
        raise RefusedError("the checksum of the witness does not fit: it was changed or damaged", remedy=REMEDY)
    problem = problem_of(document)
    rows = fields(document["radii"], "position speed acceleration feedback", "radii")
    count, n = len(problem.cells), problem.robot.n
    radii = np.array([[numbers(row, "radii", n) for row in items(each, "radii", count)] for each in rows])
    claim = tracking_claim(document, problem, radii)
    if document["claim"] != claim.sentence:
        raise RefusedError("the witness states another claim than the one that it would prove", remedy=REMEDY)
    found, torque = next_radii(problem, radii)
    outside = np.argwhere(~(found < radii))
    if len(outside):
        kind, cell, joint = outside[0]
        what = ("position", "speed", "acceleration", "feedback")[kind]
        raise RefusedError(
            f"the {what} of joint {named(problem.robot.joints[joint])} may leave its tube in cell {cell}: radius "
            f"{radii[kind, cell, joint]:.6g}, reached {found[kind, cell, joint]:.6g}",
            remedy=REMEDY,
        )
    over = np.flatnonzero(~(torque <= problem.efforts))
    if len(over):
        k = over[0]
        raise RefusedError(
            f"the torque of joint {named(problem.robot.joints[k])} may reach {torque[k]:.6g}, its drive gives "
            f"{problem.efforts[k]:.6g}",
            remedy="move more slowly",
        )
    return claim


def tracking_claim(document: Any, problem: Problem, radii: Array) -> Claim:
    """What a witness claims: the largest radii of every joint, under all of its conditions."""
    robot, loop, reference, sets = problem.robot, problem.loop, problem.reference, problem.sets
    units = ["rad" if turns else "m" for turns in robot.turns]
    joints, efforts = robot.joints, ["N m" if turns else "N" for turns in robot.turns]
    rows, (places, rates) = list(zip(joints, units, strict=True)), radii[:2].max(axis=1).tolist()
    bounds = [Bound("tracking_error", joint, x, unit) for (joint, unit), x in zip(rows, places, strict=True)]
    bounds += [Bound("speed_error", joint, x, f"{unit}/s") for (joint, unit), x in zip(rows, rates, strict=True)]
    wrong = zip(problem.model_errors.tolist(), efforts, strict=True)
    model = listed(joints, [f"{rounded_down(x)} {unit}" for x, unit in wrong])
    pairs = zip(loop.stiffness, loop.damping, strict=True)
    law = listed(joints, [f"{p!r} e + {k!r} de/dt" for p, k in pairs])
    by = [(named(j), c) for j, c in zip(joints, loop.speed_filter, strict=True) if c]
    where = "" if len(by) == robot.n else f" of {', '.join(j for j, _ in by)}"
    filters = listed([j for j, _ in by], [repr(c) for _, c in by]) if by else ""
    speeds = f"speeds by difference{where}, zero at the start, filtered by {filters}" if by else ""
    measured = zip(joints, loop.speed_filter, sets.speed_noise.tolist(), strict=True)
    at = [named(j) for j, c, noise in measured if not c and not noise]
    speeds += f"{'; ' if by and at else ''}exact measured speeds of {', '.join(at)}" if at else ""
    ends = zip(reference.ends(last=False)[0][0].tolist(), reference.ends(last=True)[0][-1].tolist(), units, strict=True)
    path = listed(joints, [f"from {a:.6g} to {b:.6g} {unit}" for a, b, unit in ends])
    begin = zip(joints, units, problem.start_position.tolist(), problem.start_speed.tolist(), strict=True)
    off = [(named(j), unit, rounded_down(e), rounded_down(v)) for j, unit, e, v in begin if e or v]
    away = ", ".join(f"{j} {e} {unit} and {v} {unit}/s" for j, unit, e, v in off)
    smooth = f", smoothed over {sets.smoothing!r} rad/s (m/s)" if sets.smoothing else ""
    certificate = document["certificate"]
    if certificate is not None and not re.fullmatch("[0-9a-f]{64}", expect(str, certificate, "certificate")):
        raise RefusedError("certificate: the SHA-256 of a certificate was expected", remedy=REMEDY)
    checked = "" if certificate is None else f" (by the certificate {certificate})"
    limits = zip(problem.efforts.tolist(), efforts, strict=True)
    given = listed(joints, [f"{rounded_up(x)} {unit}" if math.isfinite(x) else "any torque" for x, unit in limits])
    after = f"{loop.delay} sampling interval(s) late, until then the torque that the law asks for at the start"
    digest, about = canonical_hash(document["reference"]), claimed_robot(document["robot_document"])
    conditions = [
        *sets.words(robot.joints, units),
        f"computed torque at the measured state with the feedback {law}",
        f"a model whose torques are right to {model} in the tube{checked}",
        f"friction compensated at the reference's speed{smooth}" if sets.has_friction else "",
        f"drives that can give {given}{'' if sets.has_friction else ' beyond friction'}",
        f"torques held for {loop.period!r} s, {after if loop.delay else 'no delay'}",
        speeds,
        f"along the reference {digest} of {reference.duration:.6g} s, {path}, and at rest after it",
        "starting on the reference" + (f", or no farther from it than {away}" if away else ""),
    ]
    return Claim(Standing.PROVEN, "tracking error", about, tuple(bounds), (), tuple(filter(None, conditions)))


def near_radii(problem: Problem, radii: Array) -> Array:
    """The largest radii (4, N, n) in a cell and in the age of its torques before it."""
    return np.stack([radii[:, rows].max(axis=1) for rows in problem.recent], axis=1)


def next_radii(problem: Problem, radii: Array) -> tuple[Array, Array]:
    """(1): radii (4, N, n) that follow from a tube of `radii`, and the largest torques asked for (n,)."""
    loop, sets, gains = problem.loop, problem.sets, problem.gains
    forced = disturbance(problem, near_radii(problem, radii))
    last, lags = problem.cells[-1][0], len(gains.level) + loop.delay + 2
    of_interval = np.repeat(np.arange(len(problem.cells)), [b - a for a, b in problem.cells[:-1]] + [lags])
    levels, jumps = forced.level[of_interval], problem.motion.jumps
    largest = radii.max(axis=1)
    largest[0] = (largest[0] + sets.offset) * UP
    outputs, free = (reached(gains, loop, each, jumps, largest, sets.noise) for each in (levels, 0.0 * levels))
    found, base = np.zeros_like(radii), np.zeros_like(radii[0])
    for k, (a, b) in enumerate(problem.cells):
        stop = (b if k < len(problem.cells) - 1 else last + lags) + 1
        found[0, k], found[1, k], _ = outputs[a:stop].max(axis=0).T
        found[3, k] = outputs[max(a - loop.delay, 0) : stop, :, 2].max(axis=0)
        base[k] = free[a:stop, :, 2].max(axis=0)
    found[2] = (found[3] + forced.level) * UP
    found[0] = (found[0] + loop.period**2 / 8.0 * found[2] + sets.offset) * UP
    return found, _largest_torques(problem, forced, found[3], base).max(axis=0)


def _largest_torques(problem: Problem, of: Disturbance, u: Array, base: Array) -> Array:
    """The largest torques asked for (N, n): those of the reference and M u, (3) where all joints have the same gains.

    `u` (N, n) bounds the feedback, `base` (N, n) the part of it that no disturbance has.
    """
    loop, gains = problem.loop, problem.gains.level[:, 0, 2]
    mid, spread = np.abs(of.mass[0]), np.abs(of.mass[1]).sum(axis=1) + of.mass[2]
    M = (mid + spread) * UP
    plain = of.reference_torque + applied(M, u + of.in_speed)
    if len({*zip(loop.stiffness, loop.damping, loop.speed_filter, strict=True)}) > 1:
        return plain
    found, count = np.empty_like(plain), len(problem.cells)
    edges = np.array([a for a, _ in problem.cells])
    for k, (a, b) in enumerate(problem.cells):
        stop = b if k < count - 1 else a + len(gains)
        first = max(int(np.searchsorted(edges, a - len(gains), side="right")) - 1, 0)
        R, rows = of.load.R[first : k + 1], slice(first, k + 1)
        step = 8.0 * (R.shape[-1] + 2) * UNIT * (mid[k] @ np.abs(R))
        through = np.abs(of.mass[0][k] @ R) + spread[k] @ np.abs(R) + step
        loose = applied(of.load.D[rows], of.own[rows]) + of.beyond[rows]
        levels = applied(through, of.acting[rows]) + applied(M[k], loose)
        lengths = np.diff(np.append(edges[rows], stop))
        each = np.repeat(levels, lengths, axis=0)[::-1]  # the newest first
        sums = [each[stop - j : stop - j + len(gains)] for j in range(a, stop + 1)]
        heard = np.max([gains[: len(part)] @ part for part in sums], axis=0)
        found[k] = of.reference_torque[k] + heard + applied(M[k], base[k] + of.in_speed[k])
    return np.asarray(np.minimum(plain, found * UP))


def _loop(values: Any, n: int) -> Loop:
    stiffness, damping, period, delay, shares = fields(values, "stiffness damping period delay speed_filter", "loop")
    gains, shares = (numbers(stiffness, "loop", n), numbers(damping, "loop", n)), numbers(shares, "loop", n)
    T, late = number(period, "loop.period"), expect(int, delay, "loop.delay")
    if not T > 0.0 or not 0 <= late <= MOST_DELAY or not all(c == 0.0 or LEAST_SHARE <= c <= 1.0 for c in shares):
        raise RefusedError(
            "loop: the period is positive, the delay at most 20 samples, a filter at most 1", remedy=REMEDY
        )
    return Loop(*gains, T, late, shares)
