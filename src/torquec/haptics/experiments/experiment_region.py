"""Whether a haptic experiment lies inside the region that every passive hand may hold, axis by axis.

The loop is that of `port_loop.py` at the start posture, with the arm and its tool, the sensor's
cut-off, the encoders and the poles of the experiment, held through a grip. The object is the bare mass or inertia: the
wall of the wall experiment acts within the object and is no part of the port. Outside, somebody may be found who makes
it unstable; the experiment's own hand need not be that one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.control.poles import PolePair
from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.haptics.experiments.haptic_experiment import ExperimentResult
from torquec.haptics.passivity.coupled_passivity import PassivityTest
from torquec.haptics.passivity.haptic_port import haptic_port
from torquec.haptics.passivity.port_loop import Grip, PortLoop, RenderedImpedance

MOVING_GRIP, TURNING_GRIP = Grip(2000.0, 10.0), Grip(5.0, 0.025)
"""Springs [N/m, N m/rad] and dampers of a grasping hand, as `torquec haptic-region` assumes them."""


@dataclass(frozen=True)
class AxisStanding:
    """One axis of an experiment: what moves, whether it is inside, and the margin there (positive inside)."""

    axis: str
    inside: bool
    margin: float
    frequency: float
    """Of the tightest margin [Hz]."""


def experiment_region(result: ExperimentResult) -> list[AxisStanding]:
    """Every axis that the experiment moves; empty where the loop has no such port, as with an infinite cut-off."""
    rotation = frame_pose(result.robot, result.cycle.frame, result.posture.tolist()).rotation
    options, plan = result.options, result.plan
    found = []
    for word in plan.needs:
        about, k = word.startswith("turning"), "xyz".index(word[-1])
        x, y, z = (row[k] for row in rotation)
        pole = options.poles
        try:
            port = haptic_port(
                result.cycle.carrying,
                result.cycle.frame,
                result.posture,
                (float(x), float(y), float(z)),
                about=about,
                encoder_step=options.setting.resolution,
            )
            loop = PortLoop(
                port,
                period=options.period,
                poles=PolePair(pole, pole.conjugate()),
                force_cutoff=options.setting.sensor.cutoff,
                grip=TURNING_GRIP if about else MOVING_GRIP,
            )
            rendered, test = RenderedImpedance(plan.inertia if about else plan.mass), PassivityTest(loop)
            inside, worst = test.is_passive(rendered), test.worst(rendered)
        except ArgumentError:
            continue
        found.append(AxisStanding(word, inside, worst.margin, worst.frequency / math.tau))
    return found
