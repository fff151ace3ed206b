"""The form of a torque program, read off its operations: tau = M(q) qdd + c(q, qd, qd) + g(q), and nothing else.

(1)  Angles occur in sines and cosines of whole multiples only, and are multiplied by whole numbers only: a third of an
     angle, three times, is rounded to the angle, and is another one after many turns. Besides them there are sums and
     products. A comparison, a root or a quotient could hide an error between the points that are looked at.
(2)  Every value has a set of bidegrees (degree in the speeds, degree in the accelerations), as it is written:
       numbers and positions {(0, 0)},   speeds {(1, 0)},   accelerations {(0, 1)},   sums unite,   products add
     Values are within {(0, 0), (1, 0), (2, 0), (0, 1)}, torques within {(0, 0), (2, 0), (0, 1)}. So evaluations at
     rest, at unit accelerations and at unit speeds take a torque apart exactly.
(3)  The total degree of a value, as it is written, is at most `HIGHEST_DEGREE`; `modular_degree` finds the true one.
(4)  Numbers that are added to angles add up exactly, as fractions: in doubles q + 2^54 + 1 - 2^54 is q, and the sine of
     it less that of q would be taken for zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from torquec.errors import CheckError
from torquec.expr import Function, Op
from torquec.robot.robot import Robot

HIGHEST_DEGREE = 400
"""Of any value as it is written (3): a recursion over n joints adds a few per joint; `modular_degree` needs a limit."""

_REMEDY = "certify a program of sums, products, sines and cosines, as torquec simplify makes them"

_RATES = {"q": (0, 0), "qd": (1, 0), "qdd": (0, 1)}
_INSIDE = frozenset({(0, 0), (1, 0), (2, 0), (0, 1)})
_TORQUE = frozenset({(0, 0), (2, 0), (0, 1)})


@dataclass(frozen=True)
class AngleSum:
    """A sum of whole multiples of joint angles and a number, exact (4); a plain number has no multiples."""

    multiples: tuple[tuple[int, Fraction | float], ...]
    offset: Fraction | float


@dataclass(frozen=True)
class _Form:
    """Bidegrees (2), total degree (3) and, where the value is one, the sum of angles."""

    rates: frozenset[tuple[int, int]]
    degree: int
    angle: AngleSum | None = None


def check_program(robot: Robot, program: Function) -> None:
    """Raise `CheckError` unless the program maps q, qd, qdd (n,) to tau (n,) and is of the form above."""
    ports = {port.name: port.shape for port in program.inputs}
    outputs = {port.name: port.shape for port in program.outputs}
    wanted = (robot.n,)
    if ports != dict.fromkeys(_RATES, wanted) or outputs != {"tau": wanted}:
        raise CheckError("the program does not map q, qd, qdd to tau of this robot", remedy=_REMEDY)
    slides = [not each.turns for each in robot.coordinates]
    forms: list[_Form] = []
    for step in program.operations:
        arguments = [forms[k] for k in step.args]
        if step.op is Op.CONST:
            if not math.isfinite(step.value):
                raise CheckError(f"the program has the number {step.value}", remedy=_REMEDY)
            form = _Form(frozenset({(0, 0)}), 0, AngleSum((), step.value))
        elif step.op is Op.INPUT:
            form = _input(step.port, step.element, slides)
        elif step.op in (Op.SIN, Op.COS):
            form = _wave(arguments[0])
        elif step.op is Op.MUL:
            form = _product(*arguments)
        elif step.op in (Op.ADD, Op.SUB, Op.NEG):
            form = _sum(step.op, arguments)
        else:
            raise CheckError(f"the program has the operation '{step.op}': it is no polynomial", remedy=_REMEDY)
        if not form.rates <= _INSIDE:
            raise CheckError(
                f"the program has a product {_product_text(form.rates - _INSIDE)}: no torque has", remedy=_REMEDY
            )
        if form.degree > HIGHEST_DEGREE:
            raise CheckError(f"the program has a degree above {HIGHEST_DEGREE}", remedy=_REMEDY)
        forms.append(form)
    for k in program.results[0]:
        if forms[k].angle is not None and forms[k].angle.multiples:  # type: ignore[union-attr]
            raise CheckError("a torque of the program is proportional to an angle", remedy=_REMEDY)
        if not forms[k].rates <= _TORQUE:
            raise CheckError("a torque of the program is of first degree in a speed", remedy=_REMEDY)


def added_angles(op: Op, arguments: list[AngleSum]) -> AngleSum:
    """The sum, difference or negative of sums of angles (4)."""
    signs = {Op.ADD: (1, 1), Op.SUB: (1, -1), Op.NEG: (-1,)}[op]
    total: dict[int, Fraction] = {}
    offset = Fraction(0)
    for sign, angle in zip(signs, arguments, strict=True):
        offset += sign * Fraction(angle.offset)
        for joint, multiple in angle.multiples:
            total[joint] = total.get(joint, Fraction(0)) + sign * Fraction(multiple)
    return AngleSum(tuple((joint, multiple) for joint, multiple in sorted(total.items()) if multiple), offset)


def scaled_angle(a: AngleSum, b: AngleSum) -> AngleSum | None:
    """A number times a sum of angles (4), either way round; None where neither is a number."""
    if a.multiples and b.multiples:
        return None
    number, angle = (a.offset, b) if not a.multiples else (b.offset, a)
    factor = Fraction(number)
    multiples = tuple((joint, factor * Fraction(multiple)) for joint, multiple in angle.multiples)
    return AngleSum(multiples, factor * Fraction(angle.offset))


def _input(port: str, element: int, slides: list[bool]) -> _Form:
    if port == "q" and not slides[element]:
        return _Form(frozenset({(0, 0)}), 0, AngleSum(((element, 1.0),), 0.0))
    return _Form(frozenset({_RATES[port]}), 1)


def _wave(argument: _Form) -> _Form:
    """Sine or cosine of whole multiples of angles (1)."""
    if argument.angle is None:
        raise CheckError("the program has a sine or cosine of something else than angles", remedy=_REMEDY)
    return _Form(frozenset({(0, 0)}), round(sum(abs(Fraction(multiple)) for _, multiple in argument.angle.multiples)))


def _product(a: _Form, b: _Form) -> _Form:
    _refuse_numbers(a, b)
    angle = None if a.angle is None or b.angle is None else scaled_angle(a.angle, b.angle)
    if angle is not None:
        if angle.multiples and _number(a, b).denominator != 1:
            raise CheckError("the program has a sine or cosine of a fraction of an angle", remedy=_REMEDY)
        return _Form(frozenset({(0, 0)}), 0, _limited(angle))
    _refuse_angles(a, b)
    rates = frozenset((x + u, y + v) for x, y in a.rates for u, v in b.rates)
    return _Form(rates, a.degree + b.degree)


def _sum(op: Op, arguments: list[_Form]) -> _Form:
    _refuse_numbers(*arguments)
    angles = [form.angle for form in arguments]
    if all(angle is not None for angle in angles):
        added = added_angles(op, [angle for angle in angles if angle is not None])
        return _Form(frozenset({(0, 0)}), 0, _limited(added))
    _refuse_angles(*arguments)
    rates = frozenset(pair for form in arguments for pair in form.rates)
    return _Form(rates, max(form.degree for form in arguments))


def _number(*forms: _Form) -> Fraction:
    """The one of two factors that is a number."""
    return next(Fraction(form.angle.offset) for form in forms if form.angle is not None and not form.angle.multiples)


def _limited(angle: AngleSum) -> AngleSum:
    if any(abs(Fraction(multiple)) > HIGHEST_DEGREE for _, multiple in angle.multiples):
        raise CheckError(f"the program has more than {HIGHEST_DEGREE} times an angle", remedy=_REMEDY)
    return angle


def _refuse_angles(*forms: _Form) -> None:
    if any(form.angle is not None and form.angle.multiples for form in forms):
        raise CheckError("the program uses an angle itself, not its sine or cosine", remedy=_REMEDY)


def _refuse_numbers(*forms: _Form) -> None:
    """Numbers combined with numbers would be rounded; in programs they are folded, coefficients are as written."""
    if all(form.angle is not None and not form.angle.multiples for form in forms):
        raise CheckError("the program combines numbers with numbers: it was not made by torquec", remedy=_REMEDY)


def _product_text(rates: frozenset[tuple[int, int]]) -> str:
    speeds, accelerations = max(rates)
    return f"of {speeds} speeds and {accelerations} accelerations"
