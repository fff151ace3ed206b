"""The sampled loop against a plain simulation in small steps, and the laws of its energy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.haptics.net_energy import net_energy
from tests.haptics.port_loops import PUMA, TORQUE_ARM

from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.passive_hand import PassiveHands, SwitchedHands, arm_hand, no_hands, random_hands
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance, object_steps, velocity_filter

SUBSTEPS = 150


def simulated(loop, rendered, hand, start, samples, mass_error=0.0):
    """x at every sample and the energy that leaves the hand, by Runge-Kutta in small steps and a controller as plain as
    the equations; `start` is the speed of the arm.
    """
    mass, b, T = loop.port.mass * (1.0 + mass_error), loop.port.damping, loop.period
    w = 2.0 * math.pi * loop.force_cutoff
    inner = hand.pieces[0].mass[0]
    k, c = loop.grip.stiffness, loop.grip.damping

    def rates(y, u, piece):
        F, G, D = piece.F[0], piece.G[0], piece.D[0]
        v, d, vi, fy, fyd = y[1:6]
        h = y[7:]
        pull = k * d + c * (v - vi)
        return np.concatenate(
            [
                [v, (u - b * v - pull) / mass, v - vi, (pull - D * vi - G @ h) / inner],
                [fyd, w * w * (-pull - fy) - math.sqrt(2.0) * w * fyd, -pull * vi],
                F @ h + G * vi,
            ]
        )

    y = np.concatenate([[0.0, start, 0.0, 0.0, 0.0, 0.0, 0.0], np.zeros(hand.pieces[0].G.shape[1])])
    steps = object_steps(rendered, T) if loop.rendering is RenderingKind.ADMITTANCE else None
    numerator, denominator = velocity_filter(loop)
    forces, queue = [], [0.0] * loop.computation_delay
    r, last, ins, outs, xs = np.zeros(2), 0.0, [0.0, 0.0], [0.0, 0.0], []
    fine = round(loop.force_delay / T * SUBSTEPS)
    for _ in range(samples):
        xs.append(y[0])
        forces.append(y[4])
        f = forces[-1 - fine] if fine < len(forces) else 0.0
        speed = (y[0] - last) / T
        v = numerator @ [speed, *ins] - denominator[1:] @ outs
        ins, outs, last = [speed, ins[0]], [v, outs[0]], y[0]
        gain, brake = loop.gains_on_position(rendered)
        if steps is None:
            u = -gain * y[0] - brake * v
        else:
            ar = steps.acceleration @ [*r, f]
            u = loop.port.mass * ar + loop.damping_feedforward * b * r[1] - loop.force_feedforward * f
            u += gain * (r[0] - y[0]) + brake * (r[1] - v)
            r = steps.Ad @ r + steps.Bd * f
        queue.append(u)
        u = queue.pop(0)
        forces.pop()
        for i in range(SUBSTEPS):
            forces.append(y[4])
            h, piece = T / SUBSTEPS, hand.pieces[i * len(hand.pieces) // SUBSTEPS]
            one = rates(y, u, piece)
            two = rates(y + 0.5 * h * one, u, piece)
            three = rates(y + 0.5 * h * two, u, piece)
            y = y + h / 6.0 * (one + 2.0 * two + 2.0 * three + rates(y + h * three, u, piece))
    return np.array(xs), y[6]


LOOPS = [
    replace(PUMA, force_delay=0.0),
    replace(PUMA, force_delay=0.0032, velocity_cutoff=60.0, computation_delay=1, damping_feedforward=0.5),
    replace(PUMA, force_delay=0.002, computation_delay=2, force_feedforward=0.7),
    PortLoop(HapticPort(1.0, 2.0), rendering="impedance", grip=Grip(500.0, 5.0), velocity_cutoff=50.0),
]


HAND = PassiveHands(
    np.array([0.4]), np.array([2.0]), np.array([[[-9.0, -60.0], [60.0, -1.0]]]), np.array([[20.0, -7.0]])
)
SWITCHED = SwitchedHands((HAND, replace(HAND, G=-HAND.G), replace(HAND, D=np.array([30.0]), G=3.0 * HAND.G)))


@pytest.mark.parametrize("hand", [HAND, SWITCHED])
@pytest.mark.parametrize("loop", LOOPS)
def test_it_is_the_loop_in_small_steps(loop, hand):
    by_force = loop.rendering is RenderingKind.ADMITTANCE
    rendered = RenderedImpedance(5.0, 15.0, 200.0) if by_force else RenderedImpedance(0.0, 0.5, 300.0)
    samples, delta = 15, 0.1
    expected, energy = simulated(loop, rendered, hand, 0.3, samples, delta)
    coupled = coupled_loop(loop, rendered, hand, mass_error=delta)
    state = np.zeros(coupled.step.shape[1])
    state[1] = 0.3
    found, taken = [], 0.0
    for _ in range(samples):
        found.append(state[0])
        taken += state @ coupled.energy[0] @ state
        state = coupled.step[0] @ state
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert taken == pytest.approx(energy, abs=1e-9 * 0.5 * loop.port.mass * 0.3**2)


def test_ways_to_leave_states_out_agree():
    """A grounded hand with the spring's state and without: the same eigenvalues but for what stands still."""
    hand = arm_hand(1.5, 10.0, 300.0)
    anchored = coupled_loop(PUMA, RenderedImpedance(5.0, 20.0), hand)
    found = np.sort(np.abs(np.linalg.eigvals(anchored.step[0])))
    assert found[-1] < 1.0 - 1e-5
    # A spring so stiff that the object's stiffness hardly matters gives nearly the same loop through the other way.
    tied = coupled_loop(PUMA, RenderedImpedance(5.0, 20.0, 1e-9), hand)
    np.testing.assert_allclose(np.sort(np.abs(np.linalg.eigvals(tied.step[0]))), found, atol=1e-9)


def test_nobody_gives_no_energy():
    alone = coupled_loop(PUMA, RenderedImpedance(5.0, 20.0), no_hands(1))
    assert not alone.hand
    state = np.zeros(alone.step.shape[1])
    state[0] = 1.0  # a moving arm, seen from itself: x is left out
    for _ in range(9):
        state = alone.step[0] @ state
        assert (alone.outputs[0, 0] @ state, state @ alone.energy[0] @ state) == (0.0, 0.0)


@pytest.mark.parametrize("stiffness", [0.0, 300.0])
def test_the_arms_own_feedback_does_not_depend_on_the_object(stiffness):
    """Poles -45 +- 45j settle in any case; with speeds that come too late they do not."""
    for cutoff, stable in ((None, True), (60.0, True), (12.0, False)):
        loop = replace(PUMA, velocity_cutoff=cutoff)
        for hands in (no_hands(1), arm_hand(1.5, 10.0, 300.0)):
            radius = coupled_loop(loop, RenderedImpedance(5.0, 20.0, stiffness), hands).servo_radius()[0]
            assert (radius < 1.0) == stable


def test_a_lossless_hand_loses_all_it_has():
    """With nothing else that takes energy, what a stable loop does not give back is everything."""
    hands = random_hands(40, np.random.default_rng(4), mass=8.0, grounded=False)
    hands = replace(hands, D=np.zeros(40), F=0.5 * (hands.F - hands.F.swapaxes(1, 2)))
    found = net_energy(coupled_loop(PUMA, RenderedImpedance(5.0, 20.0), hands))
    assert found.is_stable.all()
    assert (found.least_share < 1.0 + 1e-6).all()
    assert (found.least_share > 1.0 - 1e-6).mean() > 0.5


def test_a_pushed_object_is_a_changed_force():
    """`object_force` is what the object feels: a constant push moves a free object as Newton says."""
    coupled = coupled_loop(replace(PUMA, grip=None), RenderedImpedance(5.0), no_hands(1))
    state = np.zeros(coupled.step.shape[1])
    for _ in range(2000):
        state = coupled.step[0] @ state + 3.0 * coupled.object_force[0]
    assert coupled.outputs[0, 1] @ state == pytest.approx(3.0 / 5.0 * 4.0)
    assert coupled.outputs[0, 2] @ state / PUMA.period == pytest.approx(3.0 / 5.0 * 4.0, rel=0.01)


def test_torque_arm_pushed():
    coupled = coupled_loop(TORQUE_ARM, RenderedImpedance(0.0, 0.0, 100.0), no_hands(1))
    state = np.zeros(coupled.step.shape[1])
    for _ in range(20000):
        state = coupled.step[0] @ state + 3.0 * coupled.object_force[0]
    assert state[0] == pytest.approx(0.03)
