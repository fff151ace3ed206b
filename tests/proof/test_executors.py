"""Proofs and fits spread over any executor, with the same results: a process pool, dask.distributed, kept work."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.foundation.work import Work
from torquec.model.simplified import simplify
from torquec.proof.torque.certify import certify
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
