"""The source's identity: every file of the package counts, and it is the same for everybody who has the same files."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from tests.patience import HANGS

import torquec
from torquec.errors import ArgumentError
from torquec.expr import Function, Op
from torquec.foundation import result_cache
from torquec.foundation.result_cache import ResultCache, from_plain, source_identity, to_plain
from torquec.foundation.work import Work
from torquec.model.quantities import trace_quantity
from torquec.proof.torque.torque_bound import TorqueBound
from torquec.robot.classics import load_classic
from torquec.trajectory.motion_box import MotionBox


def test_every_source_file_counts(tmp_path, monkeypatch):
    source_identity.cache_clear()
    here = source_identity()
    copy = tmp_path / "torquec"
    shutil.copytree(Path(torquec.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(torquec, "__file__", str(copy / "__init__.py"))

    def identity():
        source_identity.cache_clear()
        return source_identity()

    try:
        assert identity() == here
        (copy / "foundation" / "work.py").write_text("# changed\n")
        changed = identity()
        assert changed != here
        (copy / "foundation" / "work.py").rename(copy / "foundation" / "other.py")
        assert identity() not in (here, changed)
    finally:
        source_identity.cache_clear()


CALLS = []


def double(x):
    CALLS.append(x)
    return 2 * x


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def test_what_is_no_value_has_no_key(tmp_path):
    assert ResultCache(tmp_path).key(double, (double,)) is None
    assert ResultCache(tmp_path).key(double, (1,)) != ResultCache(tmp_path).key(double, (2,))
    assert ResultCache(tmp_path).key(double, (1,)) != ResultCache(tmp_path).key(abs, (1,))


def test_results_of_other_source_are_not_found(tmp_path, monkeypatch):
    kept = ResultCache(tmp_path / "work")
    before = kept.key(double, (1,))
    monkeypatch.setattr(result_cache, "source_identity", lambda: "another source")
    assert kept.key(double, (1,)) != before


def test_what_cannot_be_written_is_not_kept(tmp_path):
    kept = ResultCache(tmp_path / "work")
    kept.keep("0", double)
    assert not (tmp_path / "work").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="work cannot be kept there"):
        ResultCache(tmp_path / "file").keep("0", 1)


def test_clearing_removes_only_what_was_kept(tmp_path):
    kept = ResultCache(tmp_path / "work")
    kept.keep("0", 1)
    (tmp_path / "work" / "note.txt").write_text("mine")
    kept.clear()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["note.txt"]


def test_a_damaged_file_is_computed_again(tmp_path):
    for text in ("", '{"tuple": 3', '{"dataclass": "os:system", "fields": {}}', '{"unknown": 1}'):
        assert list(Work(keep=tmp_path / "work").map("doubling", double, [1])) == [2]
        (kept,) = (tmp_path / "work").iterdir()
        kept.write_text(text)
    assert list(Work(keep=tmp_path / "work").map("doubling", double, [1])) == [2]
    assert len(CALLS) == 5


def test_values_survive():
    motions = MotionBox((0.1,), (1.0 / 3.0,), (1e-300,), (5.0,))
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
        from torquec.foundation.work import Work
        def slow(x):
            if x == 2:
                print("second", flush=True)
                time.sleep(600)
            return x
        list(Work(keep=sys.argv[1]).map("waiting", slow, [1, 2]))
    """)
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "work")], stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"second"
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=HANGS)
    process.stdout.close()
    (kept,) = (tmp_path / "work").iterdir()
    assert json.loads(kept.read_text()) == 1
