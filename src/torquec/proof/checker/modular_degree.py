"""The degree of a torque program in the position of each joint, decided in arithmetic modulo large random primes.

(1)  A double is a whole number times a power of two, so a program of sums and products (`program_form`) is a
     polynomial with rational coefficients, and has exact values modulo a prime:
       cos q = (1 - t^2)/(1 + t^2),   sin q = 2 t/(1 + t^2)
     A number added to an angle is stood for by a random point of the circle, the same wherever the number occurs.
(2)  Along one joint, all else at random values, f is of degree d exactly where f (1 + t^2)^d is a polynomial of degree
     2 d in t (for a displacement: f of degree d): its divided difference over 2 d + 2 (d + 2) points is zero.
(3)  Where the degree is higher, the difference is a polynomial of degree below 10^4 in the random values, and is zero
     by accident with a probability below 10^4 / 2^126; its coefficients are divisible by the prime with one below
     2^-100 (numbers of 10^5 bits have at most 10^3 prime factors of 127 bits). Primes and values are drawn from a
     hash of the program and the robot: whoever changes one to be lucky has to begin again.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import flint

from torquec.errors import CheckError
from torquec.expr import Function, Op
from torquec.proof.checker.program_form import AngleSum, added_angles, scaled_angle

HIGHEST = 4
"""Degree in one joint up to which programs are looked at; equations of motion have two, fits of them three."""

_BITS = 127  # the probabilities above follow from it
_ROUNDS = 2
"""Independent primes and values: one is enough (3), the second costs little."""


class TorquePart(Enum):
    """What of a torque is asked for: all of it, what it is at rest, or what speeds and accelerations add to that."""

    WHOLE = "whole"
    AT_REST = "at rest"
    MOVING = "moving"


def exact_degrees(
    program: Function, sliding: Sequence[bool], *, seed: str, part: TorquePart = TorquePart.WHOLE
) -> tuple[int, ...]:
    """The degree of the program's torques, or of a part of them, in each joint's sine and cosine, or displacement,
    (n,).

    The program has passed `check_program`; `sliding` says which joints translate. Raises `CheckError` where a degree
    exceeds `HIGHEST`.
    """
    return _exact_degrees(program, tuple(sliding), seed, part)


@functools.lru_cache(maxsize=32)
def _exact_degrees(program: Function, sliding: tuple[bool, ...], seed: str, part: TorquePart) -> tuple[int, ...]:
    """They are asked for the same programs more than once, and take a second for seven joints."""
    found = [0] * len(sliding)
    for turn in range(_ROUNDS):
        draw = _Draw(f"{seed} {program.content_hash} {turn}")
        field = _Field(draw.prime(), draw)
        for joint, slides in enumerate(sliding):
            while not _is_of_degree(field, program, joint, slides, found[joint], part):
                found[joint] += 1
                if found[joint] > HIGHEST:
                    raise CheckError(
                        f"the program is of a degree above {HIGHEST} in joint {joint + 1}",
                        remedy="make the certificate again with torquec simplify",
                    )
    return tuple(found)


class _Draw:
    """Numbers from a hash: the same for the same seed, not to be foreseen without computing it."""

    def __init__(self, seed: str) -> None:
        self._seed, self._count = seed, 0

    def number(self, bits: int) -> int:
        """A number below 2^bits, bits <= 256."""
        self._count += 1
        digest = hashlib.sha256(f"{self._seed} {self._count}".encode()).digest()
        return int.from_bytes(digest, "big") >> (256 - bits)

    def prime(self) -> int:
        """A prime of `_BITS` bits."""
        while True:
            candidate = self.number(_BITS - 1) | (1 << (_BITS - 1)) | 1
            if flint.fmpz(candidate).is_prime():
                return candidate


@dataclass(frozen=True)
class _Point:
    """cos and sin modulo the prime."""

    c: int
    s: int


class _Field:
    """Arithmetic modulo a prime, and values drawn from it."""

    def __init__(self, prime: int, draw: _Draw) -> None:
        self.p, self._draw = prime, draw
        self._offsets: dict[Fraction | float, _Point] = {0.0: _Point(1, 0)}

    def number(self) -> int:
        """A value drawn at random."""
        return self._draw.number(256) % self.p

    def double(self, value: Fraction | float) -> int:
        """The value of a double, or of a sum of doubles (1)."""
        numerator, denominator = value.as_integer_ratio()
        return numerator * pow(denominator, -1, self.p) % self.p

    def circle(self, t: int) -> _Point:
        """The point of the circle of a parameter (1)."""
        inverse = pow(1 + t * t, -1, self.p)
        return _Point((1 - t * t) * inverse % self.p, 2 * t * inverse % self.p)

    def point(self, angle: AngleSum, points: Sequence[_Point | int]) -> _Point:
        """cos and sin of a sum of angles."""
        if angle.offset not in self._offsets:
            self._offsets[angle.offset] = self.circle(self.number())
        total = self._offsets[angle.offset]
        for joint, multiple in angle.multiples:
            single = points[joint]
            assert isinstance(single, _Point)
            turned = single if multiple > 0 else _Point(single.c, -single.s)
            for _ in range(round(abs(Fraction(multiple)))):
                total = self._added(total, turned)
        return total

    def _added(self, a: _Point, b: _Point) -> _Point:
        return _Point((a.c * b.c - a.s * b.s) % self.p, (a.s * b.c + a.c * b.s) % self.p)


def _is_of_degree(field: _Field, program: Function, joint: int, slides: bool, degree: int, part: TorquePart) -> bool:
    """(2), for all torques at once."""
    n = program.input("q").size
    read = {s.element for s in program.operations if s.op is Op.INPUT and s.port == "q"}
    if joint not in read:
        return True
    angles = {element for element in read if _is_angle(program, element)}
    points: list[_Point | int] = [field.circle(field.number()) if k in angles else field.number() for k in range(n)]
    rates = {port: [field.number() for _ in range(n)] for port in ("qd", "qdd")}
    parameters = [field.number() for _ in range(degree + 2 if slides else 2 * degree + 2)]
    values = []
    for t in parameters:
        points[joint] = t if slides else field.circle(t)
        weight = 1 if slides else pow(1 + t * t, degree, field.p)
        values.append([weight * tau % field.p for tau in _part_of_torques(field, program, points, rates, part)])
    return all(_divided_difference(field.p, parameters, column) == 0 for column in zip(*values, strict=True))


def _is_angle(program: Function, element: int) -> bool:
    """True where a position is used inside sines and cosines (`check_program` has seen that it is used one way)."""
    own = {k for k, s in enumerate(program.operations) if s.op is Op.INPUT and s.port == "q" and s.element == element}
    reached = set(own)
    for k, step in enumerate(program.operations):
        if any(a in reached for a in step.args):
            if step.op in (Op.SIN, Op.COS):
                return True
            reached.add(k)
    return False


def _divided_difference(p: int, parameters: Sequence[int], values: Sequence[int]) -> int:
    total = 0
    for k, (t, value) in enumerate(zip(parameters, values, strict=True)):
        product = 1
        for j, other in enumerate(parameters):
            if j != k:
                product = product * (t - other) % p
        total += value * pow(product, -1, p)
    return total % p


def _part_of_torques(
    field: _Field, program: Function, points: Sequence[_Point | int], rates: dict[str, list[int]], part: TorquePart
) -> list[int]:
    if part is TorquePart.WHOLE:
        return _torques(field, program, points, rates)
    rest = _torques(field, program, points, {port: [0] * len(values) for port, values in rates.items()})
    if part is TorquePart.AT_REST:
        return rest
    return [whole - own for whole, own in zip(_torques(field, program, points, rates), rest, strict=True)]


def _torques(
    field: _Field, program: Function, points: Sequence[_Point | int], rates: dict[str, list[int]]
) -> list[int]:
    """The program's torques modulo the prime."""
    values: list[int | AngleSum] = []
    for step in program.operations:
        arguments = [values[k] for k in step.args]
        if step.op is Op.CONST:
            values.append(AngleSum((), step.value))
        elif step.op is Op.INPUT and step.port == "q":
            single = points[step.element]
            values.append(AngleSum(((step.element, 1.0),), 0.0) if isinstance(single, _Point) else single)
        elif step.op is Op.INPUT:
            values.append(rates[step.port][step.element])
        elif step.op in (Op.SIN, Op.COS):
            angle = arguments[0]
            assert isinstance(angle, AngleSum)
            point = field.point(angle, points)
            values.append(point.s if step.op is Op.SIN else point.c)
        else:
            values.append(_combined(field, step.op, arguments))
    return [_number(field, values[k]) for k in program.results[0]]


_EXACT: dict[Op, Callable[..., int]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.NEG: lambda a: -a,
    Op.MUL: lambda a, b: a * b,
}


def _combined(field: _Field, op: Op, arguments: Sequence[int | AngleSum]) -> int | AngleSum:
    """A sum or product of sums of angles, or of values; `check_program` has seen that they do not mix."""
    angles = [value for value in arguments if isinstance(value, AngleSum)]
    if len(angles) == len(arguments):
        if op is not Op.MUL:
            return added_angles(op, angles)
        scaled = scaled_angle(*angles)
        assert scaled is not None
        return scaled
    return _EXACT[op](*(_number(field, value) for value in arguments)) % field.p


def _number(field: _Field, value: int | AngleSum) -> int:
    return field.double(value.offset) if isinstance(value, AngleSum) else value
