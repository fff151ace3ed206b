"""Options of control laws, and the design record (law, options, model) of a controller.

(1)  `ControllerOptions` holds the options of all laws; None selects the default of the law;
     a field that the command line accepts as NAME=VALUE has its parser in its metadata (`from_words`)
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
    """The laws that can be designed, as commands and files name them; `torquec.control.laws.LAWS` describes each."""

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
    """Gravity compensation at the measured position: the arm floats."""
    OPEN_LOOP = "open-loop"
    OPEN_LOOP_GRAVITY = "open-loop-gravity"


class Feedforward(StrEnum):
    """Model feedforward of an independent joint law."""

    NOTHING = "nothing"
    GRAVITY = "gravity"
    """Gravity compensation: gravity and springs at the measured position."""
    DYNAMICS = "dynamics"
    """Inverse dynamics of the reference: can be computed in advance."""
    DYNAMICS_AND_GRAVITY = "dynamics and gravity"
    """Inverse dynamics of the reference, with gravity at the measured position."""


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
    """Weights per joint of position errors, speed errors and torques: one over the square of the tolerable value."""

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


_FROM_WORDS = "from words"  # the key of a field's metadata that holds its parser


def from_words(reader: Callable[[str], Any]) -> Mapping[str, Callable[[str], Any]]:
    """Metadata of a field that the command line can set: a parser from text to value, which may raise `ValueError`."""
    return {_FROM_WORDS: reader}


def _numbers(text: str) -> tuple[float, ...]:
    values = tuple(float(word) for word in text.split(","))
    if not np.isfinite(values).all():
        raise ValueError
    return values


@dataclass(frozen=True)
class ControllerOptions:
    """Options of a control law; None selects the default of the law. A law refuses options that it does not use.

    `poles` [1/s]: one for all joints, one per joint or pairs. `period` [s]: the sampling interval; with `sampled` the
    poles are placed for it. `evaluation`: the state at which the model is evaluated; `friction`: its compensation;
    `rule`: how the model is abbreviated. Independent joints: `gains`, else gains from the poles at the configuration
    `posture` (n,); `feedforward`; `anti_windup` (n,) [Nm], the torque limits of the integral. `weights` of LQR.
    Torque limits `efforts` (n,) [Nm] and rate limits `rates` (n,) [Nm/s], None where a joint has none. Robust term:
    `amplitude` [rad/s^2] and `layer` [rad/s], one number or one per joint.
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
        """The names of the options that are not None."""
        return tuple(name for name, value in vars(self).items() if value is not None and value is not False)


def word_options() -> tuple[str, ...]:
    """The fields of `ControllerOptions` that can be given as NAME=VALUE."""
    return tuple(item.name for item in dataclasses.fields(ControllerOptions) if _FROM_WORDS in item.metadata)


def with_words(options: ControllerOptions, texts: Sequence[str]) -> ControllerOptions:
    """Options with fields set from texts NAME=VALUE; raises `ArgumentError` for unknown or malformed ones.

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
                f"'{text}' names no option of a law", remedy=f"write one as {'=.., '.join(word_options())}=.."
            )
        try:
            found[name.strip().replace("-", "_")] = reader(value.strip())
        except ValueError:
            raise ArgumentError(
                f"'{value}' is no value of {name}", remedy="write numbers as 1,2,3 and choices by their names"
            ) from None
    return dataclasses.replace(options, **found)


@dataclass(frozen=True)
class LawDesign:
    """The design of a controller: its law and the options."""

    law: LawKind
    options: ControllerOptions


def finite_limits(values: Sequence[float]) -> tuple[float | None, ...]:
    """Limits as `ControllerOptions` stores them: None in place of infinity."""
    return tuple(None if np.isinf(value) else float(value) for value in values)


def open_limits(values: Sequence[float | None]) -> list[float]:
    """The inverse of `finite_limits`."""
    return [np.inf if value is None else value for value in values]


def resolved_poles(poles: JointPoles) -> tuple[tuple[complex, complex], ...]:
    """The pole pairs of all joints, as `ControllerOptions` stores them."""
    return tuple((pair.first, pair.second) for pair in poles.pairs)
