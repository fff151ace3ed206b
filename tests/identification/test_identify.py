"""From logs to estimates: simulated robots with known parameters, and the recorded logs of four robots."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs

import torquec as tq
from torquec.errors import ArgumentError
from torquec.identification import FrictionModel, IdentifyOptions, Method, identify, prepare
from torquec.identification.payload import identify_payload
from torquec.identification.simulated_log import simulated_log
from torquec.robot import attach_payload, classics
from torquec.robot.robot import Frame, Friction
from torquec.spatial import Inertia


def arm(scale=1.0):
    """A planar arm with friction, its inertias times a factor."""
    robot = classics.planar2r()
    bodies = [
        dataclasses.replace(
            body,
            inertia=Inertia(*(scale * value for value in body.inertia.parameters)),
            joint=dataclasses.replace(body.joint, friction=Friction.symmetric(0.5, 0.2, 0.1)),
        )
        for body in robot.bodies
    ]
    return dataclasses.replace(robot, bodies=tuple(bodies), frames=(*robot.frames, Frame("hand", 1)))


QUICK = IdentifyOptions(cutoff=10.0, rotors=False, friction=FrictionModel.OFFSET)


@pytest.fixture(scope="module")
def log():
    return simulated_log(arm(), noise=0.0)


@pytest.mark.parametrize("method", list(Method))
def test_every_method_finds_the_parameters(log, method):
    estimate = identify(arm(1.3), log, options=dataclasses.replace(QUICK, method=method, strength=1e-3))
    truth = dict(zip(tq.base_parameters(arm()).names, tq.base_parameters(arm()).values, strict=True))
    found = {parameter.name: parameter.value for parameter in estimate.parameters}
    for name, value in truth.items():
        assert found[name] == pytest.approx(value, abs=0.03)
    assert found["viscous_joint1"] == pytest.approx(0.5, abs=0.05)
    assert estimate.relative_error < 0.02


def test_the_bound_robot_has_the_torques_of_the_log(log):
    estimate = identify(arm(1.3), log, options=dataclasses.replace(QUICK, strength=1e-3))
    samples = prepare(log, cutoff=10.0)
    tau = samples.low_passed(tq.compile(estimate.robot).total_torque(samples.q, samples.qd, samples.qdd))
    predicted = estimate.model.regressor(samples) @ estimate.x
    # The robot takes the positive branch of Coulomb friction at exactly zero speed, the columns take none.
    assert np.linalg.norm((tau - predicted)[samples.used]) < 1e-3 * np.linalg.norm(predicted)
    assert estimate.physically_consistent
    values = tq.base_parameters(estimate.robot, motors=False).values
    assert np.allclose(values, estimate.x[: len(values)], rtol=1e-9, atol=1e-12)


def test_what_a_robot_cannot_hold_is_named(log):
    options = dataclasses.replace(QUICK, friction=FrictionModel.LOAD, strength=1.0)
    assert identify(arm(), log, options=options).unbound == ("load_joint1", "load_joint2")


def test_urdf_with_the_identified_values(log, tmp_path):
    estimate = identify(arm(1.3), log, options=QUICK)
    tq.write_urdf(estimate.robot, tmp_path / "arm.urdf")
    again = tq.load(tmp_path / "arm.urdf", gravity=estimate.robot.gravity)
    values = tq.base_parameters(again, motors=False).values
    assert np.allclose(values, estimate.x[: len(values)], rtol=1e-9, atol=1e-9)
    assert again.joints[0].friction.viscous_positive == pytest.approx(
        estimate.robot.joints[0].friction.viscous_positive
    )


def test_validation_logs_are_only_predicted(log):
    other = simulated_log(arm(), noise=0.0, seed=5)
    estimate = identify(arm(1.1), log, validate=[other], options=QUICK)
    assert len(estimate.validation) == 1
    assert estimate.validation[0].relative_error < 0.05


def test_a_payload_is_weighed(log):
    bare = arm()
    estimate = identify(bare, log, options=dataclasses.replace(QUICK, method=Method.ORDINARY))
    loaded = attach_payload(bare, "hand", mass=2.0, center=(0.1, 0.0, 0.0))
    found = identify_payload(estimate, simulated_log(loaded, noise=0.0), frame="hand")
    assert found.inertia.mx == pytest.approx(0.2, abs=0.02)


def test_a_poor_log_is_refused_with_what_it_can_identify():
    bare = arm()
    full = simulated_log(bare, noise=0.0)
    q, qd = full.q.copy(), full.qd.copy()
    q[:, 0], qd[:, 0] = 0.3, 0.0  # joint1 never moves
    poor = dataclasses.replace(full, q=q, qd=qd)
    with pytest.raises(ArgumentError, match=r"excites too little.*viscous_joint1"):
        identify(bare, poor, options=dataclasses.replace(QUICK, method=Method.WEIGHTED))


def test_a_bad_log_is_refused(log):
    with pytest.raises(ArgumentError, match="opposite"):
        identify(arm(), dataclasses.replace(log, qd=-log.qd), options=QUICK)
    with pytest.raises(ArgumentError, match="no log"):
        identify(arm(), [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "cutoff", "columns", "most"),
    [
        ("panda", 8.0, (), 0.010),
        ("lwr4", 4.0, (), 0.020),
        ("kr300", 10.0, (real_logs.COUNTERBALANCE,), 0.105),
        ("tx40", 30.0, (), 0.06),
    ],
)
def test_recorded_logs(case, cutoff, columns, most):
    robot, logs = getattr(real_logs, case)()
    coupled = real_logs.TX40.transmission if case == "tx40" else None
    estimate = identify(robot, logs, options=IdentifyOptions(cutoff=cutoff, columns=columns, transmission=coupled))
    assert estimate.relative_error <= most
    assert estimate.physically_consistent
    if case == "tx40":
        assert {"viscous_motor6", "coulomb_motor6"} <= set(estimate.names)
