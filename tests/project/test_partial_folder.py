"""The folder for unfinished work: ours or refused; what somebody put into it stays."""

from __future__ import annotations

import subprocess
import sys

import pytest

from torquec.errors import ArgumentError
from torquec.project.partial_folder import BEST, NOTE, claimed_partial, forget_partial


def test_it_is_made_claimed_again_and_forgotten(tmp_path):
    with claimed_partial(tmp_path / "out") as partial:
        assert partial == tmp_path / "out.partial"
        (partial / "work").mkdir()
        (partial / "work" / "step.json").write_text("{}")
        (partial / BEST).write_text("{}")
    with claimed_partial(tmp_path / "out") as again:
        assert again == partial
        assert (partial / "work" / "step.json").exists()
        forget_partial(partial)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "file", "link", "empty folder"])
def test_what_is_somebody_elses_is_refused_and_stays(tmp_path, kind):
    place = tmp_path / "out.partial"
    if kind == "file":
        place.write_text("mine")
    elif kind == "link":
        with claimed_partial(tmp_path / "other"):
            pass
        place.symlink_to(tmp_path / "other.partial")
    else:
        (place / "work").mkdir(parents=True)
        if kind == "folder":
            (place / NOTE).write_text("mine")
    before = sorted(path.as_posix() for path in tmp_path.rglob("*"))
    with pytest.raises(ArgumentError, match="somebody else's files are there"), claimed_partial(tmp_path / "out"):
        pass
    assert sorted(path.as_posix() for path in tmp_path.rglob("*")) == before


def test_what_was_put_into_it_stays(tmp_path):
    with claimed_partial(tmp_path / "out") as partial:
        (partial / "mine.txt").write_text("mine")
        forget_partial(partial)
    assert [path.name for path in partial.iterdir()] == ["mine.txt"]


def test_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="cannot be written"), claimed_partial(tmp_path / "file" / "out"):
        pass


def test_one_process_at_a_time(tmp_path):
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom torquec.project.partial_folder import claimed_partial\n"
        "with claimed_partial(Path(sys.argv[1])) as partial:\n    print(partial, flush=True)\n    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == str(tmp_path / "out.partial")
        (tmp_path / "out.partial" / BEST).write_text("{}")
        with (
            pytest.raises(ArgumentError, match=f"process {process.pid} on ") as caught,
            claimed_partial(tmp_path / "out"),
        ):
            pass
        assert "wait until it has ended" in caught.value.remedy
        assert (tmp_path / "out.partial" / BEST).exists()
        process.kill()
    with claimed_partial(tmp_path / "out") as partial:
        assert (partial / BEST).exists()
