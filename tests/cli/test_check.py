"""`torquec check`, `torquec verify-package` and `torquec selftest`."""

from __future__ import annotations

import importlib.metadata
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.codegen.c.compiler import COMPILERS, needs_compiler

import torquec as tq
from torquec.cli import info
from torquec.codegen.verify import package as verified_package
from torquec.expr.function import Operation
from torquec.expr.ops import Op
from torquec.foundation.json_text import checksum, document_text
from torquec.foundation.package_manifest import add_to_package
from torquec.model.model_kinds import certified_model
from torquec.project import self_test as module
from torquec.project.self_test import SelfTestRow
from torquec.proof.torque.certificate import Certificate, JointProof
from torquec.trajectory.motion_box import MotionBox
from torquec_check.claim import rounded_down, rounded_up

SPECIFICATION = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "planar2r.toml"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check") / "package"
    model = tq.simplify(tq.classics.planar2r(), SPECIFICATION)
    tq.generate(model, folder)
    tq.save_certificate(model.record, folder / "planar2r.certificate.json")
    add_to_package(folder)
    return folder


def test_json_keys(torquec, package):
    outcome = torquec("check", package, "--json")
    assert set(outcome.document) == {
        *("format", "command", "ok", "kind", "claims", "box", "specification", "precision"),
        *("slacks", "seconds", "refused", "claim", "assumptions", "robot_as_used", "held"),
    }
    assert outcome.document["ok"] is True
    assert outcome.document["kind"] == "package"
    assert set(outcome.document["claims"][0]) == {"quantity", "joint", "bound", "unit"}
    assert "proving the torque errors again" in outcome.err  # progress


def test_the_text_says_proven_only_where_it_is(torquec, package, tmp_path):
    assert "proven again" in torquec("check", package / "planar2r.tq.json").out
    tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "exact.tq.json")
    text = torquec("check", tmp_path / "exact.tq.json").out
    assert "proven again" not in text
    assert "no error is claimed" in text


def test_a_refused_claim_has_exit_status_one(torquec, package, tmp_path):
    path = tmp_path / "false.tq.json"
    path.write_text((package / "planar2r.tq.json").read_text().replace('"bound": 1.', '"bound": 0.'))
    outcome = torquec("check", path)
    assert outcome.status == 1
    assert "REFUSED" in outcome.out
    assert "proven again" not in outcome.out


def test_a_certificate_holds_its_robot(torquec, package):
    certificate = package / "planar2r.certificate.json"
    assert torquec("check", certificate).status == 0
    assert "proven again" in torquec("check", certificate, "--robot", "planar2r").out
    assert "proven again" in torquec("check", certificate, "--robot", package / "planar2r.tq.json").out
    other = torquec("check", certificate, "--robot", "planar3r")
    assert other.status == 1
    assert "another robot" in other.out


@pytest.mark.parametrize("what", [".", "planar2r.tq.json"])
def test_the_given_robot_must_be_the_one_of_the_claims(torquec, package, what):
    assert torquec("check", package / what, "--robot", "planar2r").status == 0
    for other in ("planar3r", "puma560"):
        refused = torquec("check", package / what, "--robot", other)
        assert refused.status == 1
        assert f"another robot than the given '{other}'" in refused.out
        assert "proven again" not in refused.out


def test_a_payload_makes_another_robot(torquec, package, tmp_path):
    arm = tq.attach_payload(tq.classics.planar2r(), "link2", mass=0.5)
    tq.save(tq.compile(arm), tmp_path / "loaded.tq.json")
    refused = torquec("check", package, "--robot", tmp_path / "loaded.tq.json")
    assert refused.status == 1
    assert "the same payload, locked joints, gravity" in refused.err + refused.out


def test_the_box_of_the_claims_is_shown(torquec, package):
    text = torquec("check", package).out
    assert "gravity (0.0, -9.81, 0.0) m/s^2 in the base frame; no payload; no locked joint; rigid bodies" in text
    box = tq.load_model(package / "planar2r.tq.json").record.motions
    for k, joint in enumerate(("joint1", "joint2")):
        assert f"{joint}: position {rounded_up(box.lower[k], 6)} to {rounded_down(box.upper[k], 6)} rad" in text
        assert f"speed up to {box.velocity[k]:g} rad/s, acceleration up to {box.acceleration[k]:g} rad/s^2" in text


def test_a_claim_over_one_configuration_at_rest_shows_it(torquec, tmp_path):
    """A constant program is certified at a single configuration: true, and nobody may take it for more."""
    robot, q = tq.classics.planar2r(), (0.3, 0.4)
    exact = tq.compile(robot)
    torques = [Operation(Op.CONST, value=float(x)) for x in exact.gravity_torque(list(q))]
    program = replace(exact.function("inverse_dynamics"), operations=tuple(torques), results=((0, 1),))
    box = MotionBox(q, q, (0.0, 0.0), (0.0, 0.0))
    proofs = {name: JointProof(1e-9, 0.0) for name in robot.joint_names}
    record = Certificate(robot.name, robot.content_hash, program, box, proofs)
    tq.generate(certified_model(robot, record), tmp_path / "out", quantities=["inverse_dynamics"])
    shown = torquec("check", tmp_path / "out")
    assert shown.status == 0
    assert "joint1: position 0.3 to 0.3 rad, speed up to 0 rad/s, acceleration up to 0 rad/s^2" in shown.out


def test_a_file_of_version_1_is_refused_with_its_remedy(torquec, package, tmp_path):
    """With a certificate of impossible bounds, and without."""
    tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "exact.tq.json", quantities=["inverse_dynamics"])
    document = json.loads((tmp_path / "exact.tq.json").read_text())
    forged = json.loads((package / "planar2r.tq.json").read_text())["certificate"]
    for proof in forged["joints"].values():
        proof["bound"] = 1e-300
    document |= {"version": 1, "certificate": forged}
    for kept in (tuple(document), ("format", "version", "written_by", "robot", "quantities")):
        older = {key: document[key] for key in kept if key != "sha256"}
        (tmp_path / "old.tq.json").write_text(document_text(older | {"sha256": checksum(older)}))
        refused = torquec("check", tmp_path / "old.tq.json")
        assert refused.status == 1
        assert "make it again" in refused.out
        assert "no error is claimed" not in refused.out


def test_generate_tells_the_claim(torquec, package, tmp_path):
    document = torquec("generate", package / "planar2r.tq.json", "-o", tmp_path / "out", "--json").document
    assert [claim["joint"] for claim in document["claim"]] == ["joint1", "joint2"]
    assert torquec("generate", "planar2r", "-o", tmp_path / "exact", "--json").document["claim"] == []


@needs_compiler
def test_a_package_is_generated_and_verified(torquec, arm, tmp_path, monkeypatch):
    monkeypatch.setattr(
        verified_package,
        "PLATFORMS",
        verified_package.PLATFORMS[1:2] if COMPILERS[0] == "gcc" else verified_package.PLATFORMS[4:5],
    )
    monkeypatch.setattr(verified_package, "instruction_counts", lambda *_: None)
    torquec("generate", arm, "--quantity", "inverse_dynamics", "-o", tmp_path / "c")
    shown = torquec("verify-package", tmp_path / "c")
    assert shown.status == 0, shown
    assert "bit for bit" in shown.out
    assert "arm_inverse_dynamics" in shown.out
    source = tmp_path / "c" / "arm.c"
    before, name, body = source.read_text().partition("void arm_inverse_dynamics")
    source.write_text(before + name + body.replace("*", "/", 1))
    wrong = torquec("verify-package", tmp_path / "c", "--json")
    assert wrong.status == 1
    assert wrong.document["ok"] is False
    assert "self-test" in wrong.err


def test_no_package(torquec, tmp_path):
    refused = torquec("verify-package", tmp_path)
    assert refused.status == 2
    assert "no C package of Torquec" in refused.err


def test_it_says_what_was_compared(torquec):
    outcome = torquec("selftest", "planar2r")
    assert outcome.status == 0
    for words in ("vector units", "inverse_dynamics", "plain arithmetic", "generated C", "everything agrees"):
        assert words in outcome.out


def test_wrong_results_fail(torquec, monkeypatch):
    monkeypatch.setattr(module, "self_test", lambda model, **more: (SelfTestRow("mass_matrix", "mujoco", 1.0, 1e-9),))
    outcome = torquec("selftest", "planar2r", "--json")
    assert outcome.status == 1
    assert outcome.document["ok"] is False
    assert "mass_matrix differs from mujoco" in outcome.err


def test_it_names_torquec_python_and_every_package(torquec):
    told = torquec("version", "--json").document
    assert told["torquec"] == tq.__version__
    assert told["packages"]["numpy"] == importlib.metadata.version("numpy")
    shown = torquec("version").out
    assert shown.startswith(f"torquec {tq.__version__}\n")
    assert all(f"\n{name} " in shown for name in told["packages"])


def test_what_is_missing_is_said(torquec, monkeypatch):
    monkeypatch.setattr(info, "_PACKAGES", ("no-such-package",))
    assert "no-such-package is not installed" in torquec("version").out
