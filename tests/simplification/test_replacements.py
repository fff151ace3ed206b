"""Replacements of steps: what they save is saved, and torques keep the degrees that proofs need."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, motions

from torquec.dynamics.mechanism import mechanism
from torquec.expr import Op, count_operations, evaluate, trace
from torquec.expr.math import sincos
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.refit_constants import values_at
from torquec.simplification.replacements import Replacement, replaced_together, replacements
from torquec.trajectory.motion_box import sampled_motions


def all_of(program, states):
    """All replacements, with changes of torques that favour no step."""
    values = np.stack([np.broadcast_to(v, len(states)) for v in values_at(program, states)])
    n = program.output("tau").size
    return list(replacements(program, values, np.full((n, *values.shape), 0.01)))


@pytest.fixture(scope="module")
def case():
    robot = arm("planar3r")
    return torque_program(mechanism(robot)), sampled_motions(motions(robot), 300)


def test_every_kind_is_found(case):
    program, states = case
    found = all_of(program, states)
    assert any(one.by is None and one.factor != 0.0 for one in found)
    assert any(one.by is None and one.factor == 0.0 for one in found)
    assert any(one.by is not None and abs(one.factor) == 1.0 for one in found)
    assert any(one.by is not None and abs(one.factor) != 1.0 for one in found)


def test_what_is_saved_is_saved(case):
    program, states = case
    before = count_operations(program)
    for one in all_of(program, states)[::5]:
        after = count_operations(replaced_together(program, [one]))
        pairs = 16 * (before.sincos - after.sincos)
        saved = before.mul + before.add - after.mul - after.add
        assert one.saved <= saved + pairs, one


def test_torques_stay_quadratic_in_the_pace(case):
    """With speeds s qd and accelerations s^2 qdd torques are polynomials of degree two in s, whatever is replaced."""
    program, states = case
    some = states[:20]
    for one in all_of(program, states)[::7]:
        shorter = replaced_together(program, [one])
        paces = [
            evaluate(shorter, {"q": some[:, 0], "qd": s * some[:, 1], "qdd": s**2 * some[:, 2]})["tau"]
            for s in (0.0, 1.0, 2.0, 3.0)
        ]
        third = paces[3] - 3.0 * paces[2] + 3.0 * paces[1] - paces[0]
        assert np.abs(third).max() < 1e-9 * max(np.abs(paces[3]).max(), 1.0), one


def test_angles_are_left_alone():
    """The sum of two angles is no value of a polynomial: neither is it replaced, nor does it stand for anything."""

    def algorithm(q, qd, qdd):
        return {"tau": [sincos(q[0] + q[1])[0] * qdd[0] + 3.0 * qdd[1], 2.0 * qd[1] * qd[0]]}

    program = trace("f", algorithm, {"q": (2,), "qd": (2,), "qdd": (2,)})
    sines = [step for step in program.operations if step.op is Op.SIN]
    angles = {argument for step in sines for argument in step.args}
    angles |= {argument for k in angles for argument in program.operations[k].args}
    found = all_of(program, np.random.default_rng(1).uniform(-1.0, 1.0, (50, 3, 2)))
    assert found
    assert not any(one.step in angles or one.by in angles for one in found)


def test_a_replacement_says_what_it_gives():
    program = trace("f", lambda q, qd, qdd: {"tau": [3.0 * qdd[0] + 4.0 * qd[0]]}, {"q": (1,), "qd": (1,), "qdd": (1,)})
    last = program.results[0][0]
    first = program.operations[last].args[0]
    values = np.stack([np.full(5, float(k)) for k in range(len(program.operations))])
    assert np.all(Replacement(last, first, -2.0, 1).of(values) == -2.0 * first)
    assert np.all(Replacement(last, None, 7.0, 1).of(values) == 7.0)
    halved = replaced_together(program, [Replacement(last, first, 0.5, 1)])
    whole = {"q": np.zeros(1), "qd": np.array([1.0]), "qdd": np.array([2.0])}
    term = 6.0 if program.operations[first].args and evaluate(halved, whole)["tau"][0] == 3.0 else 4.0
    assert evaluate(halved, whole)["tau"][0] == 0.5 * term
