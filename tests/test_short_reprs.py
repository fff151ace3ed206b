"""What a person sees who prints a result: one short line, with the facts that matter."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.identification.excitation.excitation import simulated_log
from torquec.robot import classics
from torquec.trajectory import minimum_jerk

LONGEST = 320


def things():
    arm, puma = classics.planar2r(), classics.puma560()
    motion = minimum_jerk([0.0, 0.0], [0.5, 0.4], 1.0, joints=arm.joint_names, period=0.002)
    law = tq.computed_torque(arm, -12 + 45j, period=0.002)
    return {
        "Robot('puma560', 6 joints": puma,
        "Robot": tq.compile(puma),
        "Function('gravity_torque', (q) -> (tau)": tq.compile(puma).function("gravity_torque"),
        "ClosedForm('planar2r', 2 joints": tq.closed_form(arm),
        "BaseParameters('planar2r', 6 of 20": tq.base_parameters(arm),
        "LinearModel(6 joints at q = [": tq.linearize(puma, *np.zeros((3, 6))),
        "Trajectory(2 joints, 501 samples from 0 to 1 s": motion,
        "Log('simulated'": simulated_log(arm),
        "Controller('computed_torque', 2 joints": law,
        "SimulationResult(2 joints": tq.simulate(arm, law, motion),
        "Plant": tq.Plant(puma),
    }


@pytest.mark.parametrize(("words", "thing"), things().items(), ids=lambda value: "")
def test_a_result_is_printed_in_a_line(words, thing):
    assert words in repr(thing)
    assert len(repr(thing)) < LONGEST
