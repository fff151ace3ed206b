"""How well logs excite: by hand, the true spread of repeated fits, standstill and one joint moving, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.excitation.excitation import excitation, simulated_log
from torquec.identification.excitation.excitation_options import ExcitationOptions
from torquec.identification.excitation.log_excitation import Rating, log_excitation
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot import classics
from torquec.trajectory import fourier_motion
from torquec.trajectory.log import Log

ARM = classics.planar2r()


def one_joint_moving():
    swing = fourier_motion(
        [0.3, 0.2], [[1.0], [0.0]], [[0.3], [0.0]], base_period=4.0, joints=ARM.joint_names, period=0.01
    )
    return simulated_log(ARM, swing, noise=0.01)


def test_a_designed_motion_excites_everything():
    motion = excitation(ARM, options=ExcitationOptions(evaluations=200, period=0.01)).trajectory
    found = log_excitation(ARM, simulated_log(ARM, motion, noise=0.01), friction=FrictionModel.NONE, cutoff=10.0)
    assert all(p.rating is Rating.GOOD for p in found.parameters)
    assert all(0.1 < p.independence <= 1.0 for p in found.parameters)
    assert found.unit_condition < 20.0


def test_deviations_are_those_of_repeated_fits():
    motion = excitation(ARM, options=ExcitationOptions(evaluations=40, period=0.01)).trajectory
    fits = [
        log_excitation(ARM, simulated_log(ARM, motion, noise=0.05, seed=seed), friction=FrictionModel.NONE, cutoff=5.0)
        for seed in range(40)
    ]
    spread = np.std([[p.value for p in fit.parameters] for fit in fits], axis=0, ddof=1)
    told = np.mean([[p.deviation for p in fit.parameters] for fit in fits], axis=0)
    assert np.all(told < 2.0 * spread)
    assert np.all(told > 0.5 * spread)


def test_what_a_single_joint_cannot_tell():
    found = log_excitation(ARM, one_joint_moving(), friction=FrictionModel.VISCOUS, cutoff=10.0)
    ratings = {p.name: p.rating for p in found.parameters}
    assert ratings["viscous_joint2"] is Rating.NOT
    assert [name for name, rating in ratings.items() if rating is Rating.NOT] == ["viscous_joint2"]
    assert ratings["mx_link1+"] is Rating.GOOD
    assert ratings["my_link1"] is not Rating.GOOD
    lost = next(p for p in found.parameters if p.name == "viscous_joint2")
    assert lost.deviation == np.inf
    assert lost.independence == 0.0


def test_two_logs_say_more_than_one():
    logs = [simulated_log(ARM, noise=0.02, seed=seed) for seed in (1, 2)]
    options = {"friction": FrictionModel.NONE, "cutoff": 8.0}
    one, both = log_excitation(ARM, logs[0], **options), log_excitation(ARM, logs, **options)
    assert both.samples > one.samples
    assert np.mean([p.deviation for p in both.parameters]) < np.mean([p.deviation for p in one.parameters])


def test_independence_knows_nothing_of_noise():
    motion = excitation(ARM, options=ExcitationOptions(evaluations=40, period=0.01)).trajectory
    quiet, loud = (
        log_excitation(ARM, simulated_log(ARM, motion, noise=noise), friction=FrictionModel.NONE, cutoff=8.0)
        for noise in (0.001, 0.01)
    )
    for a, b in zip(quiet.parameters, loud.parameters, strict=True):
        assert a.independence == pytest.approx(b.independence, rel=0.2)
        assert a.deviation < 0.3 * b.deviation


def test_refusals():
    with pytest.raises(ArgumentError, match="there is no log"):
        log_excitation(ARM, [])
    log = one_joint_moving()
    other = Log(("joint1",), log.t, log.q[:, :1], log.tau[:, :1], log.qd[:, :1])
    with pytest.raises(ArgumentError, match="different joints"):
        log_excitation(ARM, [log, other])
    with pytest.raises(ArgumentError, match="nothing moves"):
        log_excitation(ARM, Log(log.joints, log.t, 0.0 * log.q, log.tau))
    with pytest.raises(ArgumentError, match="torque of joint2 is zero"):
        log_excitation(ARM, Log(log.joints, log.t, log.q, log.tau * [1.0, 0.0]))
