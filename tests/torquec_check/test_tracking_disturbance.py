"""Disturbances over a tube hold those of random robots and motions in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.torquec_check.witnesses import ANGLE, FRAME, TIME, arm, witness

import torquec as tq
from torquec.spatial import PARAMETER_NAMES, Inertia
from torquec_check.affine import Dual
from torquec_check.document import RefusedError
from torquec_check.recursion import robot_torques
from torquec_check.rows import Rows, as_ball
from torquec_check.tracking import problem_of
from torquec_check.tracking_disturbance import (
    _defect,
    _numbers,
    _size,
    _spread,
    _with_rotors,
    applied,
    disturbance,
    solved,
)


def _radii(document):
    return np.array([document["radii"][name] for name in ("position", "speed", "acceleration", "feedback")])


def _plant(rng):
    """A robot of the sets at their ends: bodies, rotors, payload; without friction."""
    bodies = []
    for body in tq.classics.planar2r().bodies:
        m, h, J = 1.0 + 0.01 * rng.choice([-1.0, 1.0], 3)
        part = [m if name == "m" else J if name[0] == "I" else h for name in PARAMETER_NAMES]
        values = [x * s for x, s in zip(body.inertia.parameters, part, strict=True)]
        bodies.append(replace(body, inertia=Inertia(*values)))
    centre = rng.normal(size=3)
    centre *= 0.02 / np.linalg.norm(centre)
    robot = replace(tq.classics.planar2r(), bodies=tuple(bodies), drives=arm().drives)
    return tq.attach_payload(robot, FRAME, mass=rng.choice([0.0, 0.1]), center=centre.tolist())


def test_no_robot_of_the_sets_is_disturbed_more():
    """Accelerations of robots with a torque that is one sample late, at states in the tube and at its edges."""
    document, rng = witness(), np.random.default_rng(4)
    problem, radii = problem_of(document), _radii(document)
    near = np.stack([radii[:, rows].max(axis=1) for rows in problem.recent], axis=1)
    found, nominal = disturbance(problem, near), tq.as_model(arm())
    formula = tq.minimum_jerk([0.0] * 2, [ANGLE] * 2, TIME)
    plants = [tq.as_model(_plant(rng)) for _ in range(6)]
    worst = most = 0.0
    for _ in range(120):
        k = int(rng.integers(3, 13))
        t = rng.uniform(*problem.cells[k]) * problem.loop.period
        sample = (np.floor(t / problem.loop.period) - 1) * problem.loop.period
        now, then = formula.at(t), formula.at(sample)
        off = [near[row, k] * rng.choice([-1.0, 1.0, 0.5], 2) for row in range(4)]
        q, qd, push = now.q + off[0], now.qd + off[1], now.qdd + off[2]
        seen = q - (t - sample) * qd + 1e-5 * rng.choice([-1.0, 1.0], 2), qd - (t - sample) * push
        tau = nominal.inverse_dynamics(*seen, then.qdd + off[3])
        plant = plants[rng.integers(6)]
        qdd = np.linalg.solve(plant.mass_matrix(q), tau - plant.inverse_dynamics(q, qd, np.zeros(2)))
        w = np.abs(qdd - now.qdd - off[3])
        assert np.all(w <= found.level[k])
        worst = max(worst, float((w / found.level[k]).max()))
        torque = np.abs(nominal.inverse_dynamics(*seen, then.qdd))
        assert np.all(torque <= found.reference_torque[k])
        most = max(most, float((torque / found.reference_torque[k]).max()))
    assert worst > 0.2
    assert most > 0.7


def test_a_mean_speed_is_not_the_speed_at_which_torques_are_evaluated(monkeypatch):
    """They have deviations of their own: equal ones would cancel what does not cancel in a motion."""
    document, boxes = witness(), []
    problem, radii = problem_of(document), _radii(document)

    def recorded(robot, box, moments=None):
        boxes.append(box)
        return robot_torques(robot, box, moments)

    monkeypatch.setattr("torquec_check.tracking_disturbance.robot_torques", recorded)
    disturbance(problem, radii)
    changed = next(box for box in boxes if isinstance(box.q[0], Dual))
    speeds = {int(k) for rate in changed.qd for k in np.flatnonzero(rate.value.lin.any(axis=1))}
    means = {int(k) for place in changed.q for k in np.flatnonzero(place.slope.lin.any(axis=1))}
    assert len(speeds) == 2
    assert not speeds & means


@pytest.mark.parametrize(("rise", "speed"), [(0.0, 0.3), (0.02, 0.0), (0.0, 0.0)])
@pytest.mark.parametrize("share", [0.7, 0.1])
def test_a_filtered_difference_misses_jumps_of_the_reference(rise, speed, share):
    """The law has differences of positions and the reference's own speed. Where jumps did not count, 6.8e-6 rad was
    proven of a loop that is simulated at 1.3e-5 rad.
    """
    document = witness(uncertain=False)
    rows = [[[0.0, 0.0], [rise, 0.0]], [[0.0, 0.0], [0.1 * speed, 0.0]], *[[[0.0, 0.0], [0.0, 0.0]]] * 4]
    document["reference"] = {"breaks": [0.0, 0.02, 0.12], "coefficients": rows}
    document["loop"]["speed_filter"] = [share] * 2
    problem, T = problem_of(document | {"cells": [60, 1]}), document["loop"]["period"]
    seen = last = missed = 0.0
    for t in np.arange(0.0, 0.4, T):
        place = 0.0 if t < 0.02 else rise + speed * min(t - 0.02, 0.1)
        seen, last = seen + share * ((place - last) / T - seen), place
        missed = max(missed, abs((speed if 0.02 <= t < 0.12 else 0.0) - seen))
    found = disturbance(problem, np.full((4, 2, 2), 1e-9)).in_speed
    damping = problem.loop.damping[0]
    assert damping * missed <= found[:, 0].min() <= 3.0 * damping * missed + 1e-6
    assert np.all(found[:, 1] < 1e-6)


def test_rotors_are_part_of_the_torque_of_the_reference():
    """Their torques are not those of bodies: without gravity, and heavy, they are nearly all of it."""
    document = witness()
    document["robot_document"]["gravity"] = [0.0, 0.0, 0.0]
    for motor in document["robot_document"]["drives"]["motors"]:
        motor["rotor_inertia"] *= 1000.0
    problem, radii = problem_of(document), _radii(document)
    found = disturbance(problem, 1e-6 * radii).reference_torque.max(axis=0)
    peak = ANGLE * 10.0 / 3.0**0.5 / TIME**2
    assert np.all(found > np.array([100.0, 50.0]) * peak)
    assert np.all(found < np.array([100.0, 50.0]) * peak * 1.1)


def test_the_solution_of_an_inequality():
    robot = problem_of(witness()).robot
    D = np.array([[[0.1, 0.2], [0.3, 0.1]]])
    y = solved(D, np.array([[1.0, 2.0]]), robot)
    assert np.all(np.array([1.0, 2.0]) + D[0] @ y[0] <= y[0])
    np.testing.assert_allclose(y[0], np.linalg.solve(np.eye(2) - D[0], [1.0, 2.0]), rtol=1e-6)
    for wrong in (np.array([[[0.9, 0.2], [0.3, 0.9]]]), np.full((1, 2, 2), np.nan), np.eye(2)[None]):
        with pytest.raises(RefusedError, match="singular"):
            solved(wrong, np.array([[1.0, 2.0]]), robot)


U = 2.0**-53


def _random(rng, rows=2, columns=2, count=3, deviations=5):
    shape = (count, rows, columns)
    return rng.normal(size=shape), rng.normal(size=(count, deviations, rows, columns)), rng.random(shape)


def test_sizes_of_products_keep_their_numbers():
    """|R mid| + |R lin| + |R| rad, deviations of a ball by their Euclidean norm, and 8 (n + 2) u of all terms."""
    rng = np.random.default_rng(0)
    mid, lin, rad = _random(rng)
    R = rng.normal(size=(3, 2, 2))
    found = _size(R, (mid, lin, rad), (1, 3))
    wanted = np.abs(R @ mid) + np.abs(R) @ rad
    for k in (0, 2, 4):
        wanted = wanted + np.abs(R @ lin[:, k])
    wanted = wanted + np.hypot(R @ lin[:, 1], R @ lin[:, 3])
    np.testing.assert_allclose(found, wanted, rtol=2e-9)
    assert np.all(found >= wanted * (1 + 0.9e-9))
    nothing = 0.0 * lin, 0.0 * rad
    only = np.abs(R) @ (8.0 * 4.0 * U * np.abs(mid))
    np.testing.assert_allclose(_spread(R, (mid, *nothing), ()), only, rtol=1e-12)
    only = np.abs(R) @ (8.0 * 4.0 * U * np.abs(lin).sum(axis=1))
    none = np.array([[[1.0, 0.0], [0.0, 1.0]]] * 3)
    np.testing.assert_allclose(
        _spread(none, (0.0 * mid, lin, 0.0 * rad), ()) - np.abs(lin).sum(axis=1),
        8.0 * 4.0 * U * np.abs(lin).sum(axis=1),
        atol=1e-15,
    )
    np.testing.assert_allclose(_spread(R, (mid, 0.0 * lin, rad), ()), np.abs(R) @ rad, rtol=1e-12, atol=1e-13)


def test_the_defect_of_an_inverse_keeps_its_numbers():
    rng = np.random.default_rng(1)
    mid, lin, rad = _random(rng)
    R = np.linalg.inv(mid)
    found = _defect(R, (mid, 0.0 * lin, 0.0 * rad))
    wanted = np.abs(np.eye(2) - R @ mid) + np.abs(R) @ (8.0 * 4.0 * U * np.abs(mid)) + 8.0 * U
    np.testing.assert_allclose(found, wanted, rtol=1e-8)
    one = np.eye(2)[None]
    plain = _defect(one, (one, np.zeros((1, 1, 2, 2)), np.zeros((1, 2, 2))))
    np.testing.assert_allclose(plain[0], 8.0 * U + 32.0 * U * np.eye(2), rtol=1e-8)
    wide = _defect(R, (2.0 * mid, 1e-3 * lin, 1e-3 * rad), (0, 1))
    wanted = np.eye(2) + 1e-3 * (np.abs(R) @ rad + np.hypot(R @ lin[:, 0], R @ lin[:, 1]))
    wanted = wanted + 1e-3 * sum(np.abs(R @ lin[:, k]) for k in (2, 3, 4))
    np.testing.assert_allclose(wide, wanted, rtol=1e-8)


def test_a_product_of_magnitudes_is_rounded_up():
    matrix, vector = np.array([[[1.0, 2.0], [3.0, 4.0]]]), np.array([[5.0, 6.0]])
    np.testing.assert_allclose(applied(matrix, vector), [[17.0 * (1 + 1e-9), 39.0 * (1 + 1e-9)]], rtol=1e-14)


def test_a_solution_is_a_little_wider_than_the_equation_asks():
    robot = problem_of(witness()).robot
    D, c = np.array([[[0.5, 0.0], [0.0, 0.75]]]), np.array([[1.0, 0.0]])
    y = solved(D, c, robot)
    assert 2.0 < y[0, 0] < 2.0 * (1 + 1e-7)
    assert 0.0 < y[0, 1] < 1e-298
    near = np.array([[[1.0 - 1e-6, 0.0], [0.0, 0.0]]])
    assert solved(near, c, robot)[0, 0] >= 1e6
    with pytest.raises(RefusedError, match=r"in cell 1 of the tube, at joint joint2"):
        solved(np.stack([D[0], [[0.0, 0.0], [0.0, 1.5]]]), np.ones((2, 2)), robot)


def test_parameters_that_a_body_may_have():
    document = witness()
    problem = problem_of(document)
    (one, two, payload), bodies = problem.deviations, problem.robot.bodies
    for found, body in ((one, bodies[0]), (two, bodies[1])):
        middles, halves = np.array(found).T
        assert not middles.any()
        np.testing.assert_allclose(halves, 0.01 * np.abs(body.inertia), rtol=1e-8)
    assert payload == problem.sets.payload.parameters()
    document["sets"] |= {"payload": None}
    document["sets"]["bodies"] |= {"mass_part": 0.1, "first_moment_part": 0.2, "inertia_part": 0.3}
    found = problem_of(document).deviations
    assert len(found) == 2
    parts = np.array([0.3] * 6 + [0.2] * 3 + [0.1])
    np.testing.assert_allclose(np.array(found[1])[:, 1], parts * np.abs(bodies[1].inertia), rtol=1e-8)
    assert np.all(np.array(found[1])[:, 1] >= parts * np.abs(bodies[1].inertia))


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_the_cells_that_a_torque_has_seen(delay):
    document = witness()
    document["loop"]["delay"] = delay
    document["cells"] = [1, 2, 3, 1, 1, 100, 200]
    problem = problem_of(document)
    for k, ((a, _), rows) in enumerate(zip(problem.cells, problem.recent, strict=True)):
        seen = [j for j, (first, last) in enumerate(problem.cells[: k + 1]) if last > a - delay - 1]
        assert list(range(rows.start, rows.stop)) == seen


@pytest.mark.parametrize(("share", "memory"), [(0.0, 0), (1.0, 40), (0.3, 134)])
def test_the_cells_that_a_filter_remembers(share, memory):
    document = witness()
    document["loop"] |= {"delay": 1, "speed_filter": [share, 0.0 if share == 0.0 else 1.0]}
    document["cells"] = [10, 30, 94, 41, 133, 200]
    problem = problem_of(document)
    values = np.random.default_rng(0).random((6, 2)) * np.array([[9.0], [8.0], [1.0], [2.0], [1.5], [0.5]])
    for k, (a, _) in enumerate(problem.cells):
        seen = [j for j, (_, last) in enumerate(problem.cells[: k + 1]) if last >= a - 1 - memory]
        wanted = values[seen].max(axis=0)
        np.testing.assert_allclose(problem.remembered(values)[k] - wanted, 1e-12 * values.max(axis=0), rtol=1e-3)


def test_numbers_have_deviations_of_their_own():
    found = _numbers(np.array([[1.0, 2.0]]), np.array([[0.5, 0.25]]), 1, 4)
    for k, (number, middle, half) in enumerate(zip(found, (1.0, 2.0), (0.5, 0.25), strict=True)):
        assert number.mid.tolist() == [middle]
        assert number.rad.tolist() == [0.0]
        assert np.flatnonzero(number.lin[:, 0]).tolist() == [1 + k]
        np.testing.assert_allclose(number.lin[1 + k], [half * (1 + 1e-9)], rtol=1e-15)


LOADS = [
    26.9883283962437,
    3.4870829026656,
    31.9902710627779,
    3.47447068819887,
    7.8824732712094,
    0.94557928962195,
    26.9883283962437,
    2.09346629338335,
    20.1064969241727,
    2.08085407891662,
    5.06473411349838,
    0.486519790328963,
]


def test_loads_keep_their_numbers():
    """R, D, and the torques and inertias of deviations, as weighted sums; a payload and bodies, and a payload alone."""
    document, values = witness(), []
    for bodies in (0.01, 0.0):
        document["sets"]["bodies"] = dict.fromkeys(document["sets"]["bodies"], bodies)
        problem = problem_of(document | {"cells": [40, 60, 9]})
        load = disturbance(problem, np.full((4, 3, 2), 1e-2)).load
        arrays = (load.R, load.D, *load.accelerations, *load.torques)
        values += [float((x * (1.0 + np.arange(x.size).reshape(x.shape) % 7)).sum()) for x in arrays]
    np.testing.assert_allclose(values, LOADS, rtol=1e-11)


def test_ends_of_what_is_asked_for():
    document = witness()
    problem = problem_of(document | {"cells": [40, 60, 9]})
    near = np.arange(1.0, 25.0).reshape(4, 3, 2) * 1e-3
    found = disturbance(problem, near)
    for order, radius in ((0, near[0] + 2e-5), (2, near[3] + found.in_speed)):
        low, high = problem.motion.ends[order]
        np.testing.assert_allclose(found.asked[order, 0], low - radius, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(found.asked[order, 1], high + radius, rtol=1e-7, atol=1e-9)
    late = 0.7 * 1e-5 / 0.002 + 1e-9 + problem.loop.speed_lag * problem.remembered(problem.motion.largest(2) + near[2])
    np.testing.assert_allclose(found.asked[1, 1] - problem.motion.ends[1, 1] - near[1], late, rtol=0.0, atol=3e-10)
    assert np.all(found.beyond >= found.in_speed + 2 * 0.002 * problem.motion.largest(3))
    quiet = found.beyond - found.in_speed - 2 * 0.002 * problem.motion.largest(3) - problem.motion.acceleration_jumps
    size = 1.0 + np.abs(problem.motion.ends[2]).max(axis=0) + near[3] + found.in_speed
    np.testing.assert_allclose(
        quiet, 1e-9 * size.max(axis=1, keepdims=True) + np.zeros((3, 2)) + 1e-9 * found.beyond, rtol=2e-2
    )
    np.testing.assert_allclose(found.level, (found.own + found.beyond) * (1 + 1e-9), rtol=1e-14)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_compensated_friction_is_part_of_the_torque_of_the_reference(sign):
    """At both ends of the reference's speeds: rubbing is unequal in the two directions."""
    document, found = witness(), []
    document["reference"]["coefficients"] = (sign * np.array(document["reference"]["coefficients"])).tolist()
    document |= {"cells": [20, 5, 25, 9]}
    near = np.full((4, 4, 2), 1e-3)
    for friction in (document["sets"]["friction"], None):
        document["sets"] |= {"friction": friction, "friction_part": [0.0] * 2, "friction_residual": [0.0] * 2}
        problem = problem_of(document)
        found.append(disturbance(problem, near))
    low, high = problem.motion.ends[1]
    assert low[1].min() > 0.05 or high[1].max() < -0.05
    wanted = np.maximum(np.where(high >= 0.0, 0.2 + 0.2 * high, 0.0), np.where(low <= 0.0, 0.3 - 0.1 * low, 0.0))
    np.testing.assert_allclose(found[0].reference_torque - found[1].reference_torque, wanted, rtol=1e-6)


def test_a_joint_whose_bodies_weigh_nothing_has_its_rotor():
    (push,) = _numbers(np.array([[3.0]]), np.array([[0.5]]), 0, 1)
    found = _with_rotors(Rows({(-1,): as_ball(2.0)}), [push])[()]
    assert found.mid.tolist() == [6.0]
    more = _with_rotors(Rows({(): as_ball(5.0), (-1,): as_ball(2.0)}), [push])[()]
    assert more.mid.tolist() == [11.0]
    assert _with_rotors(Rows(), [push])[()] == 0


def test_the_memory_of_a_filter_is_rounded_up():
    """40/0.7 samples are 58: the first cell ends 59 before the third one, whose torques are a sample late."""
    document = witness()
    document["loop"] |= {"delay": 1, "speed_filter": [0.7, 0.7]}
    document["cells"] = [10, 59, 1, 1]
    problem = problem_of(document)
    found = problem.remembered(np.array([[5.0, 5.0], *[[1.0, 1.0]] * 3]))
    np.testing.assert_allclose(found[:, 0], [5.0, 5.0, 5.0, 1.0], rtol=1e-9)
