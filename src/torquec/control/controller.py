"""`Controller`: a control law as a `SampledFunction`, with the names of its signals, outputs and state.

Every control law is called once per sampling interval and has the same form:

    inputs    q_ref, qd_ref, qdd_ref (n,)     the current reference; for a Cartesian one see (2)
              q, qd (n,)                      the current measurement
              gains (n, 2n)                   only with a gain `schedule`, one matrix per sample
              state (m,)                      only where the law has a state
    outputs   tau (n,)                        drive torques, held until the next call
              next_state (m,)                 the `state` of the next call

so that one control loop runs all of them. In C the ports become arguments in this order:

    void puma560_computed_torque(const double q_ref[6], .., const double qd[6], double tau[6]);

The reference ports carry a motion of the joints, or of a frame:

(1)  joint:      q_ref, qd_ref, qdd_ref (n,)
(2)  Cartesian:  x_ref (3,) and R_ref (3, 3), origin and rotation of a frame seen from the base;
                 xd_ref (6,), velocity of the origin and angular velocity;   xdd_ref (6,), their derivative;  base axes

A motion of joints gives both, through  xd = J qd,  xdd = J qdd + Jd qd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from torquec.control.law_options import LawDesign
from torquec.dynamics.sampled_function import STATE, StateSlot
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.model.model import Model
from torquec.model.model_function import ModelFunction, ModelOrigin
from torquec.trajectory import Trajectory

Shape = tuple[int, ...]

_JOINT = ("q_ref", "qd_ref", "qdd_ref")
_CARTESIAN: Mapping[str, Shape] = {"x_ref": (3,), "R_ref": (3, 3), "xd_ref": (6,), "xdd_ref": (6,)}


class ReferenceSpace(StrEnum):
    """The space of a reference motion: joint or Cartesian."""

    JOINT = "joint"
    CARTESIAN = "cartesian"


@dataclass(frozen=True)
class Reference:
    """The reference of a controller: a motion of the joints, or of a `frame`."""

    space: ReferenceSpace = ReferenceSpace.JOINT
    frame: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "space", chosen(ReferenceSpace, self.space, "space of references"))
        if (self.space is ReferenceSpace.CARTESIAN) != bool(self.frame):
            raise ArgumentError(
                f"a {self.space.value} reference {f'of frame {self.frame!r}' if self.frame else 'without a frame'}",
                remedy="name the frame of a Cartesian reference, and none of joints",
            )

    def ports(self, n: int) -> dict[str, Shape]:
        """The inputs by name with their shapes, in order, (1) or (2)."""
        return dict.fromkeys(_JOINT, (n,)) if self.space is ReferenceSpace.JOINT else dict(_CARTESIAN)

    def size(self, n: int) -> int:
        """The number of scalars in a reference."""
        return sum(int(np.prod(shape)) for shape in self.ports(n).values())

    def rows(self, model: Model, motion: Trajectory) -> Array:
        """The references (N, size) of a motion of the joints, port after port, row by row.

        Raises `ArgumentError` for a frame that the model's robot does not have.
        """
        if self.space is ReferenceSpace.JOINT:
            return np.concatenate([motion.q, motion.qd, motion.qdd], axis=1)
        q, qd, qdd = (np.ascontiguousarray(values) for values in (motion.q, motion.qd, motion.qdd))
        rotation, origin = model.frame_pose(self.frame)(q)
        J, Jd = model.jacobian(self.frame)(q), model.jacobian_derivative(self.frame)(q, qd)
        velocity = np.einsum("kij,kj->ki", J, qd)
        acceleration = np.einsum("kij,kj->ki", J, qdd) + np.einsum("kij,kj->ki", Jd, qd)
        return np.concatenate([origin, rotation.reshape(-1, 9), velocity, acceleration], axis=1)


JOINT_REFERENCE = Reference()


MEASURED = ("q", "qd")
SIGNALS = (*JOINT_REFERENCE.ports(1), *MEASURED)
"""The signals of a controller with a joint-space reference, in order."""

GAINS, TORQUE = "gains", "tau"

LawAlgorithm = Callable[..., dict[str, Any]]
"""A control law: inputs by name -> outputs by name, over any scalar."""


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """Gain schedule (N, n, 2n) at the samples t (N,) of a trajectory. After the end the last gains hold."""

    t: Array
    gains: Array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return NotImplemented
        return np.array_equal(self.t, other.t) and np.array_equal(self.gains, other.gains)

    def __hash__(self) -> int:
        return hash((self.t.tobytes(), self.gains.tobytes()))

    def __repr__(self) -> str:
        return f"Schedule({len(self.t)} samples from {self.t[0]:g} to {self.t[-1]:g} s)"

    def at(self, t: float) -> Array:
        """The gains (n, 2n) at a time: those of the last sample before it."""
        k = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 1))
        row: Array = self.gains[k]
        return row


@dataclass(frozen=True, repr=False)
class Controller(ModelFunction):
    """A control law as a sampled function (see the module); `design` records law and options."""

    KIND: ClassVar[str] = "controller"

    schedule: Schedule | None = None
    design: LawDesign | None = None
    reference: Reference = JOINT_REFERENCE

    @property
    def signals(self) -> dict[str, tuple[int, ...]]:
        """The inputs that change from sample to sample, with their shapes: references, then measurements."""
        return {**self.reference.ports(self.n), **dict.fromkeys(MEASURED, (self.n,))}

    @property
    def ports(self) -> dict[str, tuple[int, ...]]:
        """All inputs with their shapes, in order."""
        return controller_ports(self.n, self.reference, self.slots, self.schedule)

    def torque(self, *signals: npt.ArrayLike, time: float = 0.0) -> Array:
        """The torques (n,) at one instant, from the initial state: to inspect a law, not to run a loop.

        `signals` are q_ref, qd_ref, qdd_ref, q, qd, (n,) each, or the controller's own reference ports. Raises
        `ArgumentError` for a wrong number of them.
        """
        if len(signals) != len(self.signals):
            raise ArgumentError(f"{len(signals)} signals", remedy=f"give {', '.join(self.signals)}")
        inputs: list[Any] = [*signals]
        if self.schedule is not None:
            inputs.append(self.schedule.at(time))
        if self.slots:
            inputs.append(self.initial_state)
        result = self.native.call(*inputs)
        tau: Array = result[0] if self.slots else result
        return tau


def make_controller(
    name: str,
    joints: Sequence[str],
    law: LawAlgorithm,
    *,
    slots: Sequence[StateSlot] = (),
    period: float | None = None,
    schedule: Schedule | None = None,
    design: LawDesign | None = None,
    origin: ModelOrigin | None = None,
    reference: Reference = JOINT_REFERENCE,
) -> Controller:
    """Make a controller from a law, a function of the signals by name.

    The law also takes `gains` and `state` where the controller has them. It returns {"tau": ..} and, with a state,
    {"next_state": ..}. `reference`: the reference space.
    """
    ports = controller_ports(len(joints), reference, slots, schedule)
    function = trace(name, law, ports)
    return Controller(name, tuple(joints), function, tuple(slots), period, origin, schedule, design, reference)


def designed_controller(
    model: Model,
    design: LawDesign,
    law: LawAlgorithm,
    *,
    name: str | None = None,
    slots: Sequence[StateSlot] = (),
    schedule: Schedule | None = None,
) -> Controller:
    """Make a controller from a law and a model, at the period of its options; named after its law unless given."""
    return make_controller(
        name or design.law.value.replace("-", "_"),
        model.robot.joint_names,
        law,
        slots=slots,
        period=design.options.period,
        schedule=schedule,
        design=design,
        origin=ModelOrigin.of(model),
    )


def controller_ports(
    n: int, reference: Reference, slots: Sequence[StateSlot], schedule: Schedule | None
) -> dict[str, tuple[int, ...]]:
    """The inputs of a controller with their shapes, in order."""
    ports: dict[str, tuple[int, ...]] = {**reference.ports(n), **dict.fromkeys(MEASURED, (n,))}
    if schedule is not None:
        ports[GAINS] = (n, 2 * n)
    if slots:
        ports[STATE] = (sum(slot.size for slot in slots),)
    return ports
