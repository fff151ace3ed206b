"""Payload identification from logs of the loaded robot, after the robot without payload is identified.

(1)  tau_loaded - A x = Y pi,   A x the robot without payload, Y (n, 10) the regressor of a body fixed to the frame
(2)  pi by least squares, joints weighted by their accuracy; about the frame's origin, in its axes
(3)  covariance of pi: that of the fit, plus the covariance of x propagated through (1):  C + G C_x G',  G = -Y^+ A

(4)  the nearest physically consistent payload: min (pi' - pi)' C^-1 (pi' - pi), P(pi') >= 0; unidentified parameters
     are weakly regularized toward those of a ball of 0.1 m

An arm may not identify all ten parameters: a planar arm, for example, only the moment of inertia about its axes.
Unidentified parameters are listed in `open`, with value zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.least_squares import WeightedLeastSquares
from torquec.identification.estimators.pseudo_inertia import WIDTH, is_consistent, nearest_solution, solid_rows
from torquec.identification.estimators.statistics import not_excited
from torquec.identification.logs.check_log import check_log
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.result.estimate import Estimate
from torquec.identification.torque.torque_model import TorqueModel
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.payload import attach_payload
from torquec.robot.robot import BASE, Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Pose
from torquec.trajectory.log import Log, Pathology, Severity

_RADIUS = 0.1  # [m], of the ball that stands for an unknown load
_LIGHTEST = 1e-3  # [kg], a gram: smallest mass of the ball; lighter loads are negligible
_FINEST = 1e-10  # smallest eigenvalue of the covariance relative to the largest: below is rounding
_FAINT = 1e-3  # weight that draws unidentified parameters to the ball
_MARGIN = 1e-6  # of the ball: strictly physical


@dataclass(frozen=True, eq=False)
class Payload:
    """Payload: ten `parameters` about the origin of `frame`, their `covariance` (10, 10), `open` unidentified names.

    `error` is |tau - predicted|/|tau| of the loaded runs with the payload, `error_without` without it.
    """

    frame: str
    parameters: Array
    covariance: Array
    open: tuple[str, ...]
    error: float
    error_without: float

    @property
    def inertia(self) -> Inertia:
        """The parameters about the frame's origin, in its axes."""
        return Inertia(*(float(value) for value in self.parameters))

    @property
    def std(self) -> Array:
        """Standard deviations (10,); infinite for unidentified parameters."""
        deviations: Array = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        deviations[[PARAMETER_NAMES.index(name) for name in self.open]] = np.inf
        return deviations

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self.parameters[PARAMETER_NAMES.index("m")])

    @property
    def center(self) -> tuple[float, float, float]:
        """Centre of mass in the frame [m]; NaN for a payload without mass."""
        first = [float(self.parameters[PARAMETER_NAMES.index(name)]) for name in ("mx", "my", "mz")]
        x, y, z = (value / self.mass if self.mass else float("nan") for value in first)
        return x, y, z

    @property
    def physically_consistent(self) -> bool:
        """Whether the parameters are physically consistent; False while any of them is unidentified."""
        return not self.open and self.mass > 0.0 and is_consistent(self.parameters)

    @property
    def solid(self) -> Array:
        """Physically consistent parameters (10,): these, or the nearest ones (4).

        Raises `ArgumentError` where there is none, `MissingExtraError` where clarabel is needed and missing.
        """
        return self.parameters if self.physically_consistent else _nearest_solid(self)

    def attached(self, robot: Robot) -> Robot:
        """The robot with the solid payload on its frame."""
        values = self.solid
        mass, c = float(values[9]), values[6:9] / values[9]
        xx, xy, xz, yy, yz, zz = values[:6]
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        about_center = about_origin - mass * (c @ c * np.eye(3) - np.outer(c, c))
        return attach_payload(robot, self.frame, mass=mass, center=c.tolist(), inertia=about_center.tolist())


def identify_payload(estimate: Estimate, loaded: Log | Sequence[Log], *, frame: str | None = None) -> Payload:
    """The payload on a frame (the last body's own unless given) from logs of the loaded robot (1)-(3).

    Raises `ArgumentError` for a frame on the base, for logs of other joints than the estimate's and for logs with
    errors. A finding of another direction of gravity is no error, because a payload may look like one.
    """
    logs = [loaded] if isinstance(loaded, Log) else list(loaded)
    for log in logs:
        if log.joints != estimate.model.robot.joint_names:
            raise ArgumentError(
                f"this log is about {', '.join(log.joints)}, the estimate about "
                f"{', '.join(estimate.model.robot.joint_names)}",
                where=log.source,
                remedy="record the loaded run with the same joints",
            )
        errors = [
            str(finding)
            for finding in check_log(estimate.robot, log)
            if finding.severity is Severity.ERROR and finding.kind is not Pathology.GRAVITY
        ]
        if errors:
            raise ArgumentError("; ".join(errors), where=log.source, remedy="correct the loaded run, or give a map")
    samples = [prepare(log, cutoff=estimate.cutoff) for log in logs]
    return weigh_payload(estimate.model, estimate.x, samples, covariance=estimate.covariance, frame=frame)


def weigh_payload(
    model: TorqueModel,
    x: Array,
    loaded: Sequence[Samples],
    *,
    covariance: Array | None = None,
    frame: str | None = None,
) -> Payload:
    """The payload from samples of loaded runs, for a robot with parameters x (k,) and their covariance (k, k).

    Raises `ArgumentError` without samples and for a frame on the base.
    """
    if not loaded:
        raise ArgumentError("there is no loaded run", remedy="give at least one log")
    name = hand_frame(model.robot) if frame is None else frame
    carrier = model.robot.frame(name)
    if carrier.body == BASE:
        raise ArgumentError(f"frame '{name}' is on the base", remedy="name a frame that moves")
    to_body = _to_body(carrier.pose)
    columns, robot_columns, torques = [], [], []
    block = slice(WIDTH * carrier.body, WIDTH * (carrier.body + 1))
    for s in loaded:
        y = np.asarray(model.model.regressor(s.q, s.qd, s.qdd))[:, :, block] @ to_body
        columns.append(s.low_passed(y)[s.used])
        robot_columns.append(model.regressor(s)[s.used])
        torques.append(s.tau[s.used])
    y, a, tau = (np.concatenate(parts) for parts in (columns, robot_columns, torques))
    missing = tau - a @ x
    fit = WeightedLeastSquares(correlation=max(loaded[0].rate / (2.0 * loaded[0].cutoff), 1.0)).fit(y, missing)
    unknown = not_excited(joint_factors(y, missing).weighted(fit.weights_), PARAMETER_NAMES)
    determined = np.array([parameter not in unknown for parameter in PARAMETER_NAMES])
    total = fit.covariance_
    if covariance is not None:
        g = _sensitivity(y, a, fit.weights_)
        total = total + g @ covariance @ g.T
    size = float(np.linalg.norm(tau))
    return Payload(
        name,
        np.where(determined, fit.x_, 0.0),
        np.where(np.outer(determined, determined), total, 0.0),
        unknown,
        float(np.linalg.norm(missing - y @ fit.x_)) / size,
        float(np.linalg.norm(missing)) / size,
    )


def _nearest_solid(payload: Payload) -> Array:
    """(4)."""
    determined = np.array([name not in payload.open for name in PARAMETER_NAMES])
    ball = max(payload.mass, _LIGHTEST) * np.array([_RADIUS**2, 0, 0, _RADIUS**2, 0, _RADIUS**2, 0, 0, 0, 1.0])
    size = np.array([_RADIUS**2] * 6 + [_RADIUS] * 3 + [1.0]) * ball[-1]
    values, vectors = np.linalg.eigh(
        payload.covariance[np.ix_(determined, determined)] / np.outer(size[determined], size[determined])
    )
    spread = np.sqrt(np.maximum(values, _FINEST * values.max(initial=1.0)))
    # Unknowns in units of the ball, so that all of them are of order one.
    known = (vectors / spread).T @ np.eye(len(PARAMETER_NAMES))[determined]
    faint = _FAINT * np.eye(len(PARAMETER_NAMES))
    right = np.concatenate([known @ (payload.parameters / size), faint @ (ball / size)])
    rows, floor = solid_rows(ball, _MARGIN)
    found = nearest_solution(np.vstack([known, faint]), right, [(rows * size, -floor)])
    if found is None:
        raise ArgumentError(
            "no solid is near to this payload",
            remedy="record a loaded run that excites more, or identify the bare robot",
        )
    return np.asarray(found * size, dtype=np.float64)


def _to_body(pose: Pose) -> Array:
    """(10, 10): parameters in the frame to those in its body."""
    units = np.eye(WIDTH)
    return np.array([Inertia(*map(float, unit)).transformed(pose).parameters for unit in units]).T


def _sensitivity(y: Array, a: Array, weights: Array) -> Array:
    """G of (3), (10, k)."""
    w = weights[None, :, None]
    rows, known = (y * w).reshape(-1, WIDTH), (a * w).reshape(-1, a.shape[2])
    scale = np.linalg.norm(rows, axis=0)
    scale[scale == 0.0] = 1.0
    g: Array = -np.linalg.lstsq(rows / scale, known, rcond=1e-11)[0] / scale[:, None]
    return g
