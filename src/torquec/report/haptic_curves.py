"""The curves of a haptic experiment: of the object, and of the arm as its encoders saw it.

As Clover's Figures IV 5 to 21 have them: masses and inertias are moved along the body's y, or turned about its z; at
the wall everything is towards the wall, around the impact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.foundation.arrays import AnyArray, Array
from torquec.haptics.experiments.felt_inertia import quotient_over_time
from torquec.haptics.experiments.haptic_experiment import ExperimentResult
from torquec.haptics.objects.virtual_object import rotation_of
from torquec.report.sample_curves import kept_samples, rounded_samples

_MILLI = 1e3  # s to ms, m to mm
_BEFORE, _AFTER = -60.0, 250.0  # [ms] around an impact


@dataclass(frozen=True, eq=False)
class ExperimentCurve:
    """A quantity over time, both (K,): of the `rendered` object and, where there is such a thing, of the arm."""

    quantity: str
    unit: str
    rendered: Array
    arm: Array | None = None


@dataclass(frozen=True, eq=False)
class ExperimentCurves:
    """Curves over one time (K,), which is in `unit`; `direction`: along what; `rows` of the recording, as a mask."""

    rows: AnyArray
    t: Array
    time: str
    unit: str
    direction: str
    curves: tuple[ExperimentCurve, ...]


def experiment_curves(result: ExperimentResult) -> ExperimentCurves:
    """Motion, load and their quotient; at a wall velocity, acceleration and penetration."""
    return _felt(result) if result.wall is None else _wall(result)


def curve_samples(curves: ExperimentCurves) -> dict[str, Any]:
    """The same for a document: few samples, with all extremes."""
    found = []
    for curve in curves.curves:
        columns = {"object": curve.rendered} | ({} if curve.arm is None else {"arm": curve.arm})
        rows = sorted(set().union(*(kept_samples(column) for column in columns.values())))
        rows = [row for row in rows if all(np.isfinite(column[row]) for column in columns.values())]
        samples = {name: rounded_samples(column[rows]) for name, column in columns.items()}
        found.append({"quantity": curve.quantity, "unit": curve.unit, "t": rounded_samples(curves.t[rows]), **samples})
    return {"time": curves.time, "unit": curves.unit, "direction": curves.direction, "curves": found}


def _felt(result: ExperimentResult) -> ExperimentCurves:
    turns = result.plan.turns
    seen, state = result.measured, result.cycle.read(result.recording.cycle)
    axis = seen.rotation[0][:, 2 if turns else 1]
    if turns:
        turned = _rotations(state["orientation"])
        spin = np.einsum("kij,kj->ki", turned, state["angular_velocity"])
        moved = (
            ("angle", "rad", _turned(turned, axis), _turned(seen.rotation, axis)),
            ("angular velocity", "rad/s", spin @ axis, seen.velocity[:, 3:] @ axis),
            ("angular acceleration", "rad/s²", result.wanted[:, 3:] @ axis, seen.acceleration[:, 3:] @ axis),
        )
    else:
        start = seen.position[0]
        moved = (
            ("position", "m", (state["position"] - start) @ axis, (seen.position - start) @ axis),
            ("velocity", "m/s", state["velocity"] @ axis, seen.velocity[:, :3] @ axis),
            ("acceleration", "m/s²", result.wanted[:, :3] @ axis, seen.acceleration[:, :3] @ axis),
        )
    load, mass = (("moment", "N m"), "kg m²") if turns else (("force", "N"), "kg")
    quotient = quotient_over_time(result.load, result.acceleration)
    curves = (
        *(ExperimentCurve(*row) for row in moved),
        ExperimentCurve(*load, result.load @ axis),
        ExperimentCurve(f"{load[0]} over acceleration", mass, quotient),
    )
    t = result.recording.t
    return ExperimentCurves(np.full(len(t), True), t, "time", "s", "about z" if turns else "along y", curves)


def _wall(result: ExperimentResult) -> ExperimentCurves:
    wall = result.wall
    assert wall is not None
    t = _MILLI * (result.recording.t - wall.time)
    near = (t > _BEFORE) & (t < _AFTER)
    state, seen, x = result.cycle.read(result.recording.cycle), result.measured, wall.normal
    place = state["position"] @ x
    at_wall = np.interp(0.0, t, place)
    rows = (
        ("velocity", "m/s", state["velocity"] @ x, seen.velocity[:, :3] @ x),
        ("acceleration", "m/s²", result.wanted[:, :3] @ x, seen.acceleration[:, :3] @ x),
        ("penetration", "mm", _MILLI * (place - at_wall), _MILLI * (seen.position @ x - at_wall)),
    )
    curves = tuple(ExperimentCurve(name, unit, ball[near], arm[near]) for name, unit, ball, arm in rows)
    return ExperimentCurves(near, t[near], "time after the impact", "ms", "towards the wall", curves)


def _rotations(quaternions: Array) -> Array:
    return np.moveaxis(np.array(rotation_of(tuple(quaternions.T))), -1, 0)


def _turned(rotations: Array, axis: Array) -> Array:
    """The angle about an axis of base, from the first rotation on."""
    between = rotations @ rotations[0].T
    sine = 0.5 * np.stack(
        [
            between[:, 2, 1] - between[:, 1, 2],
            between[:, 0, 2] - between[:, 2, 0],
            between[:, 1, 0] - between[:, 0, 1],
        ],
        axis=1,
    )
    return np.arcsin(np.clip(sine @ axis, -1.0, 1.0))
