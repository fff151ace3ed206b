"""The lock of an output folder: one process at a time, the holder named, dead holders forgotten."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from torquec.errors import ArgumentError
from torquec.foundation.folder_lock import folder_lock

HOLD = """
import sys, time
from pathlib import Path
from torquec.foundation.folder_lock import folder_lock
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""

COUNT = """
import sys
from pathlib import Path
from torquec.foundation.folder_lock import folder_lock
place = Path(sys.argv[1])
print("begun", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    with folder_lock(place / "out", patience=300.0):
        count = int((place / "count").read_text())
        assert not (place / "inside").exists()
        (place / "inside").touch()
        (place / "count").write_text(str(count + 1))
        (place / "inside").unlink()
"""

WRITE = """
import sys, time
from pathlib import Path
from torquec.errors import ArgumentError
from torquec.foundation.writing import write_package
place, name = Path(sys.argv[1]), sys.argv[2]
print("begun", flush=True)
sys.stdin.readline()
for k in range(int(sys.argv[3])):
    while not (place / f"go{k}").exists():  # all begin at once
        time.sleep(0.0005)
    try:
        write_package(place / f"out{k}", {f"{name}.c": name, "selftest.c": name, "more.c": name}, name=name, target="c")
        print(k, flush=True)
    except ArgumentError as error:
        assert "holds another package" in str(error), error
        print("refused", flush=True)
"""


BEGUN: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _none_is_left():
    """However a test ends, so do the processes that it began."""
    yield
    while BEGUN:
        with BEGUN.pop() as process:
            process.kill()


def begun(program: str, *arguments: object) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", program, *map(str, arguments)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    BEGUN.append(process)
    assert process.stdout.readline() in ("held\n", "begun\n")
    return process


def test_it_is_free_again_afterwards_and_leaves_nothing(tmp_path):
    for _ in range(2):
        with folder_lock(tmp_path / "new" / "out"):
            assert not (tmp_path / "new" / "out").exists()
    assert not list((tmp_path / "new").iterdir())


def test_the_holder_is_named_and_a_killed_one_is_forgotten(tmp_path):
    for _ in range(3):
        process = begun(HOLD, tmp_path / "out")
        with pytest.raises(ArgumentError) as caught, folder_lock(tmp_path / "out", patience=0.0):
            pass
        assert f"process {process.pid} on {platform.node()}, since 20" in str(caught.value)
        assert "name another folder" in caught.value.remedy
        with folder_lock(tmp_path / "other", patience=0.0):
            pass
        process.kill()
        process.communicate()
        assert list(tmp_path.iterdir()), "the lock file of a killed process stays"
        with folder_lock(tmp_path / "out", patience=0.0):
            pass
        assert not list(tmp_path.iterdir())


def test_other_names_of_a_folder_are_the_same_lock(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    process = begun(HOLD, tmp_path / "out")
    for name in (Path("out"), tmp_path / "link", Path("out/../out"), tmp_path / "out" / "..", Path("out") / "in"):
        inside = name.resolve() == tmp_path / "out"
        try:
            with folder_lock(name, patience=0.0):
                assert not inside, name
        except ArgumentError:
            assert inside, name
    process.kill()
    process.communicate()


def test_a_thread_may_lock_again_and_another_thread_may_not(tmp_path):
    found = []

    def try_it():
        try:
            with folder_lock(tmp_path / "out", patience=0.0):
                found.append("locked")
        except ArgumentError as error:
            found.append(str(error))

    with folder_lock(tmp_path / "out"), folder_lock(tmp_path / "out", patience=0.0):
        pass
    with folder_lock(tmp_path / "out"):
        with folder_lock(tmp_path / "out"):
            pass
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
    assert len(found) == 1
    assert f"process {os.getpid()} on " in found[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_does_not_keep_the_lock(tmp_path):
    with folder_lock(tmp_path / "out"):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:  # waits until the parent has tried
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
    with folder_lock(tmp_path / "out", patience=0.0):
        pass
    os.close(reader)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0


def test_many_processes_take_turns(tmp_path):
    (tmp_path / "count").write_text("0")
    processes = [begun(COUNT, tmp_path, 50) for _ in range(4)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[1] for process in processes] == [""] * 4
    assert (tmp_path / "count").read_text() == "200"


def test_packages_that_are_written_at_once_never_mix(tmp_path):
    trials = 30
    processes = {name: begun(WRITE, tmp_path, name, trials) for name in ("arm", "leg", "hand")}
    for process in processes.values():
        process.stdin.write("go\n")
        process.stdin.flush()
    for trial in range(trials):
        (tmp_path / f"go{trial}").touch()
        said = {name: process.stdout.readline().strip() for name, process in processes.items()}
        (winner,) = (name for name, words in said.items() if words != "refused")
        contents = {path.name: path.read_text() for path in (tmp_path / f"out{trial}").glob("*.c")}
        assert contents == {f"{winner}.c": winner, "selftest.c": winner, "more.c": winner}
    assert [process.communicate()[1] for process in processes.values()] == [""] * 3
    assert not list(tmp_path.glob(".*"))


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="cannot be written"), folder_lock(tmp_path / "file" / "out"):
        pass


def test_the_longest_names_can_be_locked(tmp_path):
    with folder_lock(tmp_path / ("a" * 255)), folder_lock(tmp_path / os.fsdecode(b"\xff" * 255)):
        pass
