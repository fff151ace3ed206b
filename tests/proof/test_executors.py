"""Proofs and fits spread over any executor, with the same results: a process pool, dask.distributed, kept work."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import CheckError
from torquec.foundation.work import Work
from torquec.model.simplified import simplify
from torquec.proof.certify import certify
from torquec.proof.checker import grid_samples, residual_grid
from torquec.proof.checker.check_certificate import check_certificate
from torquec.robot.classics import load_classic
from torquec.simplification.specification import load_specification

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        protocol="tcp://",  # tasks and results travel as they would between machines
        host="127.0.0.1",
    )
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


@pytest.fixture(scope="module", params=["pool", "cluster"])
def executor(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def serial():
    robot = arm("planar3r")
    exact, simplified = programs(robot, 1, 0.8)
    return robot, exact, simplified, certify(robot, exact, simplified, motions(robot))


def test_proofs_are_the_same(serial, executor):
    robot, exact, simplified, certificate = serial
    assert certify(robot, exact, simplified, motions(robot), work=Work(executor=executor)) == certificate


def test_checks_go_to_the_executor(serial, executor):
    robot, _, _, certificate = serial
    check_certificate(robot, certificate, executor=executor)


def test_kept_work_passes_tasks_on(serial, executor, tmp_path):
    robot, exact, simplified, certificate = serial
    for _ in range(2):
        work = Work(executor=executor, keep=tmp_path / "work")
        assert certify(robot, exact, simplified, motions(robot), work=work) == certificate


@pytest.fixture(scope="module")
def alone():
    robot = load_classic("planar2r")
    specification = load_specification(SPECIFICATIONS / "planar2r.toml", robot)
    return robot, specification, simplify(robot, specification)


def test_whole_models_are_the_same(alone, executor):
    robot, specification, model = alone
    spread = simplify(robot, specification, executor=executor)
    assert spread.record == model.record
    assert spread.functions == model.functions


# --- executors that do not do what they are asked for ---------------------------------------------------------------


class Unreliable(Executor):
    """Done at once in this process, but for the task number `which`, whose result `change` makes another one of."""

    def __init__(self, which, change):
        self.which, self.change, self.count = which, change, 0

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.count += 1
        try:
            result = fn(*args, **kwargs)
            future.set_result(self.change(result) if self.count == self.which else result)
        except (CheckError, OSError) as error:
            future.set_exception(error)
        return future


def of_one_position(rows):
    return [replace(each, value=each.value[:, :, :1]) for each in rows]


def without_the_last(rows):
    return [replace(each, value=each.value[:, :, :-1]) for each in rows]


def without_rounding_known(rows):
    return [replace(each, radius=each.radius * float("nan")) for each in rows]


def failing(rows):
    raise OSError("the machine is gone")


@pytest.fixture
def many_parts(serial, monkeypatch):
    """An honest certificate and a false one, whose grid is evaluated in many parts."""
    monkeypatch.setattr(residual_grid, "_CHUNK", 5)
    robot, _, _, honest = serial
    name = robot.joint_names[0]
    small = replace(honest.joints[name], bound=0.9 * honest.joints[name].found, found=0.0)
    return robot, honest, replace(honest, joints={**honest.joints, name: small})


@pytest.mark.parametrize("which", [1, 2, 5])
@pytest.mark.parametrize("change", [of_one_position, without_the_last, without_rounding_known, failing, lambda _: []])
def test_results_that_are_not_those_of_a_part_lead_to_no_acceptance(many_parts, which, change):
    robot, honest, _ = many_parts
    assert check_certificate(robot, honest, executor=Unreliable(0, failing)) == check_certificate(robot, honest)
    with pytest.raises((CheckError, OSError, ValueError)):
        check_certificate(robot, honest, executor=Unreliable(which, change))


class UsedMemory:
    """NumPy, whose new arrays hold what an earlier computation left in the same place."""

    def __init__(self, left):
        self.left = left

    def __getattr__(self, name):
        return getattr(np, name)

    def empty(self, shape):
        return self.left[shape].copy() if shape in self.left else np.empty(shape)


def test_what_is_left_in_the_memory_is_not_taken_for_a_result(many_parts, monkeypatch):
    """A part without values, where the memory holds the honest ones: what happens by chance, made to happen."""
    robot, honest, _ = many_parts
    box = honest.motions
    grid = residual_grid.ResidualGrid(robot, honest.program, box.lower, box.upper)
    error = grid_samples.grid_samples(grid).error.value
    monkeypatch.setattr(grid_samples, "np", UsedMemory({error.shape: error}))
    assert check_certificate(robot, honest, executor=Unreliable(0, failing)) == check_certificate(robot, honest)
    for which in (1, 2, 5):
        with pytest.raises(CheckError, match="gave other values than it was asked for"):
            check_certificate(robot, honest, executor=Unreliable(which, lambda _: []))
        with pytest.raises(CheckError, match="gave other values than it was asked for"):
            check_certificate(robot, honest, executor=Unreliable(which, lambda rows: rows[:1]))


class LastFirst(Executor):
    """Tasks come in batches of these sizes, and the last of each is done first."""

    def __init__(self, *sizes):
        self.sizes, self.waiting = list(sizes), []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.waiting.append((future, partial(fn, *args, **kwargs)))
        if len(self.waiting) == self.sizes[0]:
            self.sizes.pop(0)
            while self.waiting:
                each, task = self.waiting.pop()
                try:
                    each.set_result(task())
                except CheckError as error:
                    each.set_exception(error)
        return future


def test_the_order_of_results_does_not_matter(many_parts):
    robot, honest, false = many_parts
    box = honest.motions
    grid = residual_grid.ResidualGrid(robot, honest.program, box.lower, box.upper)
    parts = grid.parts(len(grid.positions))
    assert len({part.stop - part.start for part in parts}) == 2  # the last one is shorter
    spread = check_certificate(robot, honest, executor=LastFirst(len(parts), robot.n))
    assert spread == check_certificate(robot, honest)
    with pytest.raises(CheckError, match="a box of the proof allows"):
        check_certificate(robot, false, executor=LastFirst(len(parts), robot.n))


def end(*_, **__):
    os._exit(1)


def test_a_process_that_dies_leads_to_no_acceptance(serial):
    robot, _, _, certificate = serial
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        executor.submit(end)
        with pytest.raises(BrokenProcessPool):
            check_certificate(robot, certificate, executor=executor)
