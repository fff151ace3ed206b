import math
import threading
from functools import cache

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.admittance import admittance
from torquec.haptics.admittance_options import AdmittanceOptions, HapticStatus, ToolLoad
from torquec.haptics.haptic_device import (
    MouseDevice,
    RecordedForces,
    SharedMemoryDevice,
    ShownMotion,
    read_recorded_forces,
    run_device,
)
from torquec.haptics.haptic_loop import HapticLoop, HapticSetting
from torquec.haptics.rendered_object import RenderedObject
from torquec.robot import classics

SHOWN = ShownMotion(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0, 0.0]), np.arange(6.0), 40)


def test_a_pointer_pulls_like_a_spring_up_to_its_most():
    mouse = MouseDevice(stiffness=100.0, most=20.0, axes=(0, 2))
    assert mouse.wrench(0.0).tolist() == [0.0] * 6
    mouse.pull(0.05, -0.1)
    assert mouse.wrench(0.0) == pytest.approx([5.0, 0.0, -10.0, 0.0, 0.0, 0.0])
    mouse.pull(3.0, 4.0)
    assert mouse.wrench(0.0) == pytest.approx([12.0, 0.0, 16.0, 0.0, 0.0, 0.0])
    mouse.release()
    assert not mouse.wrench(0.0).any()
    mouse.show(0.0, SHOWN)


def test_recorded_forces_hold_until_the_next(tmp_path):
    path = tmp_path / "forces.csv"
    path.write_text("t,fx,fy,fz,mx,my,mz\n0,1,0,0,0,0,0\n0.5,0,2,0,0,0,0.1\n")
    forces = read_recorded_forces(path)
    assert forces.wrench(0.2)[0] == 1.0
    assert forces.wrench(0.5).tolist() == [0.0, 2.0, 0.0, 0.0, 0.0, 0.1]
    assert forces.wrench(0.9)[1] == 2.0
    assert not forces.wrench(1.1).any()
    assert not forces.wrench(-0.1).any()
    forces.show(0.0, SHOWN)


def test_shared_memory_carries_both_ways():
    ours = SharedMemoryDevice()
    other = SharedMemoryDevice(ours.name)
    try:
        assert np.isnan(ours.wrench(0.0)).all()
        other.push([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
        assert ours.wrench(0.01).tolist() == [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
        assert ours.wrench(0.1).tolist() == [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
        assert np.isnan(ours.wrench(0.2)).all()  # silent for longer than 0.1 s: the arm holds
        ours.show(0.2, SHOWN)
        seen = other.shown()
        assert (seen.position.tolist(), seen.velocity.tolist(), seen.status) == ([1.0, 2.0, 3.0], list(range(6)), 40)
    finally:
        other.close()
        ours.close(remove=True)
    with pytest.raises(ArgumentError, match="closed"):
        ours.wrench(0.3)


def test_a_wrench_half_written_is_not_taken():
    """While another thread writes equal numbers as fast as it can, none but equal numbers are ever read."""
    device = SharedMemoryDevice()
    stop = threading.Event()

    def write():
        k = 0.0
        while not stop.is_set():
            k += 1.0
            device.push([k] * 6)

    device.push([0.0] * 6)
    device.wrench(0.0)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = [device.wrench(0.0) for _ in range(3000)]
    finally:
        stop.set()
        writer.join()
        device.close(remove=True)
    known = [row for row in found if math.isfinite(row[0])]
    assert known
    assert all((row == row[0]).all() for row in known)


def test_misuse(tmp_path):
    with pytest.raises(ArgumentError, match="no shared memory"):
        SharedMemoryDevice("torquec_no_such_block")
    with pytest.raises(ArgumentError, match="rising times"):
        RecordedForces(np.array([1.0, 0.0]), np.zeros((2, 6)))
    with pytest.raises(ArgumentError, match="pointer"):
        MouseDevice(stiffness=-1.0)
    with pytest.raises(ArgumentError, match="two of 0, 1, 2"):
        MouseDevice(axes=(0, 0))
    path = tmp_path / "forces.csv"
    path.write_text("t,fx\n0,1\n")
    with pytest.raises(ArgumentError, match="header"):
        read_recorded_forces(path)


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


def test_misuse_of_a_device_run():
    cycle = admittance(
        classics.scara(), RenderedObject(5.0, (0.05,) * 3), options=AdmittanceOptions(tool=ToolLoad(0.3))
    )
    with pytest.raises(ArgumentError, match="without a tool"):
        run_device(HapticLoop(cycle), MouseDevice(), start(), 1.0)
    with pytest.raises(ArgumentError, match="duration"):
        run_device(loop(), MouseDevice(), start(), 0.0)
