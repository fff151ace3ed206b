"""Whether a program is what a certificate is about: a polynomial in sines and cosines of angles, displacements, speeds
and accelerations.

Only then do finitely many of its values determine it. A comparison, a root or a quotient could hide an error between
the points that are looked at, and so could a very high degree; programs with either are refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from torquec.errors import CheckError
from torquec.expr import Function, Op
from torquec.robot.robot import Robot

HIGHEST_DEGREE = 24
"""In any one variable, as the program is written; whole recursions stay below ten."""

_REMEDY = "certify a program of sums, products, sines and cosines, as torquec simplify makes them"


@dataclass(frozen=True)
class _Value:
    """Degrees by variable, and where the value is a sum of multiples of angles and a number, those multiples."""

    degrees: Counter[tuple[str, int]]
    multiples: dict[int, float] | None = None
    number: float | None = None


def check_program(robot: Robot, program: Function) -> None:
    """Raise `CheckError` unless the program maps q, qd, qdd (n,) to tau (n,) by a polynomial of moderate degree."""
    ports = {port.name: port.shape for port in program.inputs}
    outputs = {port.name: port.shape for port in program.outputs}
    wanted = (robot.n,)
    if ports != dict.fromkeys(("q", "qd", "qdd"), wanted) or outputs != {"tau": wanted}:
        raise CheckError("the program does not map q, qd, qdd to tau of this robot", remedy=_REMEDY)
    slides = [joint.type.is_prismatic for joint in robot.joints]
    values: list[_Value] = []
    for step in program.operations:
        arguments = [values[k] for k in step.args]
        if step.op is Op.CONST:
            values.append(_Value(Counter(), {}, step.value))
        elif step.op is Op.INPUT:
            angle = step.port == "q" and not slides[step.element]
            degrees = Counter() if angle else Counter({(step.port, step.element): 1})
            values.append(_Value(degrees, {step.element: 1.0}, 0.0) if angle else _Value(degrees))
        elif step.op in (Op.SIN, Op.COS):
            values.append(_wave(*arguments))
        elif step.op is Op.MUL:
            values.append(_product(*arguments))
        elif step.op in (Op.ADD, Op.SUB, Op.NEG):
            values.append(_sum(step.op, arguments))
        else:
            raise CheckError(f"the program has the operation '{step.op}': it is no polynomial", remedy=_REMEDY)
        if max(values[-1].degrees.values(), default=0) > HIGHEST_DEGREE:
            raise CheckError(f"the program has a degree above {HIGHEST_DEGREE}", remedy=_REMEDY)
    if any(values[k].multiples for k in program.results[0]):
        raise CheckError("a torque of the program is proportional to an angle", remedy=_REMEDY)


def _wave(argument: _Value) -> _Value:
    """Sine or cosine of whole multiples of angles."""
    if argument.multiples is None or argument.number is None:
        raise CheckError("the program has a sine or cosine of something else than angles", remedy=_REMEDY)
    if any(multiple != round(multiple) for multiple in argument.multiples.values()):
        raise CheckError("the program has a sine or cosine of a fraction of an angle", remedy=_REMEDY)
    return _Value(Counter({("q", joint): round(abs(multiple)) for joint, multiple in argument.multiples.items()}))


def _product(a: _Value, b: _Value) -> _Value:
    if a.multiples == {} and b.multiples is not None and a.number is not None and b.number is not None:
        scaled = {joint: a.number * multiple for joint, multiple in b.multiples.items()}
        return _Value(Counter(), scaled, a.number * b.number)
    if b.multiples == {} and a.multiples is not None:
        return _product(b, a)
    _refuse_angles(a, b)
    return _Value(a.degrees + b.degrees)


def _sum(op: Op, arguments: list[_Value]) -> _Value:
    signs = {Op.ADD: (1.0, 1.0), Op.SUB: (1.0, -1.0), Op.NEG: (-1.0,)}[op]
    if all(value.multiples is not None and value.number is not None for value in arguments):
        total: dict[int, float] = {}
        number = 0.0
        for sign, value in zip(signs, arguments, strict=True):
            number += sign * (value.number or 0.0)
            for joint, multiple in (value.multiples or {}).items():
                total[joint] = total.get(joint, 0.0) + sign * multiple
        return _Value(Counter(), total, number)
    _refuse_angles(*arguments)
    degrees: Counter[tuple[str, int]] = Counter()
    for value in arguments:
        degrees |= value.degrees
    return _Value(degrees)


def _refuse_angles(*values: _Value) -> None:
    if any(value.multiples for value in values):
        raise CheckError("the program uses an angle itself, not its sine or cosine", remedy=_REMEDY)
