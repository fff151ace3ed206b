"""The folder for unfinished work: ours or refused; what somebody put into it stays."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError
from torquec.project.partial_folder import BEST, NOTE, claimed_partial, forget_partial


def test_it_is_made_claimed_again_and_forgotten(tmp_path):
    partial = claimed_partial(tmp_path / "out")
    assert partial == tmp_path / "out.partial"
    (partial / "work").mkdir()
    (partial / "work" / "step.json").write_text("{}")
    (partial / BEST).write_text("{}")
    assert claimed_partial(tmp_path / "out") == partial
    assert (partial / "work" / "step.json").exists()
    forget_partial(partial)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "file", "link", "empty folder"])
def test_what_is_somebody_elses_is_refused_and_stays(tmp_path, kind):
    place = tmp_path / "out.partial"
    if kind == "file":
        place.write_text("mine")
    elif kind == "link":
        claimed_partial(tmp_path / "other")
        place.symlink_to(tmp_path / "other.partial")
    else:
        (place / "work").mkdir(parents=True)
        if kind == "folder":
            (place / NOTE).write_text("mine")
    before = sorted(path.as_posix() for path in tmp_path.rglob("*"))
    with pytest.raises(ArgumentError, match="somebody else's files are there"):
        claimed_partial(tmp_path / "out")
    assert sorted(path.as_posix() for path in tmp_path.rglob("*")) == before


def test_what_was_put_into_it_stays(tmp_path):
    partial = claimed_partial(tmp_path / "out")
    (partial / "mine.txt").write_text("mine")
    forget_partial(partial)
    assert [path.name for path in partial.iterdir()] == ["mine.txt"]


def test_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="cannot be written"):
        claimed_partial(tmp_path / "file" / "out")
