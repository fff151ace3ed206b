"""Lin's minimal combinations as formulas in the link parameters and in the symbols of the geometry.

Links and their parameters are given in the robot's modified Denavit-Hartenberg frames (`robot.canonical`):

(1)  link i in link i-1 is Rx(alpha) Tx(a) Rz(theta) Tz(d);   symbols a2, d2, .. for what is not zero, joints from 1
(2)  right angles are numbers; the cosine and sine of any other twist are symbols: ca2, sa2 (ct2, st2 for the constant
     theta of a prismatic joint), with sa2^2 replaced by 1 - ca2^2
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import flint

from torquec.dynamics.regressor import parameter_names
from torquec.errors import RobotError
from torquec.parameters.chain import ChainLink, LinearForm, chain, composite_constants
from torquec.parameters.formula import latex_name
from torquec.parameters.minimal_combinations import link_parameters, torque_elements
from torquec.parameters.rational_geometry import rational_geometry
from torquec.robot.canonical import CanonicalLink
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, add, matmul, matvec, scale, transpose

_GREEK = {"a": r"\alpha", "t": r"\theta"}
_RIGHT_ANGLES = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # cosine and sine: these stay numbers


@dataclass(frozen=True)
class SymbolicCombinations:
    """Names and formulas of the combinations, and the robot's own value of every symbol in them."""

    names: tuple[str, ...]
    expressions: tuple[str, ...]
    latex_expressions: tuple[str, ...]
    symbols: Mapping[str, float]


def symbolic_combinations(robot: Robot) -> SymbolicCombinations:
    """Lin's Theorem 5 for a serial robot, the geometry in symbols.

    Raises `RobotError` outside the theorem, and for axes that are almost parallel: their frames are no DH frames.

    >>> from torquec.robot import classics
    >>> found = symbolic_combinations(classics.planar2r())
    >>> found.expressions[0], found.symbols["a2"]
    ('Izz_link1 + Izz_link2 + a2^2*m_link2', 1.0)
    """
    facts = chain(robot, rational_geometry(robot))
    symbols = _Symbols(robot)
    links = [symbols.link(i) for i in range(facts.n)]
    inertias = [link_parameters(i, symbols.ring.constant(1)) for i in range(facts.n)]
    constants = composite_constants(links, inertias)
    parameters = parameter_names(robot)
    names, expressions, formulas = [], [], []
    for i, body in enumerate(robot.bodies):
        axis = _first_axis(links, facts.r, i)
        for symbol, form in torque_elements(facts, i, constants[i], axis):
            names.append(f"{symbol}_{body.name}")
            terms = _terms(symbols.reduced(form), parameters)
            expressions.append(_joined(f"{size}*{name}" if size else name for size, name in terms))
            formulas.append(_joined(rf"{_latex(size)}{latex_name(name)}" for size, name in terms))
    used = {key: value for key, value in symbols.values.items() if any(_mentions(e, key) for e in expressions)}
    return SymbolicCombinations(tuple(names), tuple(expressions), tuple(formulas), MappingProxyType(used))


class _Symbols:
    """The ring of polynomials in the geometry of one robot, and its links over that ring."""

    def __init__(self, robot: Robot) -> None:
        self.links = robot.canonical.links
        self.values: dict[str, float] = {}
        for k, link in enumerate(self.links[1:], start=2):
            joint = robot.bodies[k - 1].joint.name
            alpha = _twist(link, joint)
            lengths = {f"a{k}": link.pre.origin[0], f"d{k}": link.d if link.column.turns else 0.0}
            self.values.update({key: value for key, value in lengths.items() if value != 0.0})
            if alpha not in _RIGHT_ANGLES:
                self.values.update({f"ca{k}": alpha[0], f"sa{k}": alpha[1]})
            theta = exact_cos_sin(link.theta)
            if not link.column.turns and theta not in _RIGHT_ANGLES:
                self.values.update({f"ct{k}": theta[0], f"st{k}": theta[1]})
        self.ring = flint.fmpq_mpoly_ctx.get(tuple(self.values) or ("none",), flint.Ordering.deglex)
        self.generators: dict[str, Any] = dict(zip(self.values, self.ring.gens(), strict=False))

    def link(self, i: int) -> ChainLink:
        """The pose (1) of a link; that of the first link is not needed."""
        link, k = self.links[i], i + 1
        if i == 0:
            return ChainLink(link.column.turns, Pose())
        c, s = self._angle(f"a{k}", (link.pre.rotation[1][1], link.pre.rotation[2][1]))
        rotation: Matrix3 = ((1, 0, 0), (0, c, -s), (0, s, c))
        origin: Vector3 = (self._length(f"a{k}"), 0, 0)
        if not link.column.turns:
            ct, st = self._angle(f"t{k}", exact_cos_sin(link.theta))
            return ChainLink(False, Pose(matmul(rotation, ((ct, -st, 0), (st, ct, 0), (0, 0, 1))), origin))
        return ChainLink(True, Pose(rotation, add(origin, scale((0, -s, c), self._length(f"d{k}")))))

    def reduced(self, form: LinearForm) -> LinearForm:
        """sin^2 = 1 - cos^2 everywhere (2)."""
        return LinearForm({column: self._without_squares(value) for column, value in form.coefficients.items()})

    def _without_squares(self, value: Any) -> Any:
        pairs = [(key, f"c{key[1:]}") for key in self.generators if key[0] == "s"]
        index = {key: k for k, key in enumerate(self.generators)}
        for sine, cosine in pairs:
            s, c = self.generators[sine], self.generators[cosine]
            total = self.ring.constant(0)
            for exponents, coefficient in value.to_dict().items():
                power = int(exponents[index[sine]])
                rest = tuple(0 if k == index[sine] else int(e) for k, e in enumerate(exponents))
                term = self.ring.from_dict({rest: coefficient})
                total += term * (1 - c * c) ** (power // 2) * s ** (power % 2)
            value = total
        return value

    def _angle(self, key: str, exact: tuple[float, float]) -> tuple[Scalar, Scalar]:
        if exact in _RIGHT_ANGLES:
            return int(exact[0]), int(exact[1])
        return self.generators[f"c{key}"], self.generators[f"s{key}"]

    def _length(self, key: str) -> Scalar:
        return self.generators.get(key, 0)


def _twist(link: CanonicalLink, joint: str) -> tuple[float, float]:
    """(cos, sin) of alpha, if the link's pose in the previous one has the form (1)."""
    r, p = link.pre.rotation, link.pre.origin
    if r[0] != (1.0, 0.0, 0.0) or (p[1], p[2]) != (0.0, 0.0):
        raise RobotError(
            f"joint '{joint}' has no Denavit-Hartenberg parameters: its axis is almost parallel to the one before",
            remedy="take the combinations in numbers: base_parameters(robot, method='theorem')",
        )
    return (r[1][1], r[2][1])


def _first_axis(links: list[ChainLink], r: int, i: int) -> Vector3:
    """u_r in the axes of link i, all joint angles zero."""
    axis: Vector3 = (0, 0, 1)
    for link in links[r + 1 : i + 1]:
        axis = matvec(transpose(link.pose.rotation), axis)
    return axis


def _terms(form: LinearForm, parameters: list[str]) -> list[tuple[str, str]]:
    """(coefficient, parameter) by column; the coefficient as text, "" for 1 and "-" for -1."""
    terms = []
    for column in sorted(form.coefficients):
        value = form.coefficients[column]
        if value != 0:
            text = f"({value})" if len(value.to_dict()) > 1 else str(value)
            terms.append(({"1": "", "-1": "-"}.get(text, text), parameters[column]))
    return terms


def _joined(terms: Iterable[str]) -> str:
    """A sum; a term that begins with a minus is subtracted."""
    text = ""
    for term in terms:
        bare = term.removeprefix("-").removeprefix("*")
        sign = "-" if term.startswith("-") else "+"
        text += f" {sign} {bare}" if text else (f"-{bare}" if sign == "-" else bare)
    return text or "0"


def _latex(size: str) -> str:
    """A coefficient in LaTeX's mathematics."""
    named = re.sub(r"\b([cs])([at])(\d+)\b", lambda m: rf"{m[1]}_{{{_GREEK[m[2]]} {m[3]}}}", size)
    named = re.sub(r"\b([ad])(\d+)\b", r"\1_{\2}", named)
    return re.sub(r"\^(\d+)", r"^{\1}", named).replace("*", r"\,") + (r"\," if size not in ("", "-") else "")


def _mentions(expression: str, symbol: str) -> bool:
    return symbol in re.findall(r"\w+", expression)
