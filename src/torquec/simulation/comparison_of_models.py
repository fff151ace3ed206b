"""Comparison of two models of one robot: torques along a motion, linear models, closed loops, operations and time.

(1)  e = tau_a - tau_b along a motion; of |e| by joint: largest, mean, population deviation, root mean square; the mean
     of e itself is the `bias` (Clover II, Tables III and IV, Figures 4 and 5)
(2)  eigenvalues of the linear models at one instant of the motion (Clover II, Figure 6), and their free
     responses to the same small displacement of every joint (Figure 7)
(3)  computed torque from each model on one and the same plant: errors of positions and of accelerations (Clover III,
     Figures 8 and 10)
(4)  with a log, its motion is the reference: each model is its own plant and controller, and the commanded torques are
     compared with the measured ones
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from torquec.control.computed_torque import computed_torque
from torquec.control.laws import USUAL_POLES
from torquec.control.poles import PoleArgument, zero_order_hold
from torquec.errors import ArgumentError, TorquecError
from torquec.expr import OperationCount
from torquec.foundation.arrays import Array, ComplexArray
from torquec.foundation.stopwatch import race
from torquec.foundation.work import Work, WorkStep, as_work
from torquec.identification.logs.clean_rows import log_motion
from torquec.linearization.linearize import LinearModel, linearize
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.simulation_result import SimulationResult
from torquec.simulation.tuning import TUNING
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import MotionState, Trajectory

COUNTED = {"inverse_dynamics": 3, "total_torque": 3, "mass_matrix": 1, "gravity_torque": 1, "forward_dynamics": 3}
"""Quantities whose operations and times are compared, with their number of inputs."""


_FRICTION, _SUBSTEPS = DryFriction.STICK, 2
"""Settings of the plants: the defaults of `torquec simulate`, so that the results agree."""


@dataclass(frozen=True)
class TorqueDifference:
    """(1) of one joint [Nm or N]."""

    max: float
    mean: float
    std: float
    rms: float
    bias: float


@dataclass(frozen=True, eq=False)
class LinearResponse:
    """(2): eigenvalues (2n,) [1/s], and displacements (S, n) at the times t (S,) [s]."""

    eigenvalues: ComplexArray
    t: Array
    displacement: Array


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """Results of one of the two models: torques (N, n), linear response, closed loop, and computational cost.

    `loop` is None, with the reason in `refused`, where the loop cannot be closed; `operations` and `ns` by quantity,
    without those that the model lacks. `replayed` is the loop along a log's motion (4).
    """

    model: Model
    torques: Array
    response: LinearResponse
    loop: SimulationResult | None
    refused: str
    operations: Mapping[str, OperationCount]
    ns: Mapping[str, float]
    replayed: SimulationResult | None = None


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Result of `compare`: `differences` by joint (1), `at` the instant of the linear models [s]."""

    motion: Trajectory
    a: ModelFacts
    b: ModelFacts
    differences: Mapping[str, TorqueDifference]
    at: float
    log: Log | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints, in order."""
        return self.motion.joints

    @property
    def sides(self) -> dict[str, ModelFacts]:
        """Both models by their letters a and b."""
        return {"a": self.a, "b": self.b}

    def __repr__(self) -> str:
        worst = max(self.differences.items(), key=lambda item: item[1].max)
        return (
            f"ModelComparison({self.a.model.kind.value} and {self.b.model.kind.value} of {self.a.model.robot.name}, "
            f"torques differ by at most {worst[1].max:.3g} at {worst[0]})"
        )


def compare(
    a: Robot | Model,
    b: Robot | Model,
    trajectory: Trajectory,
    *,
    poles: PoleArgument = USUAL_POLES,
    period: float = 0.002,
    plant: Plant | Robot | Model | None = None,
    at: float | None = None,
    log: Log | None = None,
    rounds: int = 5,
    work: Work | None = None,
) -> ModelComparison:
    """Compare two models of one robot along a trajectory, (1)-(4).

    `poles` [1/s] and `period` [s] are those of the controllers (3); `plant`: the true plant, the first model unless
    given. `at` [s] is the instant of the linear models, the middle of the motion unless given. `rounds` of timing.
    Raises `ArgumentError` where the joints are not the same, or the log is too short.

    >>> from torquec.robot import classics
    >>> from torquec.trajectory import minimum_jerk
    >>> arm = classics.planar2r()
    >>> motion = minimum_jerk([0.0, 0.0], [0.5, 0.4], 1.0, joints=arm.joint_names)
    >>> compare(arm, arm, motion, rounds=1).differences["joint1"].max
    0.0
    """
    models = as_model(a), as_model(b)
    for joints in (models[1].robot.joint_names, trajectory.joints, *((log.joints,) if log is not None else ())):
        if joints != models[0].robot.joint_names:
            raise ArgumentError(
                f"the joints of the first model are {', '.join(models[0].robot.joint_names)}, not {', '.join(joints)}",
                remedy="compare models of the same joints: lock the others",
            )
    moved = plant if isinstance(plant, Plant) else Plant(models[0] if plant is None else plant, friction=_FRICTION)
    instant = float(trajectory.t[0] + trajectory.t[-1]) / 2.0 if at is None else at
    measured = None if log is None else _log_trajectory(log, period)
    state = trajectory.at([instant])
    sides = []
    task = as_work(work)
    with task.step("timing both models", whole=len(COUNTED)) as step:
        times = _raced(models, state, rounds, step)
    for which, model, ns in zip(("first", "second"), models, times, strict=True):
        with task.step(f"closing the loop with the {which} model"):
            loop, refused = _closed(model, moved, trajectory, poles, period)
        replayed = None
        if measured is not None:
            with task.step(f"following the log with the {which} model"):
                replayed, refused = _closed(model, Plant(model, friction=_FRICTION), measured, poles, period)
        with task.step(f"torques and eigenvalues of the {which} model"):
            torques = np.asarray(model.total_torque(trajectory.q, trajectory.qd, trajectory.qdd))
            response = linear_response(linearize(model, state.q[0], state.qd[0], state.qdd[0]))
        counts = {name: model.operation_count(name) for name in ns}
        sides.append(ModelFacts(model, torques, response, loop, refused, counts, ns, replayed))
    differences = torque_differences(trajectory.joints, sides[0].torques, sides[1].torques)
    return ModelComparison(trajectory, sides[0], sides[1], differences, instant, log)


def torque_differences(
    joints: tuple[str, ...], first: npt.ArrayLike, second: npt.ArrayLike
) -> dict[str, TorqueDifference]:
    """(1) of torques (N, n), by joint.

    >>> torque_differences(("elbow",), [[1.0], [3.0]], [[0.0], [0.0]])["elbow"].mean
    2.0
    """
    error = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    size = np.abs(error)
    columns = zip(
        size.max(axis=0), size.mean(axis=0), size.std(axis=0), np.sqrt((error**2).mean(axis=0)), error.mean(axis=0),
        strict=True,
    )  # fmt: skip
    return {joint: TorqueDifference(*map(float, row)) for joint, row in zip(joints, columns, strict=True)}


def linear_response(model: LinearModel) -> LinearResponse:
    """Free response (2) to a displacement of every joint by `response_displacement`, at the speed of the motion."""
    n = len(model.joints)
    t = np.linspace(0.0, TUNING.response_time, TUNING.response_instants)
    step, _ = zero_order_hold(model.A, model.B, float(t[1]))
    states = np.empty((len(t), 2 * n))
    states[0] = np.concatenate([np.full(n, TUNING.response_displacement), np.zeros(n)])
    for k in range(1, len(t)):
        states[k] = step @ states[k - 1]
    return LinearResponse(np.asarray(model.eigenvalues), t, states[:, :n])


def _closed(
    model: Model, plant: Plant, trajectory: Trajectory, poles: PoleArgument, period: float
) -> tuple[SimulationResult | None, str]:
    """The closed loop (3), or why there is none: a model without forward dynamics cannot be a plant."""
    try:
        law = computed_torque(model, poles, period=period)
        return simulate(
            plant, law, trajectory.sampled(period), options=LoopOptions(integrator=RungeKutta4(_SUBSTEPS))
        ), ""
    except TorquecError as error:
        return None, error.found


def _log_trajectory(log: Log, period: float) -> Trajectory:
    """The motion of a log, from time zero, at the controller's samples.

    Positions, speeds and accelerations are smoothed separately: a polynomial through all three would oscillate
    between the samples of the log.
    """
    found = log_motion(log)
    if found is None:
        raise ArgumentError("the log is too short to say how the robot moved", where=log.source, remedy="record more")
    t = np.arange(0.0, float(found.t[-1] - found.t[0]), period)
    q, qd, qdd = (
        np.column_stack([np.interp(t, found.t - found.t[0], column) for column in part.T])
        for part in (found.q, found.qd, found.qdd)
    )
    return Trajectory(log.joints, t, q, qd, qdd)


def _raced(
    models: tuple[Model, Model], state: MotionState, rounds: int, step: WorkStep
) -> tuple[dict[str, float], dict[str, float]]:
    """Nanoseconds of one call by quantity, both models in every round; without quantities that a model lacks."""
    found: tuple[dict[str, float], dict[str, float]] = ({}, {})
    inputs = (state.q[0].copy(), state.qd[0].copy(), state.qdd[0].copy())
    for done, (name, arity) in enumerate(COUNTED.items(), start=1):
        calls: dict[str, Callable[[], object]] = {}
        for k, model in enumerate(models):
            try:
                calls[str(k)] = partial(getattr(model, name), *inputs[:arity])
            except TorquecError:
                continue
        for key, timing in race(calls, rounds=rounds).items():
            found[int(key)][name] = timing.minimum
        step.show(done)
    return found
