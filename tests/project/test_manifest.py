"""The manifest of a run: written and read back, and nothing else read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from torquec.errors import ArgumentError
from torquec.project.manifest import (
    BEST,
    MANIFEST,
    NOTE,
    StepRecord,
    claimed_partial,
    file_hash,
    forget_partial,
    manifest_of,
    manifest_text,
    read_manifest,
    read_record,
    record_text,
    versions,
)


def test_what_is_written_is_read_back(tmp_path):
    record = StepRecord("design", "k", "a law", "", 1.5, {"design/a.c": "00"})
    records = (record, StepRecord("simulate", skipped="there is no [[experiment]]"))
    manifest = manifest_of("arm.toml", {"arm.toml": "ff"}, 3, records)
    (tmp_path / MANIFEST).write_text(manifest_text(manifest))
    assert read_manifest(tmp_path) == manifest
    assert manifest.files == ("design/a.c",)
    assert manifest.step("design") == record
    assert manifest.step("none") is None


def test_what_is_no_manifest_is_none(tmp_path):
    assert read_manifest(tmp_path) is None
    for text in ("", "[]", '{"format": "torquec model"}', '{"format": "torquec run 1"}'):
        (tmp_path / MANIFEST).write_text(text)
        assert read_manifest(tmp_path) is None


def test_the_content_of_a_step_is_that_of_its_files(tmp_path):
    one, other = StepRecord("a", files={"a/x": "1"}), StepRecord("a", "key", "s", "", 2.0, {"a/x": "1"})
    assert one.content == other.content
    assert one.content != StepRecord("a", files={"a/x": "2"}).content
    (tmp_path / "a.json").write_text(record_text(other))
    assert read_record(tmp_path / "a.json") == other
    assert read_record(tmp_path / "b.json") is None


def test_hashes_and_versions(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert file_hash(tmp_path / "empty").startswith("e3b0c44298fc1c14")
    assert file_hash(tmp_path / "none") == ""
    assert set(versions()) >= {"python", "system", "numpy"}


def test_a_manifest_never_names_files_outside_of_its_folder(tmp_path):
    """Files that a manifest names and a run no longer makes are deleted."""
    record = StepRecord("design", "k", files={"design/../../precious": "00"})
    (tmp_path / MANIFEST).write_text(manifest_text(manifest_of("arm.toml", {}, 3, (record,))))
    assert read_manifest(tmp_path) is None
    (tmp_path / "a.json").write_text(record_text(record))
    assert read_record(tmp_path / "a.json") is None


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
    with pytest.raises(ArgumentError, match="other files are there"), claimed_partial(tmp_path / "out"):
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
        "import sys, time\nfrom pathlib import Path\nfrom torquec.project.manifest import claimed_partial\n"
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
