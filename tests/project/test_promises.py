"""What `design` promises: which law can have a guarantee, a payload interval, a margin of identified parameters."""

from __future__ import annotations

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed

import torquec as tq
from torquec.control.law_options import LawKind
from torquec.control.robustness import COMPUTED_TORQUE, EXACT_MODEL
from torquec.model.model_parameters import ModelParameters
from torquec.project.law_choice import LawChoice
from torquec.project.promises import law_errors, promises
from torquec.robot import classics
from torquec.trajectory import minimum_jerk

POINT = ((0.2, 0.3), (0.0, 0.0), (0.0, 0.0))


def test_the_loop_of_a_law_says_which_factors_move_its_poles():
    for evaluation, errors in ((None, EXACT_MODEL), ("reference", COMPUTED_TORQUE), ("measured", EXACT_MODEL)):
        assert law_errors(LawKind.COMPUTED_TORQUE, LawChoice(evaluation=evaluation)) is errors
    assert law_errors(LawKind.POLE_PLACEMENT, LawChoice()) is EXACT_MODEL


def test_a_looser_certificate_promises_less_and_other_laws_nothing():
    arm = classics.planar2r()
    motion = minimum_jerk([0.0, 0.0], [0.3, 0.3], 1.0, joints=arm.joint_names, period=0.01)
    measured = LawChoice(evaluation="measured", poles="-20")
    certified = claimed(arm, [0.05, 0.02])
    said = promises(certified, LawKind.COMPUTED_TORQUE, measured, motion, POINT)
    assert said["guarantee"]["valid"] is True
    assert all(bound["value"] > 0.0 for bound in said["guarantee"]["bounds"].values())
    looser = promises(claimed(arm, [0.1, 0.04]), LawKind.COMPUTED_TORQUE, measured, motion, POINT)
    for joint in arm.joint_names:
        assert looser["guarantee"]["bounds"][joint]["value"] > said["guarantee"]["bounds"][joint]["value"]
    for options, why in (
        (LawChoice(evaluation="reference"), "--evaluation measured"),
        (LawChoice(evaluation="measured", abbreviated=True), "abbreviated"),
    ):
        refused = promises(certified, LawKind.COMPUTED_TORQUE, options, motion, POINT)["guarantee"]
        assert refused["valid"] is False
        assert why in refused["reason"]


def test_a_law_without_poles_has_no_interval():
    said = promises(tq.as_model(classics.planar2r()), LawKind.PD, LawChoice(), None, POINT)
    assert said["payload"] == said["covariance"] == {}


def test_a_payload_interval_by_number_or_by_reason():
    arm = tq.as_model(classics.planar2r())
    said = promises(arm, LawKind.COMPUTED_TORQUE, LawChoice(poles="-20"), None, POINT)["payload"]
    assert said["unit"] == "kg"
    assert said["upper"] is None or said["upper"] > 0.0
    assert said["lower"] is None or said["lower"] <= 0.0
    assert said["frame"] in {frame.name for frame in arm.robot.frames}


@pytest.mark.parametrize(("deviation", "stable"), [(1e-4, True), (2.0, False)])
def test_a_margin_where_the_covariance_is_of_the_base_parameters(deviation, stable):
    arm = classics.planar2r()
    base = tq.base_parameters(arm)
    covariance = np.diag((deviation * np.abs(base.values)) ** 2)
    model = tq.base_parameter_model(arm, covariance=covariance)
    said = promises(model, LawKind.COMPUTED_TORQUE, LawChoice(poles="-20"), None, POINT)["covariance"]
    assert said["stable"] is stable
    assert said["level"] == 0.95


def test_other_parameters_are_named_as_the_reason():
    arm = classics.planar2r()
    names = ("something", "else")
    other = ModelParameters(names, (1.0, 2.0), covariance=((1.0, 0.0), (0.0, 1.0)))
    model = tq.Model(arm, parameters=other)
    said = promises(model, LawKind.COMPUTED_TORQUE, LawChoice(poles="-20"), None, POINT)["covariance"]
    assert said == {"reason": "the covariance is not that of the robot's base parameters"}
