from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.closedform import closed_form
from torquec.errors import ArgumentError, SpecificationError
from torquec.proof.torque.coefficient_certificate import ErrorKind, Family
from torquec.proof.torque.error_peaks import largest_magnitude
from torquec.simplification.loop_tolerance import parabolic_budget, ramp_budget, step_budget
from torquec.simplification.specification import load_specification, parse_specification
from torquec.simplification.tolerance import (
    coefficient,
    coefficient_tolerances,
    entry_tasks,
    proof_margin,
    torque_budgets,
)
from torquec.simplification.tuning import TUNING

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "specifications"


@pytest.fixture(scope="module")
def stanford():
    robot = tq.classics.stanford()
    return closed_form(robot), load_specification(EXAMPLES / "stanford_control.toml", robot)


@pytest.fixture(scope="module")
def puma():
    robot = tq.classics.puma560()
    return closed_form(robot), load_specification(EXAMPLES / "puma560_torque.toml", robot)


def by_index(tolerances, family):
    return {t.index: t for t in tolerances if t.family is family}


def test_diagonal_inertias_have_the_tolerance_of_the_table(stanford):
    # Table 1: a relative error of 0.1 for every J_ii, all others absolute.
    mass = by_index(coefficient_tolerances(*stanford), Family.M)
    for (i, j), tolerance in mass.items():
        assert tolerance.kind is (ErrorKind.RELATIVE if i == j else ErrorKind.ABSOLUTE)
        if i == j:
            assert tolerance.value == pytest.approx(0.1)


def test_shares_of_a_ramp_add_up_to_its_budget(stanford):
    form, spec = stanford
    only_ramp = [replace(j, control=replace(j.control, step_error=1e9, parabolic_error=1e9)) for j in spec.joints]
    tolerances = coefficient_tolerances(form, replace(spec, joints=tuple(only_ramp)))
    speed = [joint.velocity for joint in spec.joints]
    gravity, velocity = by_index(tolerances, Family.G), by_index(tolerances, Family.H)
    for i, joint in enumerate(spec.joints):
        budget = ramp_budget(joint.motor, joint.control)
        # |dX| <= |X|max budget / tau_0                                                                      (21)
        shares = [t.value for (row,), t in gravity.items() if row == i]
        for (row, j, k), t in velocity.items():
            if row == i:
                shares.append(t.value * speed[j] * speed[k] * (1.0 if j == k else 2.0))
        whole = largest_magnitude(form.g[i], spec.box) + sum(
            largest_magnitude(form.christoffel(i, j, k), spec.box) * speed[j] * speed[k]
            for j in range(6)
            for k in range(6)
        )
        # No share is larger than what leaves its coefficient out, and proves that.
        assert sum(shares) == pytest.approx(min(budget, TUNING.largest_share * whole), rel=1e-6)


def test_loops_of_many_joints_leave_small_coefficients_out(stanford, monkeypatch):
    """The shares of each joint still add up to no more than its smallest budget, and most coefficients may go."""
    monkeypatch.setattr("torquec.simplification.tolerance.TUNING", replace(TUNING, bodies_by_parts=5))
    form, spec = stanford
    assert proof_margin(form) == TUNING.proof_margin_long_arm
    tolerances = coefficient_tolerances(form, spec)
    assert not by_index(tolerances, Family.V)
    speed, push = ([getattr(joint, name) for joint in spec.joints] for name in ("velocity", "acceleration"))
    for i, joint in enumerate(spec.joints):
        held = [t.value for (row,), t in by_index(tolerances, Family.G).items() if row == i]
        for (row, j, k), t in by_index(tolerances, Family.H).items():
            if row == i:
                held.append(t.value * speed[j] * speed[k] * (1.0 if j == k else 2.0))
        coupled = [
            t.value * push[m + n - i] for (m, n), t in by_index(tolerances, Family.M).items() if m != n and i in (m, n)
        ]
        inertia = largest_magnitude(form.M[i, i], spec.box)
        assert sum(held) <= ramp_budget(joint.motor, joint.control) * (1.0 + 1e-9)
        assert sum(held + coupled) <= parabolic_budget(joint.motor, joint.control, inertia) * (1.0 + 1e-9)
    out = [t for t in tolerances if t.value >= largest_magnitude(coefficient(form, t.family, t.index), spec.box) > 0.0]
    assert len(out) > 0.5 * len(tolerances)


def test_a_step_bounds_gravity_alone(stanford):
    form, spec = stanford
    gravity = by_index(coefficient_tolerances(form, spec), Family.G)
    for (i,), tolerance in gravity.items():
        assert tolerance.value <= step_budget(spec.joints[i].motor, spec.joints[i].control)


def test_coupling_inertias_keep_the_stricter_joint(stanford):
    form, spec = stanford
    mass = by_index(coefficient_tolerances(form, spec), Family.M)
    loose = [
        replace(j, control=replace(j.control, parabolic_error=1e6, ramp_error=1e6)) if j.name == "joint1" else j
        for j in spec.joints
    ]
    relaxed = by_index(coefficient_tolerances(form, replace(spec, joints=tuple(loose))), Family.M)
    assert relaxed[0, 1].value >= mass[0, 1].value
    assert relaxed[0, 1].joint == "joint2"


def test_worst_errors_of_all_coefficients_together_stay_within_the_torque_error(puma):
    form, spec = puma
    tolerances = coefficient_tolerances(form, spec)
    v = np.array([joint.velocity for joint in spec.joints])
    a = np.array([joint.acceleration for joint in spec.joints])
    mass, velocity, gravity = (by_index(tolerances, family) for family in (Family.M, Family.H, Family.G))
    for i, joint in enumerate(spec.joints):
        total = gravity[i,].value if (i,) in gravity else 0.0
        total += sum(t.value * a[m + n - i] for (m, n), t in mass.items() if i in (m, n))
        total += sum(t.value * v[j] * v[k] * (1 + (j != k)) for (row, j, k), t in velocity.items() if row == i)
        assert total <= joint.torque_error * (1.0 + 1e-6)
        assert total >= 0.5 * joint.torque_error


def test_small_contributions_may_be_left_out(puma):
    form, spec = puma
    tolerances = coefficient_tolerances(form, spec)
    out = [t for t in tolerances if t.value >= largest_magnitude(coefficient(form, t.family, t.index), spec.box) > 0.0]
    assert len(out) > 0.5 * len(tolerances)


def test_tasks_are_the_coefficients(puma):
    form, spec = puma
    tasks = entry_tasks(form, coefficient_tolerances(form, spec))
    named = {task.name: task for task in tasks}
    assert named["M[1,2]"].target == form.M[0, 1]
    assert named["H[1,1,2]"].target == form.christoffel(0, 0, 1)
    assert named["g[2]"].target == form.g[1]
    assert not any(task.name.startswith("V") for task in tasks)


def test_the_margin_of_proofs_still_lets_coefficients_go():
    assert TUNING.proof_margin * TUNING.largest_share >= 1.0
    assert TUNING.proof_margin_long_arm * TUNING.largest_share_long_arm >= 1.0
    assert TUNING.largest_share >= 1.03  # the first bound that is tried


def test_budgets_of_torques_are_the_smallest_of_the_requirements(stanford, puma):
    form, spec = stanford
    for joint, budget in zip(spec.joints, torque_budgets(form, spec), strict=True):
        assert 0.0 < budget <= ramp_budget(joint.motor, joint.control)
        assert budget <= step_budget(joint.motor, joint.control)
    form, spec = puma
    assert torque_budgets(form, spec) == tuple(joint.torque_error for joint in spec.joints)


def test_an_impossible_parabolic_error_names_joint_and_smallest_error(stanford):
    form, spec = stanford
    strict = [replace(j, control=replace(j.control, parabolic_error=1e-5)) for j in spec.joints]
    with pytest.raises(SpecificationError, match="joint 'joint1' cannot keep its parabolic error of 1e-05") as caught:
        coefficient_tolerances(form, replace(spec, joints=tuple(strict)))
    least = float(caught.value.remedy.split("more than ")[1].split(",")[0])
    allowed = [replace(j, control=replace(j.control, parabolic_error=1.0)) for j in spec.joints]
    allowed[0] = replace(allowed[0], control=replace(allowed[0].control, parabolic_error=1.001 * least))
    coefficient_tolerances(form, replace(spec, joints=tuple(allowed)))


def test_a_threshold_has_no_tolerances(puma):
    form, _ = puma
    spec = parse_specification("[coefficients]\nthreshold = 0.01", form.robot)
    with pytest.raises(ArgumentError, match="threshold for coefficients"):
        coefficient_tolerances(form, spec)


def test_a_bound_of_all_the_budget_meets_the_requirement_in_the_checker(stanford):
    """The checker takes the stiffness less 1e-12 of it: the Stanford arm's bound was a unit of rounding too large."""
    form, specification = stanford
    for requirement, budget in zip(specification.joints, torque_budgets(form, specification), strict=True):
        motor, control = requirement.motor, requirement.control
        stiffness = motor.inertia * motor.resonance**2 / 4.0 * (1.0 - 1e-12)
        assert 0.0 < budget <= stiffness * control.step_error
