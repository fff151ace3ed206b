"""What a law is made with, and what a finished controller knows of its making.

(1)  `ControllerOptions` holds what any law may be given; None leaves it to the law;
     a field that the command line can give as NAME=VALUE says in its metadata how the value is read (`from_words`)
(2)  a controller carries its `LawDesign` (law and options) and the `ModelOrigin` that it was made from: both go into
     its file, and the same law with the same options of the same model is the same controller
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from torquec.closedform.fourier import Rule
from torquec.control.model_terms import Evaluation, FrictionCompensation, friction_compensation
from torquec.control.poles import JointPoles, PoleArgument
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.foundation.documents import Codec, written_by


class LawKind(StrEnum):
    """The laws that can be designed, as commands and files name them; `torquec.control.laws.LAWS` says what each is."""

    POLE_PLACEMENT = "pole-placement"
    """CT1 of Clover."""
    COMPUTED_TORQUE = "computed-torque"
    """CT2."""
    DIAGONAL = "diagonal"
    """CT3."""
    ROBUST = "robust-computed-torque"
    """CT2 with an integral and a robust term."""
    SLOTINE_LI = "slotine-li"
    PD = "pd"
    PID = "pid"
    LQR = "lqr"
    GRAVITY = "gravity"
    """Gravity held where the robot is: it floats."""
    OPEN_LOOP = "open-loop"
    OPEN_LOOP_GRAVITY = "open-loop-gravity"


class Feedforward(StrEnum):
    """What an independent joint law adds from the model."""

    NOTHING = "nothing"
    GRAVITY = "gravity"
    """Gravity and springs where the robot is: gravity compensation."""
    DYNAMICS = "dynamics"
    """Inverse dynamics of the reference: what the motion needs, computed in advance."""
    DYNAMICS_AND_GRAVITY = "dynamics and gravity"
    """Inverse dynamics of the reference, with the gravity of where the robot is."""


@dataclass(frozen=True)
class PidGains:
    """Gains per joint: position [Nm/rad], speed [Nm s/rad] and integral [Nm/(rad s)]; no integral: PD."""

    position: tuple[float, ...]
    speed: tuple[float, ...]
    integral: tuple[float, ...] = ()

    def check(self, joints: Sequence[str]) -> None:
        """Raise `ArgumentError` unless there is one finite gain per joint, none of them negative."""
        for name in ("position", "speed", "integral"):
            values = getattr(self, name)
            if name == "integral" and not values:
                continue
            if len(values) != len(joints):
                raise ArgumentError(
                    f"{len(values)} {name} gains for {len(joints)} joints", remedy="give one gain per joint"
                )
            for joint, value in zip(joints, values, strict=True):
                if not (np.isfinite(value) and value >= 0.0):
                    raise ArgumentError(
                        f"the {name} gain of joint '{joint}' is {value}", remedy="give a finite gain, not negative"
                    )


@dataclass(frozen=True)
class LqrWeights:
    """Weights per joint of position errors, speed errors and torques: one over the square of what is tolerable."""

    position: tuple[float, ...]
    speed: tuple[float, ...]
    torque: tuple[float, ...]

    def check(self, n: int) -> None:
        """Raise `ArgumentError` unless there are n of each, errors not negative and torques positive."""
        for name, lowest in (("position", 0.0), ("speed", 0.0), ("torque", np.finfo(float).tiny)):
            values = np.asarray(getattr(self, name), dtype=np.float64)
            if values.shape != (n,) or not np.isfinite(values).all() or np.any(values < lowest):
                raise ArgumentError(
                    f"the {name} weights are {values.tolist()}",
                    remedy=f"give {n} finite weights, those of torques positive, the others not negative",
                )
        if not np.all(np.asarray(self.position) > 0.0):
            raise ArgumentError("a position weight is zero: its error would never be driven out", remedy="raise it")


def _written_poles(poles: Any) -> Any:
    """Pairs per joint, each pole as its real and imaginary part."""
    return None if poles is None else [[[p.real, p.imag] for p in pair] for pair in poles]


def _read_poles(values: Any) -> Any:
    return None if values is None else tuple(tuple(complex(float(a), float(b)) for a, b in pair) for pair in values)


_FROM_WORDS = "from words"
"""The key of a field's metadata under which its reader stands."""


def from_words(reader: Callable[[str], Any]) -> Mapping[str, Callable[[str], Any]]:
    """Metadata of a field that the command line can give: what makes its value of the text, or raises `ValueError`."""
    return {_FROM_WORDS: reader}


def _numbers(text: str) -> tuple[float, ...]:
    values = tuple(float(word) for word in text.split(","))
    if not np.isfinite(values).all():
        raise ValueError
    return values


@dataclass(frozen=True)
class ControllerOptions:
    """What a law is made with; None leaves it to the law. A law refuses what it has no use for.

    `poles` [1/s]: one for all joints, one per joint or pairs. `period` [s]: the sampling interval, with `sampled` the
    poles are placed for it. `evaluation`: where the model is evaluated; `friction`: its compensation; `rule`: how the
    model is abbreviated. `gains` of independent joints, else those of the poles at the `posture` (n,), and what is
    `feedforward`; their integral rests at the torques `anti_windup` (n,) [Nm]. `weights` of LQR. `efforts` (n,) [Nm]
    that the torques are limited to, and `rates` (n,) [Nm/s]. A limit is None where a joint has none. `amplitude`
    [rad/s^2] and `layer` [rad/s] of a robust term, one number or one per joint.
    """

    poles: PoleArgument | None = field(default=None, metadata=written_by(Codec(_written_poles, _read_poles)))
    period: float | None = None
    sampled: bool = False
    evaluation: Evaluation | None = None
    friction: FrictionCompensation | None = None
    rule: Rule | None = None
    gains: PidGains | None = None
    posture: tuple[float, ...] | None = field(default=None, metadata=from_words(_numbers))
    feedforward: Feedforward | None = field(default=None, metadata=from_words(Feedforward))
    anti_windup: tuple[float | None, ...] | None = field(default=None, metadata=from_words(_numbers))
    weights: LqrWeights | None = None
    efforts: tuple[float | None, ...] | None = None
    rates: tuple[float, ...] | None = field(default=None, metadata=from_words(_numbers))
    amplitude: tuple[float, ...] | None = field(default=None, metadata=from_words(_numbers))
    layer: tuple[float, ...] | None = field(default=None, metadata=from_words(_numbers))

    def __post_init__(self) -> None:
        if self.evaluation is not None:
            object.__setattr__(self, "evaluation", chosen(Evaluation, self.evaluation, "evaluation"))
        if self.feedforward is not None:
            object.__setattr__(self, "feedforward", chosen(Feedforward, self.feedforward, "feedforward"))
        friction: object = self.friction
        if isinstance(friction, str):
            object.__setattr__(self, "friction", friction_compensation(friction))

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what is not left to the law."""
        return tuple(name for name, value in vars(self).items() if value is not None and value is not False)


def word_options() -> tuple[str, ...]:
    """The fields of `ControllerOptions` that can be given in words."""
    return tuple(item.name for item in dataclasses.fields(ControllerOptions) if _FROM_WORDS in item.metadata)


def with_words(options: ControllerOptions, texts: Sequence[str]) -> ControllerOptions:
    """Options with the fields that texts NAME=VALUE give; raises `ArgumentError` for others.

    >>> with_words(ControllerOptions(), ["rates=100,50", "feedforward=gravity"]).rates
    (100.0, 50.0)
    """
    readers = {item.name: item.metadata.get(_FROM_WORDS) for item in dataclasses.fields(ControllerOptions)}
    found: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        reader = readers.get(name.strip().replace("-", "_"))
        if reader is None:
            raise ArgumentError(
                f"'{text}' names no option of a law",
                remedy=f"write one as {'=.., '.join(word_options())}=..",
            )
        try:
            found[name.strip().replace("-", "_")] = reader(value.strip())
        except ValueError:
            raise ArgumentError(
                f"'{value}' is no value of {name}",
                remedy="write numbers as 1,2,3 and choices by their names",
            ) from None
    return dataclasses.replace(options, **found)


@dataclass(frozen=True)
class LawDesign:
    """Which law a controller is, and with what it was made."""

    law: LawKind
    options: ControllerOptions


def finite_limits(values: Sequence[float]) -> tuple[float | None, ...]:
    """Limits as `ControllerOptions` keeps them: None where there is none."""
    return tuple(None if np.isinf(value) else float(value) for value in values)


def open_limits(values: Sequence[float | None]) -> list[float]:
    """The inverse of `finite_limits`."""
    return [np.inf if value is None else value for value in values]


def resolved_poles(poles: JointPoles) -> tuple[tuple[complex, complex], ...]:
    """The pairs of poles of all joints, as `ControllerOptions` keeps them."""
    return tuple((pair.first, pair.second) for pair in poles.pairs)
