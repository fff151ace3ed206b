"""Results of a haptic experiment as CSV and as a document, with its standing in the passivity region.

The table has a row per sample: `t`; measured joints `q_JOINT`; the hand's wrench `hand_x` .. `hand_rz` in the frame's
axes; `tau_JOINT`; mass centre, velocity and acceleration of the object, `object_..`; the held frame by encoders,
`measured_..`; `status`. The last two in base axes, x, y, z before the parts about them, rx, ry, rz.

The passivity region (`haptic_region`) is asked axis by axis. The loop is that of `port_loop.py` at the start posture,
with the arm and its tool, the sensor's cut-off, the encoders and the poles of the experiment, held through a grip. The
object is the bare mass or inertia: the wall of the wall experiment acts within the object and is no part of the port.
Outside, somebody may be found who makes it unstable; the experiment's own hand need not be that one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.control.poles import PolePair
from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.csv_text import csv_text
from torquec.haptics.admittance_options import HapticStatus, haptic_status_words
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.haptic_experiment import ExperimentResult
from torquec.haptics.haptic_port import haptic_port
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance
from torquec.haptics.virtual_object import rotation_of

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


_VECTOR = ("x", "y", "z", "rx", "ry", "rz")


def experiment_table(result: ExperimentResult) -> str:
    """The CSV text: a row per sample; linear parts before angular ones."""
    run, joints = result.recording, result.cycle.joints
    state = result.cycle.read(run.cycle)
    turn: Array = np.moveaxis(np.array(rotation_of(tuple(state["orientation"].T))), -1, 0)
    spin = np.einsum("kij,kj->ki", turn, state["angular_velocity"])
    columns = {
        "t": run.t[:, None],
        **{f"q_{joint}": run.seen[:, [k]] for k, joint in enumerate(joints)},
        **{f"hand_{axis}": run.hand[:, [k]] for k, axis in enumerate(_VECTOR)},
        **{f"tau_{joint}": run.tau[:, [k]] for k, joint in enumerate(joints)},
        **{f"object_{axis}": state["position"][:, [k]] for k, axis in enumerate(_VECTOR[:3])},
        **{f"object_velocity_{axis}": np.hstack([state["velocity"], spin])[:, [k]] for k, axis in enumerate(_VECTOR)},
        **{f"object_acceleration_{axis}": result.wanted[:, [k]] for k, axis in enumerate(_VECTOR)},
        **{f"measured_{axis}": result.measured.position[:, [k]] for k, axis in enumerate(_VECTOR[:3])},
        **{f"measured_velocity_{axis}": result.measured.velocity[:, [k]] for k, axis in enumerate(_VECTOR)},
        **{f"measured_acceleration_{axis}": result.measured.acceleration[:, [k]] for k, axis in enumerate(_VECTOR)},
        "status": run.status[:, None],
    }
    return csv_text(list(columns), np.hstack(list(columns.values())))


def experiment_document(result: ExperimentResult) -> dict[str, Any]:
    """What was found, for JSON."""
    options, plan, run = result.options, result.plan, result.recording
    seen = np.bitwise_or.reduce(run.status.astype(np.int64))
    sensor, hand = options.setting.sensor, options.setting.hand
    document: dict[str, Any] = {
        "experiment": result.experiment.value,
        "robot": result.robot.name,
        "frame": result.cycle.frame,
        "joints": list(result.cycle.joints),
        "posture": result.posture.tolist(),
        "object": {"mass": plan.mass, "inertia": plan.inertia},
        "poles": [options.poles.real, options.poles.imag],
        "effort": options.effort,
        "pace": options.pace,
        "rate": 1.0 / options.period,
        "sensor": {
            "range": list(sensor.limits),
            "resolution": list(sensor.resolution),
            "noise": list(sensor.noise),
            "cutoff": sensor.cutoff,
        },
        "encoder": options.setting.resolution,
        "hand": dict(vars(hand)),
        "tool": {"mass": result.cycle.options.tool.mass, "centre": list(result.cycle.options.tool.centre)},
        "seed": options.setting.seed,
        "unrendered": list(result.unrendered),
        "samples": len(run.t),
        "status": {
            word: int(((run.status.astype(np.int64) & flag) != 0).sum())
            for flag in HapticStatus
            if int(flag) & int(seen)
            for word in haptic_status_words(int(flag))
        },
        "felt": None,
        "wall": None,
        "passivity_controller": "off",
        "region": [dict(vars(standing)) for standing in experiment_region(result)],
    }
    if result.felt is not None:
        felt = result.felt
        document["felt"] = {
            "mean": felt.mean,
            "deviation": felt.deviation,
            "in_phase": felt.in_phase,
            "nominal": plan.nominal,
            "error": felt.mean / plan.nominal - 1.0,
            "counted": felt.counted,
            "paper": None if plan.printed is None else {"mean": plan.printed[0], "deviation": plan.printed[1]},
        }
    if result.wall is not None:
        wall = result.wall
        document["wall"] = {
            "two_sided": options.two_sided,
            "impact": wall.speed,
            "object_after_60_ms": wall.object_speed,
            "tip_after_60_ms": wall.tip_speed,
            "depth": wall.depth,
        }
    return document
