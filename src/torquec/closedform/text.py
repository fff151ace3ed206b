"""Equations as plain text, in the manner of Clover's Appendix A: `M12 = 0.690315*S2 - 0.134059*C23 + ..`.

Largest terms come first; C23 is cos(q2 + q3), S2^2 a square, multiple angles are spelled `cos(2*q2 + q3)`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torquec.closedform.closed_form import ClosedForm, Closure, RateCoordinate
from torquec.closedform.equations import Equations, JointFriction, friction_text, jumps_at_rest
from torquec.closedform.fourier import Value
from torquec.closedform.layouts import CHANG_LEE, CHRISTOFFEL, TITLES, WHOLE, Entry, Matrix
from torquec.closedform.sums import (
    Factor,
    Kind,
    Notation,
    broken,
    entry_summands,
    joined,
    subscript,
    value_summands,
    weighted,
)
from torquec.dynamics.friction import reads_load
from torquec.robot.friction import Friction

WIDTH = 100


def equations_text(equations: Equations, *, width: int = WIDTH) -> str:
    """The equations with an explanation of their symbols, as lines of about `width` columns."""
    blocks = ["\n".join(_heading(equations))]
    for matrix, found in equations.entries.items():
        common = equations.common_unit(matrix)
        lines = [f"{TITLES[matrix]}{f' [{common}]' if common else ''}", ""]
        if matrix is Matrix.V:
            lines += _friction_lines(equations)
        if matrix is Matrix.PHI and equations.form.closure is not None:
            lines += [f"{matrix}[{k + 1}]: {word}" for k, word in enumerate(equations.form.closure.words)] + [""]
        for entry in found:
            unit = "" if common else f" [{equations.unit(entry)}]"
            head = f"{entry_name(entry)}{unit} = "
            room = width - len(head)
            summands = entry_summands(entry, TEXT, equations.digits)
            first, *others = broken(summands, first=room, other=room + 2)
            lines += [head + first, *(" " * (len(head) - 2) + line for line in others)]
        if len(lines) == 2:
            lines.append("All entries are zero.")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def polynomial_text(value: Value, *, digits: int = 6) -> str:
    """A polynomial or a series on one line."""
    return joined(value_summands(value, TEXT, digits))


def entry_name(entry: Entry) -> str:
    """'M12' where it cannot be misread, else 'M[1,12]', 'B[1,23]', 'dtau_dq[1,2]'."""
    plain = len(entry.matrix) == 1 and entry.matrix is not Matrix.B and max(entry.index) < 9
    return f"{entry.matrix}{''.join(str(i + 1) for i in entry.index)}" if plain else entry.key


def number_text(value: float, digits: int) -> str:
    """A number with `digits` significant digits, without trailing zeros.

    >>> number_text(0.30000000000000004, 6), number_text(2.0, 6), number_text(1.25e-7, 6)
    ('0.3', '2', '1.25e-07')
    """
    return f"{value + 0.0:.{digits}g}"


def factor_text(factor: Factor) -> str:
    """One factor: `C23`, `S2^2`, `q3^2`, `cos(2*q2 + q3)`, `qd1`.

    >>> factor_text(Factor(Kind.SHORT_SINE, ((1, 1), (2, 1)), 2)), factor_text(Factor(Kind.COSINE, ((1, 2), (2, -1))))
    ('S23^2', 'cos(2*q2 - q3)')
    """
    if factor.kind in (Kind.COSINE, Kind.SINE):
        return f"{factor.kind}({sum_text(factor.joints)})"
    text = factor.symbol or f"{factor.kind}{subscript(factor.joints)}"
    return text if factor.power == 1 else f"{text}^{factor.power}"


TEXT = Notation(number_text, factor_text, parameter=str, times="*")


def sum_text(joints: Sequence[tuple[int, int]]) -> str:
    """A sum of multiples of coordinates: `2*q2 - q3`."""
    return joined(weighted(((k, f"q{i + 1}") for i, k in joints), TEXT, 6))


def balance_text(equations: Equations) -> str:
    """The equation that the matrices belong to; with closed loops, that of the tree and its loop equations."""
    if equations.form.closure is not None:
        left, _, right = _tree_balance(equations).partition(" = ")
        index = "_i" if left.endswith("_i") else ""
        return f"{left} + (dPhi/dq)'{index} lambda = {right},  Phi(q) = 0"
    return _tree_balance(equations)


def _tree_balance(equations: Equations) -> str:
    if equations.balance == CHANG_LEE:
        return "tau_i = sum_j J_ij qdd_j + sum_jk H_ijk qd_j qd_k - G_i + V_i"
    if equations.balance == CHRISTOFFEL:
        return "tau = M(q) qdd + C(q, qd) qd + g(q) + V(qd)"
    return "tau = M(q) qdd + B(q) [qd_j qd_k, j < k] + D(q) [qd_j^2] + g(q) + V(qd)"


def remarks(equations: Equations) -> list[str]:
    """Number of terms, their treatment, and the terms that are not shown, one sentence each."""
    if equations.whole:
        counts = equations.terms
    else:
        counts = {entry.key: len(entry) for kept in equations.entries.values() for entry in kept}
    lines = [f"Terms: {', '.join(f'{name} {count}' for name, count in counts.items())}."] if counts else []
    lines += treatment(equations)
    if equations.rule.digits is None:
        lines.append(f"Coefficients are shown to {equations.digits} significant digits.")
    return [*lines, *omissions(equations), f"{_zeros(equations)}Units are SI."]


def omissions(equations: Equations) -> list[str]:
    """Which terms of the equation of motion are left out, and how to get them; nothing where all of them are there."""
    balance = equations.balance
    if not equations.whole:
        return [f"Only the entries that were asked for are here. {_command(balance)} writes all of them."]
    lines, missing = [], equations.not_shown
    if missing:
        named = _listed([_WORDS.get(matrix, str(matrix)) for matrix in missing])
        lines.append(f"Left out here, and not zero in general: {named}. {_command(balance)} writes them too.")
    if Matrix.V not in (*equations.entries, *missing):
        lines.append("V is zero: the robot has no friction.")
    return lines


_WORDS = {
    Matrix.M: "M (inertia)",
    Matrix.B: "B (Coriolis)",
    Matrix.D: "D (centrifugal)",
    Matrix.G_TORQUE: "g (gravity)",
    Matrix.V: "V (friction)",
    Matrix.C: "C (Coriolis and centrifugal)",
    Matrix.J: "J (inertia)",
    Matrix.H: "H (Coriolis and centrifugal)",
    Matrix.G: "G (gravity)",
    Matrix.PHI: "Phi (loop equations)",
}


def _command(balance: tuple[Matrix, ...]) -> str:
    """The command that writes all terms of an equation of motion."""
    options = "--whole" if balance == WHOLE else " ".join(f"--matrix {matrix}" for matrix in balance)
    return f"torquec equations ROBOT {options}"


def _zeros(equations: Equations) -> str:
    """The sentence on entries that are not shown: whether they are zero."""
    if not equations.whole:
        return ""
    if set(equations.balance) <= set(equations.entries):
        return "Entries that are not shown are zero. "
    kept = [str(matrix) for matrix in equations.entries if matrix is not Matrix.V]
    state = "zero or were dropped" if equations.rule.threshold else "zero"
    return f"Entries of {_listed(kept)} that are neither shown nor given by symmetry are {state}. " if kept else ""


def _listed(words: Sequence[str]) -> str:
    """'M', 'M and g', 'M, B and g'."""
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def treatment(equations: Equations) -> list[str]:
    """Dropped terms and rounded coefficients, one sentence each."""
    rule, lines = equations.rule, []
    if rule.threshold:
        lines.append(f"Coefficients below {number_text(rule.threshold, 6)} in what the links contribute are dropped.")
    if rule.digits is not None:
        lines.append(f"Coefficients are rounded to {rule.digits} significant digits, then motor inertias are added.")
    bodies = equations.form.robot.bodies
    lines += moving_base_remarks(equations)
    springs = [body.joint.name for body in bodies if body.joint.spring is not None or body.joint.counterbalances]
    if any(reads_load(law.own) or any(reads_load(m.law) for m in law.coupled) for law in equations.friction):
        lines.append("|tau| in V is the torque of the rigid bodies on the shaft.")
    if springs:
        lines.append(f"The springs of {', '.join(springs)} are not part of these equations.")
    return lines


def moving_base_remarks(equations: Equations) -> list[str]:
    """Meaning of the coordinates of free, ball and planar joints and of gravity in them, one sentence each."""
    form, lines = equations.form, list[str]()
    for first in dict.fromkeys(each.first for each in form.coordinates if each.is_twist):
        own = [each for each in form.coordinates if each.first == first]
        body, names = form.robot.bodies[own[0].body].name, f"qd{first + 1} .. qd{first + len(own)}"
        parts = " and ".join(
            word
            for word, turns in (("the velocity of its origin", False), ("its angular velocity", True))
            if any(each.of_joint.turns == turns for each in own)
        )
        lines.append(f"{names} are the rates of '{own[0].joint.name}' in the axes of body '{body}': {parts}.")
    if form.closure is not None:
        lines += _closure_remarks(form.closure)
    if form.layout is None:
        return lines
    for root, vector in form.layout.gravity.items():
        named = ", ".join(part.symbol for part in vector)
        size = number_text(math.hypot(*form.robot.gravity), 6)
        lines.append(f"({named}) is gravity in the axes of body '{form.robot.bodies[root].name}', {size} m/s^2 long.")
    for b, turn in form.layout.quaternions.items():
        named = ", ".join(part.symbol for part in turn.components)
        lines.append(f"({named}) is the unit quaternion of joint '{form.robot.bodies[b].joint.name}', scalar first.")
    return lines


def coupling_text(equations: Equations, body: int) -> str:
    """The joint that a mimic joint follows, and the joint on which its torque acts; '' for an independent joint."""
    mimic = equations.form.coordinates[body].joint.mimic
    if mimic is None:
        return ""
    leader = equations.form.names.index(mimic.joint) + 1
    follows = joined(weighted([(mimic.multiplier, f"q{leader}"), (mimic.offset, "")], TEXT, 6))
    adds = joined(weighted([(mimic.multiplier, f"tau{body + 1}")], TEXT, 6))
    return f"q{body + 1} = {follows}; adds {adds} to tau{leader}"


def friction_branches(law: Friction, speed: str, digits: int, *, load: str = "|tau|") -> list[tuple[str, str]]:
    """A friction law as (expression, condition) pairs; one pair without a condition where both directions agree.

    Where dry friction jumps at rest, the first condition is `> 0`: at exactly zero speed, dry friction is zero.

    >>> friction_branches(Friction.symmetric(2.0), "qd1", 6)
    [('2*qd1', '')]
    """
    branches = []
    for forwards, sign in ((True, ">" if jumps_at_rest(law) else ">="), (False, "<")):
        summands = friction_text(law, forwards=forwards, load=load)
        parts = weighted([(value, factor.replace("{v}", speed)) for value, factor in summands], TEXT, digits)
        branches.append((joined(parts), f"{speed} {sign} 0"))
    return branches if branches[0][0] != branches[1][0] else [(branches[0][0], "")]


def coupled_text(law: JointFriction, digits: int) -> str:
    """Friction of coupled motors at a joint: ` + 76*f_motor4(76*qd4 - 71*qd5)`; '' where there are none."""
    found = ""
    for motor in law.coupled:
        speed = joined(weighted(((ratio, f"qd{joint + 1}") for joint, ratio in motor.ratios), TEXT, digits))
        ((negative, body),) = weighted([(motor.factor, f"f_{motor.motor}({speed})")], TEXT, digits)
        found += f" {'-' if negative else '+'} {body}"
    return found


def friction_rows(equations: Equations) -> list[tuple[str, str, str]]:
    """(name, expression, condition) for each branch of friction, the laws of coupled motors at the end."""
    digits = equations.digits
    rows, motors = [], {}
    for law in equations.friction:
        name = f"V{law.joint + 1}" if law.joint < 9 else f"V[{law.joint + 1}]"
        coupled = coupled_text(law, digits)
        branches = friction_branches(law.own, f"qd{law.joint + 1}", digits, load=f"|tau{law.joint + 1}|")
        if coupled and branches == [("0", "")]:
            branches, coupled = [(coupled.removeprefix(" + ").replace(" - ", "-", 1), "")], ""
        rows += [(name, expression + coupled, condition) for expression, condition in branches]
        motors.update({motor.motor: motor.law for motor in law.coupled})
    for motor, friction in motors.items():
        rows += [(f"f_{motor}(w)", text, condition) for text, condition in friction_branches(friction, "w", digits)]
    return rows


def _heading(equations: Equations) -> list[str]:
    """Name of the robot, meaning of the symbols, and treatment of the numbers."""
    form = equations.form
    lines = [f"{form.robot.name}: equations of motion", "", f"    {balance_text(equations)}", "", "Coordinates"]
    width = max((len(name) for name in form.names), default=0)
    for i, each in enumerate(form.coordinates):
        coupling = coupling_text(equations, i)
        kind = coordinate_words(each)
        lines.append(f"    q{i + 1:<3} {each.name:<{width}}  {kind}{f'; {coupling}' if coupling else ''}")
    if not equations.rule.multiple_angles:
        k = first_angle(form)
        lines += ["", "Short names", f"    C{k} = cos(q{k}), S{k} = sin(q{k}), and so for every revolute joint"]
        for angle in equations.angles:
            name, total = subscript(angle.joints), sum_text(angle.joints)
            lines.append(f"    C{name} = cos({total}), S{name} = sin({total})")
    return [*lines, "", *remarks(equations)]


def _closure_remarks(closure: Closure) -> list[str]:
    """Scope of the equations of a robot with closed loops."""
    independent, dependent = (", ".join(f"q{i + 1}" for i in own) for own in (closure.independent, closure.dependent))
    lines = [
        "These are the equations of the tree with the loops cut; lambda are the forces that close them.",
        f"Independent coordinates: {independent}. {dependent} follow from Phi(q) = 0.",
        "Torques of the independent joints are T' times those of the tree, T = dq/dq_i = -(dPhi/dq_d)^-1 dPhi/dq_i.",
        "torquec.compile has functions of all quantities.",
    ]
    if closure.redundant:
        lines.append(f"{closure.redundant} of the loop equations follow from the others and from coupled joints.")
    return lines


def first_angle(form: ClosedForm) -> int:
    """The coordinate, counted from one, that explains short names: the first joint angle that is no twist component."""
    return next((i for i, each in enumerate(form.coordinates, 1) if not each.is_twist), 1)


def coordinate_words(each: RateCoordinate) -> str:
    """Type of a coordinate's joint and its unit; of components of a twist the unit of the rate."""
    unit = f"rate in {each.of_joint.speed_unit}" if each.is_twist else each.of_joint.position_unit
    return f"{each.joint.type}, {unit}"


def _friction_lines(equations: Equations) -> list[str]:
    lines = []
    before = ""
    for name, expression, condition in friction_rows(equations):
        head = " " * (len(name) + 3) if name == before else f"{name} = "
        lines.append(f"{head}{expression}{f'    for {condition}' if condition else ''}")
        before = name
    return lines
