"""A haptic experiment as a table and as a document: what `torquec haptic` writes.

The table has a row per sample: `t`; measured joints `q_JOINT`; the hand's wrench `hand_x` .. `hand_rz` in the frame's
axes; `tau_JOINT`; mass centre, velocity and acceleration of the object, `object_..`; the held frame by encoders,
`measured_..`; `status`. The last two in base axes, x, y, z before the parts about them, rx, ry, rz.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.foundation.csv_text import csv_text
from torquec.haptics.admittance.haptic_caps import HapticStatus, haptic_status_words
from torquec.haptics.experiments.experiment_region import experiment_region
from torquec.haptics.experiments.haptic_experiment import ExperimentResult
from torquec.haptics.objects.virtual_object import rotation_of

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
