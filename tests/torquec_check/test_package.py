"""A package is a closed world: what its manifest lists, and nothing that could change what the code means."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import time

import numpy as np
import pytest
from tests.torquec_check.packages import NAME, c_package, certified_model, resealed

import torquec as tq
from torquec.model.quantities import QUANTITIES
from torquec.model.save import load_model
from torquec_check import package
from torquec_check.claim import certificate_claim
from torquec_check.document import RefusedError
from torquec_check.package import _OF_FRAMES, check_c_package, read_package


@pytest.fixture
def folder(tmp_path):
    return c_package(tmp_path / "package")


def check(folder):
    package = read_package(folder)
    model = json.loads(package.files[package.model])
    check_c_package(package, model, certificate_claim(model["certificate"], model["robot"]))


def refused(folder):
    with pytest.raises(RefusedError) as error:
        check(folder)
    return str(error.value)


def test_an_honest_package_is_accepted(folder):
    check(folder)


@pytest.mark.parametrize(
    "name",
    [
        "bits/fp-fast.h",
        "build/CMakeCache.txt",
        "CMakeCache.txt",
        "CMakePresets.json",
        "CMakeUserPresets.json",
        "math.h",
        f"{NAME}.h.gch",
        f"{NAME}.o",
        "more.txt",
        ".hidden",
    ],
)
def test_a_file_that_the_manifest_does_not_list_is_refused(folder, name):
    """A header `bits/fp-fast.h` that redefines fabs was found before that of the system: 79 N m wrong."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("#define fabs cosh\n")
    assert f"what its manifest does not list: {name.split('/')[0]}" in refused(folder)


@pytest.mark.parametrize("name", ["math.h", "CMakePresets.json", "bits/fp-fast.h", "more.certificate.json"])
def test_a_listed_file_that_no_c_package_has_is_refused(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("#define fabs cosh\n")
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    manifest["files"][name] = ""
    path.write_text(json.dumps(manifest))
    resealed(folder)
    assert "not the files of a C package" in refused(folder)


@pytest.mark.parametrize("name", ["CMakePresets.json", "CMakeCache.txt", "../x.txt", f"{NAME}.c", "a/report.html"])
def test_only_known_documents_may_lie_beside(folder, name):
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"documents": [name]}))
    assert "which no package has" in refused(folder)


def test_documents_for_people_may_lie_beside(folder):
    (folder / "report.html").write_text("words")
    assert "does not list: report.html" in refused(folder)
    path = folder / f"{NAME}.package.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"documents": ["report.html"]}))
    check(folder)


def test_names_that_differ_in_case_only_are_refused(folder):
    """On a disk that ignores case the unread file would take the place of the checked one."""
    (folder / "SelfTest.c").write_text("int main(void) { return 0; }\n")
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    manifest["files"]["SelfTest.c"] = ""
    path.write_text(json.dumps(manifest))
    resealed(folder)
    assert "differ in case only" in refused(folder)


def test_links_and_folders_in_place_of_files_are_refused(folder, tmp_path):
    source = folder / f"{NAME}.c"
    (tmp_path / "other.c").write_bytes(source.read_bytes())
    source.unlink()
    source.symlink_to(tmp_path / "other.c")
    assert "a link or a device" in refused(folder)
    source.unlink()
    source.mkdir()
    assert "a link or a device" in refused(folder)
    source.rmdir()
    assert f"lacks {NAME}.c" in refused(folder)
    os.mkfifo(source)
    assert "a link or a device" in refused(folder)


def test_two_manifests_are_refused(folder):
    (folder / "other.package.json").write_bytes((folder / f"{NAME}.package.json").read_bytes())
    assert "2 manifests" in refused(folder)


@pytest.mark.parametrize("quantity", ["inverse_dynamics:", "inverse_dynamics:exact", "mass_matrix:x", "total_torque:x"])
def test_a_quantity_under_a_second_name_is_refused(folder, quantity):
    """It is not compared with the certified program, and the header would say that its errors are those at the top."""
    path = folder / f"{NAME}.package.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"quantities": [quantity]}))
    package = read_package(folder)
    model = json.loads(package.files[package.model])
    claim = certificate_claim(model["certificate"], model["robot"])
    constant = {"name": quantity.replace(":", "_"), "inputs": [], "outputs": [], "operations": [["const", 1000.0]]}
    model["quantities"][quantity] = {"function": constant}
    with pytest.raises(RefusedError, match=f"no program of '{quantity}'"):
        check_c_package(package, model, claim)


def test_every_quantity_of_a_frame_is_known():
    assert set(_OF_FRAMES) == {name for name, quantity in QUANTITIES.items() if quantity.of_frame}


def test_words_for_a_prefix_or_a_frame_stand_in_quotation_marks(tmp_path):
    """Frames with colons in their names are honest, too."""
    words = "x. Torque errors are PROVEN to be at most 1e-9 N m"
    robot = tq.classics.planar2r()
    others = [dataclasses.replace(robot.frames[-1], name=name) for name in (words, "a:b:c")]
    robot = dataclasses.replace(robot, frames=(*robot.frames[:-1], *others))
    model = certified_model(robot)
    folder = tmp_path / "package"
    quantities = ["inverse_dynamics", f"frame_pose:{words}", "frame_pose:a:b:c"]
    tq.generate(model, folder, prefix=words, quantities=quantities)
    check(folder)
    load_model(folder / "planar2r.tq.json")
    for path in folder.glob("x_*.[ch]"):
        text = " ".join(path.read_text().replace("\n *", " ").split())
        assert text.count(words) == text.count(f'"{words}"') == (1 if path.suffix == ".c" else 2)


def test_names_that_lead_out_of_the_folder_are_refused(folder):
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    for name in ("../x.c", "/x.c", "a\\\\b.c", "./x.c"):
        path.write_text(json.dumps(manifest | {"files": {**manifest["files"], name: "0"}}))
        assert "which no package has" in refused(folder)


@pytest.mark.parametrize("field", ["target", "prefix", "precision", "quantities", "model", "files", "documents"])
def test_a_manifest_without_a_field_is_refused(folder, field):
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    for changed in ({key: value for key, value in manifest.items() if key != field}, manifest | {field: 5}):
        path.write_text(json.dumps(changed))
        with pytest.raises(RefusedError):
            check(folder)


def test_a_changed_file_is_refused_with_and_without_its_hash(folder):
    build = folder / "CMakeLists.txt"
    build.write_text(build.read_text() + "add_definitions(-Dfabs=cosh)\n")
    assert "not the one that the manifest lists" in refused(folder)
    resealed(folder)
    assert "the build file goes on after its end" in refused(folder)
    build.write_text("include_directories(.)\n" + build.read_text())
    resealed(folder)
    assert "'include_directories(.)" in refused(folder)


def test_c_for_other_ports_is_refused(folder):
    """The program of a model had inputs in the order qdd, qd, q, and so had its C: 47 N m wrong."""
    path = folder / "planar2r.tq.json"
    model = json.loads(path.read_text())
    model["quantities"]["inverse_dynamics"]["function"]["inputs"].reverse()
    path.write_text(json.dumps(model))
    resealed(folder)
    assert "stands where a function like" in refused(folder)
    model["quantities"]["inverse_dynamics"]["function"]["name"] = "exact_inverse_dynamics"
    path.write_text(json.dumps(model))
    resealed(folder)
    assert "is called 'exact_inverse_dynamics'" in refused(folder)


def test_words_of_the_header_are_those_of_the_claim(folder):
    header = folder / f"{NAME}.h"
    header.write_text(header.read_text().replace("without friction", "with friction"))
    resealed(folder)
    assert "the comment is not the expected one" in refused(folder)


def test_an_older_package_is_refused_with_the_remedy(folder):
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"format": "torquec package 1"}))
    assert "generate it again" in refused(folder)


def test_random_changes_of_source_header_and_build_file_are_refused(folder):
    """Accepted are only changes of blanks: what a compiler reads stays the same."""
    package = read_package(folder)
    model = json.loads(package.files[package.model])
    claim = certificate_claim(model["certificate"], model["robot"])
    rng, refusals = np.random.default_rng(11), 0
    for _ in range(120):
        name = str(rng.choice([f"{NAME}.c", f"{NAME}.h", "CMakeLists.txt"]))
        honest = package.files[name].decode()
        place, length = int(rng.integers(len(honest))), int(rng.integers(0, 4))
        changed = honest[:place] + str(rng.choice(list(" +-*/()[];.0129eqvsc_\n#?:"))) + honest[place + length :]
        try:
            check_c_package(dataclasses.replace(package, files={**package.files, name: changed.encode()}), model, claim)
        except RefusedError:
            refusals += 1
            continue
        read = [" ".join(re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).split()) for text in (honest, changed)]
        assert read[0].replace(" ", "") == read[1].replace(" ", "")
    assert refusals > 90


@pytest.mark.parametrize(
    ("code", "message"),
    [(f"#define {NAME}_inverse_dynamics unused\n/*", "no name"), (f"{NAME} /*", "stands where '/*' is expected")],
)
def test_a_prefix_is_no_code(folder, code, message):
    """A heading of code, then `/*`: the C gave 1e9 N m, where 1.9 N m was proven."""
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"prefix": code}))
    source, header = folder / f"{NAME}.c", folder / f"{NAME}.h"
    source.write_text(source.read_text().replace(f"/* {NAME}:", f"{code} :", 1))
    header.write_text(header.read_text().replace(f"/* {NAME}:", f"/* {code.replace('/*', '/ *')} :", 1))
    resealed(folder)
    assert message in refused(folder)


def test_a_prefix_is_the_name_and_no_claim(folder):
    words = "Proven: tracking error at most 1e-9 rad"
    path = folder / f"{NAME}.package.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"prefix": words}))
    for file in (folder / f"{NAME}.c", folder / f"{NAME}.h"):
        file.write_text(file.read_text().replace(f"/* {NAME}: written", f"/* {words}: written", 1))
    resealed(folder)
    assert "no name" in refused(folder)


@pytest.mark.parametrize("name", ["Makefile", "CMakePresets.json", "a/planar2r.tq.json"])
def test_a_model_has_the_name_of_a_model(folder, name):
    """`make` runs $(shell ..) of any text that is called Makefile."""
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / manifest["model"]).rename(folder / name)
    path.write_text(json.dumps(manifest | {"model": name, "files": {**manifest["files"], name: ""}}))
    resealed(folder)
    assert "not the files of a C package" in refused(folder)


def test_a_manifest_that_is_no_file_is_refused(folder, monkeypatch):
    """A pipe without another end would be waited for."""
    manifest = folder / f"{NAME}.package.json"
    monkeypatch.setattr("torquec_check.package.MOST_BYTES", 10)
    with pytest.raises(RefusedError, match="size that is read"):
        read_package(folder)
    monkeypatch.undo()
    manifest.unlink()
    os.mkfifo(manifest)
    with pytest.raises(RefusedError, match="not a regular file"):
        read_package(folder)


def test_a_folder_with_too_many_files_is_refused(folder, monkeypatch):
    count = len([*folder.iterdir()])
    monkeypatch.setattr(package, "_MOST_FILES", count)
    read_package(folder)
    monkeypatch.setattr(package, "_MOST_FILES", count - 1)
    with pytest.raises(RefusedError, match="holds more than"):
        read_package(folder)


def test_a_file_that_a_package_lacks_is_named(folder):
    with pytest.raises(RefusedError, match=r"the package lacks more\.h"):
        read_package(folder).c_text("more.h")


def test_files_of_more_bytes_together_than_are_read_are_refused(folder, monkeypatch):
    """A thousand sparse files, each of a size that is read, would fill the memory."""
    manifest = folder / f"{NAME}.package.json"
    sizes = [each.stat().st_size for each in folder.iterdir()]
    whole = sum(sizes) - manifest.stat().st_size
    assert whole > max(sizes)
    monkeypatch.setattr(package, "MOST_BYTES", whole)
    read_package(folder)
    monkeypatch.setattr(package, "MOST_BYTES", whole - 1)
    with pytest.raises(RefusedError, match="bytes together"):
        read_package(folder)


def test_a_manifest_with_many_documents_is_read_in_one_pass(folder):
    path = folder / f"{NAME}.package.json"
    names = [f"a{k}.certificate.json" for k in range(20_000)]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"documents": names}))
    start = time.process_time()
    assert "the folder lacks a0.certificate.json" in refused(folder)
    assert time.process_time() - start < 3.0  # ten seconds with a list


@pytest.mark.parametrize(("count", "words"), [(8, "0, 1, 2, 3, 4, 5, 6, 7\n"), (9, "5, 6, 7 and 1 more\n")])
def test_eight_files_that_are_not_listed_are_named(folder, count, words):
    for k in range(count):
        (folder / str(k)).write_text("")
    assert f"{words}  remedy" in refused(folder)


@pytest.mark.parametrize("prefix", ["selftest", "SelfTest", "CMakeLists", "math"])
def test_honest_packages_that_are_called_as_their_files_are_accepted(tmp_path, prefix):
    """Manifest and code of `selftest` had two names, and `SelfTest.c` is `selftest.c` on some disks."""
    tq.generate(certified_model(), tmp_path / "c", quantities=["inverse_dynamics"], prefix=prefix)
    check(tmp_path / "c")
