"""One model all the way: a log is identified, the result simplified with a proof, a controller designed for that model,
saved, read, simulated, guaranteed and generated; nothing is lost on the way.
"""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from tests.identification import simulated_arm

import torquec as tq
from torquec.control.model_terms import FrictionCompensation
from torquec.identification.excitation.excitation import simulated_log
from torquec.simplification.specification import JointRequirement, Specification
from torquec.trajectory import puma560_standard_trajectory
from torquec.trajectory.motion_box import joint_box


def specification(robot, *, velocity, acceleration, part):
    """Torques to a part of the largest gravity torque of each joint, or of the drives' limits, in a box of motions."""
    box = joint_box(robot)
    n = robot.n
    scale = np.array([joint.limits.effort for joint in robot.joints])
    if not np.all(np.isfinite(scale)):
        arm = tq.compile(robot)
        q = np.random.default_rng(0).uniform(box.lower, box.upper, (500, n))
        scale = np.abs(arm.gravity_torque(q)).max(axis=0) + 1.0
    joints = tuple(
        JointRequirement(name, velocity, acceleration, torque_error=float(part * size))
        for name, size in zip(robot.joint_names, scale, strict=True)
    )
    return Specification(joints, box)


def run_loop(estimate, wanted, motion, folder, poles):
    """Identified, simplified, saved, designed, saved, simulated, generated; the certified model and what was proven."""
    identified = tq.identified_model(estimate)
    assert identified.kind is tq.ModelKind.IDENTIFIED
    assert identified.parameters.covariance is not None
    small = tq.simplify(identified, wanted)
    tq.check_certificate(small.robot, small.record)

    tq.save(small, folder / "small.tq.json")
    model = tq.load_model(folder / "small.tq.json")
    assert model.record == small.record
    assert model.kind is tq.ModelKind.CERTIFIED_TORQUE
    np.testing.assert_array_equal(model.parameters.covariance, identified.parameters.covariance)

    law = tq.computed_torque(model, poles, period=0.002, evaluation="measured")
    tq.write_controller(law, folder / "controller")
    again = tq.read_controller(folder / "controller" / "controller.json")
    plant = tq.Plant(identified.robot, friction="none", saturates=False)
    frictionless = tq.computed_torque(
        model, poles, period=0.002, evaluation="measured", friction=FrictionCompensation("nothing")
    )
    runs = [tq.simulate(plant, controller, motion) for controller in (law, again)]
    np.testing.assert_array_equal(runs[0].tau, runs[1].tau)

    given = tq.tracking_guarantee(model, poles, motion, period=0.002)
    assert given.valid, given.reason
    found = np.abs(tq.simulate(plant, frictionless, motion).error).max(axis=0)
    assert np.all(found <= [bound.position for bound in given.joints])

    package = tq.generate(model, folder / "c")
    assert package.functions["total_torque"].mul + package.functions["total_torque"].add <= 130
    compiler = shutil.which("cc")
    if compiler:
        sources = [str(path) for path in package.files if path.suffix == ".c"]
        subprocess.run([compiler, "-O1", "-o", "selftest", *sources, "-lm"], cwd=folder / "c", check=True)
        subprocess.run(["./selftest"], cwd=folder / "c", check=True, stdout=subprocess.DEVNULL)
    return model, given


def test_a_planar_arm(tmp_path):
    estimate = simulated_arm.estimate()
    wanted = specification(estimate.robot, velocity=2.0, acceleration=20.0, part=0.01)
    motion = tq.minimum_jerk([0.0, 0.4], [0.5, 0.9], 1.0, joints=estimate.robot.joint_names)
    run_loop(estimate, wanted, motion, tmp_path, -20)


@pytest.mark.slow
def test_the_puma_560(tmp_path):
    """Box and error as the issue of this loop states them: 2.5 rad/s, 10 rad/s^2, 1 % of the drives' torques."""
    robot = tq.classics.puma560()
    options = tq.IdentifyOptions(method=tq.Method.WEIGHTED)  # link 1 of the classic has no mass to be drawn to
    estimate = tq.identify(robot, simulated_log(robot, noise=0.01), options=options)
    wanted = specification(estimate.robot, velocity=2.5, acceleration=10.0, part=0.01)
    motion = puma560_standard_trajectory()
    model, given = run_loop(estimate, wanted, motion, tmp_path, -20)
    assert max(bound.position for bound in given.joints) < 5e-3
    placed = tq.pole_placement(model, -12 + 45j, period=0.002)
    tq.write_controller(placed, tmp_path / "ct1")
    again = tq.read_controller(tmp_path / "ct1" / "controller.json")
    plant = tq.Plant(estimate.robot)
    np.testing.assert_array_equal(tq.simulate(plant, placed, motion).tau, tq.simulate(plant, again, motion).tau)
