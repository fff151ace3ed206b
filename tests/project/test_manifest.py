"""The manifest of a run: written and read back, and nothing else read."""

from __future__ import annotations

from torquec.project.manifest import (
    MANIFEST,
    StepRecord,
    file_hash,
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
