"""What headers of two-rate packages say of the age of coefficients: no error of the instant stands alone."""

from __future__ import annotations

import pytest
from tests.model.kinds import model_of

import torquec as tq
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


def test_an_exact_model_without_a_plan_says_what_is_missing(tmp_path):
    write_two_rate_package(tq.classics.planar2r(), tmp_path)
    assert "Coefficients that are held add an error: torquec realtime plan bounds it" in header(
        tmp_path, "planar2r_rt.h"
    )
