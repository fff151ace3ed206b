import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.felt_inertia import felt_inertia, measured_motion, quotient_over_time
from torquec.robot import classics

pytest.importorskip("scipy")
T = 0.002 * np.arange(1500)


def test_the_motion_of_a_frame_is_found_from_encoders():
    """A known motion of the joints, rounded to 1e-4 rad: the planar arm's tip by hand."""
    robot = classics.planar2r()
    frame = robot.frames[-1].name
    q = np.stack([0.3 * np.sin(3.0 * T), 0.5 * np.cos(2.0 * T)], axis=1)
    seen = measured_motion(robot, frame, T, np.round(q / 1e-4) * 1e-4)
    exact = measured_motion(robot, frame, T, q)
    inside = slice(100, -100)
    assert np.abs(seen.position - exact.position).max() < 2e-4
    rate = np.gradient(exact.velocity[:, :2], 0.002, axis=0)
    np.testing.assert_allclose(exact.acceleration[inside, :2], rate[inside], atol=2e-3)
    assert np.abs(seen.acceleration - exact.acceleration)[inside].max() < 0.25


def test_the_quotient_of_a_known_mass():
    acceleration = np.stack([np.sin(T), np.zeros_like(T), np.zeros_like(T)], axis=1)
    found = felt_inertia(T, 7.0 * acceleration, acceleration, acceleration)
    assert found.mean == pytest.approx(7.0)
    assert found.in_phase == pytest.approx(7.0)
    assert found.deviation == pytest.approx(0.0, abs=1e-12)
    assert found.counted < found.samples == len(T)
    shown = quotient_over_time(7.0 * acceleration, acceleration)
    assert np.isnan(shown[0])
    assert np.nanmax(np.abs(shown - 7.0)) < 1e-12


def test_samples_near_zero_acceleration_and_before_the_start_do_not_count():
    acceleration = np.zeros((len(T), 3))
    acceleration[:, 1] = np.where((T > 1.0) & (T < 2.0), 2.0, 1e-6)
    load = 3.0 * acceleration + 0.5
    found = felt_inertia(T, load, acceleration, acceleration, start=0.5)
    assert found.counted == int(((T > 1.0) & (T < 2.0)).sum())


def test_what_the_arm_does_by_itself_hardly_shifts_the_mean():
    """An arm that shakes at 7 Hz by 15 % of its motion: neither factor of |F| |A| alone may choose the samples."""
    rng, t = np.random.default_rng(3), 0.002 * np.arange(60_000)
    wanted = np.stack([np.zeros_like(t), np.zeros_like(t), 0.72 * np.sin(1.2 * t)], axis=1)
    phases = rng.uniform(0.0, 2.0 * np.pi, (40, 3))
    speeds = rng.uniform(5.0, 9.0, (40, 1, 1)) * 2.0 * np.pi
    shakes = 0.11 * np.sqrt(2.0 / 40.0) * np.sin(speeds * t[:, None] + phases[:, None, :]).sum(axis=0)
    acceleration = wanted + shakes * [0.6, 0.6, 1.0]
    found = felt_inertia(t, 12.5 * wanted, acceleration, wanted)

    def mean_where(size):
        counts = size >= 0.5 * np.sqrt(np.mean(size**2))
        return (np.linalg.norm(12.5 * wanted, axis=1) / np.linalg.norm(acceleration, axis=1))[counts].mean()

    by_motion, by_force = (mean_where(np.linalg.norm(part, axis=1)) for part in (acceleration, wanted))
    assert by_motion < 12.5 * 0.99
    assert by_force > 12.5 * 1.01
    assert found.mean == pytest.approx(12.5, rel=0.006)
    assert found.in_phase == pytest.approx(12.5, rel=0.002)


def sums(load, acceleration):
    """Least squares both ways: sum F.F/sum F.A and sum F.A/sum A.A."""
    both = (load * acceleration).sum()
    return (load**2).sum() / both, both / (acceleration**2).sum()


@pytest.mark.parametrize(("noise", "shake"), [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5)])
def test_neither_noise_of_the_force_nor_a_shaking_arm_shifts_what_is_felt_in_phase(noise, shake):
    """Known answer: 5 kg, with errors of half the signal in F, in A, in both. Least squares fail by up to 25 %."""
    rng, t = np.random.default_rng(4), 0.002 * np.arange(100_000)
    wanted = np.stack([np.cos(2.0 * t), np.sin(2.0 * t), np.zeros_like(t)], axis=1)
    load = 5.0 * (wanted + noise * rng.normal(size=wanted.shape) / np.sqrt(3.0))
    acceleration = wanted + shake * rng.normal(size=wanted.shape) / np.sqrt(3.0)
    by_force, by_motion = sums(load, acceleration)
    if noise:
        assert by_force > 5.0 * 1.2
    if shake:
        assert by_motion < 5.0 / 1.2
    assert felt_inertia(t, load, acceleration, wanted).in_phase == pytest.approx(5.0, rel=0.01)


def test_samples_in_which_the_object_is_stopped_do_not_count():
    wanted = np.stack([np.sin(3.0 * T), np.zeros_like(T), np.zeros_like(T)], axis=1)
    stopped = (T > 0.4) & (T < 0.7)
    acceleration = np.where(stopped[:, None], 0.1 * wanted, wanted)
    free = felt_inertia(T, 5.0 * wanted, acceleration, wanted, free=~stopped)
    assert (free.mean, free.in_phase) == (pytest.approx(5.0), pytest.approx(5.0))
    assert felt_inertia(T, 5.0 * wanted, acceleration, wanted).in_phase > 5.2
    with pytest.raises(ArgumentError, match="moved freely"):
        felt_inertia(T, 5.0 * wanted, acceleration, wanted, free=np.zeros(len(T), dtype=bool))


def test_misuse():
    with pytest.raises(ArgumentError, match="nothing moved"):
        felt_inertia(T, np.zeros((len(T), 3)), np.zeros((len(T), 3)), np.zeros((len(T), 3)))
    with pytest.raises(ArgumentError, match="evenly spaced"):
        measured_motion(classics.planar2r(), "link2", T**2, np.zeros((len(T), 2)))
