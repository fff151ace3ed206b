"""The table of targets: what a row states is what its writer does, and everything that offers targets reads it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from tests.patience import HANGS
from tests.targets_page import CHECKS, PAGE, true_page

import torquec as tq
from torquec.cli.command import CommandOptions
from torquec.cli.generate import GenerateOptions
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, CodeCheck
from torquec.errors import ArgumentError, RobotError
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.plan import plan_background
from torquec.realtime.targets import (
    OPTIONS,
    TARGETS,
    TargetOptions,
    check_request,
    targets_in,
    targets_with,
    write_target,
)
from torquec.robot.friction import Friction
from torquec.simplification.specification import load_specification

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"
QUANTITIES = ("mass_matrix", "gravity_torque")
WITHOUT_INERTIA = """
<robot name="arm"><link name="base"/><link name="upper"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
</robot>
"""

each_target = pytest.mark.parametrize("target", TARGETS)


@pytest.fixture(scope="module")
def exact():
    return tq.compile(tq.classics.planar2r())


@pytest.fixture(scope="module")
def certified():
    return tq.simplify(tq.classics.planar2r(), SPECIFICATIONS / "planar2r.toml")


@pytest.fixture(scope="module")
def movable(tmp_path_factory):
    """A certified model whose mass matrix has an inverse everywhere."""
    file = tmp_path_factory.mktemp("specification") / "close.toml"
    file.write_text("[every_joint]\nvelocity = 1.0\nacceleration = 2.0\ntorque_error = 0.5\n")
    return tq.simplify(tq.classics.planar2r(), file)


def needs_package(target):
    if target == "casadi":
        pytest.importorskip("casadi")


def options_of(target, **more):
    """A short package where the target lets one choose."""
    return TargetOptions(quantity=QUANTITIES if "quantity" in TARGETS[target].options else None, **more)


@each_target
def test_a_target_writes_the_files_and_precision_of_its_row(exact, tmp_path, target):
    needs_package(target)
    package = write_target(exact, tmp_path, target, options_of(target, prefix="two"))
    written = {path.relative_to(tmp_path).as_posix() for path in package.files}
    written = {name.replace("two.obj", "two.o") for name in written}  # an object for Windows
    patterns = [file.replace("PREFIX", "two").replace("FUNCTION", "*") for file in TARGETS[target].files]
    assert {name for name in written if not any(fnmatchcase(name, pattern) for pattern in patterns)} == set()
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in written)] == []
    assert package.precision is Precision.DOUBLE
    assert package.claim == ()
    assert package.functions


@pytest.fixture(scope="module")
def given(exact):
    """Every option with a value that is not its default, as the writers take it."""
    specification = load_specification(SPECIFICATIONS / "planar2r.toml", exact.robot)
    slow, fast = (plan_background(exact, specification, period=period, search=False) for period in (0.02, 0.01))
    return {
        "quantity": {"quantity": ("mass_matrix",)},
        "prefix": {"prefix": "other"},
        "triple": {"triple": "aarch64-linux-gnu"},
        "cpu": {"triple": "aarch64-linux-gnu", "cpu": "cortex-a72"},
        "update": {"update": ("gravity",)},
        "friction": {"friction": FrictionTask.SYNCHRONOUS},
        "order": {"order": HoldOrder.ZEROTH},
        "law": {"law": tq.computed_torque(exact, -10.0, period=0.001)},
        "observer": {"observer": tq.momentum_observer(exact, bandwidth=50.0, period=0.001)},
        "estimator": {"estimator": tq.recursive_estimator(exact, exact.robot.frames[-1].name, period=0.001)},
        "spec": {"plan": slow},
        "period": {"plan": fast},
    }


@pytest.mark.parametrize(("target", "option"), [(name, option) for name in TARGETS for option in TARGETS[name].options])
def test_no_option_that_a_row_takes_is_ignored(given, tmp_path, target, option):
    needs_package(target)
    robot = tq.classics.planar2r()
    first, *others = robot.bodies
    rubbing = dataclasses.replace(first, joint=dataclasses.replace(first.joint, friction=Friction.symmetric(0.3, 0.2)))
    model = tq.compile(dataclasses.replace(robot, bodies=(rubbing, *others)))
    before = {"cpu": given["triple"], "period": given["spec"]}.get(option, {})
    contents = []
    for options in (before, given[option]):
        chosen = TargetOptions(**options) if option == "quantity" else options_of(target, **options)
        folder = tmp_path / str(len(contents))
        files = write_target(model, folder, target, chosen).files
        contents.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert contents[0] != contents[1]


@pytest.mark.parametrize("target", targets_in(Precision.SINGLE))
def test_single_precision_reaches_the_code(exact, tmp_path, target):
    package = write_target(exact, tmp_path, target, options_of(target, prefix="two", precision=Precision.SINGLE))
    assert package.precision is Precision.SINGLE
    file, text = ("src/lib.rs", "q: &[f32; 2]") if target == "rust" else ("two.h", "const float q[2]")
    assert text in (tmp_path / file).read_text()


@each_target
def test_what_a_row_states_of_the_claim_travels(certified, movable, tmp_path, target):
    needs_package(target)
    certified = movable if "forward_dynamics" in TARGETS[target].needs else certified
    package = write_target(certified, tmp_path, target, options_of(target))
    assert [claim.joint for claim in package.claim] == list(certified.robot.joint_names)
    code = [path.read_bytes() for path in package.files if not path.name.endswith(".json")]
    for stated in (certified.record.content_hash, "SIMPLIFIED", "joint1: at most", "Box:"):
        assert any(stated.encode() in content for content in code), stated
    (file,) = [path for path in package.files if path.name.endswith(".tq.json")]
    assert tq.check_file(file).ok
    found = tq.check_file(tmp_path)
    assert found.ok, found.refused
    words = {CodeCheck.READ: "was read and compared", CodeCheck.REBUILT: "the generator of torquec makes again"}
    assert words[TARGETS[target].check] in found.assumptions[-1]


@each_target
def test_code_without_a_claim_is_told_so(exact, tmp_path, target):
    needs_package(target)
    write_target(exact, tmp_path, target, options_of(target))
    with pytest.raises(ArgumentError, match="claims nothing that can be proven again"):
        tq.check_file(tmp_path)


@each_target
def test_an_option_of_other_targets_is_refused_with_their_names(exact, target):
    row = TARGETS[target]
    check_request(target, exact, row.options, row.precisions[-1])
    for option in set(OPTIONS) - set(row.options):
        with pytest.raises(ArgumentError, match=f"--{option} is not for {target}") as error:
            check_request(target, exact, [option])
        assert error.value.remedy.endswith(": " + ", ".join(targets_with(option)))
    if Precision.SINGLE not in row.precisions:
        with pytest.raises(ArgumentError, match=f"{row.title} is not written in single precision") as error:
            check_request(target, exact, (), Precision.SINGLE)
        assert error.value.remedy.endswith(": c, rust, object, rt-c")


def test_a_model_without_what_a_target_needs_is_refused_before_it_is_traced(exact, tmp_path, monkeypatch):
    (tmp_path / "arm.urdf").write_text(WITHOUT_INERTIA)
    massless = tq.compile(tq.load(tmp_path / "arm.urdf"))
    monkeypatch.setattr(tq.Model, "function", None)
    monkeypatch.setattr(tq.Model, "at", None)
    for target, row in TARGETS.items():
        if row.needs:
            with pytest.raises(RobotError, match="inertia"):
                check_request(target, massless)
        else:
            check_request(target, massless)
    monkeypatch.setattr(tq.Model, "refusal", lambda self, name: "no springs" if name == "spring_torque" else "")
    check_request("rt-c", exact)
    with pytest.raises(ArgumentError, match=r"ros2 needs spring_torque.*: no springs") as error:
        check_request("ros2", exact)
    assert error.value.remedy.endswith("c, rust, numpy, casadi, wasm, object, rt-c, fmu")


def test_every_language_is_a_row_and_every_option_one_of_the_command():
    assert list(TARGETS)[: len(BACK_ENDS)] == [target.value for target in BACK_ENDS]
    own = {item.name for item in dataclasses.fields(GenerateOptions)}
    shared = {item.name for item in dataclasses.fields(CommandOptions)}
    assert own - shared == {*OPTIONS, "output", "target", "precision", "single"}


def test_importing_the_table_imports_no_writer():
    script = "import sys, torquec.realtime.targets; print([m for m in ('numpy', 'llvmlite') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANGS, check=True)
    assert result.stdout.strip() == "[]"


def test_the_page_lists_the_table():
    assert set(CHECKS) == set(CodeCheck)
    assert PAGE.read_text(encoding="utf-8") == true_page(), "python -m tests.targets_page writes it"
