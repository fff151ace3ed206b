"""Kept work: what is finished is not computed again, whatever ended the process; files make plain values only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.expr import Function, Op
from torquec.foundation.kept_work import KeptWork, from_plain, once, to_plain
from torquec.model.quantities import trace_quantity
from torquec.proof.motions import Motions
from torquec.proof.torque_bound import TorqueBound
from torquec.robot.classics import load_classic

CALLS = []


def double(x):
    CALLS.append(x)
    return 2 * x


def fails(x):
    raise ValueError(f"no {x}")


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def test_a_result_is_computed_once(tmp_path):
    assert list(KeptWork(tmp_path / "work").map(double, [1, 2, 3])) == [2, 4, 6]
    assert list(KeptWork(tmp_path / "work").map(double, [1, 2, 3, 4])) == [2, 4, 6, 8]
    assert CALLS == [1, 2, 3, 4]


def test_an_inner_executor_does_the_work(tmp_path):
    with KeptWork(tmp_path / "work", ThreadPoolExecutor(2)) as executor:
        assert sorted(executor.map(double, range(5))) == [0, 2, 4, 6, 8]
    with KeptWork(tmp_path / "work", ThreadPoolExecutor(2)) as executor:
        assert executor.submit(double, 3).result() == 6
    assert len(CALLS) == 5


def test_without_an_inner_executor_results_come_one_by_one(tmp_path):
    results = KeptWork(tmp_path / "work").map(double, [1, 2])
    assert CALLS == []
    assert next(results) == 2
    assert CALLS == [1]


def test_a_step_is_kept_and_its_callbacks_are_not(tmp_path):
    said = []

    def step(x, *, progress):
        progress("working")
        return (x, x + 1)

    for _ in range(2):
        assert once(KeptWork(tmp_path / "work"), step, 1, progress=said.append) == (1, 2)
    assert said == ["working"]
    assert once(None, step, 1, progress=said.append) == (1, 2)


def test_failures_are_not_kept(tmp_path):
    work = KeptWork(tmp_path / "work")
    with pytest.raises(ValueError, match="no 1"):
        work.submit(fails, 1).result()
    assert not (tmp_path / "work").exists()


def test_what_is_no_value_is_computed_without_being_kept(tmp_path):
    work = KeptWork(tmp_path / "work")
    assert callable(work.submit(lambda: double).result())
    assert work.submit(callable, double).result()
    assert not (tmp_path / "work").exists() or len(list((tmp_path / "work").iterdir())) <= 1


def test_clearing_removes_only_what_was_kept(tmp_path):
    work = KeptWork(tmp_path / "work")
    work.submit(double, 1)
    (tmp_path / "work" / "note.txt").write_text("mine")
    work.clear()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["note.txt"]


def test_a_damaged_file_is_computed_again(tmp_path):
    work = KeptWork(tmp_path / "work")
    work.submit(double, 1)
    (kept,) = (tmp_path / "work").iterdir()
    for text in ("", '{"tuple": 3', '{"dataclass": "os:system", "fields": {}}', '{"unknown": 1}'):
        kept.write_text(text)
        assert work.submit(double, 1).result() == 2
    assert len(CALLS) == 5


def test_values_survive():
    motions = Motions((0.1,), (1.0 / 3.0,), (1e-300,), (5.0,))
    bound = TorqueBound(1.5, 1.25, ((0, -1, -1), (-1,)))
    function = trace_quantity(load_classic("planar2r"), "inverse_dynamics")
    values = (motions, bound, function, [1, None, True, "text", float("inf")], {"a": (1.0,), 2: Op.SIN})
    again = from_plain(json.loads(json.dumps(to_plain(values))))
    assert again == values
    assert isinstance(again[2], Function)
    assert again[4][2] is Op.SIN
    for array in (np.array([[1.0, -0.0], [np.nan, 2.0]]), np.arange(3), np.array(True)):
        back = from_plain(to_plain(array))
        assert back.dtype == array.dtype
        assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "document",
    [
        {"dataclass": "subprocess:Popen", "fields": {"args": "true"}},
        {"dataclass": "torquec.model.model:compile", "fields": {}},
        {"dataclass": "torquec.expr.ops:Op", "fields": {"nothing": 1}},
        {"enum": "torquec.expr.ops:Op", "name": "NONE"},
        {"array": "!", "type": "<f8", "shape": [1]},
        {"array": "AAAA", "type": "O", "shape": [1]},
        {"what": 1},
    ],
)
def test_files_make_nothing_but_plain_values(document):
    with pytest.raises(ArgumentError, match="not kept work"):
        from_plain(document)


def test_a_killed_process_leaves_what_it_finished(tmp_path):
    script = textwrap.dedent("""
        import sys, time
        from torquec.foundation.kept_work import KeptWork
        def slow(x):
            if x == 2:
                print("second", flush=True)
                time.sleep(600)
            return x
        list(KeptWork(sys.argv[1]).map(slow, [1, 2]))
    """)
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "work")], stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"second"
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=60)
    process.stdout.close()
    (kept,) = (tmp_path / "work").iterdir()
    assert json.loads(kept.read_text()) == 1
    assert time.time() - kept.stat().st_mtime < 600
