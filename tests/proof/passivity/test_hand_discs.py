from dataclasses import replace

import numpy as np
import pytest
from tests.haptics.port_loops import PUMA, TORQUE_ARM, feedback, random_loop, spread

from torquec.haptics.port_loop import RenderedImpedance
from torquec.proof.passivity.hand_discs import hand_discs


def test_colgates_condition_at_every_frequency():
    """With the velocity filtered the edge has no closed form, but (3) and (5) are still Colgate's condition."""
    loop = replace(TORQUE_ARM, velocity_cutoff=60.0, computation_delay=1)
    rendered = RenderedImpedance(0.0, 1.0, 900.0)
    w = np.geomspace(1.0, loop.nyquist, 200)
    discs = hand_discs(loop.sampled_port, w)
    Cf, Cx = feedback(loop, rendered, discs)
    colgate = 0.5 * loop.period * ((1.0 - 1.0 / discs.z) * Cx).real / (1.0 - np.cos(w * loop.period))
    clear = np.abs(colgate - 2.0) > 1e-3
    for margin in (discs.steady_margin(Cf, Cx), discs.margin(Cf, Cx)):
        assert ((margin > 0.0) == (colgate < 2.0))[clear].all()
    assert clear.sum() > 150


def port_matrix(loop, discs, N, q, i):
    """Y of (4) at the i-th frequency, the last alias on either side standing for all others."""
    D, s, root = discs.arm[:, i], discs.s[:, i], np.sqrt(discs.weight[:, 0])
    grip = s / (loop.grip.stiffness + loop.grip.damping * s)
    return np.diag(1.0 / D + grip) - np.outer(root * discs.hold[:, i] / D, root * q[:, i] / D) / N[i]


def test_the_condition_is_that_the_ports_matrix_is_positive():
    """(5) and (6) against the eigenvalues of (4), and (5) implies (3)."""
    generator = np.random.default_rng(3)
    signs = []
    for _ in range(12):
        loop = random_loop(generator)
        mass = loop.port.mass * spread(generator, 0.05, 20.0)
        rendered = RenderedImpedance(mass, mass * spread(generator, 1e-5, 1.0), mass * spread(generator, 1e-3, 1e3))
        discs = hand_discs(loop.sampled_port, np.geomspace(0.1, loop.nyquist, 12), loop.port.model_error)
        Cf, Cx = feedback(loop, rendered, discs)
        (surplus, right), (N, q) = discs.surplus(Cf, Cx), discs.forces(Cf, Cx)
        L = N - (discs.weight * discs.hold * q * discs.radius * discs.arm.conj() / discs.arm).sum(axis=0)
        np.testing.assert_allclose(surplus, np.abs(L) ** 2 - right, atol=1e-9 * float((np.abs(L) ** 2).max()))
        assert (discs.steady_margin(Cf, Cx) >= discs.margin(Cf, Cx) - 1e-12).all()
        for i in range(len(N)):
            Y = port_matrix(loop, discs, N, q, i)
            scale = np.sqrt(discs.radius[:, i]) * np.abs(discs.arm[:, i])
            least = np.linalg.eigvalsh(scale[:, None] * (Y + Y.conj().T) * scale)[0]
            if abs(surplus[i]) > 1e-9 * right[i]:
                assert (least > 0.0) == (surplus[i] > 0.0)
                signs.append(least > 0.0)
    assert 20 < sum(signs) < len(signs) - 20


def test_discs_hold_the_hands_and_nothing_less():
    """Random passive impedances behind the grip lie in the disc; lossless ones without a grip on its edge."""
    generator = np.random.default_rng(5)
    w = np.array([40.0])
    for loop in (PUMA, replace(PUMA, grip=None)):
        discs = hand_discs(loop.sampled_port, w)
        middle = len(discs.s) // 2
        for _ in range(200):
            lossless = generator.random() < 0.5
            Z = complex(0.0 if lossless else generator.exponential(100.0), generator.normal(0.0, 300.0))
            s = discs.s[middle, 0]
            if loop.grip is not None:
                Z = 1.0 / (1.0 / Z + s / (loop.grip.stiffness + loop.grip.damping * s))
            g = 1.0 / (discs.arm[middle, 0] + Z)
            off = abs(g - discs.centre[middle, 0]) / discs.radius[middle, 0]
            assert off <= 1.0 + 1e-9
            if lossless:
                assert off == pytest.approx(1.0, abs=1e-9)
