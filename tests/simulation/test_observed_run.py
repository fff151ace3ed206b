"""The momentum observer on simulated robots: silent within the sets, and quick when the robot is pushed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.control.observer import detectable_force, momentum_observer
from torquec.control.uncertainty import BodyUncertainty, JointUncertainty, SpeedSource, TimingUncertainty, Uncertainty
from torquec.errors import ArgumentError
from torquec.expr.math import select
from torquec.robot.classics import load_classic
from torquec.simulation.applied_forces import FrameWrench
from torquec.simulation.attacked_loop import late_law
from torquec.simulation.closed_loop import LoopOptions, drives_of, prepared_loop
from torquec.simulation.observed_run import observe, observed_run
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.plant_force import ForceWithState, wrench_torque
from torquec.simulation.sensors import Sensors

PERIOD, FRAME = 0.001, "link6"
STEP, FILTER = 1e-5, 0.7
SETS = Uncertainty(
    JointUncertainty(friction_part=0.3, position=STEP, speed=SpeedSource.DIFFERENCE, speed_filter=FILTER),
    bodies=BodyUncertainty(0.02, 0.02, 0.02),
    timing=TimingUncertainty(delay=1),
)
SENSORS = Sensors(resolution=STEP, speed=SpeedSource.DIFFERENCE, filter_share=FILTER)
ROBOT = load_classic("puma560")
MOTION = tq.minimum_jerk([0.0] * 6, [0.4, -0.3, 0.4, 0.3, 0.4, 0.2], 1.0, joints=ROBOT.joint_names, period=PERIOD)


@dataclass(frozen=True)
class RowPush(ForceWithState):
    """A force on a frame whose vector and start are numbers of the run: its state, which does not change."""

    frame: str

    @property
    def depends_on_time(self):
        return True

    def check(self, robot):
        robot.frame(self.frame)

    def first_state(self, robot, q, qd):
        return [0.0, 0.0, 0.0, 1e9]

    def state_rate(self, robot, now):
        return [0.0 * x for x in now.state]

    def torque(self, robot, now):
        *force, start = now.state
        return [select(now.time - start, t, 0.0) for t in wrench_torque(robot, self.frame, now.q, tuple(force))]


@pytest.fixture(scope="module")
def loop():
    """Guarantee, observer, delayed law, and the native loop of a robot that varies and can be pushed."""
    guarantee = tq.tracking_guarantee(ROBOT, -60.0, MOTION, period=PERIOD, uncertainty=SETS)
    assert guarantee.valid
    observer = momentum_observer(
        ROBOT, bandwidth=50.0, period=PERIOD, uncertainty=SETS, motions=MOTION, guarantee=guarantee
    )
    law = late_law(computed_torque(ROBOT, -60.0, period=PERIOD, evaluation="measured"), MOTION, SETS)
    plant = Plant(ROBOT, friction=DryFriction.STICK, varies=True, forces=(RowPush(FRAME),))
    run, sampled = prepared_loop(plant, law, MOTION, LoopOptions(sensors=SENSORS))
    return observer, run, drives_of(plant, law, sampled)


def record(loop, runs, seed, pushes=None, part=1.0):
    """Runs of robots at the ends of the sets; `pushes` (runs, 4) are forces and starts, `part` > 1 leaves the sets."""
    _, run, drives = loop
    rng = np.random.default_rng(seed)
    ends = rng.choice([-1.0, 1.0], (runs, 12)) * part
    factors = np.concatenate([1.0 + 0.02 * ends[:, :6], 1.0 + 0.3 * ends[:, 6:]], axis=1)
    starts = np.tile(MOTION.q[0], (runs, 1)) + rng.uniform(-0.5, 0.5, (runs, 6)) * STEP
    rows = run.first_rows(starts, np.zeros((runs, 6)), factors)
    if pushes is not None:
        first = run.loop.parts["motion"].start + 12
        rows[:, first : first + 4] = pushes
    found = run.run(rows, drives, seeds=[(seed, k) for k in range(runs)])
    assert (found.diverged < 0).all()
    return found


def silent(loop, runs, seed):
    observer = loop[0]
    found = record(loop, runs, seed)
    external, threshold, alarm = observe(observer, found.seen, found.seen_speed, found.wanted)
    assert alarm.sum() == 0.0
    return float(np.abs(external / threshold).max()), alarm.shape[0] * runs


def delays(loop, trials, seed, factor=2.0):
    """From the start of each push to the first alarm [s]; pushes of `factor` times the smallest force."""
    observer = loop[0]
    rng = np.random.default_rng(seed)
    pushes = np.empty((trials, 4))
    for k in range(trials):
        way, start = rng.normal(size=3), rng.uniform(0.05, 0.95)
        q = MOTION.at(np.array([start])).q[0]
        pushes[k, :3] = factor * detectable_force(observer, ROBOT, FRAME, q, way) * way / np.linalg.norm(way)
        pushes[k, 3] = start
    found = record(loop, trials, seed, pushes)
    _, _, alarm = observe(observer, found.seen, found.seen_speed, found.wanted)
    hit = (alarm > 0.0).any(axis=2)
    times = MOTION.t[: len(hit)]
    first = np.where(hit.any(axis=0), times[np.argmax(hit, axis=0)], np.inf)
    return first - pushes[:, 3]


def test_no_false_alarm_and_every_push_found(loop):
    ratio, samples = silent(loop, 12, 1)
    assert (0.1 < ratio < 1.0, samples) == (True, 12_000)
    found = delays(loop, 12, 2)
    assert np.all((found > 0.0) & (found < 0.02))


@pytest.mark.slow
def test_a_million_samples_without_an_alarm(loop):
    total = worst = 0
    for seed in range(10):
        ratio, samples = silent(loop, 100, 100 + seed)
        total, worst = total + samples, max(worst, ratio)
    assert total == 1_000_000
    assert 0.2 < worst < 1.0


@pytest.mark.slow
def test_a_thousand_pushes_are_found_within_twenty_milliseconds(loop):
    found = np.concatenate([delays(loop, 100, 200 + seed) for seed in range(10)])
    assert len(found) == 1000
    assert np.all((found > 0.0) & (found < 0.02))


def test_a_robot_outside_of_the_sets_is_noticed(loop):
    """Ten times the stated deviations of bodies and three times those of friction: the residual shows it."""
    inside = record(loop, 4, 7)
    outside = record(loop, 4, 7, part=3.0)
    largest = [
        np.abs(observe(loop[0], found.seen, found.seen_speed, found.wanted)[0]).max(axis=(0, 1))
        for found in (inside, outside)
    ]
    assert np.all(largest[1] > largest[0])


def test_along_a_run_of_simulate():
    robot = load_classic("planar2r")
    motion = tq.minimum_jerk([0.0, 0.0], [0.4, 0.3], 0.5, joints=robot.joint_names, period=PERIOD)
    law = computed_torque(robot, -20.0, period=PERIOD)
    observer = momentum_observer(robot, bandwidth=50.0, period=PERIOD, thresholds=[1.0, 1.0])
    quiet = observed_run(tq.simulate(robot, law, motion), observer)
    assert quiet.first_alarms == {}
    plant = Plant(robot, forces=(FrameWrench("link2", (0.0, 40.0, 0.0), start=0.2),))
    found = observed_run(tq.simulate(plant, law, motion), observer)
    assert set(found.first_alarms) == {"joint1", "joint2"} or "joint1" in found.first_alarms
    assert all(0.2 < when < 0.22 for when in found.first_alarms.values())
    document = found.to_document(observer)
    assert document["joints"]["joint1"]["threshold"] == 1.0
    assert document["joints"]["joint1"]["smallest_torque"] is None
    slow = tq.simulate(robot, law, motion, options=LoopOptions(record_every=2))
    with pytest.raises(ArgumentError, match="record every sample"):
        observed_run(slow, observer)
    with pytest.raises(ArgumentError, match="the observer is for"):
        observed_run(tq.simulate(robot, law, motion), momentum_observer(ROBOT, bandwidth=50.0, period=PERIOD))
