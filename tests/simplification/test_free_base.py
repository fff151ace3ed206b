"""Robots with a free base are simplified limb by limb, within the errors that their specification allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proof.walkers import largest_errors, problem_of, quick_certificate, states, torques, walker

import torquec as tq
from torquec.errors import RefusedQuantityError, SpecificationError
from torquec.expr import operation_cost
from torquec.proof.check_certificate import check_certificate
from torquec.robot.joints import JointType
from torquec.robot.limbs import carried_limbs
from torquec.robot.robot import BASE, Body, Joint, Limits, Robot
from torquec.simplification.free_base import exact_limb, limb_problems, shared_base, whole_program
from torquec.simplification.specification import parse_specification
from torquec.spatial import Inertia, Pose

SPECIFICATION = """
[every_joint]
velocity = 3
acceleration = 20
torque_error = 0.4
[base]
linear_velocity = 1
angular_velocity = 2
linear_acceleration = 5
angular_acceleration = 9
force_error = 4
moment_error = 1
"""


def hopper():
    """A trunk and two legs that swing."""
    thigh = Inertia.from_center_of_mass(1.0, (0.0, 0.0, -0.1), ((5e-3, 0.0, 0.0), (0.0, 5e-3, 0.0), (0.0, 0.0, 1e-3)))
    trunk = Inertia(xx=0.04, yy=0.1, zz=0.1, m=6.0)
    bodies = [Body("trunk", BASE, Joint("floating_base", JointType.FREE), trunk)]
    for name, side in (("left", 0.1), ("right", -0.1)):
        place, limits = Pose(origin=(0.0, side, 0.0)), Limits(-2.0, 2.0, 20.0, 30.0)
        bodies.append(Body(name, 0, Joint(f"{name}_hip", JointType.REVOLUTE, place, (0.0, 1.0, 0.0), limits), thigh))
    return Robot("hopper", tuple(bodies))


def test_the_whole_of_exact_limbs_is_the_exact_program_in_any_pose():
    problem = problem_of(walker(1, (2, 3), gravity=(1.0, -2.0, 9.0)))
    limbs = [limb.exact for limb in limb_problems(problem)]
    motions = states(problem.robot, problem.motions, 200)
    exact, found = (torques(each, motions) for each in (problem.exact, whole_program(problem.robot, limbs)))
    assert found == pytest.approx(exact, rel=1e-11, abs=1e-11)


def test_shares_add_up_to_the_base_and_leave_other_limbs_without_it():
    robot = walker(2, (2, 2))
    shares = shared_base(robot)
    total = sum(shares[1:], start=shares[0])
    assert total.parameters == pytest.approx(robot.bodies[0].inertia.parameters, abs=1e-12)
    whole = [limb.exact for limb in limb_problems(problem_of(robot))]
    alone = [exact_limb(limb) for limb in carried_limbs(robot, [robot.bodies[0].inertia, Inertia()])]
    assert operation_cost(whole[1]) < operation_cost(alone[1])


def test_errors_of_a_random_robot_stay_within_its_bounds():
    problem, record = quick_certificate(walker(6, (2, 1), mimic=False))
    bounds = np.array([proof.bound for proof in record.joints.values()])
    found = np.array([proof.found for proof in record.joints.values()])
    for length in (1.0, 1.0 + 9.9e-7, 1.0 - 9.9e-7):
        motions = states(problem.robot, problem.motions, 100_000, length=length)
        error = np.abs(torques(problem.exact, motions) - torques(record.program, motions)).max(axis=0)
        assert np.all(error <= bounds)
    assert np.all(found <= bounds)
    large = bounds > 1e-6
    assert np.all(error[large] >= 0.5 * bounds[large])
    check_certificate(problem.robot, record)


@pytest.mark.parametrize(
    ("seed", "limbs", "options"),
    [
        (20, (2,), {}),
        pytest.param(23, (3,), {"slides": False}, marks=pytest.mark.slow),
        pytest.param(25, (4, 1), {"slides": False}, marks=pytest.mark.slow),
    ],
)
def test_climbs_nearly_reach_the_bounds_and_never_exceed_them(seed, limbs, options):
    problem, record = quick_certificate(walker(seed, limbs, **options), 0.03)
    bounds = np.array([proof.bound for proof in record.joints.values()])
    error = largest_errors(problem.exact, record.program, problem.robot, problem.motions)
    assert np.all(error <= bounds)
    assert np.all(error >= 0.85 * bounds - 1e-6)


def test_a_simplified_walker_is_checked_and_serves_whole_torques():
    robot = hopper()
    model = tq.simplify(robot, parse_specification(SPECIFICATION, robot), seconds=2)
    assert set(tq.check_certificate(robot, model.record)) == set(robot.coordinate_names)
    assert all(proof.bound <= proof.tolerance for proof in model.record.joints.values())
    q, qd, qdd = (each[0] for each in states(robot, model.record.motions, 1))
    exact = model.exact.inverse_dynamics(q, qd, qdd)
    allowed = [proof.bound for proof in model.record.joints.values()]
    assert np.all(np.abs(model.inverse_dynamics(q, qd, qdd) - exact) <= allowed)
    with pytest.raises(RefusedQuantityError, match="whole torques alone"):
        model.mass_matrix(q)


def test_coefficients_are_refused_and_too_small_errors_named():
    robot = hopper()
    with pytest.raises(SpecificationError, match="torque errors alone"):
        tq.simplify(robot, parse_specification("[coefficients]\nthreshold = 1e-3", robot))
    tracking = SPECIFICATION.replace("torque_error = 0.4", "tracking_error = 0.01")
    with pytest.raises(SpecificationError, match="torque errors alone"):
        tq.simplify(robot, parse_specification(tracking, robot))
    small = SPECIFICATION.replace("force_error = 4", "force_error = 1e-13")
    with pytest.raises(SpecificationError, match="rounding may change"):
        tq.simplify(robot, parse_specification(small, robot))
    problem = problem_of(robot)
    assert [
        each.tolerance[0] for each in limb_problems(replace(problem, tolerance=(2.0,) * robot.nv))
    ] == pytest.approx([1.0, 1.0], abs=1e-8)
