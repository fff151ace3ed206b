"""A certificate: a robot, a program, a box of motions and bounds, read from its document and proven.

Format 3 does not hold its robot: it comes from the model file around it. What the search left in it (trees,
variables, degrees) is not read. `found`, the largest error that the search met, is only known to be at most the bound,
and `counts` are no claim.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torquec_check.document import RefusedError, canonical_hash, expect, fields, items, number, numbers
from torquec_check.free_base import Limb, check_limbs, limbs_of, posed
from torquec_check.positive_mass import check_positive_mass
from torquec_check.program import Program, program_of, torque_program
from torquec_check.program_error import CoefficientClaim, Progress, check_coefficients, check_torque_errors
from torquec_check.robot import Box, Robot, robot_of
from torquec_check.rounding import DOUBLE, SINGLE, Precision, rounding_errors

FORMAT = "torquec certificate 4"
OLDER = "torquec certificate 3"
_SEARCH = "variables degrees trees"
_SIZES = {"M": 2, "H": 3, "g": 1}
_MOST_LETTERS = 50_000
"""Of a specification, whose parser takes the square of a key's parts: some seconds."""


@dataclass(frozen=True)
class Certificate:
    """What is claimed: torque bounds [N m, N] by joint, none where rates are not limited, and coefficient bounds.

    `others` bounds those without a claim, by joint. `coefficient_program` is the program that these are about, None
    without them. `rounding` is the part of the torque bounds that floats take, as stated; none for doubles.
    `least_inertia` (n,) is a diagonal below M; empty where that is not claimed. `limbs` are those on a free base.
    """

    robot: Robot
    program: Program
    box: Box
    precision: Precision
    rounding: Mapping[str, float]
    bounds: Mapping[str, float]
    coefficients: tuple[CoefficientClaim, ...]
    others: tuple[float, ...]
    coefficient_program: Program | None
    least_inertia: tuple[float, ...]
    specification: str
    limbs: tuple[Limb, ...] = ()


def certificate_of(document: Any, robot_document: Any = None) -> Certificate:
    """The certificate of a document; older ones need the document of their robot. Raises `RefusedError`."""
    stated = document.get("format") if isinstance(document, dict) else None
    if stated not in (FORMAT, OLDER):
        raise RefusedError(f"not a certificate: its format is {str(stated)[:60]!r}, not {FORMAT!r}")
    own = document.get("robot_document")
    if own is None and robot_document is None:
        raise RefusedError("the certificate does not hold its robot", remedy="make it again, or check its model file")
    if own is not None and robot_document is not None and own != robot_document:
        raise RefusedError("the certificate is about another robot")
    if document.get("sha256") != canonical_hash({k: v for k, v in document.items() if k != "sha256"}):
        raise RefusedError("the checksum of the certificate does not fit: it was changed or damaged")
    used = robot_document if own is None else own
    robot, limbs = limbs_of(used, document["limbs"]) if "limbs" in document else (robot_of(used), ())
    name, program, motions, joints, inner = fields(
        document,
        "robot program motions joints coefficients",
        "certificate",
        ignored="format robot_hash robot_document counts specification rounding least_inertia limbs sha256",
    )
    if name != robot.name:
        raise RefusedError(f"the certificate names the robot '{str(name)[:60]}', not '{robot.name}'")
    proofs = expect(dict, joints, "joints")
    bounds = {joint: _bound(proof, f"joint '{joint}'", _SEARCH) for joint, proof in proofs.items()}
    if tuple(bounds) != robot.joints and (bounds or inner is None):
        raise RefusedError("the certificate does not name the robot's joints in order")
    if len(specification := expect(str, document.get("specification", ""), "specification")) > _MOST_LETTERS:
        raise RefusedError(f"its specification has more than {_MOST_LETTERS} letters")
    if limbs and (inner is not None or "least_inertia" in document):
        raise RefusedError("nothing but torque errors is proven of a robot with a free base")
    box = _box(fields(motions, "lower upper velocity acceleration", "motions"), robot, rates=bool(bounds))
    claims, others, second = ((), (), None) if inner is None else _coefficients(inner, robot, box)
    return Certificate(
        robot,
        program_of(program) if limbs else torque_program(program, robot.n),
        box,
        *_rounding(document.get("rounding"), bounds),
        bounds,
        claims,
        others,
        second,
        numbers(document["least_inertia"], "least_inertia", robot.n) if "least_inertia" in document else (),
        specification,
        limbs,
    )


def check_certificate(certificate: Certificate, progress: Progress) -> Mapping[str, float]:
    """The rounding in each torque bound; raises `RefusedError` unless every claim of the certificate is proven."""
    c, slacks = certificate, dict[str, float]()
    if c.bounds:
        bounds, box = list(c.bounds.values()), posed(c.box) if c.limbs else c.box
        slacks |= zip(c.bounds, rounding_errors(c.program, box, c.precision), strict=True)
        left = (
            check_limbs(c.limbs, c.robot, c.program, c.box, bounds, progress) if c.limbs else [math.inf] * len(bounds)
        )
        for (joint, rounding), most in zip(slacks.items(), left, strict=True):
            if not rounding <= min(most, c.rounding.get(joint, math.inf)):
                raise RefusedError(f"{c.precision.name} precision may change the torque of '{joint}' by {rounding:.6g}")
        if not c.limbs:
            slacks |= check_torque_errors(c.robot, c.program, c.box, bounds, c.precision, progress)
    elif c.program != c.coefficient_program:
        raise RefusedError("the certificate's program is not the one whose coefficients are proven")
    if c.coefficient_program is not None:
        check_coefficients(c.robot, c.coefficient_program, c.box, c.coefficients, c.others, progress)
    if c.least_inertia:
        report = functools.partial(progress, "mass matrix")
        check_positive_mass(c.program, c.robot.turns, c.box, c.least_inertia, c.precision, report)
    return slacks


def _bound(proof: Any, where: str, ignored: str) -> float:
    """A bound that is not above its tolerance."""
    bound, found, tolerance = fields(proof, "bound found tolerance", where, ignored=ignored)
    allowed = math.inf if tolerance is None else number(tolerance, where)
    if not 0.0 <= number(found, where) <= number(bound, where) <= allowed:
        raise RefusedError(f"{where}: its bound is {bound}, the largest error found {found}, its tolerance {tolerance}")
    return float(bound)


def _box(sides: list[Any], robot: Robot, *, rates: bool) -> Box:
    lower, upper, *speeds = (numbers(side, "motions") for side in sides)
    if not len(lower) == len(upper) == robot.n or any(low > high for low, high in zip(lower, upper, strict=True)):
        raise RefusedError("the ranges of the box do not fit the robot")
    if any(len(side) != robot.n for side in speeds) and (rates or any(speeds)):
        raise RefusedError("the speeds and accelerations of the box do not fit the robot")
    if any(x < 0.0 for side in speeds for x in side):
        raise RefusedError("a largest speed or acceleration is negative")
    return Box(lower, upper, *speeds)


def _rounding(stated: Any, bounds: Mapping[str, float]) -> tuple[Precision, Mapping[str, float]]:
    """Doubles, unless the certificate is about another precision and says what it adds to every bound."""
    if stated is None:
        return DOUBLE, {}
    name, joints = fields(stated, "precision joints", "rounding")
    parts = {joint: number(part, "rounding") for joint, part in expect(dict, joints, "joints").items()}
    if name != SINGLE.name or not bounds or list(parts) != list(bounds):
        raise RefusedError(f"rounding is stated in {str(name)[:40]} precision, or of other joints than the bounds")
    return SINGLE, parts


def _coefficients(
    values: Any, robot: Robot, box: Box
) -> tuple[tuple[CoefficientClaim, ...], tuple[float, ...], Program]:
    """Claims, bounds of coefficients without one, and the program that they are about."""
    ranges, proofs, rest, program = fields(
        values, "box coefficients others program", "coefficients", ignored="format robot robot_hash"
    )
    lower, upper = (numbers(side, "coefficients.box") for side in fields(ranges, "lower upper", "coefficients.box"))
    if (lower, upper) != (box.lower, box.upper):
        raise RefusedError("torques and coefficients are certified over different positions")
    claims = []
    for name, proof in expect(dict, proofs, "coefficients").items():
        family, index, kind = fields(proof, "family index kind", name, ignored=f"bound found tolerance {_SEARCH}")
        places = tuple(expect(int, k, name) for k in items(index, name))
        bound = _bound(proof, name, f"family index kind {_SEARCH}")
        claim = CoefficientClaim(expect(str, family, name), places, kind == "relative", bound)
        if _SIZES.get(claim.family) != len(places) or not all(0 <= k < robot.n for k in places) or claim.name != name:
            raise RefusedError(f"the robot has no coefficient {name[:40]}, or its proof is filed under another name")
        if kind not in ("absolute", "relative") or list(places[-2:]) != sorted(places[-2:]):
            raise RefusedError(f"{name}: no such error, or the wrong side of the diagonal")
        claims.append(claim)
    others = numbers(rest, "coefficients.others", robot.n)
    if any(bound < 0.0 for bound in others):
        raise RefusedError("coefficients.others: a bound is negative")
    return tuple(claims), others, torque_program(program, robot.n, "coefficients.program")
