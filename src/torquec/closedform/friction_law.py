"""Friction written down: V of each joint as a function of the speeds.

(1)  V_i = f_i(qd_i) + sum over coupled motors of  T_mi f_m(sum_j T_mj qd_j)
(2)  f(v) is the sum of the friction terms (:mod:`torquec.dynamics.friction`): viscous+ v + coulomb+ for v > 0,
     viscous- v - coulomb- for v < 0, always + offset, and whatever else the robot's file says
(3)  a motor that turns with one joint alone and has these three only adds to that joint's own law: r f(r v) is again
     (2), with viscous r^2, coulomb |r|, offset r, and the directions exchanged for r < 0; a motor with further terms
     is written like a coupled one

Joints are those of all moving bodies, like everywhere in the closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.friction import ShaftState, direction_of, terms_of
from torquec.dynamics.friction_torque import shaft_friction
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar


@dataclass(frozen=True)
class CoupledFriction:
    """The friction of a motor: `ratios` are (joint, T_mj) of the joints it turns with; `factor` is T_mi."""

    motor: str
    factor: float
    ratios: tuple[tuple[int, float], ...]
    law: Friction


@dataclass(frozen=True)
class JointFriction:
    """Friction of one joint (1)."""

    joint: int
    own: Friction
    coupled: tuple[CoupledFriction, ...] = ()

    def torque(self, qd: Sequence[Scalar]) -> Scalar:
        """V_i at speeds qd (n,), over any scalar; without what depends on the load, which is no function of qd."""
        total = _at(self.own, qd[self.joint])
        for motor in self.coupled:
            speed: Scalar = 0.0
            for joint, ratio in motor.ratios:
                speed = speed + ratio * qd[joint]
            total = total + motor.factor * _at(motor.law, speed)
        return total


def friction_laws(robot: Robot) -> list[JointFriction]:
    """The laws of the joints that have friction, in joint order."""
    place = {body.joint.name: b for b, body in enumerate(robot.bodies)}
    own = [body.joint.friction for body in robot.bodies]
    coupled: list[list[CoupledFriction]] = [[] for _ in own]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        ratios = tuple((place[name], r) for name, r in zip(robot.joint_names, row, strict=True) if r != 0.0)
        if motor.friction == Friction():
            continue
        if len(ratios) == 1 and not motor.friction.further and not own[ratios[0][0]].value("turnover_speed"):
            ((joint, ratio),) = ratios
            own[joint] = _sum(own[joint], _reflected(motor.friction, ratio))
        else:
            for joint, ratio in ratios:
                coupled[joint].append(CoupledFriction(motor.name, ratio, ratios, motor.friction))
    return [
        JointFriction(joint, law, tuple(motors))
        for joint, (law, motors) in enumerate(zip(own, coupled, strict=True))
        if law != Friction() or motors
    ]


def friction_text(friction: Friction, *, forwards: bool, load: str) -> list[tuple[float, str]]:
    """The law of one direction as numbers times factors, with {v} for the speed; constants are one number, the last.

    `load` is the name of the torque that the shaft carries.
    """
    constant, found = 0.0, []
    for term in terms_of(friction):
        for value, factor in term.summands(friction, forwards=forwards):
            if factor:
                found.append((value, factor.replace("{load}", load)))
            else:
                constant += value
    return [*found, (constant, "")]


def jumps_at_rest(friction: Friction) -> bool:
    """Whether the law has dry friction that turns at once, which is zero at exactly zero speed."""
    return not friction.value("turnover_speed") and any(term.is_dry for term in terms_of(friction))


def _reflected(f: Friction, ratio: float) -> Friction:
    """(3)."""
    size, square = abs(ratio), ratio * ratio
    if ratio > 0.0:
        viscous, coulomb = (f.viscous_positive, f.viscous_negative), (f.coulomb_positive, f.coulomb_negative)
    else:
        viscous, coulomb = (f.viscous_negative, f.viscous_positive), (f.coulomb_negative, f.coulomb_positive)
    return Friction(square * viscous[0], square * viscous[1], size * coulomb[0], size * coulomb[1], ratio * f.offset)


def _sum(a: Friction, b: Friction) -> Friction:
    further = dict(a.further)
    return Friction.of({**{name: value + b.value(name) for name, value in a.values.items()}, **further})


def _at(f: Friction, speed: Scalar) -> Scalar:
    """(2)."""
    return shaft_friction(f, ShaftState(speed, direction_of(f, speed)))
