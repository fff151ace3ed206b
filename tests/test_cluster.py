"""Work on a cluster: dask with worker processes on this machine; the same results as alone, a killed worker or not."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import Executor

import numpy as np
import pytest

import torquec as tq
from torquec.foundation.work import Work
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.simulation.monte_carlo import Spread, monte_carlo
from torquec.trajectory import minimum_jerk

pytestmark = pytest.mark.slow  # starting worker processes takes longer than what they do; tests/proof/test_executors.py

SPECIFICATION = "examples/specifications/planar2r.toml"
RUNS = 4096


@pytest.fixture
def client():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    )
    with cluster, distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture
def cluster(client) -> Executor:
    return client.get_executor(pure=False, retries=2)


def loop():
    """A law, a motion and the arm that it moves."""
    robot = tq.classics.planar2r()
    law = tq.make_law(robot, "computed-torque", tq.ControllerOptions(poles=-10.0, period=0.002))
    return robot, law, minimum_jerk([0.0, 0.0], [0.4, -0.3], 1.5, joints=robot.joint_names, period=0.002)


def kill_a_worker(client, *, after: float) -> threading.Thread:
    """Kill one of the worker processes after some seconds, without a word."""
    pids = list(client.run(os.getpid).values())

    def kill() -> None:
        time.sleep(after)
        os.kill(pids[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def same(one, other) -> None:
    for name in ("rmse", "max_error", "saturated", "factors"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_many_runs_are_the_same_on_a_cluster(cluster):
    robot, law, motion = loop()
    alone = monte_carlo(robot, law, motion, runs=RUNS, spread=Spread(0.05, 0.05))
    same(monte_carlo(robot, law, motion, runs=RUNS, spread=Spread(0.05, 0.05), executor=cluster), alone)


def test_a_killed_worker_changes_nothing_in_many_runs(client, cluster):
    robot, law, motion = loop()
    alone = monte_carlo(robot, law, motion, runs=RUNS, spread=Spread(0.05, 0.05))
    killer = kill_a_worker(client, after=0.3)
    same(monte_carlo(robot, law, motion, runs=RUNS, spread=Spread(0.05, 0.05), executor=cluster), alone)
    killer.join()


def test_a_killed_worker_changes_nothing_in_a_simplified_model(client, cluster):
    robot = tq.classics.planar2r()
    alone = tq.simplify(robot, SPECIFICATION)
    killer = kill_a_worker(client, after=0.5)
    spread = tq.simplify(robot, SPECIFICATION, work=Work(executor=cluster))
    killer.join()
    assert spread.record == alone.record
    tq.check_certificate(robot, spread.record)


def test_a_killed_worker_changes_nothing_in_an_exciting_motion(client, cluster):
    robot, options = tq.classics.planar2r(), tq.ExcitationOptions(evaluations=3000, duration=6.0)
    alone = tq.excitation(robot, options=options)
    killer = kill_a_worker(client, after=0.5)
    spread = tq.excitation(robot, options=options, work=Work(executor=cluster))
    killer.join()
    np.testing.assert_array_equal(spread.trajectory.q, alone.trajectory.q)
    assert spread.history == alone.history
    assert (spread.condition, spread.shares) == (alone.condition, alone.shares)


def test_a_killed_worker_changes_nothing_in_what_files_say(client, cluster, tmp_path):
    from benchmarks.cluster import write_log

    robot = tq.classics.planar2r()
    files = [write_log(tmp_path / f"log{k}.csv", 8_000, seed=k) for k in range(6)]
    options = IdentifyOptions(cutoff=10.0, friction="viscous", rotors=False, reading=Reading.PIECES, piece_rows=4096)
    alone = tq.identify(robot, files, options=options)
    killer = kill_a_worker(client, after=1.0)
    spread = tq.identify(robot, files, options=options, work=Work(executor=cluster))
    killer.join()
    np.testing.assert_array_equal(spread.x, alone.x)
    np.testing.assert_array_equal(spread.covariance, alone.covariance)
    assert (spread.training, spread.validation_error, spread.notes) == (
        alone.training,
        alone.validation_error,
        alone.notes,
    )
