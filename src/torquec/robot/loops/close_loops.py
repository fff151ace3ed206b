"""`close_loops`: a robot with closed loops from a tree and a description of its loops.

Steps: assembly, choice of the independent joints, predictions. A joint that follows another one linearly, as in a
parallelogram, becomes a mimic joint, exact and at no cost; a robot with no other loops is a tree again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.robot.loops.assembly import assembled_position
from torquec.robot.loops.batch import largest_gap, limits, loop_batch
from torquec.robot.loops.closed_loops import ClosedLoops, LoopFile, LoopPrediction
from torquec.robot.loops.closure import LoopElimination, loop_state, moved
from torquec.robot.loops.equations import joint_places, loop_equations
from torquec.robot.loops.independent import DependentChoice, choose_dependent
from torquec.robot.loops.predictions import Tracked, as_guess, fit, influences, newton_steps, track
from torquec.robot.robot import Joint, Mimic, Robot
from torquec.robot.tuning import TUNING


def close_loops(tree: Robot, file: LoopFile) -> Robot:
    """The robot with these loops closed; its state holds the independent joints.

    Raises `RobotFileError` for unknown names, loops that do not close, joints that cannot be independent, and
    mechanisms that cannot move.
    """
    check_loop_names(tree, file)
    with one_thread():
        return _closed(tree, file, assembled_position(tree, file))


def _closed(tree: Robot, file: LoopFile, start: Array, redundant: tuple[int, ...] | None = None) -> Robot:
    """`close_loops` from `start` on; `redundant` are the redundant equations if mimic joints were already made."""
    choice, tracked = _chosen(tree, file, start)
    if choice.pivots and len(choice.pivots) == tree.n:
        raise RobotFileError(
            f"the loops of robot '{tree.name}' leave no joint to move",
            where=tree.source,
            remedy="an over-constrained mechanism moves only with exact lengths: check them, or remove a loop",
        )
    inert = ClosedLoops(
        file, (), _floats(start), (), choice.redundant if redundant is None else redundant, (), (), 0, 1.0
    )
    if not choice.pivots:
        return dataclasses.replace(tree, loops=inert)
    start = tracked.start
    inputs_of = influences(tree, file, choice)
    check_redundant(tree, file, tracked)
    predictions = fit(tree, tracked, inputs_of)
    followers = [each for each in predictions if each.exact and len(each.inputs) == 1 and _is_single(tree, each)]
    if followers:
        return _closed(*_with_mimics(tree, file, followers, start), inert.redundant)
    linear = _linear_components(tree, file, choice, predictions)
    record = dataclasses.replace(
        inert,
        dependent=tuple(
            dict.fromkeys(tree.coordinates[rate].joint.name for _, rate in sorted(choice.pivots, key=_rate))
        ),
        start=_floats(start),
        pivots=tuple(pivot for pivot in choice.pivots if pivot[1] not in linear),
        ranges=tracked.ranges,
    )
    best = record
    for more in TUNING.degree_increases:
        found = predictions if more == 0 else fit(tree, tracked, inputs_of, more=more)
        guesses = (each if each.rate in linear or not each.exact else as_guess(each, tracked, tree) for each in found)
        tried = dataclasses.replace(record, predictions=tuple(guesses))
        robot = dataclasses.replace(tree, loops=tried)
        guessed = np.stack([_broadcast(value, len(tracked.positions)) for value in _guess(robot, tracked)], axis=1)
        steps, landed = newton_steps(tree, file, record.pivots, guessed, tracked)
        coverage = tracked.coverage * landed
        if more == 0 or coverage > best.coverage:
            best = dataclasses.replace(tried, newton_steps=steps, coverage=coverage)
        if landed == 1.0:
            break
    return dataclasses.replace(tree, loops=best)


def _chosen(tree: Robot, file: LoopFile, start: Array) -> tuple[DependentChoice, Tracked]:
    """The choice of dependent joints, and the range that it covers.

    If independent joints near the base cover little of their range, the best conditioned choice is tried, too.
    Raises `RobotFileError` where every choice is singular at the start.
    """
    found: list[tuple[DependentChoice, Tracked]] = []
    for nearly in (TUNING.tied_pivots, 1.0):
        choice = choose_dependent(tree, file, start, nearly=nearly)
        if not choice.pivots or len(choice.pivots) == tree.n:
            return choice, Tracked.nothing(start)
        inputs_of = influences(tree, file, choice)
        _check_whole_joints(tree, choice, inputs_of)
        inputs = sorted({rate for each in inputs_of.values() for rate in each})
        closed = _tightened(tree, file, choice, start)
        if not np.isfinite(closed).all():
            continue  # the chosen equations are singular at the start
        found.append((choice, track(tree, file, choice, closed, inputs)))
        if found[0][1].coverage > TUNING.covered_range:
            break
    if not found:
        at = ", ".join(f"{tree.coordinates[p.rate].name} {start[p.position]:.4g}" for p in joint_places(tree))
        raise RobotFileError(
            f"the loops of robot '{tree.name}' are closed at a singular position ({at}), from which they may move in "
            "several ways",
            where=tree.source,
            remedy="give another position under [start] of the loops file, where no links lie in one line",
        )
    return max(found, key=lambda pair: pair[1].coverage)


def check_loop_names(tree: Robot, file: LoopFile) -> None:
    """Raise `RobotFileError` for frames and joints that the tree does not have, and for frames on one body."""
    joints = {body.joint.name: body.joint for body in tree.bodies}
    frames = {frame.name: frame for frame in tree.frames}
    for loop in file.loops:
        for name in (loop.frame_a, loop.frame_b):
            if name not in frames:
                raise _unknown(tree, f"loop '{loop.name}': there is no frame '{name}'", "frames", frames)
        if frames[loop.frame_a].body == frames[loop.frame_b].body:
            raise RobotFileError(
                f"loop '{loop.name}': the frames '{loop.frame_a}' and '{loop.frame_b}' are on one body",
                where=tree.source,
                remedy="a loop closes between frames of two bodies",
            )
    named = [*(n for c in file.couplings for n in c.names), *file.independent, *(n for n, _ in file.start)]
    for name in named:
        if name not in joints:
            raise _unknown(tree, f"there is no joint '{name}'", "joints", joints)
        if joints[name].kind.nv > 1 and name not in file.independent:
            raise RobotFileError(
                f"joint '{name}' has {joints[name].kind.nv} coordinates",
                where=tree.source,
                remedy="couplings and [start] are about joints that turn or slide",
            )
    followers = [name for name in file.independent if joints[name].mimic is not None]
    if followers:
        raise RobotFileError(
            f"joint '{followers[0]}' follows '{_leader(joints[followers[0]])}': it cannot be independent",
            where=tree.source,
            remedy=f"name '{_leader(joints[followers[0]])}' instead",
        )


def check_record(robot: Robot, loops: ClosedLoops) -> None:
    """Raise `RobotFileError` for a record of loops whose parts do not fit together: a damaged file."""
    tree, equations = robot.tree, len(loops.file.equation_names)
    rates = {coordinate.joint.name for coordinate in tree.coordinates}
    single = {k for k, coordinate in enumerate(tree.coordinates) if coordinate.joint.kind.nv == 1}
    dependent = [k for k, each in enumerate(tree.coordinates) if each.joint.name in loops.dependent]
    spans = {rate for rate, _, half in loops.ranges if half > 0.0}
    fits = (
        set(loops.dependent) <= rates
        and len(loops.start) in ((tree.nq,) if loops.dependent else (0, tree.nq))
        and all(0 <= r < equations for r, _ in loops.pivots)
        and all(0 <= r < equations for r in loops.redundant)
        and sorted(guess.rate for guess in loops.predictions) == dependent
        and sorted(c for _, c in loops.pivots) == sorted(each.rate for each in loops.predictions if not each.exact)
        and all(_fits(guess, single - set(dependent), spans) for guess in loops.predictions)
        and 0 <= loops.newton_steps <= TUNING.newton_steps
    )
    if not fits:
        raise RobotFileError(
            f"the closed loops of robot '{robot.name}' do not fit its joints",
            where=robot.source,
            remedy="load the robot file again",
        )


def _fits(guess: LoopPrediction, inputs: set[int], spans: set[int]) -> bool:
    n = len(guess.inputs)
    shapes = len(guess.powers) == len(guess.coefficients) and all(len(each) == n for each in guess.powers)
    flags = guess.exact or (len(guess.periodic) == n == len(guess.windings) and set(guess.inputs) <= spans)
    small = all(0 <= power <= TUNING.highest_power for each in guess.powers for power in each)
    return shapes and flags and small and set(guess.inputs) <= inputs


def _leader(joint: Joint) -> str:
    assert joint.mimic is not None
    return joint.mimic.joint


def _unknown(tree: Robot, found: str, what: str, names: Iterable[str]) -> RobotFileError:
    return RobotFileError(found, where=tree.source, remedy=f"the {what} of the robot are {', '.join(names)}")


def _tightened(tree: Robot, file: LoopFile, choice: DependentChoice, start: Array) -> Array:
    """The start with the chosen equations closed to rounding, independent joints within their limits."""
    lower, upper = limits(tree)
    dependent = {rate for _, rate in choice.pivots}
    q: list[float] = start.tolist()
    for place in joint_places(tree):
        if place.rate not in dependent:
            q[place.position] = min(max(q[place.position], lower[place.position]), upper[place.position])
    for _ in range(6):
        equations = loop_equations(tree, file, q)
        system = LoopElimination([equation.row for equation in equations], choice.pivots)
        q = [float(x) for x in moved(tree, q, system.solve({r: -equations[r].gap for r, _ in choice.pivots}))]
    return np.array(q)


def _check_whole_joints(tree: Robot, choice: DependentChoice, inputs_of: Mapping[int, tuple[int, ...]]) -> None:
    """Refuse a joint with several coordinates if the loops determine only some of these, or depend on any."""
    dependent = {rate for _, rate in choice.pivots}
    inputs = {rate for each in inputs_of.values() for rate in each}
    for joint in tree.joints:
        own = set(range(tree.joint_index(joint.name), tree.joint_index(joint.name) + joint.kind.nv))
        free = sorted(own - dependent)
        if len(own) > 1 and ((own & dependent and free) or own & inputs):
            names = ", ".join(tree.coordinates[rate].name for rate in free)
            raise RobotFileError(
                f"the loops leave {names} of joint '{joint.name}' ({joint.type}) free, as the spin of a rod between "
                "two ball joints",
                where=tree.source,
                remedy="use two revolute joints in place of a ball joint, or name other joints in 'independent'",
            )


def check_redundant(tree: Robot, file: LoopFile, tracked: Tracked) -> None:
    """Refuse an over-constrained mechanism whose redundant equations do not stay closed in motion."""
    gaps = loop_batch(tree, file, tracked.positions).gaps
    worst, unit, where = max((largest_gap(file, each) for each in gaps), default=(0.0, "m", ""))
    if worst > TUNING.redundant_gap:
        raise RobotFileError(
            f"the loops of robot '{tree.name}' are closed at one position and open by {worst:.3g} {unit} in motion, "
            f"at {where}",
            where=tree.source,
            remedy="an over-constrained mechanism moves only with exact lengths and axes: check those around it",
        )


def _rate(pivot: tuple[int, int]) -> int:
    return pivot[1]


def _is_single(tree: Robot, guess: LoopPrediction) -> bool:
    return tree.coordinates[guess.rate].joint.kind.nv == 1 and tree.coordinates[guess.inputs[0]].joint.kind.nv == 1


def _with_mimics(
    tree: Robot, file: LoopFile, followers: Sequence[LoopPrediction], start: Array
) -> tuple[Robot, LoopFile, Array]:
    """The tree with these rates as mimic joints, the file, and the start of the remaining joints."""
    at = {place.rate: place.position for place in joint_places(tree)}
    mimics: dict[str, Mimic] = {}
    for each in followers:
        slope, leader = each.coefficients[0], each.inputs[0]
        offset = float(start[at[each.rate]] - slope * start[at[leader]])
        mimics[tree.coordinates[each.rate].name] = Mimic(tree.coordinates[leader].name, slope, _right_angle(offset))
    bodies = []
    for body in tree.bodies:
        mimic = mimics.get(body.joint.name, body.joint.mimic)
        if mimic is not None and mimic.joint in mimics:  # it followed a joint that now follows another
            lead = mimics[mimic.joint]
            mimic = Mimic(lead.joint, mimic.multiplier * lead.multiplier, mimic.multiplier * lead.offset + mimic.offset)
        bodies.append(dataclasses.replace(body, joint=dataclasses.replace(body.joint, mimic=mimic)))
    gone = {each.rate for each in followers}
    rows = []
    for row in tree.drives.transmission:
        folded = list(row)
        for each in followers:
            folded[each.inputs[0]] += each.coefficients[0] * row[each.rate]
        rows.append(tuple(ratio for k, ratio in enumerate(folded) if k not in gone))
    drives = dataclasses.replace(tree.drives, transmission=tuple(rows))
    left = np.delete(start, [at[rate] for rate in gone])
    return dataclasses.replace(tree, bodies=tuple(bodies), drives=drives), file, left


def _linear_components(
    tree: Robot, file: LoopFile, choice: DependentChoice, predictions: Sequence[LoopPrediction]
) -> frozenset[int]:
    """Dependent rates whose whole system of equations has exact linear solutions: it needs no Newton steps."""
    rows = np.abs(loop_batch(tree, file, choice.positions).rows).max(axis=0)
    exact = {each.rate for each in predictions if each.exact}
    group = {rate: {rate} for _, rate in choice.pivots}
    for equation, _ in choice.pivots:
        joined = set().union(*(group[rate] for rate in group if rows[equation, rate] > 1e-9))
        for rate in joined:
            group[rate] = joined
    return frozenset(rate for rate, joined in group.items() if joined <= exact)


def _guess(robot: Robot, tracked: Tracked) -> list[Any]:
    """The tree's position by predictions alone, as arrays over the tracked positions."""
    dependent = () if robot.loops is None else robot.loops.dependent
    own: list[Any] = []
    k = 0
    for joint in robot.tree.joints:
        if joint.name not in dependent:
            own += list(tracked.positions[:, k : k + joint.kind.nq].T)
        k += joint.kind.nq
    return loop_state(robot, own).q


def _broadcast(value: Any, count: int) -> Array:
    return np.broadcast_to(np.asarray(value, dtype=np.float64), count)


def _floats(values: Array) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _right_angle(offset: float) -> float:
    """An offset of a linear relation; made exact if it is a multiple of a right angle up to rounding."""
    quarter = round(offset / (0.5 * math.pi)) * (0.5 * math.pi)
    return quarter if abs(offset - quarter) < 1e-9 else offset
