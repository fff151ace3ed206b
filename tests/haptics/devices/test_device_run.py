"""A device holds the object through the simulated arm."""

from functools import cache

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.admittance.admittance import admittance
from torquec.haptics.admittance.admittance_options import AdmittanceOptions
from torquec.haptics.admittance.haptic_caps import HapticStatus
from torquec.haptics.admittance.tool_load import ToolLoad
from torquec.haptics.devices.device_run import run_device
from torquec.haptics.devices.haptic_device import MouseDevice, RecordedForces
from torquec.haptics.experiments.haptic_loop import HapticLoop, HapticSetting
from torquec.haptics.objects.rendered_object import RenderedObject
from torquec.robot import classics

Q = (0.4, 0.8, 0.1, 0.05)


@cache
def loop():
    robot = classics.scara()
    cycle = admittance(robot, RenderedObject(5.0, (0.05,) * 3))
    return HapticLoop(cycle, HapticSetting(friction="smooth", steps=2))


def start():
    limits = [joint.limits for joint in loop().cycle.robot.joints]
    return np.clip(Q, [one.lower + 0.05 for one in limits], [one.upper - 0.05 for one in limits])


@pytest.mark.slow
def test_recorded_forces_move_the_object_by_its_mass():
    device = RecordedForces(np.array([0.0, 0.1]), np.array([[5.0, 0, 0, 0, 0, 0], [0.0] * 6]))
    run = run_device(loop(), device, start(), 0.2)
    speed = np.linalg.norm(loop().cycle.read(run.cycle)["velocity"][-1])
    assert speed == pytest.approx(5.0 / 5.0 * 0.1, rel=0.02)
    assert (run.status == 0).all()
    assert np.abs(run.q[-1] - loop().cycle.read(run.cycle)["q_ref"][-1]).max() < 5e-3


def test_a_device_that_is_gone_lets_the_arm_hold():
    class Gone(MouseDevice):
        shown = 0

        def wrench(self, t):
            return np.array([5.0, 0, 0, 0, 0, 0]) if t < 0.1 else np.full(6, np.nan)

        def show(self, t, shown):
            self.shown += 1

    device = Gone()
    run = run_device(loop(), device, start(), 0.5)
    assert device.shown == len(run.t) == 250
    assert np.linalg.norm(loop().cycle.read(run.cycle)["velocity"][-1]) < 1e-6
    assert int(run.status[-1]) & HapticStatus.FORCE_INVALID
    assert np.isfinite(run.tau).all()


def test_misuse():
    cycle = admittance(
        classics.scara(), RenderedObject(5.0, (0.05,) * 3), options=AdmittanceOptions(tool=ToolLoad(0.3))
    )
    with pytest.raises(ArgumentError, match="without a tool"):
        run_device(HapticLoop(cycle), MouseDevice(), start(), 1.0)
    with pytest.raises(ArgumentError, match="duration"):
        run_device(loop(), MouseDevice(), start(), 0.0)
