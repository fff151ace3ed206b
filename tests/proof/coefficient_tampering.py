"""Certificates of coefficients changed by somebody who knows the checker's source; as `tests.proof.tampering` does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from tests.proof.arms import motions
from tests.proof.tampering import changed_step, drawn_term, with_term

from torquec.model.quantities import trace_quantity
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.coefficient_error import coefficient_row
from torquec.proof.torque.torque_tables import torque_rows
from torquec.trajectory.motion_box import MotionBox

_SAMPLES = 2000


def _with(certificate, name, **changes):
    proofs = certificate.coefficients
    return replace(certificate, coefficients={**proofs, name: replace(proofs[name], **changes)})


def _number(field, values):
    def changed(robot, certificate, name, rng):
        proof = certificate.coefficients[name]
        return _with(certificate, name, **{"found": 0.0, field: float(rng.choice(values(proof)))})

    return changed


def _term(robot, certificate, name, rng):
    joint = certificate.coefficients[name].index[0]
    _, term = drawn_term(robot, motions(robot), rng)
    return replace(certificate, program=with_term(certificate.program, joint, lambda **state: 1e3 * term(**state)))


def _left_out(robot, certificate, name, rng):
    return replace(certificate, coefficients={k: v for k, v in certificate.coefficients.items() if k != name})


def _filed_wrongly(robot, certificate, name, rng):
    proofs = dict(certificate.coefficients)
    other = list(proofs)[(list(proofs).index(name) + 1) % len(proofs)]
    return replace(certificate, coefficients={**proofs, name: proofs[other], other: proofs[name]})


def _wider(robot, certificate, name, rng):
    box = certificate.box
    k, more = int(rng.integers(robot.n)), float(rng.choice([1e-9, 0.01, 0.3, 5.0]))
    return replace(certificate, box=MotionBox(box.lower, tuple(x + more * (j == k) for j, x in enumerate(box.upper))))


def _other_kind(robot, certificate, name, rng):
    own = certificate.coefficients[name].kind
    other = ErrorKind.RELATIVE if own is ErrorKind.ABSOLUTE else ErrorKind.ABSOLUTE
    return _with(certificate, name, kind=other, found=0.0)


FALSE = {
    "a term in the program": _term,
    "found: no number, or above the bound": _number("found", lambda proof: [math.nan, -1.0, 2.0 * proof.bound + 1.0]),
    "bound: no number, negative": _number("bound", lambda proof: [math.nan, math.inf, -1.0]),
    "bound below what was found": _number("bound", lambda proof: [0.0, 0.5 * proof.found, 0.999 * proof.found]),
    "tolerance below the bound": _number("tolerance", lambda proof: [math.nan, 0.0, 0.9 * proof.bound]),
    "another robot's name": lambda robot, certificate, name, rng: replace(certificate, robot=robot.name + "x"),
    "another robot's hash": lambda robot, certificate, name, rng: replace(certificate, robot_hash="0" * 64),
    "a coefficient left out": _left_out,
    "a coefficient that is none": lambda robot, certificate, name, rng: _with(certificate, name, index=(99, 99)),
    "filed under another name": _filed_wrongly,
}

DOUBTFUL = {
    "an operation changed": lambda robot, certificate, name, rng: replace(
        certificate, program=changed_step(certificate.program, rng)
    ),
    "a smaller bound": _number("bound", lambda proof: [0.9 * proof.bound, proof.found * (1.0 + 1e-9)]),
    "a wider range": _wider,
    "another kind of error": _other_kind,
}


def tampered(robot, certificate, rng):
    """A changed certificate, what was done to it, and whether that can leave the claim true."""
    every = [*FALSE, *DOUBTFUL]
    what = every[int(rng.integers(len(every)))]
    name = list(certificate.coefficients)[int(rng.integers(len(certificate.coefficients)))]
    return what, {**FALSE, **DOUBTFUL}[what](robot, certificate, name, rng), what in DOUBTFUL


def is_exceeded(robot, certificate, rng) -> bool:
    """True where the error of a coefficient at a sampled position is above its bound, or unnamed and there."""
    q = rng.uniform(certificate.box.lower, certificate.box.upper, (_SAMPLES, robot.n))
    exact = torque_rows(trace_quantity(replace(robot, snap=False), "inverse_dynamics"), q)
    error = np.abs(exact - torque_rows(certificate.program, q))
    scale = float(np.abs(exact).max())
    for proof in certificate.coefficients.values():
        joint, row, part = coefficient_row(robot.n, proof.family, proof.index)
        allowed = proof.bound * (part * exact[:, joint, row] if proof.kind is ErrorKind.RELATIVE else 1.0)
        if np.any(part * error[:, joint, row] > allowed + 1e-12 * scale):
            return True
        error[:, joint, row] = 0.0
        if proof.family == "M":
            error[:, row, joint] = 0.0
    return bool(error.max() > 1e-9 * scale)
