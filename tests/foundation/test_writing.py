"""The writer: complete or not at all, never over what is not ours, never through a link."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from torquec.errors import ArgumentError
from torquec.foundation import writing as module
from torquec.foundation.writing import (
    check_output,
    check_output_folder,
    exchange,
    is_ours,
    new_folder,
    write_files,
    write_package,
)

OURS = "/* a: written by torquec. */\n"


def listing(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def write_folder(directory: Path, contents, *, force=False) -> list[Path]:
    with new_folder(directory, names=contents, force=force) as scratch:
        for name, content in contents.items():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return [directory / name for name in contents]


# --- files ----------------------------------------------------------------------------------------------------------


def test_nothing_is_written_unless_everything_can_be(tmp_path):
    kept = tmp_path / "kept.urdf"
    kept.write_text("before")
    with pytest.raises(ArgumentError, match="no such folder"):
        write_files({kept: "after", tmp_path / "no folder" / "x": "text"}, force=True)
    assert listing(tmp_path) == {"kept.urdf": "before"}


def test_a_foreign_file_is_replaced_with_force_only_and_ours_always(tmp_path):
    target = tmp_path / "robot.urdf"
    target.write_text("before")
    with pytest.raises(ArgumentError, match="exists already") as caught:
        write_files({target: OURS})
    assert "--force on the command line, force=True in Python" in caught.value.remedy
    assert target.read_text() == "before"
    with pytest.raises(ArgumentError, match="does not say that Torquec wrote it") as caught:
        write_folder(tmp_path, {target.name: OURS})
    assert "--force on the command line, force=True in Python" in caught.value.remedy
    write_files({target: OURS}, force=True)
    write_files({target: OURS + "again"})
    assert listing(tmp_path) == {"robot.urdf": OURS + "again"}
    assert target.stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder in which not even root can make files")
def test_a_folder_in_which_nothing_can_be_made_is_refused_before_the_work():
    """Access rights say that root may write there."""
    for check in (check_output, check_output_folder):
        with pytest.raises(ArgumentError, match="'/proc' may not be written: "):
            check(Path("/proc/torquec-test"), force=True)


def test_a_link_is_replaced_and_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text(OURS)
    link = tmp_path / "out.c"
    link.symlink_to(precious)
    assert not is_ours(link)
    with pytest.raises(ArgumentError, match="exists already"):
        write_files({link: "new"})
    write_files({link: "new"}, force=True)
    assert not link.is_symlink()
    assert precious.read_text() == OURS


def test_links_with_names_that_could_be_guessed_are_not_written_through(tmp_path):
    """Earlier versions wrote through a link called like their temporary file."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in (".out.csv.part", ".out.part.csv", "out.csv.part", "out.partial"):
        (tmp_path / name).symlink_to(precious)
    write_files({tmp_path / "out.csv": "new"})
    write_folder(tmp_path / "out", {"a": "new"})
    assert precious.read_text() == "mine"
    assert (tmp_path / "out.partial").is_symlink()


def test_a_folder_and_a_folder_that_is_missing_are_refused_before_the_work(tmp_path):
    with pytest.raises(ArgumentError, match="this is a folder"):
        check_output(tmp_path)
    with pytest.raises(ArgumentError, match="no such folder"):
        check_output(tmp_path / "no" / "x")
    check_output(tmp_path / "new")
    check_output_folder(tmp_path / "new" / "folder")
    (tmp_path / "x").write_text("")
    with pytest.raises(ArgumentError, match="this is a file"):
        check_output_folder(tmp_path / "x")
    with pytest.raises(ArgumentError, match="not empty"):
        check_output_folder(tmp_path)
    check_output_folder(tmp_path, force=True)


# --- folders --------------------------------------------------------------------------------------------------------


def test_makes_the_folder_and_gives_the_paths(tmp_path):
    paths = write_folder(tmp_path / "a" / "b", {"x.c": b"1", "c/y.c": "2"})
    assert [path.read_bytes() for path in paths] == [b"1", b"2"]
    assert listing(tmp_path) == {"a/b/x.c": "1", "a/b/c/y.c": "2"}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o755


def test_leaves_foreign_files_alone_and_replaces_its_own(tmp_path):
    out = tmp_path / "out"
    (out / "notes").mkdir(parents=True)
    (out / "notes" / "a.txt").write_text("mine")
    (out / "link").symlink_to("notes/a.txt")
    (out / "x.c").write_text(OURS)
    identity = (out / "notes" / "a.txt").stat().st_ino
    write_folder(out, {"x.c": b"new"})
    assert listing(out) == {"notes/a.txt": "mine", "x.c": "new", "link": "mine"}
    assert (out / "link").is_symlink()
    assert (out / "notes" / "a.txt").stat().st_ino == identity
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_foreign_file_of_that_name_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("project(mine)")
    with pytest.raises(ArgumentError, match=r"CMakeLists\.txt: this file is there already"):
        write_folder(tmp_path, {"x.c": OURS, "CMakeLists.txt": OURS})
    assert listing(tmp_path) == {"CMakeLists.txt": "project(mine)"}
    write_folder(tmp_path, {"x.c": OURS, "CMakeLists.txt": OURS}, force=True)
    assert listing(tmp_path) == {"CMakeLists.txt": OURS, "x.c": OURS}


def test_stale_files_of_an_earlier_run_go_and_nothing_else(tmp_path):
    out = tmp_path / "out"
    write_folder(out, {"old.png": "1", "both.png": "1"})
    (out / "mine.txt").write_text("mine")
    with new_folder(out, stale=["old.png", "both.png", "never.png"], force=True) as scratch:
        (scratch / "both.png").write_text("2")
    assert listing(out) == {"both.png": "2", "mine.txt": "mine"}


def test_an_error_in_the_work_leaves_everything_as_it_was(tmp_path):
    write_folder(tmp_path / "out", {"a": OURS})
    with pytest.raises(ArgumentError, match="cannot be written"), new_folder(tmp_path / "out") as scratch:
        (scratch / "a").rename(scratch / "half" / "b")
    assert listing(tmp_path) == {"out/a": OURS}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["/somewhere/evil", "../../up", "a/../../b", "", ".", "C:evil", "a\\b", "a//b", "a\0"])
def test_names_never_lead_out_of_the_folder(tmp_path, name):
    with pytest.raises(ArgumentError, match="is not a valid file name"):
        write_folder(tmp_path / "out", {"good.c": "1", name: "2"})
    with pytest.raises(ArgumentError, match="is not a valid file name"):
        write_package(tmp_path / "out", {"good.c": "1", name: "2"}, name="arm", target="c")
    with (
        pytest.raises(ArgumentError, match="is not a valid file name"),
        new_folder(tmp_path / "out", stale=[name], force=True),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_the_working_directory_is_filled_in_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert write_folder(Path("out"), {"x": b""}) == [Path("out/x")]
    assert write_folder(Path(), {"x": b""}) == [Path("x")]
    assert Path("x").exists()


def test_a_file_or_a_folder_in_the_way_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ArgumentError, match="this is a file"):
        write_folder(tmp_path / "out", {"x.c": b""})
    (tmp_path / "dir" / "x.c").mkdir(parents=True)
    with pytest.raises(ArgumentError, match="a folder is in the way"):
        write_folder(tmp_path / "dir", {"x.c": b""}, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dir", "out"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions that are kept")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ArgumentError, match="cannot be written"):
        write_folder(tmp_path / "out", {"x": ""})
    tmp_path.chmod(0o700)


KILLED = """
import sys
from pathlib import Path
from torquec.foundation.writing import write_folder
number = 0
print("ready", flush=True)
while True:
    number += 1
    write_folder(Path(sys.argv[1]), {f"{k}.txt": f"{number}" for k in range(20)}, force=True)
"""


def killed_while_writing(folder: Path, moments: int) -> None:
    for k in range(moments):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.003 + 0.0017 * (k % 17))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = listing(folder)
        assert not found or (len(found) == 21 and len({found[f"{n}.txt"] for n in range(20)}) == 1), found
        assert found.get("mine.txt", "mine") == "mine"


@pytest.mark.skipif(sys.platform != "linux", reason="folders cannot be exchanged in one step everywhere")
def test_killed_at_any_moment_it_leaves_the_old_folder_or_the_new_one(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    write_folder(tmp_path / "out", {f"{k}.txt": "0" for k in range(20)})
    killed_while_writing(tmp_path / "out", 4)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="folders cannot be exchanged in one step everywhere")
def test_killed_at_a_hundred_moments_it_leaves_the_old_folder_or_the_new_one(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    write_folder(tmp_path / "out", {f"{k}.txt": "0" for k in range(20)})
    killed_while_writing(tmp_path / "out", 100)


@pytest.mark.parametrize("has_call", [True, False])
def test_folders_trade_names(tmp_path, monkeypatch, has_call):
    if not has_call:
        monkeypatch.setattr(module, "_system_call", lambda one, other: None)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text(name)
    exchange(tmp_path / "one", tmp_path / "other")
    assert [(tmp_path / name / "a").read_text() for name in ("one", "other")] == ["other", "one"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


@pytest.mark.parametrize("has_call", [True, False])
def test_what_cannot_be_exchanged_stays(tmp_path, monkeypatch, has_call):
    if not has_call:
        monkeypatch.setattr(module, "_system_call", lambda one, other: None)
    (tmp_path / "other").mkdir()
    with pytest.raises(OSError, match="No such file"):
        exchange(tmp_path / "one", tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
