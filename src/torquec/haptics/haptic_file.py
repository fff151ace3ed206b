"""Results of a haptic experiment as CSV and as a document, with its place in the passivity region.

The table has a row per sample; `COLUMNS` says what each column is, in which unit and axes (docs/haptics.md has the same
table).

The passivity region (`haptic_region`) is computed axis by axis. The loop is that of `port_loop.py` at the start,
with the arm and its tool, the sensor's cut-off, the encoders and the poles of the experiment, held through a grip. The
object counts with its mass or inertia and its damping: the wall of the wall experiment acts within the object and is no
part of the port. Outside the region some passive hand makes the loop unstable, not necessarily that of the experiment;
the remedy is the least damping that brings the object inside. `experiment_filters` computes the stability with the
experiment's own hand over the cut-offs of force and velocity filters: below some cut-off the loop is unstable, as in
the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from torquec.control.poles import PolePair
from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.csv_text import csv_text
from torquec.haptics.admittance_options import HapticStatus, haptic_status_words
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.cutoff_stability import CutoffStability, FilterPlace, cutoff_stability
from torquec.haptics.felt_inertia import FeltInertia
from torquec.haptics.haptic_experiment import ExperimentResult
from torquec.haptics.haptic_port import haptic_port
from torquec.haptics.haptic_region import RenderedQuantity, renderable_interval
from torquec.haptics.passive_hand import arm_hand
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance
from torquec.haptics.virtual_object import rotation_of

MOVING_GRIP, TURNING_GRIP = Grip(2000.0, 10.0), Grip(5.0, 0.025)
"""Springs [N/m, N m/rad] and dampers of a grasping hand, as `torquec haptic-region` assumes them."""


_MASSES = np.geomspace(0.25, 4.0, 5)  # relative to the object's mass: few, since the edge of the region is smooth
_CUTOFFS = np.geomspace(0.002, 0.48, 20)  # relative to the sampling rate: below one half


@dataclass(frozen=True)
class AxisStanding:
    """One axis of an experiment in the passivity region: whether it is inside, and its margin (positive inside)."""

    axis: str
    inside: bool
    margin: float
    frequency: float
    """Frequency of the smallest margin [Hz]."""
    mass: float
    """[kg], about an axis [kg m^2]."""
    damping: float
    """[N s/m], about an axis [N m s]."""
    least_damping: float | None
    """The least damping of the object that brings it inside; None where none does."""
    edge: tuple[tuple[float, float, float | None], ...]
    """Edge of the region for a picture: masses around the object's, with least and largest (None: any) damping."""


@dataclass(frozen=True)
class _AxisLoop:
    """The loop along or about an axis, and its rendered object."""

    axis: str
    about: bool
    loop: PortLoop
    rendered: RenderedImpedance


def _axis_loops(result: ExperimentResult) -> list[_AxisLoop]:
    """Every axis that the experiment moves; empty where the loop has no port, as with an infinite cut-off."""
    rotation = frame_pose(result.robot, result.cycle.frame, result.posture.tolist()).rotation
    options, plan, pole = result.options, result.plan, result.options.poles
    found = []
    for word in plan.needs:
        about, k = word.startswith("turning"), "xyz".index(word[-1])
        x, y, z = (row[k] for row in rotation)
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
        except ArgumentError:
            continue
        rendered = RenderedImpedance(plan.inertia if about else plan.mass, options.damping[int(about)])
        found.append(_AxisLoop(word, about, loop, rendered))
    return found


def experiment_region(result: ExperimentResult, *, with_edge: bool = False) -> list[AxisStanding]:
    """Place in the passivity region along or about every axis that the experiment moves."""
    found = []
    for one in _axis_loops(result):
        test = PassivityTest(one.loop)
        try:
            inside, worst = test.is_passive(one.rendered), test.worst(one.rendered)
        except ArgumentError:
            continue
        edge = []
        for mass in _MASSES * one.rendered.mass if with_edge else ():
            lies = renderable_interval(test, replace(one.rendered, mass=float(mass)), RenderedQuantity.DAMPING)
            if lies is not None:
                edge.append((float(mass), lies.lower, lies.upper if math.isfinite(lies.upper) else None))
        needed = renderable_interval(test, one.rendered, RenderedQuantity.DAMPING)
        found.append(
            AxisStanding(
                one.axis,
                inside,
                worst.margin,
                worst.frequency / math.tau,
                one.rendered.mass,
                one.rendered.damping,
                None if needed is None else needed.lower,
                tuple(edge),
            )
        )
    return found


def experiment_filters(result: ExperimentResult) -> list[CutoffStability]:
    """The loop along the first axis with the experiment's own hand, over cut-offs of the force and velocity filters."""
    hand = result.options.setting.hand
    for one in _axis_loops(result)[:1]:
        own = (
            (hand.inertia, hand.turning_damping, hand.turning_stiffness)
            if one.about
            else (hand.mass, hand.damping, hand.stiffness)
        )
        bare = replace(one.loop, grip=None)
        return [
            cutoff_stability(bare, one.rendered, arm_hand(*own), _CUTOFFS / bare.period, place=place, passivity=False)
            for place in FilterPlace
        ]
    return []


COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("t", "s", "time of the sample"),
    ("q_JOINT", "rad or m", "joint position, measured by its encoder"),
    ("hand_x, hand_y, hand_z", "N", "force of the hand on the handle, tool force removed; axes of the held frame"),
    ("hand_rx, hand_ry, hand_rz", "N m", "its moment about the held frame's origin; axes of the held frame"),
    ("tau_JOINT", "N m or N", "commanded torque of the joint"),
    ("object_x, object_y, object_z", "m", "mass centre of the virtual object; base axes"),
    ("object_velocity_x, _y, _z", "m/s", "velocity of its mass centre; base axes"),
    ("object_velocity_rx, _ry, _rz", "rad/s", "its angular velocity; base axes"),
    ("object_acceleration_x, _y, _z", "m/s^2", "commanded acceleration of the held frame; base axes"),
    ("object_acceleration_rx, _ry, _rz", "rad/s^2", "its angular acceleration; base axes"),
    ("arm_x, arm_y, arm_z", "m", "origin of the held frame; base axes"),
    ("arm_velocity_x, _y, _z", "m/s", "its velocity; base axes"),
    ("arm_velocity_rx, _ry, _rz", "rad/s", "angular velocity of the held frame; base axes"),
    ("arm_acceleration_x, _y, _z", "m/s^2", "acceleration of its origin; base axes"),
    ("arm_acceleration_rx, _ry, _rz", "rad/s^2", "its angular acceleration; base axes"),
    ("status", "", "sum of `HapticStatus` flags, 0 for none"),
)
"""The columns of the table: names, unit, meaning. Columns `arm_..` come from encoders and a smoothing spline, which
looks ahead; in contact experiments they come from the simulation, which does not.
"""

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
        **{f"arm_{axis}": result.measured.position[:, [k]] for k, axis in enumerate(_VECTOR[:3])},
        **{f"arm_velocity_{axis}": result.measured.velocity[:, [k]] for k, axis in enumerate(_VECTOR)},
        **{f"arm_acceleration_{axis}": result.measured.acceleration[:, [k]] for k, axis in enumerate(_VECTOR)},
        "status": run.status[:, None],
    }
    return csv_text(list(columns), np.hstack(list(columns.values())))


def experiment_document(result: ExperimentResult) -> dict[str, Any]:
    """The results as JSON values."""
    options, plan, run = result.options, result.plan, result.recording
    seen = np.bitwise_or.reduce(run.status.astype(np.int64))
    sensor, hand = options.setting.sensor, options.setting.hand
    document: dict[str, Any] = {
        "experiment": result.experiment.value,
        "robot": result.robot.name,
        "frame": result.cycle.frame,
        "joints": list(result.cycle.joints),
        "posture": result.posture.tolist(),
        "object": {
            "mass": plan.mass,
            "inertia": plan.inertia,
            "offset": list(options.offset),
            "damping": list(options.damping),
            "gravity": options.gravity,
        },
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
        "felt_turning": None,
        "wall": None,
        "passivity_controller": "off",
        "region": [dict(vars(standing)) for standing in experiment_region(result, with_edge=True)],
        "filters": [
            {
                "filter": study.place.value,
                "cutoff": study.cutoff.tolist(),
                "growth": study.growth.tolist(),
                "stable_from": study.stable_from,
            }
            for study in experiment_filters(result)
        ],
    }
    if result.felt is not None:
        document["felt"] = _felt(result.felt, plan.nominal, plan.printed)
    if result.felt_turning is not None:
        document["felt_turning"] = _felt(result.felt_turning, plan.inertia, None)
    if result.wall is not None:
        wall = result.wall
        document["wall"] = {
            "two_sided": options.two_sided,
            "frequency": options.wall_frequency,
            "damping_ratio": options.wall_damping,
            "impact": wall.speed,
            "object_after_60_ms": wall.object_speed,
            "tip_after_60_ms": wall.tip_speed,
            "depth": wall.depth,
            "turning": wall.turning,
        }
    return document


def _felt(felt: FeltInertia, nominal: float, printed: tuple[float, float] | None) -> dict[str, Any]:
    return {
        "nominal": nominal,
        "mean": felt.mean,
        "deviation": felt.deviation,
        "unbiased": {"value": felt.unbiased, "interval": list(felt.interval)},
        "paper": None if printed is None else {"mean": printed[0], "deviation": printed[1]},
        "error": felt.mean / nominal - 1.0,
        "is_biased": felt.is_biased,
        "counted": felt.counted,
    }
