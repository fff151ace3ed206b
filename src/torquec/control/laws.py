"""Table of control laws by name, for commands, files and programs.

A row holds the factory of a law and the options that it uses; all other options are refused. To add a law, write a
function that returns a `Controller` in a file of its own, a `LawKind`, and a row here; commands then list it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from torquec.control.actuator_limits import with_actuator_limits
from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
from torquec.control.controller import Controller
from torquec.control.independent_joint import (
    feedforward_torque,
    gains_from_poles,
    gravity_compensation,
    independent_joint,
)
from torquec.control.law_options import ControllerOptions, Feedforward, LawKind, LqrWeights, open_limits
from torquec.control.lqr import lqr
from torquec.control.model_terms import Evaluation
from torquec.control.pole_placement import pole_placement
from torquec.control.poles import JointPoles, joint_poles
from torquec.control.robust_computed_torque import robust_computed_torque
from torquec.control.slotine_li import slotine_li
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.trajectory import Trajectory

USUAL_LAW = LawKind.COMPUTED_TORQUE
"""The default law: model at the measured state, friction at the reference speed. Its tracking error is bounded."""

USUAL_POLES = -20.0
"""Default of both poles of every joint [1/s]."""

USUAL_PERIOD = 0.001
"""Default sampling interval of a law that needs one [s]."""

TOLERABLE = (1e-3, 1e-2)
"""Tolerable errors of the default LQR weights: position [rad or m], speed [rad/s or m/s]."""

_LARGEST_EFFORT = 1e3
"""Torque limit in the default LQR weights for a drive without one [Nm]."""

_LIMITS = ("efforts", "rates")
_NO_OPTIONS = ControllerOptions()

Making = Callable[[Model, ControllerOptions, Trajectory | None], Controller]


@dataclass(frozen=True)
class LawEntry:
    """A row of the table: description of a law, the options that it uses, and its factory.

    `places_poles`: with an exact model the linear loop has exactly the given poles, so that it has root loci.
    `evaluates_at`: the state at which the model is evaluated, unless that is an option of the law.
    """

    summary: str
    takes: tuple[str, ...]
    make: Making
    evaluates_at: Evaluation = Evaluation.REFERENCE
    places_poles: bool = False

    @property
    def has_poles(self) -> bool:
        """Whether its feedback gains follow from poles."""
        return "poles" in self.takes


def make_law(
    source: Robot | Model,
    kind: LawKind | str,
    options: ControllerOptions = _NO_OPTIONS,
    *,
    trajectory: Trajectory | None = None,
) -> Controller:
    """Make the controller of a law for a robot or a model.

    LQR needs a `trajectory` for its gains, and samples it at the period of the options.

    Torques are limited where the options give `efforts` or `rates`. Raises `ArgumentError` for an unknown law, for
    options that it does not use, and as the law itself does.

    >>> from torquec.robot import classics
    >>> make_law(classics.planar2r(), "computed-torque", ControllerOptions(period=0.002)).name
    'computed_torque'
    """
    law_kind = chosen(LawKind, kind, "law")
    law, model = LAWS[law_kind], as_model(source)
    unused = [name for name in options.given if name not in (*law.takes, *_LIMITS)]
    if unused:
        raise ArgumentError(
            f"{law_kind.value} does not use '{unused[0]}'", remedy=f"its options are {', '.join(law.takes)}"
        )
    made = law.make(model, options, trajectory)
    if options.efforts is None and options.rates is None:
        return made
    efforts = None if options.efforts is None else open_limits(options.efforts)
    return with_actuator_limits(made, model, efforts=efforts, rates=options.rates)


def usual_weights(robot: Robot, errors: tuple[float, float] = TOLERABLE, torque: float | None = None) -> LqrWeights:
    """Default LQR weights: one over the square of the tolerable error or torque (Bryson's rule).

    `errors` of position and speed are the same for all joints; the torque is the drive's limit unless given.
    """
    position, speed = (1.0 / value**2 for value in errors)
    efforts = [min(joint.limits.effort, _LARGEST_EFFORT) if torque is None else torque for joint in robot.joints]
    return LqrWeights((position,) * robot.n, (speed,) * robot.n, tuple(1.0 / effort**2 for effort in efforts))


def usual_integral_pole(poles: JointPoles) -> float:
    """Default pole of an integral [1/s]: four times slower than the slowest of the others."""
    return max(pole.real for pole in poles.values) / 4.0


def _given(options: ControllerOptions, *names: str) -> dict[str, Any]:
    """The named options that are not None, as keyword arguments."""
    return {name: getattr(options, name) for name in names if name in options.given}


def _poles(options: ControllerOptions) -> Any:
    return USUAL_POLES if options.poles is None else options.poles


def _placed(
    summary: str,
    make: Callable[..., Controller],
    *more: str,
    evaluates_at: Evaluation = Evaluation.MEASURED,
    places_poles: bool = True,
) -> LawEntry:
    """The row of a law with poles; `more` are options besides those that all such laws have."""
    names = ("period", "sampled", "friction", *more)

    def made(model: Model, options: ControllerOptions, _: Trajectory | None) -> Controller:
        return make(model, _poles(options), **_given(options, *names))

    return LawEntry(summary, ("poles", *names), made, evaluates_at, places_poles=places_poles)


def _independent(model: Model, options: ControllerOptions, *, integral: bool) -> Controller:
    """Gains as given, or from the poles at a configuration; the integral has its default pole."""
    robot, gains = model.robot, options.gains
    if gains is None:
        poles = joint_poles(robot.joint_names, _poles(options))
        slowest = usual_integral_pole(poles) if integral else None
        posture = (0.0,) * robot.n if options.posture is None else options.posture
        gains = gains_from_poles(model, _poles(options), posture, integral_pole=slowest)
    elif "poles" in options.given or "posture" in options.given:
        raise ArgumentError("gains and poles are given", remedy="give the one or the other")
    elif any(gains.integral) != integral:
        raise ArgumentError(
            f"gains {'without' if integral else 'with'} an integral",
            remedy="choose pid for gains with an integral, pd without",
        )
    settings = {"feedforward": Feedforward.GRAVITY, **_given(options, "period", "feedforward", "friction")}
    if options.anti_windup is not None:
        settings["efforts"] = open_limits(options.anti_windup)
    return independent_joint(model, gains, **settings)


def _lqr(model: Model, options: ControllerOptions, trajectory: Trajectory | None) -> Controller:
    if trajectory is None:
        raise ArgumentError("LQR gains belong to a trajectory", remedy="give the motion that it shall follow")
    if options.period is not None and abs(options.period - trajectory.period) > 1e-9 * options.period:
        trajectory = trajectory.sampled(options.period)
    weights = usual_weights(model.robot) if options.weights is None else options.weights
    return lqr(model, trajectory, weights, **_given(options, "friction"))


_JOINT = ("poles", "posture", "gains", "period", "feedforward", "friction", "anti_windup")

LAWS: Mapping[LawKind, LawEntry] = MappingProxyType(
    {
        LawKind.POLE_PLACEMENT: _placed(
            "pole placement along the reference (CT1)", pole_placement, "rule", evaluates_at=Evaluation.REFERENCE
        ),
        LawKind.COMPUTED_TORQUE: _placed(
            "computed torque with the full model (CT2)", computed_torque, "evaluation", "rule"
        ),
        LawKind.DIAGONAL: _placed(
            "computed torque with diagonal inertia (CT3)", diagonal_computed_torque, "evaluation", places_poles=False
        ),
        LawKind.ROBUST: LawEntry(
            "computed torque with an integral and a bounded robust term",
            ("poles", "period", "evaluation", "friction", "amplitude", "layer"),
            lambda model, options, _: robust_computed_torque(
                model,
                _poles(options),
                **{"period": USUAL_PERIOD, **_given(options, "period", "evaluation", "friction", "amplitude", "layer")},
            ),
            Evaluation.MEASURED,
        ),
        LawKind.SLOTINE_LI: LawEntry(
            "Slotine and Li's law, M a_r + C v_r + g + K s",
            ("poles", "posture", "period", "friction"),
            lambda model, options, _: slotine_li(
                model, _poles(options), **_given(options, "period", "posture", "friction")
            ),
            Evaluation.MEASURED,
        ),
        LawKind.PD: LawEntry(
            "a PD law per joint",
            _JOINT,
            lambda model, options, _: _independent(model, options, integral=False),
            Evaluation.MEASURED,
        ),
        LawKind.PID: LawEntry(
            "a PID law per joint",
            _JOINT,
            lambda model, options, _: _independent(model, options, integral=True),
            Evaluation.MEASURED,
        ),
        LawKind.LQR: LawEntry(
            "a linear quadratic regulator along a trajectory", ("weights", "period", "friction"), _lqr
        ),
        LawKind.GRAVITY: LawEntry(
            "gravity held, no feedback: the arm floats",
            ("period", "friction"),
            lambda model, options, _: gravity_compensation(model, **_given(options, "period", "friction")),
            Evaluation.MEASURED,
        ),
        LawKind.OPEN_LOOP: LawEntry(
            "the torques of the reference, no feedback",
            ("friction",),
            lambda model, options, _: feedforward_torque(model, **_given(options, "friction")),
        ),
        LawKind.OPEN_LOOP_GRAVITY: LawEntry(
            "the torques of the reference, with gravity at the measured position, no feedback",
            ("friction",),
            lambda model, options, _: feedforward_torque(model, online_gravity=True, **_given(options, "friction")),
            Evaluation.MEASURED,
        ),
    }
)
"""Every law."""
