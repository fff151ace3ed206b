"""Packages and controllers are made again from what lies in them, and compared file by file."""

from __future__ import annotations

import dataclasses
import functools
import json

import pytest
from tests.model.false_files import resealed_manifest
from tests.torquec_check.packages import SPECIFICATION, certified_model

import torquec as tq
from torquec.control.controller_file import controller_to_dict, write_controller
from torquec.control.tracking_guarantee import tracking_guarantee
from torquec.errors import ArgumentError
from torquec.realtime.plan import HeldErrors, plan_background
from torquec.realtime.targets import TargetOptions, write_target
from torquec.robot.friction import Friction
from torquec.simplification.specification import parse_specification
from torquec_check.document import canonical_hash


@pytest.fixture
def controller(tmp_path):
    model = certified_model()
    law = tq.computed_torque(model, -20, period=0.002)
    guarantee = tracking_guarantee(model, -20, period=0.002).to_document()
    write_controller(law, tmp_path / "law", prefix="arm", guarantee=guarantee)
    return tmp_path / "law"


def refused(folder, **options):
    found = tq.check_file(folder, **options)
    assert not found.ok
    return " ".join(found.refused)


def test_the_code_of_a_controller_is_read_and_its_claim_is_computed(controller):
    found = tq.check_file(controller)
    assert found.ok, found.refused
    assert found.kind == "controller"
    assert "was read and compared" in found.assumptions[0]
    assert "computed" in found.assumptions[1]
    if found.claim is not None:
        assert found.claim.standing == "computed"
    assert tq.check_file(controller, robot=tq.classics.planar2r()).ok
    assert "another robot" in refused(controller, robot=tq.classics.puma560())


def test_changed_code_words_and_files_of_a_controller_are_refused(controller):
    source, header = controller / "arm.c", controller / "arm.h"
    honest = source.read_text()
    source.write_text(honest.replace("tau[0] = ", "tau[0] = 2.0*"))
    assert "not the one that the manifest lists" in refused(controller)
    resealed_manifest(controller)
    assert "does not have the number 2.0" in refused(controller)
    source.write_text(honest)
    words = header.read_text()
    header.write_text(words.replace("SI units", "Proven to 1e-9 rad. SI units"))
    resealed_manifest(controller)
    assert "arm.h: the file is not the one that the model gives" in refused(controller)
    header.write_text(words)
    resealed_manifest(controller)
    (controller / "math.h").write_text("#define fabs cosh\n")
    assert "does not list: math.h" in refused(controller)


def test_a_controller_file_alone_names_its_folder(controller):
    with pytest.raises(ArgumentError, match="name its folder"):
        tq.check_file(controller / "controller.json")


def test_a_two_rate_package_with_law_and_plan_is_made_again(tmp_path):
    model = certified_model()
    joints = model.robot.joint_names
    plan = HeldErrors(joints, 0.01, 0.002, tq.HoldOrder.FIRST, (0.5, 0.5), (0.25, 0.125))
    law = tq.computed_torque(model, -20, period=0.002)
    write_target(model, tmp_path / "rt", "rt-c", TargetOptions(law=law, plan=plan, update=("gravity",)))
    found = tq.check_file(tmp_path / "rt")
    assert found.ok, found.refused
    path = tmp_path / "rt" / "planar2r_simplified_rt.package.json"
    manifest = json.loads(path.read_text())
    assert manifest["options"]["plan"]["period"] == 0.01
    manifest["options"]["plan"]["held"] = [0.0, 0.0]
    path.write_text(json.dumps(manifest))
    assert "planar2r_simplified_rt.h: the file is not the one that the model gives" in refused(tmp_path / "rt")


PLANNED = "[every_joint]\nvelocity = 0.5\nacceleration = 1\njerk = 20\ntorque_error = 3"


@pytest.fixture(params=["certified", "exact"])
def planned(request, tmp_path):
    """A two-rate package with the witness of its plan."""
    model = certified_model() if request.param == "certified" else tq.compile(tq.classics.planar2r())
    specification = parse_specification(PLANNED, model.robot)
    if model.record is not None:
        specification = dataclasses.replace(specification, box=model.record.motions.positions)
    plan = plan_background(model, specification, period=0.01, search=False)
    assert plan.errors.standing == "proven"
    write_target(model, tmp_path / "rt", "rt-c", TargetOptions(plan=plan))
    return tmp_path / "rt", plan


def test_the_hold_error_of_a_two_rate_package_is_proven_again(planned):
    folder, plan = planned
    found = tq.check_file(folder)
    assert found.ok, found.refused
    claim = found.held or found.claim
    assert claim.standing == "proven"
    assert [each.bound for each in claim.bounds] == list(plan.errors.total)
    assert [each for each in found.claims if each.quantity == "held_torque"] == list(claim.bounds)
    (header,) = folder.glob("*_rt.h")
    text = " ".join(header.read_text().replace("\n *", " ").split())
    assert "proven for all motions of the plan" in text
    assert " ".join(claim.sentence.split())[1:] in text
    assert "another robot" in refused(folder, robot=tq.classics.scara())


@pytest.mark.parametrize("change", ["bound", "age", "program", "format", "joints", "robot_document"])
def test_a_changed_hold_certificate_of_a_package_is_refused(planned, change):
    folder, _ = planned
    (path,) = folder.glob("*.hold.json")
    values = json.loads(path.read_text())
    if change == "bound":
        values["joints"]["joint1"]["bound"] *= 0.9
    elif change == "age":
        values["age"] *= 0.5  # true, but not what code and manifest say
    elif change == "program":
        values["program"]["operations"][-1] = ["neg", 0]
    elif change == "robot_document":
        values["robot_document"]["bodies"][1]["inertia"]["m"] += 1.0
    else:
        values[change] = []
    values["sha256"] = canonical_hash({key: value for key, value in values.items() if key != "sha256"})
    path.write_text(json.dumps(values))
    resealed_manifest(folder)
    assert refused(folder)


def test_a_plan_with_a_negative_latency_is_refused(planned):
    """Its coefficients would be older than its claim says: 10 ms, not 1 ms."""
    folder, plan = planned
    (manifest,) = folder.glob("*.package.json")
    values = json.loads(manifest.read_text())
    values["options"]["plan"]["latency"] = -0.9 * plan.period
    manifest.write_text(json.dumps(values))
    assert "no latency below zero" in refused(folder)


def test_a_two_rate_package_without_its_hold_certificate_is_refused(planned):
    folder, _ = planned
    (path,) = folder.glob("*.hold.json")
    path.unlink()
    (manifest,) = folder.glob("*.package.json")
    values = json.loads(manifest.read_text())
    del values["files"][path.name]
    manifest.write_text(json.dumps(values))
    if values["model"]:
        assert "other files" in refused(folder)
    else:
        with pytest.raises(ArgumentError, match="nothing that can be proven"):
            tq.check_file(folder)


@pytest.mark.parametrize("change", [{"target": "fortran"}, {"precision": "half"}, {"options": {"order": "third"}}])
def test_a_manifest_that_cannot_be_followed_is_refused(tmp_path, change):
    write_target(certified_model(), tmp_path / "rt", "rt-c", TargetOptions())
    path = tmp_path / "rt" / "planar2r_simplified_rt.package.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert "manifest" in refused(tmp_path / "rt") or "no target" in refused(tmp_path / "rt")


@pytest.mark.parametrize("target", ["c", "rt-c", "ros2", "rust"])
def test_packages_with_friction_that_has_memory_are_accepted(tmp_path, target):
    model = model_with_memory()
    made = write_target(model, tmp_path / "p", target, TargetOptions())
    assert {"friction_start", "friction_step", "total_torque_step"} <= set(made.functions)
    found = tq.check_file(tmp_path / "p")
    assert found.ok, found.refused


@functools.cache
def model_with_memory():
    """The certified arm with friction that turns over a distance."""
    robot = tq.classics.planar2r()
    friction = Friction.of({"coulomb": 1.0, "stribeck": 0.3, "stribeck_speed": 0.1, "turnover_distance": 1e-3})
    bodies = (dataclasses.replace(b, joint=dataclasses.replace(b.joint, friction=friction)) for b in robot.bodies)
    return tq.simplify(dataclasses.replace(robot, bodies=tuple(bodies)), SPECIFICATION)


def test_a_two_rate_package_with_an_observer_is_made_again(tmp_path):
    model = certified_model()
    box = model.box
    motions = dataclasses.replace(
        box,
        lower=tuple(x + 1e-3 for x in box.lower),
        upper=tuple(x - 1e-3 for x in box.upper),
        velocity=tuple(0.9 * x for x in box.velocity),
    )
    made = [
        tq.momentum_observer(model, bandwidth=k, period=0.001, uncertainty=tq.Uncertainty(), motions=motions)
        for k in (50.0, 40.0)
    ]
    write_target(model, tmp_path / "rt", "rt-c", TargetOptions(observer=made[0]))
    found = tq.check_file(tmp_path / "rt")
    assert found.ok, found.refused
    text = json.dumps(controller_to_dict(made[1]))
    (tmp_path / "rt" / "observer.json").write_text(text, encoding="utf-8")
    resealed_manifest(tmp_path / "rt")
    assert "the file is not the one that the model gives" in refused(tmp_path / "rt")
