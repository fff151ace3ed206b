"""Equations as one JSON document, coefficients in full precision; other programs rely on its keys.

    name, joints [names], rule {multiple_angles, threshold, digits}, terms {M (upper triangle), g, ..}
    equation, not_shown [matrices]                     the equation of motion, and its terms that are left out here
                                                       although they may be nonzero; other missing entries are zero
    remarks [sentences]                                the notes of text, LaTeX and HTML on omissions and rounding
    angles {name: {joint: sign}}                       the sums of angles that entries are written in
    entries {"M[1,2]": {unit, depends_on [joints], terms [..]}}
    term {coefficient, factors {joint or angle: "C" | "S" | "SS" | "CS" | "q" | "qq"}}
      with multiple angles: {coefficient, factors {joint: "q" | "qq"}, function "cos" | "sin", multiples {joint: k}}
      of C, dtau_dqd and dtau_dq also: speeds [joints], accelerations [joints]
    friction {joint: {viscous_positive, .., offset, coupled [..]}}
    symbols [names]                                    components of gravity vectors (gx) and quaternions (qw4) that
                                                       entries depend on; a remark names their body or joint
    loops {equations [words], redundant (how many), independent [joints], dependent [joints]}
                                                       of closed loops: entries are those of the tree, with Phi[k] = 0
    couplings {joint: {joint, multiplier, offset}}     joints that follow another one

A coefficient is a number, or {parameter: number} where it is linear in parameters.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from torquec.closedform.equations import Equations
from torquec.closedform.fourier import EXACT
from torquec.closedform.layouts import Entry, Part
from torquec.closedform.polynomial import Coefficient, Linear
from torquec.closedform.sums import Factor, Kind, Term, printed_terms, subscript
from torquec.closedform.text import balance_text, remarks


def equations_document(equations: Equations) -> dict[str, Any]:
    """The document, of plain dicts, lists, strings and numbers."""
    form, robot = equations.form, equations.form.robot
    names = _factor_names(equations)
    document: dict[str, Any] = {
        "name": robot.name,
        "joints": list(form.names),
        "rule": dataclasses.asdict(equations.rule),
        "terms": _counts(equations),
        "equation": balance_text(equations),
        "not_shown": [str(matrix) for matrix in equations.not_shown],
        "remarks": remarks(equations),
        "angles": {
            names[angle.joints]: {form.names[index]: sign for index, sign in angle.joints} for angle in equations.angles
        },
        "entries": {
            entry.key: {
                "unit": equations.unit(entry),
                "depends_on": [form.position_names[joint] for joint in entry.depends_on],
                "terms": _terms(entry, names, form.names),
            }
            for found in equations.entries.values()
            for entry in found
        },
    }
    if equations.friction:
        document["friction"] = {
            form.names[law.joint]: {
                **law.own.values,
                "coupled": [
                    {
                        "motor": motor.motor,
                        "factor": motor.factor,
                        "ratios": {form.names[joint]: ratio for joint, ratio in motor.ratios},
                        **motor.law.values,
                    }
                    for motor in law.coupled
                ],
            }
            for law in equations.friction
        }
    if form.symbols:
        document["symbols"] = [variable.symbol for variable in form.symbols]
    if form.closure is not None:
        document["loops"] = {
            "equations": list(form.closure.words),
            "redundant": form.closure.redundant,
            "independent": [form.names[i] for i in form.closure.independent],
            "dependent": [form.names[i] for i in form.closure.dependent],
        }
    couplings = {b.joint.name: dataclasses.asdict(b.joint.mimic) for b in robot.bodies if b.joint.mimic is not None}
    return document | ({"couplings": couplings} if couplings else {})


def _counts(equations: Equations) -> dict[str, int]:
    """Terms of M and g, and of the other matrices in the form in which they are shown."""
    if equations.rule != EXACT:
        return equations.terms
    return equations.form.terms | (equations.terms if equations.whole else {})


def _factor_names(equations: Equations) -> dict[tuple[tuple[int, int], ...], str]:
    """Names of variables: a joint's own, or one for a sum that no joint has."""
    taken = set(equations.form.position_names)
    found: dict[tuple[tuple[int, int], ...], str] = {
        ((i, 1),): name for i, name in enumerate(equations.form.position_names)
    }
    for angle in equations.angles:
        name = f"q{subscript(angle.joints)}"
        while name in taken:
            name += "_"
        found[angle.joints] = name
        taken.add(name)
    return found


def _terms(
    entry: Entry, names: dict[tuple[tuple[int, int], ...], str], joints: tuple[str, ...]
) -> list[dict[str, Any]]:
    return [
        _term(term, names, joints) | _motion(part, joints) for part in entry.parts for term in printed_terms(part.value)
    ]


def _term(term: Term, names: dict[tuple[tuple[int, int], ...], str], joints: tuple[str, ...]) -> dict[str, Any]:
    factors: dict[str, str] = {}
    found: dict[str, Any] = {"coefficient": _coefficient(term.coefficient), "factors": factors}
    for factor in term.factors:
        if factor.kind in (Kind.COSINE, Kind.SINE):
            found["function"] = factor.kind.value
            found["multiples"] = {joints[index]: multiple for index, multiple in factor.joints}
        else:
            name = names[factor.joints]
            factors[name] = factors.get(name, "") + _letters(factor)
    return found


def _letters(factor: Factor) -> str:
    return factor.kind.value * factor.power


def _motion(part: Part, joints: tuple[str, ...]) -> dict[str, Any]:
    found = {}
    if part.speeds:
        found["speeds"] = [joints[joint] for joint in part.speeds]
    if part.accelerations:
        found["accelerations"] = [joints[joint] for joint in part.accelerations]
    return found


def _coefficient(coefficient: Coefficient) -> Any:
    return dict(coefficient.parts) if isinstance(coefficient, Linear) else coefficient
