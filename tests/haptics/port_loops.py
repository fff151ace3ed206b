"""Random haptic loops for tests: every setting that a loop has, over the ranges that arms have."""

from __future__ import annotations

import math

import numpy as np

from torquec.control.poles import PolePair
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.haptic_region import RenderedQuantity, renderable_interval
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance, force_feedback, position_feedback

PUMA = PortLoop(HapticPort(8.0, 20.0, friction=10.0, encoder_step=5e-5), grip=Grip(2000.0, 10.0))
TORQUE_ARM = PortLoop(HapticPort(1.0, 2.0), rendering="impedance")


def spread(generator, low, high):
    return float(10.0 ** generator.uniform(math.log10(low), math.log10(high)))


def feedback(loop, rendered, discs):
    return force_feedback(loop, rendered, discs.z), position_feedback(loop, rendered, discs.z)


def random_loop(generator: np.random.Generator) -> PortLoop:
    mass = spread(generator, 0.5, 50.0)
    period = float(generator.choice([0.0005, 0.001, 0.002, 0.005]))
    speed = spread(generator, 5.0, 0.1 / period)
    tilt = generator.uniform(0.3, 1.0)
    pole = complex(-speed * tilt, speed * math.sqrt(1.0 - tilt**2))
    return PortLoop(
        HapticPort(mass, mass * spread(generator, 0.3, 10.0), model_error=float(generator.choice([0.0, 0.05, 0.2]))),
        period=period,
        poles=PolePair(pole, pole.conjugate()),
        force_cutoff=spread(generator, 0.02, 0.8) / period,
        force_delay=float(generator.choice([0.0, 0.4, 1.0, 1.7])) * period,
        velocity_cutoff=None if generator.random() < 0.5 else spread(generator, 0.03, 0.4) / period,
        computation_delay=int(generator.integers(0, 2)),
        force_feedforward=float(generator.choice([0.0, 1.0])),
        damping_feedforward=float(generator.choice([0.0, 1.0])),
        grip=Grip(spread(generator, 300.0, 5000.0), spread(generator, 3.0, 50.0)),
    )


def object_inside(generator: np.random.Generator, loop: PortLoop) -> RenderedImpedance | None:
    """An object of the printed region, half of the time on its very edge; None where this loop renders nothing near."""
    test = PassivityTest(loop)
    mass = loop.port.mass * spread(generator, 0.05, 20.0)
    stiffness = 0.0 if generator.random() < 0.5 else mass * spread(generator, 1.0, 0.01 / loop.period**2)
    asked = RenderedImpedance(mass, mass, stiffness)
    found = renderable_interval(test, asked, RenderedQuantity.DAMPING)
    if found is None:
        return None
    damping = found.lower if generator.random() < 0.5 else found.lower + mass * spread(generator, 0.1, 30.0)
    return RenderedImpedance(mass, min(damping, found.upper), stiffness)
