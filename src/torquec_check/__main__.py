"""`python -m torquec_check FILE|DIR [--robot FILE] [--json]`: prove what a certificate, a model or a C package claims.

(1)  certificate: its bounds (`certificate`), and that they meet the specification in it (`specification`)
(2)  model file: its certificate with the robot of the file; its program of inverse dynamics is the certified one, and
     so is the second program, by coefficients, of a model with control requirements
(3)  folder of a C package: a closed world (`package`), its model as in (2), its C read (`c_source`)
(4)  hold certificate: the bounds of errors of held coefficients (`hold`)
(5)  tracking witness: its tube is invariant (`tracking`)

Exit status 0 where everything is proven, 1 where something is refused, 2 for other files and wrong usage.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torquec_check.certificate import FORMAT, OLDER, certificate_of, check_certificate
from torquec_check.claim import Claim, certificate_claim, hold_claim, rounded_up
from torquec_check.document import RefusedError, canonical_hash, parse_document
from torquec_check.hold import FORMAT as HOLD
from torquec_check.hold import check_hold, hold_of
from torquec_check.package import MOST_BYTES, OF_FLOATS, check_c_package, read_package
from torquec_check.parts import check_parts
from torquec_check.program import program_of
from torquec_check.specification import check_specification

ASSUMPTIONS = (
    "the robot's document is what Torquec's reader made of the robot file (--robot compares it with another document)",
    "arithmetic is that of IEEE 754, rounded to nearest, here and where the code runs; fused products may be used",
    "sines and cosines are right to 8 units of rounding in doubles (assumed), to 8.8e-8 in floats (measured)",
)
OF_C = (
    "the C compiler is right; the kernels of sine and cosine are known texts, not proven",
    "functions other than inverse_dynamics and its parts M, c, C and g are computed: their programs rest on Torquec",
    "selftest.c and documents for people are not read",
)
TRACKING = "torquec tracking witness 1"
OF_TRACKING = (
    "the controller's program is the law that the claim states; its own rounding is below 1e-9 of its accelerations",
    "the reference is the piecewise polynomial in the witness, read at every sample",
)
PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")


class InputError(Exception):
    """Not a file that this command checks."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check what the command line names; gives the exit status."""
    parser = argparse.ArgumentParser("python -m torquec_check", description="Prove the claims of a file or package.")
    parser.add_argument("path", type=Path, metavar="FILE|DIR", help="certificate, model (.tq.json) or C package")
    parser.add_argument("--robot", type=Path, metavar="FILE", help="model or robot document of the robot that is meant")
    parser.add_argument("--json", action="store_true", help="print a JSON document")
    options = parser.parse_args(arguments)
    try:
        document = check(options.path, options.robot)
    except (InputError, OSError) as error:
        sys.stderr.write(f"torquec_check: {error}\n")
        return 2
    sys.stdout.write(f"{json.dumps(document, indent=1) if options.json else _text(document)}\n")
    return 0 if document["ok"] else 1


def check(path: Path, robot_file: Path | None = None) -> dict[str, Any]:
    """What was found, as JSON values: the keys of `torquec check --json`; raises `InputError` for other files."""
    start, given = time.perf_counter(), None if robot_file is None else _robot(_read(robot_file))
    found: dict[str, Any] = dict.fromkeys(("box", "robot_as_used", "claim"))
    found |= {"ok": False, "kind": "package" if path.is_dir() else "certificate", "specification": "", "slacks": {}}
    found |= {"parts": {}, "precision": "double", **{key: [] for key in ("claims", "refused", "assumptions")}}
    try:
        package = read_package(path) if path.is_dir() else None
        if package is not None and package.target != "c":
            raise InputError(f"{path}: code of the target {package.target!r} is made again by: torquec check DIR")
        if package is not None and package.model not in package.files:
            raise InputError(f"{path}: the package claims nothing that can be proven: it holds no certified model")
        document = _read(path) if package is None else parse_document(package.files[package.model])
        if package is None and document.get("format") == TRACKING:
            found |= _tracked(document, given)
            return found | {"seconds": round(time.perf_counter() - start, 3)}
        certificate, robot = document, document.get("robot_document", given)
        if document.get("format") == "torquec-model":
            found["kind"] = "model" if package is None else "package"
            robot, certificate = _model(document)
        if given is not None and robot != given:
            raise RefusedError("this is about another robot than that of --robot", remedy="payloads and locks count")
        if robot is None:
            raise InputError(f"{path}: the certificate does not hold its robot; give it with --robot")
        claim = (
            _held(document, found) if document.get("format") == HOLD else _proven(certificate, robot, document, found)
        )
        if package is not None:
            check_c_package(package, document, claim)
            in_floats = package.precision == "single" != found["precision"]
            found["assumptions"] += [*OF_C, *([OF_FLOATS] if in_floats else [])]
        found |= {"ok": True, "claim": claim.to_document()}
    except RefusedError as error:
        found["refused"].append(str(error))
    except (LookupError, ArithmeticError, MemoryError, TypeError, ValueError, AttributeError, RecursionError) as error:
        found["refused"].append(f"{path}: the document is malformed: {error!r}")
    return found | {"seconds": round(time.perf_counter() - start, 3)}


def _read(path: Path) -> dict[str, Any]:
    """A JSON document; raises `InputError` for other files."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path}: not a regular file of a size that is read")
    try:
        document = parse_document(path.read_bytes())
    except RefusedError as error:
        raise InputError(f"{path}: {error}") from None
    if document.get("format") not in ("torquec-model", FORMAT, OLDER, HOLD, TRACKING) and "bodies" not in document:
        raise InputError(f"{path}: this is no certificate, no model file and no robot document")
    return document


def _robot(document: dict[str, Any]) -> Any:
    """The robot's document in a model file or certificate, or the document itself."""
    return document.get("robot_document") or (document["robot"] if "format" in document else document)


def _model(document: dict[str, Any]) -> tuple[Any, Any]:
    """Robot and certificate of a model file; raises `RefusedError` where they are not those of its program."""
    if document.get("version") != 2:
        raise RefusedError(f"a model file of version {document.get('version')!r} has no checkable claim")
    if document.get("sha256") != canonical_hash({key: value for key, value in document.items() if key != "sha256"}):
        raise RefusedError("the checksum of the model does not fit: it was changed or damaged")
    robot, certificate, quantities = (document.get(key) for key in ("robot", "certificate", "quantities"))
    if not isinstance(certificate, dict) or not isinstance(quantities, dict):
        raise InputError("nothing is claimed of this model: it has no certificate")
    second = document.get("coefficients")  # the model of a second program, whose coefficients are proven
    claimed: list[tuple[Any, Any]] = [(document, certificate), (second, certificate.get("coefficients"))]
    for model, proof in claimed[: 1 if second is None else 2]:
        served, own = model["quantities"].get("inverse_dynamics"), (proof or {}).get("program")
        if not served or not own or canonical_hash(served["function"]) != canonical_hash(own):  # for Python, true is 1
            raise RefusedError("the model's inverse dynamics is not the certified program")
    return robot, certificate


def _proven(
    certificate: dict[str, Any], robot: dict[str, Any], document: dict[str, Any], found: dict[str, Any]
) -> Claim:
    """The claim of a certificate; raises `RefusedError` unless it is proven, and M, c, C and g are its parts."""
    stated = certificate_of(certificate, robot)
    claim = certificate_claim(certificate, robot)
    found |= {
        "claims": [dataclasses.asdict(each) for each in claim.bounds],
        "box": certificate["motions"],
        "specification": "\n".join(claim.requirements),
        "precision": stated.precision.name,
        "robot_as_used": {key: robot[key] for key in ("name", "gravity", "attached", "locked")},
        "assumptions": list(ASSUMPTIONS),
    }
    found["slacks"] = dict(check_certificate(stated, lambda _step, _part: None))
    check_specification(stated)
    for begin, model, program in (
        ("", document, stated.program),
        ("coefficients.", document.get("coefficients"), stated.coefficient_program),
    ):
        quantities = (model or {}).get("quantities", {})
        parts = {name: program_of(quantities[name]["function"], name) for name in PARTS if name in quantities}
        errors = check_parts(program, parts, stated.robot.turns, stated.box) if program is not None else {}
        found["parts"] |= {begin + name: each for name, each in errors.items()}
    return claim


def _held(document: dict[str, Any], found: dict[str, Any]) -> Claim:
    """The claim of a hold certificate; raises `RefusedError` unless it is proven."""
    hold, claim = hold_of(document), hold_claim(document)
    found |= {
        "claims": [dataclasses.asdict(each) for each in claim.bounds],
        "box": document["motions"],
        "robot_as_used": {key: document["robot_document"][key] for key in ("name", "gravity", "attached", "locked")},
        "assumptions": list(ASSUMPTIONS[:1]),
    }
    check_hold(hold, lambda _step, _part: None)
    return claim


def _tracked(document: dict[str, Any], given: Any) -> dict[str, Any]:
    """What is found of a tracking witness; raises `RefusedError` unless its claim is proven."""
    from torquec_check.tracking import check_tracking  # nobody else needs it

    robot = document["robot_document"]
    if given is not None and robot != given:
        raise RefusedError("this is about another robot than that of --robot", remedy="payloads and locks count")
    claim = check_tracking(document)
    return {
        "ok": True,
        "kind": "witness",
        "claim": claim.to_document(),
        "claims": [dataclasses.asdict(each) for each in claim.bounds],
        "robot_as_used": {key: robot[key] for key in ("name", "gravity", "attached", "locked")},
        "assumptions": [*ASSUMPTIONS[:2], *OF_TRACKING],
    }


def _text(document: dict[str, Any]) -> str:
    if document["refused"]:
        return "\n".join(f"REFUSED: {reason}" for reason in document["refused"])
    rests = [f"It rests on: {text}." for text in document["assumptions"]]
    parts = [
        f"{name}: outputs within {rounded_up(max(errors), 3)} of the certified program's, at unit speeds, in doubles."
        for name, errors in document["parts"].items()
    ]
    return "\n".join([*document["claim"]["lines"], *parts, *rests, f"proven: the {document['kind']}"])


if __name__ == "__main__":
    sys.exit(main())
