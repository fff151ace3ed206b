"""`check_file`: honest certificates, models and packages are proven again, false ones are refused with a reason."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.model.false_files import (
    PACKAGES,
    changed_digit,
    changed_field,
    entry_of,
    false_model,
    is_untrue,
    resealed_manifest,
    scaled,
    sealed,
)

import torquec as tq
from torquec.closedform import closed_form
from torquec.errors import ArgumentError
from torquec.expr import function_from_dict, trace
from torquec.expr.math import sincos
from torquec.expr.replay import replay
from torquec.foundation.json_text import checksum, document_text
from torquec.foundation.package_manifest import add_to_package
from torquec.model.quantities import input_shapes, quantity_of
from torquec.simplification.specification import parse_specification
from torquec.simplification.specification_text import specification_text
from torquec.simplification.tolerance import torque_budgets
from torquec_check.claim import rounded_up

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"


@pytest.fixture(scope="module")
def small():
    return tq.simplify(tq.classics.planar2r(), SPECIFICATIONS / "planar2r.toml")


@pytest.fixture(scope="module")
def package(small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("check") / "package"
    tq.generate(small, folder)
    tq.save_certificate(small.record, folder / "planar2r.certificate.json")
    add_to_package(folder)
    return folder


@pytest.fixture
def copy(package, tmp_path):
    return shutil.copytree(package, tmp_path / "copy")


def refused(path, **options):
    found = tq.check_file(path, **options)
    assert not found.ok
    return " ".join(found.refused)


# --- honest files ---------------------------------------------------------------------------------------------------


def test_a_certificate_a_model_and_a_package_are_proven_again(small, package):
    robot = small.robot
    found = {
        "certificate": tq.check_file(package / "planar2r.certificate.json", robot=robot),
        "model": tq.check_file(package / "planar2r.tq.json"),
        "package": tq.check_file(package),
    }
    for kind, checked in found.items():
        assert checked.ok, checked.refused
        assert checked.kind == kind
        assert checked.box == small.record.motions
        assert [(c.quantity, c.joint, c.bound, c.unit) for c in checked.claims] == [
            ("inverse_dynamics", name, proof.bound, "N m") for name, proof in small.record.joints.items()
        ]
        assert all(0.0 < checked.slacks[name] < 1e-9 for name in robot.joint_names)
        assert checked.specification == small.record.specification


def test_the_certificate_shows_which_claim_is_met(small):
    stated = tq.load_specification(SPECIFICATIONS / "planar2r.toml", small.robot)
    for joint in stated.joints:
        proof = small.record.joints[joint.name]
        assert proof.tolerance == joint.torque_error
        assert proof.bound <= proof.tolerance


def test_an_exact_model_follows_from_its_robot(tmp_path):
    tq.save(tq.compile(tq.classics.scara()), tmp_path / "arm.tq.json")
    found = tq.check_file(tmp_path / "arm.tq.json")
    assert found.ok
    assert found.claims == ()


def test_models_by_coefficients_with_programs_of_their_own(tmp_path):
    robot = tq.classics.planar3r()
    text = "[coefficients]\nthreshold = 0.05\n[every_joint]\nvelocity = 1\nacceleration = 2\n"
    (tmp_path / "spec.toml").write_text(text)
    model = tq.simplify(robot, tmp_path / "spec.toml")
    tq.generate(model, tmp_path / "out")
    found = tq.check_file(tmp_path / "out")
    assert found.ok, found.refused
    assert {claim.quantity for claim in found.claims} > {"inverse_dynamics", "M[1,3]"}
    part = model.functions["mass_matrix"]
    false = replace(model, functions={**model.functions, "mass_matrix": scaled(part, 1.0 + 1e-8)})
    tq.save(false, tmp_path / "false.tq.json")
    assert "'mass_matrix' is not that part" in refused(tmp_path / "false.tq.json")


def test_the_header_states_the_claim(small, package):
    header = (package / "planar2r_simplified.h").read_text()
    words = " ".join(header.replace("\n * ", " ").split())
    for proof in small.record.joints.values():
        assert f"at most {rounded_up(proof.bound, 6)} N m" in words
    for expected in ("SIMPLIFIED", "speed up to 1 rad/s", "torque_error = 2.0", "torquec check DIR"):
        assert expected in words
    assert small.record.content_hash in words
    assert json.loads((package / "planar2r.tq.json").read_text())["sha256"] in words
    assert "planar2r_simplified_inverse_dynamics" in header


def test_comments_of_a_specification_are_no_claims(small, tmp_path):
    said = "# tracking error of every joint at most 1e-9 rad: PROVEN\n"
    record = replace(small.record, specification=said + small.record.specification)
    tq.generate(replace(small, record=record), tmp_path / "out")
    header = (tmp_path / "out" / "planar2r_simplified.h").read_text()
    assert "torque_error = 2.0" in header
    assert "PROVEN" not in header
    found = tq.check_file(tmp_path / "out")
    assert found.ok, found.refused
    assert found.specification == small.record.specification


def test_the_checksums_of_the_header_are_the_fields_that_it_names(package):
    header = (package / "planar2r_simplified.h").read_text()
    document = json.loads((package / "planar2r.tq.json").read_text())
    assert "the fields sha256 of their documents" in header
    for words, stated in (("model", document), ("certificate", document["certificate"])):
        assert f"   {words:13}{stated['sha256']}\n" in header
        assert checksum({key: value for key, value in stated.items() if key != "sha256"}) == stated["sha256"]


def test_the_prefix_can_be_chosen_and_other_targets_have_other_names(small, tmp_path):
    files = {path.name for path in tq.generate(small, tmp_path / "c", prefix="arm").files}
    assert {"arm.c", "arm.h", "planar2r.tq.json", "arm.package.json"} <= files
    assert tq.check_file(tmp_path / "c").ok
    tq.generate(small, tmp_path / "single", precision="single")
    assert "const float" in (tmp_path / "single" / "planar2r_simplified.h").read_text()
    assert tq.check_file(tmp_path / "single").ok
    module = tq.generate(small, tmp_path / "py", target="numpy")
    names = ["planar2r_simplified.py", "planar2r.tq.json", "planar2r_simplified.package.json"]
    assert [path.name for path in module.files] == names
    assert [claim.bound for claim in module.claim] == [proof.bound for proof in small.record.joints.values()]


@pytest.fixture(scope="module")
def object_package(small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("object") / "package"
    tq.generate(small, folder, target="object", quantities=["inverse_dynamics"])
    return folder


def test_an_object_states_the_claim_and_is_proven_again(small, object_package):
    header = (object_package / "planar2r_simplified.h").read_text()
    words = " ".join(header.replace("\n * ", " ").split())
    for joint, proof in small.record.joints.items():
        assert f"torque error of {joint}: at most {rounded_up(proof.bound, 6)} N m" in words
    for expected in ("SIMPLIFIED", "speed up to 1 rad/s", "torquec check DIR", small.record.content_hash):
        assert expected in words
    found = tq.check_file(object_package)
    assert found.ok, found.refused
    assert [claim.bound for claim in found.claims] == [proof.bound for proof in small.record.joints.values()]


def test_a_changed_object_is_refused(object_package, tmp_path):
    code = object_package / "planar2r_simplified.o"
    for at in (0.2, 0.5, 0.9):
        copy = shutil.copytree(object_package, tmp_path / str(at))
        held = bytearray(code.read_bytes())
        held[int(at * len(held))] ^= 1
        (copy / code.name).write_bytes(held)
        assert "not the one that the manifest lists" in refused(copy)
        resealed_manifest(copy)
        assert "not the one that the model gives" in refused(copy)
    copy = shutil.copytree(object_package, tmp_path / "more")
    (copy / "other.o").write_bytes(code.read_bytes())
    assert "what its manifest does not list: other.o" in refused(copy)


def test_an_object_of_another_llvm_is_refused_by_name(object_package, tmp_path):
    copy = shutil.copytree(object_package, tmp_path / "copy")
    path = copy / "planar2r_simplified.package.json"
    stated = json.loads(path.read_text())
    stated["options"]["llvm"] = "3.1.4"
    path.write_text(json.dumps(stated))
    assert "made by LLVM 3.1.4" in refused(copy)
    stated["options"] = {"triple": 5}
    path.write_text(json.dumps(stated))
    assert "does not say how the package was made" in refused(copy)


def test_an_older_certificate_is_read_and_proven(small, tmp_path):
    document = small.record.to_dict()
    del document["sha256"], document["specification"], document["robot_document"]
    for proof in document["joints"].values():
        del proof["tolerance"]
    document["format"] = "torquec certificate 2"
    (tmp_path / "old.certificate.json").write_text(json.dumps(document))
    found = tq.check_file(tmp_path / "old.certificate.json", robot=small.robot)
    assert found.ok, found.refused
    assert found.specification == ""


# --- false ones -----------------------------------------------------------------------------------------------------


def changed_digits(folder, count, seed):
    rng = np.random.default_rng(seed)
    for path in sorted(folder.iterdir()):
        honest = path.read_text()
        for _ in range(count):
            path.write_text(changed_digit(honest, rng))
            assert not tq.check_file(folder).ok, path.name
        path.write_text(honest)
    assert tq.check_file(folder).ok


def test_any_changed_digit_in_a_package_is_refused(copy):
    changed_digits(copy, 1, 5)


@pytest.mark.slow
def test_many_changed_digits_in_a_package_are_refused(copy):
    changed_digits(copy, 100, 6)


def false_models(small, package, tmp_path, count, start):
    text = (package / "planar2r.tq.json").read_text()
    path = tmp_path / "false.tq.json"
    accepted, tried = [], 0
    for k in range(count):
        changed = false_model(small, text, np.random.default_rng([start, k]))
        if changed is None:
            continue
        tried += 1
        path.write_text(changed[1])
        if tq.check_file(path).ok:
            accepted.append((k, changed[0]))
    return accepted, tried


def test_false_models_with_checksums_that_fit_are_refused(small, package, tmp_path):
    accepted, tried = false_models(small, package, tmp_path, 25, 0)
    assert not accepted
    assert tried > 20


@pytest.mark.slow
def test_a_thousand_false_models(small, package, tmp_path):
    accepted, tried = false_models(small, package, tmp_path, 1000, 1)
    assert not accepted
    assert tried > 900


def changed_fields(package, path, count, start):
    """Which models with a changed field were accepted and are untrue; how many were tried, and how many accepted."""
    text = (package / "planar2r.tq.json").read_text()
    untrue, tried, accepted = [], 0, 0
    for k in range(count):
        rng = np.random.default_rng([start, k])
        changed = changed_field(text, rng)
        if changed is None:
            continue
        tried += 1
        path.write_text(changed[1])
        try:
            found = tq.check_file(path)
        except ArgumentError:  # of a kind that claims nothing
            continue
        accepted += found.ok
        if found.ok and is_untrue(path, rng):
            untrue.append((k, changed[0]))
    return untrue, tried, accepted


def test_models_with_any_field_changed(package, tmp_path):
    untrue, tried, accepted = changed_fields(package, tmp_path / "false.tq.json", 40, 2)
    assert not untrue
    assert tried > 30
    assert accepted < 20


@pytest.mark.slow
def test_two_thousand_models_with_any_field_changed(package, tmp_path):
    untrue, tried, accepted = changed_fields(package, tmp_path / "false.tq.json", 2600, 3)
    sys.stdout.write(f"\naccepted {accepted} of {tried}, untrue {len(untrue)}\n")
    assert not untrue
    assert tried > 2000


def false_packages(package, folder, count, start):
    accepted = []
    for k in range(count):
        rng = np.random.default_rng([start, k])
        what = list(PACKAGES)[k % len(PACKAGES)]
        copy = shutil.copytree(package, folder / str(k))
        honest = {path.name: path.read_bytes() for path in copy.iterdir()}
        done = PACKAGES[what](copy, rng)
        if rng.random() < 0.8 and (copy / "planar2r_simplified.package.json").read_text():
            resealed_manifest(copy)
        changed = {path.name: path.read_bytes() for path in copy.iterdir()} != honest
        if changed and tq.check_file(copy).ok:
            accepted.append((k, what, done))
        shutil.rmtree(copy)
    return accepted


def test_false_packages_with_hashes_that_fit_are_refused(package, tmp_path):
    assert not false_packages(package, tmp_path, len(PACKAGES), 0)


@pytest.mark.slow
def test_a_thousand_false_packages(package, tmp_path):
    assert not false_packages(package, tmp_path, 1000, 1)


def test_a_package_generated_from_a_false_model_is_refused(small, tmp_path):
    """Every byte is what the model gives, and every hash fits; what the model claims is not so."""
    lower = {name: replace(proof, bound=0.5 * proof.found, found=0.0) for name, proof in small.record.joints.items()}
    tq.generate(replace(small, record=replace(small.record, joints=lower)), tmp_path / "out")
    assert "is not proven" in refused(tmp_path / "out")


def test_a_control_requirement_without_a_proof_of_coefficients_is_refused(tmp_path):
    """The torque budgets of its loops allow a mass matrix of zeros; the damping of these loops does not."""
    robot = tq.classics.planar2r()
    motor = "armature_resistance = 1.025, torque_constant = 0.43, back_emf_constant = 0.43, gear_ratio = 0.01"
    text = (
        "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\n"
        "control = { damping_error = 0.05, step_error = 0.1, ramp_error = 0.1, parabolic_error = 0.2 }\n"
        f"motor = {{ {motor}, resonance_hz = 14, inertia = 2 }}\n"
    )
    stated = parse_specification(text, robot)
    budgets = torque_budgets(closed_form(robot), stated)
    torques = "".join(
        f'[[joint]]\nname = "{name}"\nvelocity = 1.0\nacceleration = 2.0\ntorque_error = {allowed!r}\n'
        for name, allowed in zip(robot.joint_names, budgets, strict=True)
    )
    small = tq.simplify(robot, parse_specification(torques, robot))
    record = replace(small.record, specification=specification_text(robot, stated))
    tq.generate(replace(small, record=record), tmp_path / "out")
    assert "joint 'joint1' has a control requirement" in refused(tmp_path / "out")


def test_thresholds_of_specifications_are_applied_again(tmp_path):
    robot = tq.classics.planar2r()
    text = "[coefficients]\nthreshold = 1.1\n[every_joint]\nvelocity = 1\nacceleration = 2\n"
    (tmp_path / "spec.toml").write_text(text)
    model = tq.simplify(robot, tmp_path / "spec.toml")
    tq.save(model, tmp_path / "honest.tq.json")
    assert tq.check_file(tmp_path / "honest.tq.json").ok
    stricter = model.record.specification.replace("threshold = 1.1", "threshold = 1e-06")
    tq.save_certificate(replace(model.record, specification=stricter), tmp_path / "false.certificate.json")
    assert "threshold 1e-06 " in refused(tmp_path / "false.certificate.json", robot=robot)
    alone = replace(model.record, coefficients=None)
    tq.save_certificate(alone, tmp_path / "alone.certificate.json")
    assert "none are proven" in refused(tmp_path / "alone.certificate.json", robot=robot)


def test_a_specification_of_torques_needs_bounds_of_torques(small, tmp_path):
    robot = small.robot
    (tmp_path / "spec.toml").write_text("[coefficients]\nthreshold = 0.05\n")
    inner = tq.simplify(robot, tmp_path / "spec.toml").record
    false = replace(inner, specification=small.record.specification, motions=small.record.motions)
    tq.save_certificate(false, tmp_path / "false.certificate.json")
    assert "proven is None" in refused(tmp_path / "false.certificate.json", robot=robot)


def test_a_mass_matrix_times_ten_that_agrees_at_the_points_of_the_reader_is_refused(small, package, tmp_path):
    """The reader compares programs at fixed states, which can be looked up; the check makes the programs again."""
    document = json.loads((package / "planar2r.tq.json").read_text())
    names = list(document["quantities"])
    honest = function_from_dict(document["quantities"]["mass_matrix"]["function"])
    rng = np.random.default_rng(0)
    points = []
    for name in names:
        shapes = input_shapes(small.robot, quantity_of(name)[0])
        for _ in range(2):
            drawn = {key: rng.uniform(-1.0, 1.0, shape) for key, shape in shapes.items()}
            if name == "mass_matrix":
                points.append(float(drawn["q"][1]))

    def algorithm(q):
        M = replay(honest, {"q": q})["M"]
        bump = 1.0
        for point in points:
            bump = bump * sincos(q[1] - point)[0]
        return {"M": [[m + 10.0 * bump * m for m in row] for row in M]}

    false = trace(honest.name, algorithm, {"q": (2,)})
    document["quantities"]["mass_matrix"] = entry_of(false)
    path = tmp_path / "false.tq.json"
    path.write_text(document_text(sealed(document)))
    tq.load_model(path)  # the reader is deceived
    assert "'mass_matrix' does not follow" in refused(path)


def test_c_that_was_changed_with_its_hashes_is_refused(copy):
    source = copy / "planar2r_simplified.c"
    source.write_text(source.read_text().replace("tau[0] = ", "tau[0] = 2.0 * "))
    resealed_manifest(copy)
    assert "planar2r_simplified.c, line 118: the program 'inverse_dynamics' does not have the number 2.0" in refused(
        copy
    )


def test_a_package_of_another_version_is_refused_by_name(copy):
    path = copy / "planar2r_simplified.package.json"
    path.write_text(path.read_text().replace(f"torquec {tq.__version__}", "torquec 99.0"))
    assert "written by torquec 99.0, this is torquec" in refused(copy)


@pytest.mark.parametrize("name", ["planar2r_simplified.c", "selftest.c", "planar2r.tq.json"])
def test_a_missing_file_is_refused(copy, name):
    (copy / name).unlink()
    assert name in refused(copy)


@pytest.mark.parametrize("name", ["planar2r_simplified.h.gch", "planar2r_simplified.h.pch", "more.cxx", "more.S"])
def test_what_a_compiler_would_take_beside_the_sources_is_refused(copy, name):
    """GCC reads a precompiled header in place of the header of the package, which may make every sine a cosine."""
    (copy / name).write_bytes(b"gpch")
    assert f"what its manifest does not list: {name}" in refused(copy)


def test_the_certificate_of_another_model_is_refused(copy, small):
    loose = {
        name: replace(proof, bound=2.0 * proof.bound, tolerance=None) for name, proof in small.record.joints.items()
    }
    other = replace(small.record, joints=loose, specification="")
    tq.save_certificate(other, copy / "planar2r.certificate.json")
    assert "not the certificate of the model" in refused(copy)


def test_a_certificate_changed_in_any_field_is_refused(small, tmp_path):
    path = tmp_path / "false.certificate.json"
    document = small.record.to_dict()
    for field in [name for name, value in document.items() if value is not None]:
        changed = {**document, field: None}
        path.write_text(document_text(changed))
        assert not tq.check_file(path, robot=small.robot).ok, field
        if field not in ("sha256", "counts"):  # a certificate without counts says less, and nothing false
            changed.pop("sha256")
            path.write_text(document_text({**changed, "sha256": checksum(changed)}))
            assert not tq.check_file(path, robot=small.robot).ok, field


# --- misuse ---------------------------------------------------------------------------------------------------------


def test_what_cannot_be_checked(package, tmp_path):
    with pytest.raises(ArgumentError, match="no such file"):
        tq.check_file(tmp_path / "none")
    bare = replace(tq.load_certificate(package / "planar2r.certificate.json"), robot_document=None)
    tq.save_certificate(bare, tmp_path / "bare.certificate.json")
    with pytest.raises(ArgumentError, match="does not contain its robot"):
        tq.check_file(tmp_path / "bare.certificate.json")
    (tmp_path / "bare.certificate.json").unlink()
    with pytest.raises(ArgumentError, match="0 manifests"):
        tq.check_file(tmp_path)
    for name in ("simplify", "design"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "arm.package.json").write_text("{}")
    with pytest.raises(ArgumentError) as caught:
        tq.check_file(tmp_path)
    assert caught.value.remedy == "name one of its folders: design, simplify"
    (tmp_path / "arm.urdf").write_text("<robot/>")
    with pytest.raises(ArgumentError, match=r"which end in \.json"):
        tq.check_file(tmp_path / "arm.urdf")
    tq.save(tq.abbreviated_model(tq.classics.planar2r()), tmp_path / "short.tq.json")
    with pytest.raises(ArgumentError, match="there is no claim"):
        tq.check_file(tmp_path / "short.tq.json")


def test_another_robot_is_refused(package):
    other = tq.classics.planar3r()
    assert "another robot" in refused(package / "planar2r.certificate.json", robot=other)
    assert "another robot" in refused(package / "planar2r.tq.json", robot=other)
