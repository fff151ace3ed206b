"""Certificates made false on purpose, each in a way of its own: what a checker must refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from torquec.expr import Op, evaluate
from torquec.model.quantities import trace_quantity

KINDS = ("bound", "program", "range")
_SAMPLES = 4000


def sabotaged(robot, certificate, kind, rng):
    """The certificate with a false claim of a kind, or None where this draw gives none.

    A bound 1 % below an error that was found; a constant of the program changed, or a range of the motions widened, so
    that an error above the bound occurs.
    """
    return {"bound": _lowered, "program": _reprogrammed, "range": _widened}[kind](robot, certificate, rng)


def largest_errors(robot, certificate, box, rng):
    """The largest errors (n,) found at sampled motions of a box, speeds and accelerations mostly at their limits."""
    q = rng.uniform(box.lower, box.upper, (_SAMPLES, robot.n))
    q[::2] = np.where(rng.random(q[::2].shape) < 0.3, box.lower, q[::2])
    q[1::2] = np.where(rng.random(q[1::2].shape) < 0.3, box.upper, q[1::2])
    qd = rng.choice([-1.0, 1.0], q.shape) * box.velocity
    qd[::5] *= rng.random(qd[::5].shape)
    qdd = rng.choice([-1.0, 1.0], q.shape) * box.acceleration
    state = {"q": q, "qd": qd, "qdd": qdd}
    exact = evaluate(trace_quantity(robot, "inverse_dynamics"), state)["tau"]
    return np.abs(exact - evaluate(certificate.program, state)["tau"]).max(axis=0)


def _with_proof(certificate, name, **changes):
    return replace(certificate, joints={**certificate.joints, name: replace(certificate.joints[name], **changes)})


def _lowered(robot, certificate, rng):
    size = max(proof.bound for proof in certificate.joints.values())
    names = [name for name, proof in certificate.joints.items() if proof.found > 1e-6 * size]
    if not names:
        return None
    name = names[rng.integers(len(names))]
    return _with_proof(certificate, name, bound=0.99 * certificate.joints[name].found, found=0.0)


def _reprogrammed(robot, certificate, rng):
    steps = certificate.program.operations
    constants = [k for k, step in enumerate(steps) if step.op is Op.CONST and step.value != 0.0]
    if not constants:
        return None
    k = constants[rng.integers(len(constants))]
    part = rng.choice([-1.0, 1.0]) * rng.uniform(0.01, 0.1)
    bounds = np.array([proof.bound for proof in certificate.joints.values()])
    for _ in range(12):
        changed = replace(steps[k], value=steps[k].value * (1.0 + part))
        program = replace(certificate.program, operations=(*steps[:k], changed, *steps[k + 1 :]))
        candidate = replace(certificate, program=program)
        if np.any(largest_errors(robot, candidate, certificate.motions, rng) > 1.001 * bounds + 1e-9):
            return candidate
        part *= 1.7
    return None


def _widened(robot, certificate, rng):
    box = certificate.motions
    side = ("lower", "upper", "velocity", "acceleration")[rng.integers(4)]
    joint = int(rng.integers(robot.n))
    bounds = np.array([proof.bound for proof in certificate.joints.values()])
    grown = rng.uniform(0.02, 0.2)
    for _ in range(10):
        values = list(getattr(box, side))
        width = box.upper[joint] - box.lower[joint]
        values[joint] += {"lower": -grown * width, "upper": grown * width}.get(side, grown * values[joint])
        wider = replace(box, **{side: tuple(values)})
        candidate = replace(certificate, motions=wider)
        if np.any(largest_errors(robot, candidate, wider, rng) > 1.001 * bounds + 1e-9):
            return candidate
        grown *= 1.6
    return None
