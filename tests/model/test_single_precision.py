"""Single precision from the specification to the processor: simplified, saved, generated, checked, and run."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.model.false_files import resealed_manifest
from tests.single_precision import random_motions
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.codegen.precision import Precision
from torquec.codegen.verify.c_package import evaluate_c, read_c_package
from torquec.codegen.verify.verification import PLATFORMS, build_program, driver_text, run_program
from torquec.errors import CheckError, SpecificationError
from torquec.foundation.package_manifest import add_to_package
from torquec.model.simplified import simplified_model
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certify import certify
from torquec.proof.torque.torque_bounds import error_program, worst_motions
from torquec.robot.lock_joints import lock_joints
from torquec.simplification.problem import Simplified
from torquec.simplification.specification import parse_specification
from torquec.simplification.specification_text import check_specification_met

ROOT = Path(__file__).resolve().parents[2]
PANDA = ROOT.parent / "shared" / "data" / "models" / "panda.urdf"
PANDA_TORQUE = ROOT / "examples" / "specifications" / "panda_torque.toml"

TEXT = """precision = "single"
[every_joint]
velocity = 1.0
acceleration = 3.0
torque_error = 0.05
range = [-1.0, 2.5]
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    robot = tq.classics.planar2r()
    file = tmp_path_factory.mktemp("spec") / "single.toml"
    file.write_text(TEXT)
    return tq.simplify(robot, file)


@pytest.fixture(scope="module")
def package(small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("single") / "package"
    tq.generate(small, folder)
    tq.save_certificate(small.record, folder / "planar2r.certificate.json")
    add_to_package(folder)
    return folder


def test_the_specification_decides_and_the_bounds_count_it(small):
    record = small.record
    assert record.precision is Precision.SINGLE
    assert 'precision = "single"' in record.specification
    for name, proof in record.joints.items():
        assert 0.0 < record.rounding.joints[name] < proof.bound <= proof.tolerance == 0.05
    check_specification_met(small.robot, record)
    with pytest.raises(CheckError, match="is about double precision, its specification about single"):
        check_specification_met(small.robot, replace(record, rounding=None))


def test_a_package_is_in_floats_unless_it_is_asked_otherwise_and_its_header_says_so(small, package, tmp_path):
    header = (package / "planar2r_simplified.h").read_text()
    plain = " ".join(header.replace("\n *", " ").split())
    assert "const float q[2]" in plain
    assert "code in single precision (FLT_EVAL_METHOD 0) or in double precision" in plain
    assert "Computed from the certified program, without bounds of their own errors: mass_matrix" in plain
    assert "precision = 'single'" in plain
    tq.generate(small, tmp_path / "double", precision="double")
    double = (tmp_path / "double" / "planar2r_simplified.h").read_text()
    assert "const double q[2]" in double
    tq.generate(small, tmp_path / "only", quantities=["inverse_dynamics"])
    assert "Computed from" not in (tmp_path / "only" / "planar2r_simplified.h").read_text()


def test_the_files_are_proven_again_and_say_it(small, package):
    for path in (package, package / "planar2r.tq.json", package / "planar2r.certificate.json"):
        found = tq.check_file(path, robot=small.robot if path.suffix == ".json" else None)
        assert found.ok, found.refused
        assert found.precision is Precision.SINGLE
    shown = CliRunner().invoke(app, ["check", str(package)])
    assert shown.exit_code == 0
    assert "code in single precision (FLT_EVAL_METHOD 0)" in shown.stdout
    assert json.loads(CliRunner().invoke(app, ["check", str(package), "--json"]).stdout)["precision"] == "single"


def test_a_certificate_that_understates_its_rounding_is_refused(small, package, tmp_path):
    less = {name: 0.5 * part for name, part in small.record.rounding.joints.items()}
    false = replace(small.record, rounding=replace(small.record.rounding, joints=less))
    tq.save_certificate(false, tmp_path / "false.certificate.json")
    found = tq.check_file(tmp_path / "false.certificate.json", robot=small.robot)
    assert not found.ok
    assert "single precision may change the torque" in found.refused[0]


def test_a_package_in_other_numbers_than_it_says_is_refused(package, tmp_path):
    copy = shutil.copytree(package, tmp_path / "copy")
    manifest = next(copy.glob("*.package.json"))
    manifest.write_text(manifest.read_text().replace('"single"', '"double"'))
    resealed_manifest(copy)
    assert not tq.check_file(copy).ok


def test_a_tolerance_below_what_floats_can_do_is_refused():
    robot = tq.classics.planar2r()
    with pytest.raises(SpecificationError, match="single precision may change its torque by"):
        tq.simplify(robot, parse_specification(TEXT.replace("0.05", "1e-6"), robot))


def test_the_c_agrees_with_the_robot_to_the_bound_read_by_python(small, package):
    text = read_c_package(package)
    (function,) = [f for f in text.functions if f.name.endswith("inverse_dynamics")]
    motions = random_motions(small.record.motions, 5000)
    found = evaluate_c(function, motions, text.real)["tau"]
    check_within_bounds(small, motions, found)


def check_within_bounds(model, motions, torques):
    """Torques of the code are within the bounds of those of the robot, in doubles."""
    exact = model.exact.inverse_dynamics(motions["q"], motions["qd"], motions["qdd"])
    bounds = [proof.bound for proof in model.record.joints.values()]
    errors = np.abs(torques.astype(float) - exact).max(axis=0)
    assert np.all(errors <= bounds)
    return errors


CORTEX = next(platform for platform in PLATFORMS if platform.is_cortex_m7)
needs_cortex = pytest.mark.skipif(bool(CORTEX.missing), reason=f"{', '.join(CORTEX.missing)}: not here")


def on_cortex_m7(folder, motions, scratch):
    """Torques (N, n) of the package's inverse dynamics on an emulated Cortex-M7, bit by bit."""
    text = read_c_package(folder)
    (function,) = text.functions
    states = {function.name: {name: values.astype(np.float32) for name, values in motions.items()}}
    count = len(motions["q"])
    (scratch / "driver.c").write_text(driver_text(text, states, count))
    sources = [folder / f"{text.prefix}.c", scratch / "driver.c"]
    assert build_program(CORTEX, sources, scratch / "program", f"-I{folder}") == ""
    rows = [line.split() for line in run_program(CORTEX, scratch / "program").stdout.splitlines()]
    assert len(rows) == count
    return np.array([[int(word, 16) for word in row[2:]] for row in rows], dtype=np.uint32).view(np.float32)


@needs_cortex
@pytest.mark.slow
def test_the_c_on_a_cortex_m7_agrees_with_the_robot_to_the_bound(small, tmp_path):
    tq.generate(small, tmp_path / "c", quantities=["inverse_dynamics"])
    motions = random_motions(small.record.motions, 64)
    check_within_bounds(small, motions, on_cortex_m7(tmp_path / "c", motions, tmp_path))


@needs_cortex
@pytest.mark.slow
@pytest.mark.parametrize("make", [tq.classics.puma560, tq.classics.stanford])
def test_exact_dynamics_in_floats_on_a_cortex_m7_are_within_their_rounding(make, tmp_path):
    """The error is rounding and nothing else: the bound is some 1e-5 of the torques, and still holds."""
    robot = make()
    exact = tq.compile(robot).function("inverse_dynamics")
    spec = parse_specification("[every_joint]\nvelocity = 1.5\nacceleration = 4.0\ntorque_error = 1.0", robot)
    record = certify(robot, exact, exact, spec.motions, precision=Precision.SINGLE)
    model = simplified_model(robot, Simplified(record))
    tq.generate(model, tmp_path / "c", quantities=["inverse_dynamics"])
    motions = random_motions(record.motions, 64)
    errors = check_within_bounds(model, motions, on_cortex_m7(tmp_path / "c", motions, tmp_path))
    assert np.any(errors > 1e-6)


@pytest.fixture(scope="module")
def panda():
    """The Panda without its fingers, to 2 % of its limits in floats."""
    robot = lock_joints(tq.load(PANDA), {"panda_finger_joint1": 0.0})
    text = 'precision = "single"\n' + PANDA_TORQUE.read_text()
    return tq.simplify(robot, parse_specification(text, robot), seconds=60.0)


@pytest.fixture(scope="module")
def close(panda):
    """Certificates of its program as close as they are proven: those of a search may be at the tolerances."""
    exact, record = panda.exact.function("inverse_dynamics"), panda.record
    return {
        precision: certify(panda.robot, exact, record.program, record.motions, precision=precision)
        for precision in Precision
    }


needs_panda = pytest.mark.skipif(not PANDA.exists(), reason="the model is not here")


@needs_panda
@pytest.mark.slow
def test_bounds_of_the_panda_in_floats_are_those_in_doubles_and_two_percent_at_most(panda, close):
    record = panda.record
    assert record.precision is Precision.SINGLE
    for name, proof in record.joints.items():
        assert proof.bound <= proof.tolerance
        double, single = (close[precision].joints[name].bound for precision in (Precision.DOUBLE, Precision.SINGLE))
        assert double < single <= 1.02 * double
        # However close a proof in doubles is: no bound is below an error that was found.
        assert record.rounding.joints[name] <= 0.02 * proof.found
    check_certificate(panda.robot, record)
    check_certificate(panda.robot, close[Precision.SINGLE])


@needs_panda
@needs_cortex
@pytest.mark.slow
def test_the_c_of_the_panda_on_a_cortex_m7_agrees_with_the_robot_to_the_bound(panda, close, tmp_path):
    """At random motions and at the worst that are known; and with the program in doubles to what rounding may do."""
    certified = replace(close[Precision.SINGLE], specification=panda.record.specification)
    model = simplified_model(panda.robot, Simplified(certified))
    tq.generate(model, tmp_path / "c", quantities=["inverse_dynamics"])
    worst = worst_motions(error_program(panda.exact.function("inverse_dynamics"), certified.program), certified.motions)
    rows = worst.states.reshape(-1, 3, panda.robot.n)
    motions = {
        name: np.concatenate([values, rows[:, k]])
        for k, (name, values) in enumerate(random_motions(certified.motions, 4000).items())
    }
    torques = on_cortex_m7(tmp_path / "c", motions, tmp_path)
    errors = check_within_bounds(model, motions, torques)
    assert np.all(errors > 0.99 * worst.found)
    in_doubles = model.inverse_dynamics(motions["q"], motions["qd"], motions["qdd"])
    rounding = np.abs(torques.astype(float) - in_doubles).max(axis=0)
    assert np.all(rounding > 0.0)
    assert np.all(rounding <= list(certified.rounding.joints.values()))
