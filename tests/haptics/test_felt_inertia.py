import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.felt_inertia import (
    IntendedMotion,
    felt_inertia,
    measured_motion,
    pose_differences,
    quotient_over_time,
    recorded_motion,
)
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
    acceleration = np.stack([np.sin(6.0 * T), np.zeros_like(T), np.zeros_like(T)], axis=1)
    found = felt_inertia(T, 7.0 * acceleration, acceleration, IntendedMotion(acceleration, 6.0))
    assert found.mean == pytest.approx(7.0)
    assert found.unbiased == pytest.approx(7.0)
    assert found.interval == pytest.approx((7.0, 7.0))
    assert not found.is_biased
    assert found.deviation == pytest.approx(0.0, abs=1e-12)
    assert found.counted < found.samples == len(T)
    shown = quotient_over_time(7.0 * acceleration, acceleration)
    assert np.isnan(shown[0])
    assert np.nanmax(np.abs(shown - 7.0)) < 1e-12


def test_samples_near_zero_acceleration_and_before_the_start_do_not_count():
    acceleration = np.zeros((len(T), 3))
    acceleration[:, 1] = np.where((T > 1.0) & (T < 2.0), 2.0, 1e-6)
    load = 3.0 * acceleration + 0.5
    found = felt_inertia(T, load, acceleration, IntendedMotion(acceleration, 20.0, start=0.5))
    assert found.counted == int(((T > 1.0) & (T < 2.0)).sum())


def test_what_the_arm_does_by_itself_hardly_shifts_the_mean():
    """An arm that shakes at 7 Hz by 15 % of its motion: neither factor of |F| |A| alone may choose the samples."""
    rng, t = np.random.default_rng(3), 0.002 * np.arange(60_000)
    wanted = np.stack([np.zeros_like(t), np.zeros_like(t), 0.72 * np.sin(1.2 * t)], axis=1)
    phases = rng.uniform(0.0, 2.0 * np.pi, (40, 3))
    speeds = rng.uniform(5.0, 9.0, (40, 1, 1)) * 2.0 * np.pi
    shakes = 0.11 * np.sqrt(2.0 / 40.0) * np.sin(speeds * t[:, None] + phases[:, None, :]).sum(axis=0)
    acceleration = wanted + shakes * [0.6, 0.6, 1.0]
    found = felt_inertia(t, 12.5 * wanted, acceleration, IntendedMotion(wanted, 1.2))

    def mean_where(size):
        counts = size >= 0.5 * np.sqrt(np.mean(size**2))
        return (np.linalg.norm(12.5 * wanted, axis=1) / np.linalg.norm(acceleration, axis=1))[counts].mean()

    by_motion, by_force = (mean_where(np.linalg.norm(part, axis=1)) for part in (acceleration, wanted))
    assert by_motion < 12.5 * 0.99
    assert by_force > 12.5 * 1.01
    assert found.mean == pytest.approx(12.5, rel=0.006)
    assert found.unbiased == pytest.approx(12.5, rel=0.002)
    assert found.interval[0] <= 12.5 <= found.interval[1]


def sums(load, acceleration):
    """Least squares both ways: sum F.F/sum F.A and sum F.A/sum A.A."""
    both = (load * acceleration).sum()
    return (load**2).sum() / both, both / (acceleration**2).sum()


@pytest.mark.parametrize(("noise", "shake"), [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5)])
def test_neither_noise_of_the_force_nor_a_shaking_arm_shifts_the_unbiased_value(noise, shake):
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
    found = felt_inertia(t, load, acceleration, IntendedMotion(wanted, 2.0))
    assert found.unbiased == pytest.approx(5.0, rel=0.01)
    assert found.interval[0] <= 5.0 <= found.interval[1]


def test_samples_in_which_the_object_is_stopped_do_not_count():
    wanted = np.stack([np.sin(3.0 * T), np.zeros_like(T), np.zeros_like(T)], axis=1)
    stopped = (T > 0.4) & (T < 0.7)
    acceleration = np.where(stopped[:, None], 0.1 * wanted, wanted)
    times = 0.002 * np.arange(6000)
    wanted, stopped = (np.concatenate([part] * 4) for part in (wanted, stopped))
    acceleration, aim = np.concatenate([acceleration] * 4), IntendedMotion(wanted, 3.0)
    free = felt_inertia(times, 5.0 * wanted, acceleration, aim, free=~stopped)
    assert (free.mean, free.unbiased) == (pytest.approx(5.0), pytest.approx(5.0))
    assert felt_inertia(times, 5.0 * wanted, acceleration, aim).unbiased > 5.2
    with pytest.raises(ArgumentError, match="moved freely"):
        felt_inertia(times, 5.0 * wanted, acceleration, aim, free=np.zeros(len(times), dtype=bool))


def test_the_interval_covers_in_95_of_100_seeds():
    """Coloured noise in force and motion, quantised poses: a known 5 kg, 0.8 % in r as the known lag's part is 0."""
    t, covered = 0.002 * np.arange(4000), 0
    wanted = np.stack([np.cos(5.0 * t), np.sin(5.0 * t), np.zeros_like(t)], axis=1)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        slow = np.cumsum(rng.normal(size=wanted.shape), axis=0)
        slow -= np.convolve(slow[:, 0], np.ones(200) / 200.0, "same")[:, None]
        load = 5.0 * wanted + 0.1 * slow * np.std(wanted) / np.std(slow) + 0.3 * rng.normal(size=wanted.shape)
        place = np.round(-wanted / 25.0 / 1e-4) * 1e-4
        moved = pose_differences(t, place, np.broadcast_to(np.eye(3), (len(t), 3, 3)))[:, :3]
        low, high = felt_inertia(t, load, wanted, IntendedMotion(wanted, 5.0), differences=moved).interval
        covered += low <= 5.0 <= high
    assert 92 <= covered <= 100


def test_a_noisy_force_makes_the_quotient_biased_and_says_so():
    t = 0.002 * np.arange(4000)
    wanted = np.stack([np.cos(5.0 * t), np.sin(5.0 * t), np.zeros_like(t)], axis=1)
    load = 5.0 * wanted + 2.0 * np.random.default_rng(1).normal(size=wanted.shape)
    found = felt_inertia(t, load, wanted, IntendedMotion(wanted, 5.0))
    assert found.mean > 5.2
    assert found.is_biased
    assert found.unbiased == pytest.approx(5.0, rel=0.01)


def test_differences_of_poses_are_accelerations():
    """A turn about a fixed axis and a circle, by hand; large angles between samples too."""
    angle = 0.4 * np.sin(3.0 * T)
    c, s, o, one = np.cos(angle), np.sin(angle), np.zeros_like(T), np.ones_like(T)
    rotation = np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, one]]), -1, 0)
    place = np.stack([np.cos(2.0 * T), np.sin(2.0 * T), o], axis=1)
    found = pose_differences(T, place, rotation)[1:-1]
    np.testing.assert_allclose(found[:, :3], -4.0 * place[1:-1], atol=1e-4)
    np.testing.assert_allclose(found[:, 5], -3.6 * np.sin(3.0 * T[1:-1]), atol=1e-4)
    assert np.abs(found[:, 3:5]).max() < 1e-9


def test_a_recorded_motion_does_not_look_ahead():
    """Joints that stop at once: the speed before is untouched, the acceleration is that of the interval before."""
    robot = classics.planar2r()
    q, qd = np.zeros((100, 2)), np.zeros((100, 2))
    qd[:50, 0] = 1.0
    found = recorded_motion(robot, robot.frames[-1].name, T[:100], q, qd)
    speed = np.linalg.norm(found.velocity[:, :3], axis=1)
    assert np.ptp(speed[:50]) < 1e-12
    assert speed[49] > 0.1
    assert speed[50] == 0.0
    pulled = np.abs(found.acceleration[:, 5])
    assert (pulled > 0.0).tolist() == [k == 50 for k in range(100)]


def test_misuse():
    with pytest.raises(ArgumentError, match="nothing moved"):
        felt_inertia(T, np.zeros((len(T), 3)), np.zeros((len(T), 3)), IntendedMotion(np.zeros((len(T), 3)), 6.0))
    short = np.stack([np.sin(T), np.zeros_like(T), np.zeros_like(T)], axis=1)
    with pytest.raises(ArgumentError, match="record a longer motion: 6"):
        felt_inertia(T, short, short, IntendedMotion(short, 1.0))
    with pytest.raises(ArgumentError, match="evenly spaced"):
        measured_motion(classics.planar2r(), "link2", T**2, np.zeros((len(T), 2)))
