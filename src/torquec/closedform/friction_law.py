"""Friction written down: V of each joint as a function of the speeds.

(1)  V_i = f_i(qd_i) + sum over coupled motors of  T_mi f_m(sum_j T_mj qd_j)
(2)  f(v) = viscous+ v + coulomb+  for v >= 0,     viscous- v - coulomb-  for v < 0,     always + offset
(3)  a motor that turns with one joint alone adds to that joint's own law: r f(r v) is again (2), with viscous r^2,
     coulomb |r|, offset r, and the directions exchanged for r < 0

Joints are those of all moving bodies, like everywhere in the closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import select
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar


@dataclass(frozen=True)
class CoupledFriction:
    """The friction of a motor that turns with several joints: `ratios` are (joint, T_mj); `factor` is T_mi."""

    motor: str
    factor: float
    ratios: tuple[tuple[int, float], ...]
    law: Friction


@dataclass(frozen=True)
class FrictionLaw:
    """Friction of one joint (1)."""

    joint: int
    own: Friction
    coupled: tuple[CoupledFriction, ...] = ()

    def torque(self, qd: Sequence[Scalar]) -> Scalar:
        """V_i at speeds qd (n,), over any scalar."""
        total = _at(self.own, qd[self.joint])
        for motor in self.coupled:
            speed: Scalar = 0.0
            for joint, ratio in motor.ratios:
                speed = speed + ratio * qd[joint]
            total = total + motor.factor * _at(motor.law, speed)
        return total


def friction_laws(robot: Robot) -> list[FrictionLaw]:
    """The laws of the joints that have friction, in joint order."""
    place = {body.joint.name: b for b, body in enumerate(robot.bodies)}
    own = [body.joint.friction for body in robot.bodies]
    coupled: list[list[CoupledFriction]] = [[] for _ in own]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        ratios = tuple((place[name], r) for name, r in zip(robot.joint_names, row, strict=True) if r != 0.0)
        if motor.friction == Friction():
            continue
        if len(ratios) == 1:
            ((joint, ratio),) = ratios
            own[joint] = _sum(own[joint], _reflected(motor.friction, ratio))
        else:
            for joint, ratio in ratios:
                coupled[joint].append(CoupledFriction(motor.name, ratio, ratios, motor.friction))
    return [
        FrictionLaw(joint, law, tuple(motors))
        for joint, (law, motors) in enumerate(zip(own, coupled, strict=True))
        if law != Friction() or motors
    ]


def _reflected(f: Friction, ratio: float) -> Friction:
    """(3)."""
    size, square = abs(ratio), ratio * ratio
    if ratio > 0.0:
        viscous, coulomb = (f.viscous_positive, f.viscous_negative), (f.coulomb_positive, f.coulomb_negative)
    else:
        viscous, coulomb = (f.viscous_negative, f.viscous_positive), (f.coulomb_negative, f.coulomb_positive)
    return Friction(square * viscous[0], square * viscous[1], size * coulomb[0], size * coulomb[1], ratio * f.offset)


def _sum(a: Friction, b: Friction) -> Friction:
    return Friction(
        a.viscous_positive + b.viscous_positive,
        a.viscous_negative + b.viscous_negative,
        a.coulomb_positive + b.coulomb_positive,
        a.coulomb_negative + b.coulomb_negative,
        a.offset + b.offset,
    )


def _at(f: Friction, speed: Scalar) -> Scalar:
    """(2)."""
    forth = f.viscous_positive * speed + f.coulomb_positive
    back = f.viscous_negative * speed - f.coulomb_negative
    return select(speed, forth, back) + f.offset
