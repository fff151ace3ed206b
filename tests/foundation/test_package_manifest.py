"""Packages in folders: one a folder, written over itself, never over another one or over what somebody edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torquec.errors import ArgumentError
from torquec.foundation.package_manifest import MANIFEST, add_to_package, packages_in
from torquec.foundation.writing import new_folder, write_package

ARM = {"arm.c": "int a;", "selftest.c": "int s;"}


def listing(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def arm(folder: Path, contents=None, *, target="c", force=False) -> list[Path]:
    return write_package(folder, contents or ARM, name="arm", target=target, force=force)


def other(folder: Path, *, force=False) -> list[Path]:
    return write_package(folder, {"leg.c": "int l;", "selftest.c": "int t;"}, name="leg", target="c", force=force)


def refused(action, folder: Path, match: str) -> None:
    before = listing(folder)
    with pytest.raises(ArgumentError, match=match) as caught:
        action(folder)
    assert "--force" in caught.value.remedy
    assert listing(folder) == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_the_manifest_states_the_files(tmp_path):
    files = arm(tmp_path / "out")
    assert [path.name for path in files] == ["arm.c", "selftest.c"]
    (package,) = packages_in(tmp_path / "out")
    assert (str(package), set(package.files)) == ("'arm' (c)", set(ARM))
    assert package.files["arm.c"] == "68ee7ca0e099b2c45f613f363e4911edbf3f696a3569f0ca666d433db8503c90"


def test_a_package_is_written_over_itself_and_what_it_no_longer_has_goes(tmp_path):
    out = tmp_path / "out"
    arm(out, {**ARM, "inner/more.c": "int m;"})
    (out / "notes.txt").write_text("mine")
    arm(out, {"arm.c": "int b;"})
    assert set(listing(out)) == {"arm.c", "arm.package.json", "notes.txt"}
    assert (out / "arm.c").read_text() == "int b;"
    assert not (out / "inner").exists()


def test_another_package_is_refused_and_replaced_as_a_whole_with_force(tmp_path):
    out = tmp_path / "out"
    arm(out)
    refused(other, out, r"holds another package: 'arm' \(c\)")
    refused(lambda folder: arm(folder, target="numpy"), out, r"holds another package: 'arm' \(c\)")
    other(out, force=True)
    assert set(listing(out)) == {"leg.c", "selftest.c", "leg.package.json"}


@pytest.mark.parametrize("file", ["arm.c", "selftest.c"])
def test_an_edited_file_is_refused(tmp_path, file):
    out = tmp_path / "out"
    arm(out)
    (out / file).write_text(ARM[file] + " /* mine */")
    refused(lambda folder: arm(folder, {"arm.c": "int b;"}), out, f"{file}: this file was edited since")
    arm(out, {"arm.c": "int b;"}, force=True)
    assert listing(out)["arm.c"] == "int b;"
    # What is not in the way stays, even with force.
    assert (file == "selftest.c") == (out / "selftest.c").exists()


def test_what_was_edited_stays_when_another_package_comes_with_force(tmp_path):
    out = tmp_path / "out"
    arm(out)
    (out / "arm.c").write_text("mine")
    other(out, force=True)
    assert set(listing(out)) == {"arm.c", "leg.c", "selftest.c", "leg.package.json"}
    assert listing(out)["arm.c"] == "mine"


def test_a_file_that_says_it_is_ours_but_stands_in_no_manifest_is_refused_unless_it_is_the_same(tmp_path):
    out = tmp_path / "out"
    arm(out)
    (out / "arm.package.json").unlink()
    arm(out)  # nothing is lost
    (out / "arm.package.json").unlink()
    (out / "arm.c").write_text("/* written by torquec */")
    refused(arm, out, r"arm\.c: this file is there already")
    arm(out, force=True)


def test_a_deleted_file_is_written_again(tmp_path):
    arm(tmp_path / "out")
    (tmp_path / "out" / "selftest.c").unlink()
    arm(tmp_path / "out")
    assert listing(tmp_path / "out")["selftest.c"] == "int s;"


def test_a_link_in_the_way_is_refused_and_never_followed(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out" / "arm.c").symlink_to(tmp_path / "precious")
    with pytest.raises(ArgumentError, match=r"arm\.c: this file is there already"):
        arm(tmp_path / "out")
    arm(tmp_path / "out", force=True)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_folder_in_the_way_is_refused_even_with_force(tmp_path):
    (tmp_path / "out" / "arm.c").mkdir(parents=True)
    (tmp_path / "out" / "arm.c" / "mine").write_text("mine")
    with pytest.raises(ArgumentError, match="a folder is in the way"):
        arm(tmp_path / "out", force=True)
    assert listing(tmp_path / "out") == {"arm.c/mine": "mine"}


@pytest.mark.parametrize("names", [["../precious"], "text", [1], None])
def test_a_manifest_never_leads_out_of_its_folder(tmp_path, names):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    stated = {"format": "torquec package 1", "target": "c", "files": dict.fromkeys(names, "") if names else names}
    (tmp_path / "out" / "other.package.json").write_text(json.dumps(stated))
    arm(tmp_path / "out", force=True)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_file_called_like_a_manifest_is_somebody_elses(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / f"npm{MANIFEST}").write_text('{"name": "npm"}')
    arm(tmp_path / "out")
    assert packages_in(tmp_path / "out")[0].file == "arm.package.json"
    assert (tmp_path / "out" / f"npm{MANIFEST}").exists()


def test_a_package_inside_a_larger_result(tmp_path):
    """What `design` does: a package and other files, in a folder of its own first."""
    out = tmp_path / "out"
    for text in ("int b;", "int c;"):
        with new_folder(out) as scratch:
            arm(scratch / "c", {"arm.c": text})
            (scratch / "result.json").write_text('{"format": "torquec result"}')
    with pytest.raises(ArgumentError, match="another package"), new_folder(out) as scratch:
        other(scratch / "c")
    with new_folder(out, force=True) as scratch:
        other(scratch / "c")
    assert set(listing(out)) == {"c/leg.c", "c/selftest.c", "c/leg.package.json", "result.json"}


def test_files_that_are_added_are_stated(tmp_path):
    out = tmp_path / "out"
    arm(out)
    (out / "selftest.c").write_text("int s2;")
    (out / "more.c").write_text("int m;")
    add_to_package(out, ["selftest.c", "more.c"])
    arm(out)
    assert set(listing(out)) == {*ARM, "arm.package.json"}
