"""Base parameters: the smallest set of combinations of the standard parameters that determines every torque.

(1)  beta = K phi,   tau = Y_b beta,   Y_b = Y E       (the matrices of `numeric_basis`)

The default method eliminates standard parameters in a fixed order. Of every body on a revolute joint, it keeps the same
ones as Khalil and Gautier: the tensor except one diagonal element across the axis, and the first moments across the
axis. Its rank is compared with the rank modulo a prime, the rank in doubles and Lin's theorem. Where they disagree, the
geometry is degenerate up to rounding, but not exactly, and that is an error.

Ranks are exact where every axis stands at right angles to its neighbours or parallel to them; elsewhere the geometry
is replaced by a rational one within 1e-14 rad (`rational_geometry`), and `method` says so.

(2)  a set determines the inertia matrix H if and only if it determines the torques without gravity  (Lin 1994, Th. 3)

Lin constructs the set of H from that of the torques (his equation (61)); `inertia_combinations` is the base of the
robot without gravity, which by (2) spans the same space. It is smaller where only gravity makes some moments
identifiable: 34 instead of 36 for the PUMA 560.

(3)  behind a free joint every body moves in all directions. Exactly those of its parameters that its joint neither
     changes nor feels then act through its parent: m, the first moment along the axis and Ixx + Iyy of a revolute
     joint; the tensor of a prismatic one; the mass of a ball joint; Ixx + Iyy of a planar one. The rest are base
     parameters, for any geometry: 10 of the free body, and 7, 4, 9 and 9 of bodies on the other joints
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import flint
import numpy as np

from torquec.dynamics.friction_regressor import FrictionColumns, friction_columns
from torquec.errors import ArgumentError, CheckError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.parameters.accepts import accepts
from torquec.parameters.energy_rows import double_rows, natural_sizes, rational_rows, real_rows, residue_rows
from torquec.parameters.formula import latex_formula, text_formula
from torquec.parameters.loop_base import loop_basis, loop_rows
from torquec.parameters.minimal_combinations import minimal_combinations
from torquec.parameters.numeric_basis import (
    THRESHOLD,
    Basis,
    elimination,
    extended,
    grouping,
    independent_columns,
    pivoted_qr,
    singular_values,
    svd,
)
from torquec.parameters.rational_geometry import RationalGeometry, rational_geometry
from torquec.parameters.standard_parameters import (
    ParameterFrames,
    StandardParameterKind,
    StandardParameters,
    elimination_order,
    standard_parameters,
    standard_values,
    to_body_frames,
)
from torquec.records import BaseParametersRecord, sparse_rows
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Robot

_PRINTED_COEFFICIENT = 1e-13
"""Coefficients this much smaller than others come from lengths that cancel up to rounding: kept, but not printed."""


_PRECISION_BITS = 192
"""Bits for coefficients that are not computed in fractions."""


_SPECIAL = (
    "some axes or offsets of the robot are special (parallel, crossing, zero) up to rounding or to 1e-7, but not "
    "exactly: correct the file, or choose the method qr or svd, which count pivots or singular values above a threshold"
)

_DEPENDENT_COEFFICIENT = 1e9
"""A larger coefficient means that a kept column depends on others up to rounding error."""


class BasisMethod(StrEnum):
    """How the base is found."""

    AUTOMATIC = "automatic"
    ELIMINATION = "elimination"
    THEOREM = "theorem"
    QR = "qr"
    SVD = "svd"


@dataclass(frozen=True, eq=False)
class BaseParameters(NotebookDisplay):
    """The base of a robot: b combinations of p standard parameters.

    `names` and `expressions` (coefficients to six digits) for people, `projection` K (b, p) and `expansion` E (p, b)
    in full; a name that ends in "+" stands for a parameter and those grouped with it. `values` (b,) is None for a
    robot without inertias. `dropped` parameters have no effect on any torque, `grouped` ones act only through others.
    """

    robot: str
    parameters: StandardParameters
    names: tuple[str, ...]
    kinds: tuple[StandardParameterKind, ...]
    projection: Array
    expansion: Array
    body_expansion: Array
    values: Array | None
    method: str
    exact: bool

    def __repr__(self) -> str:
        return f"BaseParameters('{self.robot}', {len(self.names)} of {len(self.parameters)} parameters, {self.method})"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def count(self) -> int:
        """Number of inertial base parameters."""
        return self.kinds.count(StandardParameterKind.INERTIAL)

    @property
    def motor_count(self) -> int:
        """Number of rotor inertias that are base parameters."""
        return self.kinds.count(StandardParameterKind.MOTOR)

    @property
    def friction_count(self) -> int:
        """Number of friction base parameters."""
        return self.kinds.count(StandardParameterKind.FRICTION)

    @property
    def expressions(self) -> tuple[str, ...]:
        """Each base parameter as a sum of standard ones."""
        return tuple(text_formula(self._terms(i)) for i in range(len(self)))

    @property
    def latex_expressions(self) -> tuple[str, ...]:
        """The same in LaTeX's mathematics."""
        return tuple(latex_formula(self._terms(i)) for i in range(len(self)))

    @property
    def dropped(self) -> tuple[str, ...]:
        """Standard parameters that no torque depends on."""
        return tuple(
            name for name, column in zip(self.parameters.names, self.projection.T, strict=True) if not column.any()
        )

    @property
    def grouped(self) -> tuple[str, ...]:
        """Standard parameters that act, but only within base parameters that are named after others.

        Lin's combinations and those of the SVD are named after none, so that nothing is listed for them.
        """
        named = {name.removesuffix("+") for name in self.names}
        if not named <= set(self.parameters.names):
            return ()
        return tuple(name for name in self.parameters.names if name not in named and name not in set(self.dropped))

    @property
    def record(self) -> BaseParametersRecord:
        """The record of the result, for `check_base_parameters`."""
        return BaseParametersRecord(
            robot=self.robot,
            method=self.method,
            motors=self.parameters.motors,
            friction=self.parameters.friction.value,
            frames=self.parameters.frames.value,
            parameters=self.parameters.names,
            names=self.names,
            projection=sparse_rows(self.projection.tolist()),
            expansion=sparse_rows(self.expansion.tolist()),
            values=None if self.values is None else tuple(self.values.tolist()),
        )

    def _terms(self, i: int) -> list[tuple[float, str]]:
        """Coefficients and names of one combination, the parameter that it is named after first."""
        first = self.names[i].removesuffix("+")
        row = self.projection[i]
        smallest = _PRINTED_COEFFICIENT * np.abs(row).max(initial=0.0)
        terms = [(float(v), name) for v, name in zip(row, self.parameters.names, strict=True) if abs(v) > smallest]
        return sorted(terms, key=lambda term: term[1] != first)


def base_parameters(
    robot: Robot,
    *,
    method: BasisMethod | str = BasisMethod.AUTOMATIC,
    friction: FrictionColumns | str | bool = False,
    motors: bool = True,
    frames: ParameterFrames | str = ParameterFrames.BODY,
    order: Sequence[str] | None = None,
    threshold: float = THRESHOLD,
) -> BaseParameters:
    """The base parameters of a robot.

    `friction`: which friction columns to include; True takes those that the robot's own friction needs. `motors`:
    include rotor inertias. `order`: names of standard parameters, those to keep first (elimination only; the others
    follow in the usual order). `threshold`: zero threshold of QR and SVD. Raises `ArgumentError` for an unknown name
    or method, `CheckError` where the methods disagree. With closed loops ranks are numeric (`loop_base`).

    >>> from torquec.robot import classics
    >>> base = base_parameters(classics.planar2r())
    >>> base.count, base.expressions[0]
    (6, 'Izz_link1 + m_link2')
    """
    chosen, parameters = _options(robot, method, friction, motors, frames, order)
    if robot.dependent and chosen not in (BasisMethod.QR, BasisMethod.SVD):
        basis = loop_basis(robot, parameters, elimination_order(robot, parameters, order))
        text = "elimination; numeric rank of the regressor at independent joints of closed loops"
        return _finished(robot, parameters, basis, text, exact=False)
    geometry = rational_geometry(robot.tree, parameters.frames)
    if chosen is BasisMethod.THEOREM and accepts(robot) is None:
        return _by_theorem(robot, geometry, parameters)
    if chosen in (BasisMethod.QR, BasisMethod.SVD):
        w = loop_rows(robot, parameters) if robot.dependent else double_rows(robot, geometry, parameters)
        groups = _groups(parameters)
        added: tuple[int, ...] = ()
        if chosen is BasisMethod.QR:
            basis = pivoted_qr(w, natural_sizes(w, parameters), groups, threshold=threshold)
        else:
            basis, added = svd(w, natural_sizes(w, parameters), groups, threshold=threshold)
        text = f"{chosen.value}; numeric rank, threshold {threshold:g}"
        mixed = [f"combination_{k + 1}" for k in range(basis.rank - len(added))] if basis.kept is None else []
        return _finished(robot, parameters, basis, text, exact=False, given=mixed, added=added)
    basis = _by_elimination(robot, geometry, parameters, elimination_order(robot, parameters, order))
    text = _described("elimination", geometry)
    if chosen is BasisMethod.THEOREM:
        text += f"; Lin's theorem does not apply: {accepts(robot)}"
    if chosen is BasisMethod.AUTOMATIC:
        _compare(robot, geometry, parameters, basis)
    return _finished(robot, parameters, basis, text, exact=geometry.exact)


def inertia_combinations(robot: Robot) -> BaseParameters:
    """The combinations of the links' parameters that determine H(q) and follow from it; no rotors, no friction.

    Any robot has them, trees and mimic joints included.

    >>> from torquec.robot import classics
    >>> len(inertia_combinations(classics.puma560()))
    34
    """
    without = replace(robot, gravity=(0.0, 0.0, 0.0))
    return base_parameters(without, method=BasisMethod.ELIMINATION, motors=False)


def _options(
    robot: Robot,
    method: BasisMethod | str,
    friction: FrictionColumns | str | bool,
    motors: bool,
    frames: ParameterFrames | str,
    order: Sequence[str] | None,
) -> tuple[BasisMethod, StandardParameters]:
    if not isinstance(robot, Robot):
        raise ArgumentError(
            f"base_parameters takes a Robot, not {type(robot).__name__}", remedy="load one: torquec.load('arm.urdf')"
        )
    basis, axes = chosen(BasisMethod, method, "method"), chosen(ParameterFrames, frames, "choice of frames")
    if isinstance(friction, bool):
        columns = FrictionColumns.needed(robot) if friction else FrictionColumns.NONE
    else:
        columns = friction_columns(friction)
    if order is not None and basis not in (BasisMethod.AUTOMATIC, BasisMethod.ELIMINATION):
        raise ArgumentError(f"an order has no meaning for the method '{basis}'", remedy="take the method ELIMINATION")
    return basis, standard_parameters(robot, motors=motors, friction=columns, frames=axes)


def _by_elimination(
    robot: Robot, geometry: RationalGeometry, parameters: StandardParameters, order: Sequence[int]
) -> Basis:
    """Elimination in fractions; where angles are approximated, columns by doubles and coefficients to many digits."""
    if geometry.exact:
        return elimination(rational_rows(robot, geometry, parameters), order)
    w = double_rows(robot, geometry, parameters)
    kept = independent_columns(w, natural_sizes(w, parameters), order)
    with flint.ctx.workprec(_PRECISION_BITS):
        try:
            return grouping(real_rows(robot, geometry, parameters, len(kept)), kept)
        except ZeroDivisionError:
            raise CheckError(
                f"the {len(kept)} columns that are independent in doubles are dependent in the exact arithmetic",
                where=f"base_parameters of '{robot.name}'",
                remedy=_SPECIAL,
            ) from None


def _by_theorem(robot: Robot, geometry: RationalGeometry, parameters: StandardParameters) -> BaseParameters:
    """Lin's set, then the rotors and friction parameters that it does not hold yet, by elimination."""
    combinations = minimal_combinations(robot, geometry)
    rows = [[flint.fmpq(0)] * len(parameters) for _ in combinations]
    for row, combination in zip(rows, combinations, strict=True):
        for column, value in combination.form.coefficients.items():
            row[column] = flint.fmpq(value.numerator, value.denominator)
    others = [k for k, kind in enumerate(parameters.kinds) if kind is not StandardParameterKind.INERTIAL]
    w = rational_rows(robot, geometry, parameters) if others else flint.fmpq_mat(0, len(parameters))
    basis, added = extended(rows, w, others)
    return _finished(
        robot,
        parameters,
        basis,
        _described("Lin's theorem", geometry),
        exact=geometry.exact,
        given=[combination.name for combination in combinations],
        added=added,
    )


def _finished(
    robot: Robot,
    parameters: StandardParameters,
    basis: Basis,
    method: str,
    *,
    exact: bool,
    given: Sequence[str] = (),
    added: Sequence[int] = (),
) -> BaseParameters:
    """Names, values and frozen matrices; `given` names the first rows, `added` are the columns kept next."""
    named = [*given]
    kinds = [StandardParameterKind.INERTIAL] * len(given)
    kept = basis.kept if basis.kept is not None else added
    for column in kept:
        row = basis.projection[len(named)]
        named.append(parameters.names[column] + ("+" if np.count_nonzero(row) > 1 else ""))
        kinds.append(parameters.kinds[column])
    standard = standard_values(robot, parameters)
    values = None if standard is None else basis.projection @ standard
    arrays = (basis.projection, basis.expansion, to_body_frames(robot, parameters) @ basis.expansion)
    for array in (*arrays, *(() if values is None else (values,))):
        array.flags.writeable = False
    return BaseParameters(
        robot.name, parameters, tuple(named), tuple(kinds), *arrays, values=values, method=method, exact=exact
    )


def _groups(parameters: StandardParameters) -> list[list[int]]:
    """Columns by kind, inertial ones first."""
    return [[k for k, kind in enumerate(parameters.kinds) if kind is wanted] for wanted in StandardParameterKind]


def _described(way: str, geometry: RationalGeometry) -> str:
    if geometry.exact:
        return f"{way}; exact rational rank"
    return f"{way}; numeric rank (geometry taken to 1e-14): {geometry.approximated[0]}"


_CARRIED = {JointType.FREE: 0, JointType.BALL: 1, JointType.PLANAR: 1, JointType.PRISMATIC: 6}
"""Number in (3) of parameters of a body that act through its parent; three for a revolute joint."""


def _free_base_count(robot: Robot) -> int | None:
    """(3), without rotors; None for a robot that is not all on free joints, or has mimic joints."""
    joints = [body.joint for body in robot.bodies]
    on_base = (body.joint for body in robot.bodies if body.parent == BASE)
    if any(joint.mimic for joint in joints) or any(joint.type is not JointType.FREE for joint in on_base):
        return None
    return sum(10 - _CARRIED.get(joint.type, 3) for joint in joints)


def _compare(robot: Robot, geometry: RationalGeometry, parameters: StandardParameters, basis: Basis) -> None:
    """Raise `CheckError` unless all other methods give the same rank."""
    w = double_rows(robot, geometry, parameters)
    natural = natural_sizes(w, parameters)
    values = singular_values(w, natural)
    found = {
        "elimination": basis.rank,
        "rank modulo a prime": residue_rows(robot, geometry, parameters).rank(),
        f"singular values above {THRESHOLD:g}": int(np.sum(values > THRESHOLD)),
        "pivoted QR": pivoted_qr(w, natural, _groups(parameters)).rank,
    }
    theorem, proven = "count behind a free joint", _free_base_count(robot)
    if accepts(robot) is None:
        theorem, proven = "Lin's theorem", len(minimal_combinations(robot, geometry))
    if proven is not None:
        alone = standard_parameters(robot, motors=False, friction=FrictionColumns.NONE)
        others = basis.rank if len(alone) == len(parameters) else residue_rows(robot, geometry, alone).rank()
        found[theorem] = basis.rank + proven - others
    largest = float(np.abs(basis.projection).max(initial=0.0))
    if len(set(found.values())) > 1 or largest > _DEPENDENT_COEFFICIENT:
        last = ", ".join(f"{value:.1e}" for value in values[min(found.values()) - 1 : max(found.values()) + 1])
        raise CheckError(
            "ambiguous number of base parameters: "
            + ", ".join(f"{way} {count}" for way, count in found.items())
            + f"; the singular values in question are {last}, the largest coefficient is {largest:.1e}",
            where=f"base_parameters of '{robot.name}'",
            remedy=_SPECIAL,
        )
