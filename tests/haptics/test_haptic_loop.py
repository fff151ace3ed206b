"""The loop of hand, sensor, encoders, cycle and arm."""

from functools import cache

import numpy as np
import pytest
from tests.haptics.haptic_arms import OBJECT, POSTURE, TOOL

from torquec.dynamics import frame_pose
from torquec.errors import ArgumentError
from torquec.haptics.admittance import admittance
from torquec.haptics.admittance_options import AdmittanceOptions
from torquec.haptics.force_sensor import PERFECT_SENSOR
from torquec.haptics.haptic_loop import HapticLoop, HapticSetting
from torquec.haptics.simulated_hand import GOAL_SIZE
from torquec.haptics.virtual_object import quaternion_of
from torquec.robot import classics
from torquec.simulation.applied_forces import FrameWrench
from torquec.simulation.plant import Plant

EXACT = HapticSetting(sensor=PERFECT_SENSOR, resolution=0.0, friction="none", steps=2)


@cache
def exact_loop():
    """Without friction, noise, filter or rounding: only the loop itself is left."""
    cycle = admittance(classics.puma560(), OBJECT, options=AdmittanceOptions(tool=TOOL))
    plant = Plant(cycle.carrying, friction="none")
    return HapticLoop(cycle, EXACT, plant)


def still_goals(count, *, grip=1.0, force=(0.0, 0.0, 0.0)):
    pose = frame_pose(classics.puma560(), "link6", list(POSTURE))
    row = np.zeros(GOAL_SIZE)
    row[:3], row[9:13], row[19:22], row[25] = pose.origin, quaternion_of(pose.rotation), force, grip
    return np.tile(row, (count, 1))


def test_held_still_nothing_moves():
    loop = exact_loop()
    run = loop.run(loop.first_row(POSTURE), still_goals(200))
    assert np.abs(run.q - POSTURE).max() < 2e-3  # the law compensates friction that this arm has not
    assert np.abs(run.hand).max() < 1.0
    assert (run.status == 0).all()


def test_a_push_accelerates_arm_and_object_by_the_rendered_mass():
    """The hand pushes with 10 N and nothing else: the arm's tip gains F/m t, whatever arm and tool weigh. Its tool is
    compensated: without that, 0.8 kg would be missing.
    """
    loop = exact_loop()
    force = (6.0, -8.0, 0.0)
    run = loop.run(loop.first_row(POSTURE), still_goals(100, grip=0.0, force=force))
    moved = loop.cycle.read(run.cycle)["velocity"]
    np.testing.assert_allclose(moved[-1], np.array(force) / 5.0 * 0.198, rtol=0.02, atol=2e-3)
    tip = np.array([frame_pose(classics.puma560(), "link6", row.tolist()).origin for row in run.q[[-11, -1]]])
    np.testing.assert_allclose((tip[1] - tip[0]) / 0.02, moved[-6], rtol=0.05, atol=5e-3)


def test_settings_may_change_on_the_way_and_shapes_are_checked():
    loop = exact_loop()
    first = loop.first_row(POSTURE)
    rows = np.tile(OBJECT.settings, (50, 1))
    rows[25:, :3] = 9.0
    run = loop.run(first, still_goals(50), rows)
    assert loop.cycle.read(run.cycle)["settings"][-1, 0] > 5.2
    with pytest.raises(ArgumentError, match="goals of shape"):
        loop.run(first, np.zeros((5, 3)))
    with pytest.raises(ArgumentError, match="at least one step"):
        HapticSetting(steps=0)
    with pytest.raises(ArgumentError, match="does not go with"):
        _ = HapticLoop(loop.cycle, EXACT, Plant(classics.planar2r())).arm
    moving = Plant(loop.cycle.carrying, forces=(FrameWrench(loop.cycle.frame, (0.0, 0.0, 1.0), start=0.1, end=0.2),))
    with pytest.raises(ArgumentError, match="which the haptic loop does not integrate"):
        _ = HapticLoop(loop.cycle, EXACT, moving).arm
