import numpy as np
import pytest

from torquec.haptics.experiments.hand_goals import HandMotion, circle_goals, push_goals, rotation_goals
from torquec.haptics.objects.virtual_object import rotation_of
from torquec.spatial import Pose, rpy_rotation

POSE = Pose(rpy_rotation(0.3, -0.4, 0.7), (0.5, 0.1, 0.4))
H = 0.001
X, Y, Z = (np.array([row[k] for row in POSE.rotation]) for k in range(3))


def test_a_circle_has_its_radius_lies_in_its_plane_and_its_rates_are_derivatives():
    rows = circle_goals(HandMotion(3.0, 4.0, radius=0.1), POSE, 5.0, period=H)
    place, velocity, rate, force = rows[:, :3], rows[:, 3:6], rows[:, 6:9], rows[:, 19:22]
    centre = np.array(POSE.origin) - 0.1 * X
    np.testing.assert_allclose(np.linalg.norm(place - centre, axis=1), 0.1, atol=1e-12)
    assert np.abs((place - centre) @ Z).max() < 1e-12
    np.testing.assert_allclose(np.gradient(place, H, axis=0)[1:-1], velocity[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(velocity, H, axis=0)[1:-1], rate[1:-1], atol=1e-3)
    np.testing.assert_allclose(force, 5.0 * rate)
    assert np.linalg.norm(velocity[-1]) == pytest.approx(0.3)
    assert (rows[:, 25] == 1.0).all()


def test_a_rotation_swings_about_the_frames_z():
    rows = rotation_goals(HandMotion(2.0, 4.0, swing=0.4), POSE, 0.83, period=H)
    turn = np.moveaxis(np.array(rotation_of(tuple(rows[:, 9:13].T))), -1, 0)
    assert np.abs(turn[:, :, 2] - Z).max() < 1e-12
    angle = np.arctan2(turn[:, :, 0] @ Y, turn[:, :, 0] @ X)
    assert angle.max() == pytest.approx(0.4, abs=1e-4)
    np.testing.assert_allclose(np.gradient(angle, H)[1:-1], (rows[:, 13:16] @ Z)[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(rows[:, 13:16], H, axis=0)[1:-1], rows[1:-1, 16:19], atol=2e-3)
    np.testing.assert_allclose(rows[:, 22:25], 0.83 * rows[:, 16:19])


@pytest.mark.parametrize("period", [0.001, 0.002, 0.0037])
def test_a_push_gives_its_impulse_whatever_the_period(period):
    rows = push_goals(POSE, 10.0, speed=0.3, lasting=0.2, duration=0.5, period=period)
    np.testing.assert_allclose(rows[:, 19:22].sum(axis=0) * period, 3.0 * X, atol=1e-12)
    assert (rows[:, 25] == 0.0).all()
