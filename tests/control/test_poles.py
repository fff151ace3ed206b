"""Poles: the feedback that they ask for, and what is refused with the joint's name."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from torquec.control.poles import JointPoles, PolePair, error_feedback, joint_poles, matrix_exponential, zero_order_hold
from torquec.errors import ArgumentError


def test_a_rotation():
    found = matrix_exponential(np.array([[0.0, -20.0], [20.0, 0.0]]))
    assert np.allclose(found, [[math.cos(20.0), -math.sin(20.0)], [math.sin(20.0), math.cos(20.0)]], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0])
def test_scipy_agrees(scale):
    linalg, signal = pytest.importorskip("scipy.linalg"), pytest.importorskip("scipy.signal")
    rng = np.random.default_rng(0)
    A, B = scale * rng.normal(size=(8, 8)), rng.normal(size=(8, 3))
    assert np.allclose(matrix_exponential(A), linalg.expm(A), rtol=1e-10, atol=1e-10 * np.abs(linalg.expm(A)).max())
    Phi, Psi, *_ = signal.cont2discrete((A, B, np.eye(8), np.zeros((8, 3))), 0.1)
    ours = zero_order_hold(A, B, 0.1)
    assert np.allclose(ours[0], Phi, rtol=1e-9, atol=1e-9 * np.abs(Phi).max())
    assert np.allclose(ours[1], Psi, rtol=1e-9, atol=1e-9 * np.abs(Psi).max())


def test_nothing_happens_without_dynamics():
    assert np.array_equal(matrix_exponential(np.zeros((3, 3))), np.eye(3))


JOINTS = ("a", "b")


def test_continuous_feedback_has_the_poles():
    feedback = error_feedback(joint_poles(JOINTS, [-12 + 45j, (-3.0, -4.0)]))
    for p, s, pair in zip(
        feedback.stiffness, feedback.damping, joint_poles(JOINTS, [-12 + 45j, (-3.0, -4.0)]).pairs, strict=True
    ):
        assert sorted(np.roots([1.0, s, p]), key=abs) == pytest.approx(sorted((pair.first, pair.second), key=abs))


def test_sampled_feedback_has_the_poles_under_eulers_rule():
    h, pole = 0.004, -20 + 30j
    feedback = error_feedback(joint_poles(("a",), pole), period=h, sampled=True)
    p, s = feedback.stiffness[0], feedback.damping[0]
    loop = np.array([[1.0, h], [-p * h, 1.0 - s * h]])
    assert cmath.exp(pole * h) == pytest.approx(max(np.linalg.eigvals(loop), key=lambda z: z.imag))


@pytest.mark.parametrize("period", [0.001, 0.01, 0.02, 0.05, 0.1])
@pytest.mark.parametrize("pole", [-5.0, -5 + 45j, -12 + 45j, -45 + 45j, -30.0])
def test_too_fast_is_exactly_unstable(pole, period):
    pair = PolePair(complex(pole), complex(pole).conjugate())
    Phi, Psi = zero_order_hold([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], period)
    loop = Phi - Psi @ np.array([[pair.product, -pair.sum]])
    stable = np.abs(np.linalg.eigvals(loop)).max() < 1.0
    poles = JointPoles(("a",), (pair,))
    if stable:
        error_feedback(poles, period=period)
        return
    with pytest.raises(ArgumentError, match="joint 'a' are too fast") as caught:
        error_feedback(poles, period=period)
    assert "sample at more than" in caught.value.remedy


@pytest.mark.parametrize(
    ("poles", "message"),
    [
        (3 + 2j, r"the poles 3 \+- 2j of joint 'a' are unstable: errors grow as exp\(3 t\)"),
        ([-1.0, (0.0, -2.0)], "joint 'b' are unstable"),
        ([-1.0, (-1 + 1j, -2.0)], "joint 'b' belong to no real system"),
        ([-1.0], "1 poles for 2 joints"),
        ([-1.0, float("nan")], "pole of joint 'b' is not finite"),
        ([-1.0, (-1.0, -2.0, -3.0)], "the poles of joint 'b' are"),
    ],
)
def test_refusals(poles, message):
    with pytest.raises(ArgumentError, match=message):
        joint_poles(JOINTS, poles)


def test_the_period_is_checked():
    with pytest.raises(ArgumentError, match="sampling interval of -1"):
        error_feedback(joint_poles(JOINTS, -1.0), period=-1.0)
    with pytest.raises(ArgumentError, match="need a sampling interval"):
        error_feedback(joint_poles(JOINTS, -1.0), sampled=True)
