"""What headers of two-rate packages say of the age of coefficients: no error of the instant stands alone."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from tests.model.kinds import model_of

import torquec as tq
from torquec.errors import SnapWarning
from torquec.project.plan_document import plan_document
from torquec.realtime.held_errors import HeldErrors, held_errors_text
from torquec.realtime.package import write_two_rate_package
from torquec.realtime.plan import plan_background
from torquec.simplification.specification import parse_specification

TEXT = "[every_joint]\nvelocity = 1\nacceleration = 2\njerk = 30\ntorque_error = 0.5"


def header(folder, name):
    return " ".join((folder / name).read_text().replace("\n *", " ").split("*/")[0].split())


def test_the_document_of_a_plan_has_its_errors():
    arm = tq.classics.planar2r()
    plan = plan_background(arm, parse_specification(TEXT, arm), order="zeroth", latency=0.001)
    assert HeldErrors.of_document(plan_document(plan)) == plan.errors
    assert plan.errors.age == plan.period + 0.001
    assert [a + b for a, b in zip(plan.errors.model, plan.errors.held, strict=True)] == pytest.approx(list(plan.total))


def test_a_certified_header_says_that_its_errors_are_of_the_instant(tmp_path):
    write_two_rate_package(model_of("scara", tq.ModelKind.CERTIFIED_TORQUE), tmp_path)
    found = header(tmp_path, "scara_simplified_rt.h")
    assert "These are the errors with coefficients of the very instant. A cycle uses older ones" in found
    assert found.index("at most 1.0 N") < found.index("of the very instant") < found.index("Box:")
    assert "torquec realtime plan bounds it" in found


def test_the_sum_stands_beside_the_errors_of_the_instant():
    robot = tq.classics.planar2r()
    errors = HeldErrors(robot.joint_names, 0.015, 0.005, tq.HoldOrder.FIRST, (6.5, 0.0), (85.5000001, 0.25))
    lines = held_errors_text(robot, errors, certified=True).splitlines()
    assert "With first order, background period 15 ms, coefficients at most 20 ms old," in lines[1]
    assert lines[2].endswith("at most 92.0001 N m = 6.5 of the model + 85.5001 of holding")
    assert lines[3].endswith("at most 0.25 N m")


def test_an_abbreviated_model_has_errors_of_its_own():
    robot = tq.classics.planar2r()
    errors = HeldErrors(robot.joint_names, 0.015, 0.005, tq.HoldOrder.FIRST, (0.0, 0.0), (0.5, 0.25))
    said = "errors of the abbreviated model itself add to these, and no bound of them is proven"
    assert said in held_errors_text(robot, errors, certified=False, kind=tq.ModelKind.ABBREVIATED)
    assert said not in held_errors_text(robot, errors, certified=False)


def test_an_exact_model_without_a_plan_says_what_is_missing(tmp_path):
    write_two_rate_package(tq.classics.planar2r(), tmp_path)
    assert "Coefficients that are held add an error: torquec realtime plan bounds it" in header(
        tmp_path, "planar2r_rt.h"
    )


SNAPPED = """<robot name="arm"><link name="base"/>
<link name="one"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.12" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><origin rpy="4e-5 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-1.5" upper="2" velocity="1.5" effort="50"/></joint></robot>
"""


def test_snapped_angles_of_an_exact_model_are_in_its_plan_and_header(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(SNAPPED)
    with pytest.warns(SnapWarning):
        robot = tq.load(path)
    specification = parse_specification(TEXT, robot)
    plan = plan_background(robot, specification, search=False)
    q, zero = np.linspace(-1.5, 2.0, 50)[:, None], np.zeros((50, 1))
    torques = [
        tq.compile(dataclasses.replace(robot, snap=snap)).inverse_dynamics(q, zero, zero) for snap in (True, False)
    ]
    found = np.abs(torques[0] - torques[1]).max()
    assert 1e-5 < found <= plan.proven[0] < 3.0 * found
    write_two_rate_package(robot, tmp_path / "rt", plan=plan)
    assert re.search(r"at most \S+ N m = \S+ of snapped angles \+ \S+ of holding", header(tmp_path / "rt", "arm_rt.h"))
    exact = dataclasses.replace(robot, snap=False)
    assert plan_background(exact, specification, search=False).proven.tolist() == [0.0]
