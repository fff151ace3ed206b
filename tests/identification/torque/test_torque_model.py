"""What no motion tells apart, and what a log merely does not tell."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm
from tests.identification.simulated_arm import QUICK

from torquec.errors import ArgumentError
from torquec.identification.estimators.method import Method
from torquec.identification.identify import identify
from torquec.identification.result.verdict import Trust
from torquec.identification.torque.torque_model import dependences, inseparable, torque_model
from torquec.robot import classics

DIFFERENTIAL = ((0.5, 0.5), (0.5, -0.5))
VISCOUS = ("viscous_joint1", "viscous_joint2", "viscous_motor1", "viscous_motor2")


def test_the_viscosities_of_a_differential_are_four_columns_of_rank_three():
    model = torque_model(classics.planar2r(), transmission=np.array(DIFFERENTIAL), rotors=False)
    null = dependences(model)
    assert null.shape == (1, model.size)
    assert inseparable(null, model.names) == VISCOUS
    rng = np.random.default_rng(3)
    assert np.abs(null @ null.T - np.eye(1)).max() < 1e-12
    speeds = rng.normal(size=(20, 2))
    rows = np.array([shaft.row for shaft in model.shafts])
    torque = np.einsum("s,ns,sj->nj", null[0, [model.names.index(name) for name in VISCOUS]], speeds @ rows.T, rows)
    assert np.abs(torque).max() < 1e-12


@pytest.mark.parametrize("name", ["planar2r", "puma560", "stanford"])
@pytest.mark.parametrize("rotors", [True, False])
def test_usual_robots_have_none(name, rotors):
    assert len(dependences(torque_model(classics.load_classic(name), rotors=rotors))) == 0


@pytest.mark.parametrize("method", [Method.CONSISTENT, Method.WEIGHTED])
def test_a_differential_is_identified_and_told(method):
    options = dataclasses.replace(QUICK, transmission=DIFFERENTIAL, method=method)
    found = identify(simulated_arm.arm(1.3), simulated_arm.log(), options=options)
    assert found.relative_error < 0.01
    (note,) = [note for note in found.notes if "no motion separates" in note]
    assert all(name in note for name in VISCOUS)
    assert found.verdict.trust not in (Trust.DOUBTFUL, Trust.POORLY_EXCITED)
    assert not any(name in reason for name in VISCOUS for reason in found.verdict.reasons)


def test_poor_excitation_is_still_refused_and_names_the_rest():
    log = simulated_arm.log()
    q = np.column_stack([log.q[:, 0], 0.0 * log.q[:, 1]])
    still = dataclasses.replace(log, q=q, qd=np.column_stack([log.qd[:, 0], 0.0 * log.qd[:, 1]]))
    options = dataclasses.replace(QUICK, transmission=DIFFERENTIAL)
    with pytest.raises(ArgumentError, match="insufficient excitation"):
        identify(simulated_arm.arm(1.3), still, options=options)
