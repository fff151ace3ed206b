"""The PUMA 560 on Clover's standard trajectory: from a specification to a guaranteed motion, simulated beside it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed
from tests.control.held_loop import HeldLoop, shares

import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.control.computed_torque import computed_torque
from torquec.control.tracking_guarantee import tracking_guarantee
from torquec.robot.classics import load_classic
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant
from torquec.trajectory import puma560_standard_trajectory

SPECIFICATION = """robot = "puma560"

[every_joint]
velocity = 2.5
acceleration = 10.0
torque_error_part = 0.01
"""
RANGES = (-2.8, -3.9, -1.0, -2.0, -1.8, -3.2), (2.8, 0.8, 4.1, 3.0, 1.8, 3.2)


def test_a_model_that_is_wrong_by_one_percent_of_the_limits():
    """Any such model, whatever it is: errors at their bounds, in the worst direction, joint after joint."""
    robot = load_classic("puma560")
    bounds = 0.01 * np.array([joint.limits.effort for joint in robot.joints])
    motion = puma560_standard_trajectory()
    given = tracking_guarantee(claimed(robot, bounds, lower=RANGES[0], upper=RANGES[1]), -20, motion, period=0.002)
    assert given.valid, given.reason
    assert max(bound.position for bound in given.joints) < 3.5e-3  # useful: below 0.2 degrees
    arm = tq.compile(robot)
    used = np.zeros((5, 6))
    for joint in range(6):

        def push(t, q, joint=joint):
            return bounds * np.sign(np.linalg.inv(arm.mass_matrix(q))[joint])

        loop = HeldLoop(robot, arm.inverse_dynamics, -20, 0.002, substeps=2, added=push)
        used = np.maximum(used, shares(given, loop.run(motion)))
    assert np.all(used <= 1.0), used.round(3)
    assert np.all(used[0] > 0.7), used.round(3)


@pytest.mark.slow
def test_the_simplified_model_keeps_its_guarantee(tmp_path):
    robot = load_classic("puma560")
    (tmp_path / "puma560.toml").write_text(SPECIFICATION)
    small = tq.simplify(robot, tmp_path / "puma560.toml")
    torque = compile_function(small.record.program).call
    motion = puma560_standard_trajectory()
    for poles, rate in ((-20, 500.0), (-12 + 45j, 500.0), (-20, 200.0), (-40, 1000.0)):
        given = tracking_guarantee(small, poles, motion, period=1.0 / rate)
        assert given.valid, given.reason
        used = shares(given, HeldLoop(robot, torque, poles, 1.0 / rate, substeps=4).run(motion))
        assert np.all(used <= 1.0), used.round(3)
        assert used[0].max() > 0.1
        # And through the package's own loop, on its own plant.
        law = computed_torque(small, poles, period=1.0 / rate, evaluation="measured", friction="nothing")
        plant = Plant(robot, friction=DryFriction.NONE)
        run = simulate(plant, law, motion, options=LoopOptions(integrator=RungeKutta4(4)))
        for bound in given.joints:
            assert run.max_error[bound.joint] <= bound.position
    # Not for any motion of the box: at its corners joint 1 needs all that its drive has, friction included.
    assert largest_torque(small, 1000)[0] > 0.98 * robot.joints[0].limits.effort
    anywhere = tracking_guarantee(small, -20, period=0.001)
    assert not anywhere.valid
    assert "the torque of joint 'joint1' may reach" in anywhere.reason
    assert "its drive gives 97.6" in anywhere.reason


def largest_torque(model, samples):
    """The largest torques (n,) found in the certified box, speeds and accelerations at their limits."""
    box, rng = model.record.motions, np.random.default_rng(0)
    found = np.zeros(model.robot.n)
    for q in rng.uniform(box.lower, box.upper, size=(samples, model.robot.n)):
        speed = rng.choice([-1.0, 1.0], size=model.robot.n) * box.velocity
        for signs in np.sign(model.mass_matrix(q)):
            found = np.maximum(found, np.abs(model.total_torque(q, speed, signs * box.acceleration)))
            found = np.maximum(found, np.abs(model.total_torque(q, speed, -signs * box.acceleration)))
    return found
