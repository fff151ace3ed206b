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
from torquec_check.tracking import problem_of
from torquec_check.tracking_disturbance import disturbance, solved


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
    for _ in range(400):
        k = int(rng.integers(3, 18))
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
