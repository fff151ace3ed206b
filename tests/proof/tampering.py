"""Certificates whose program, statement or proof was changed by somebody who knows the checker's source.

Every tampering makes the claim false, or the document say something untrue. Terms are added that are zero wherever a
careless checker would look: at unit speeds, on the checker's own grids, at round angles.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from torquec.expr import count_operations, trace
from torquec.expr.math import sincos
from torquec.expr.replay import replay

GRIDS = (3, 5, 7, 9)
"""Angles of a turn that tables of degree one to four are made of."""


def with_term(program, joint, term):
    """The program with term(q, qd, qdd) added to the torque of a joint."""
    shapes = {port.name: port.shape for port in program.inputs}

    def algorithm(**inputs):
        tau = replay(program, inputs)["tau"]
        return {"tau": [t + term(**inputs) if k == joint else t for k, t in enumerate(tau)]}

    return trace(program.name, algorithm, shapes)


def power(x, exponent):
    """x to a whole power, as products."""
    return math.prod([x] * exponent)


def drawn_term(robot, box, rng):
    """A term whose largest value in the box is one, and what it is; powers of any input, up to 24 in all."""
    j, k = (int(x) for x in rng.integers(robot.n, size=2))
    v, a = box.velocity[j], box.acceleration[j]
    turning = [i for i, joint in enumerate(robot.joints) if not joint.type.is_prismatic]
    i = turning[int(rng.integers(len(turning)))]
    high = int(rng.integers(3, 25))
    count = GRIDS[int(rng.integers(len(GRIDS)))]
    terms = {
        "power of an acceleration": lambda q, qd, qdd: power(qdd[j], high) * (1.0 / power(a, high)),
        "power of a speed": lambda q, qd, qdd: power(qd[j], high) * (1.0 / power(v, high)),
        "a speed alone": lambda q, qd, qdd: qd[j] * (1.0 / v),
        "three speeds": lambda q, qd, qdd: qd[j] * qd[k] * qd[j] * (1.0 / (v * v * box.velocity[k])),
        "two accelerations": lambda q, qd, qdd: qdd[j] * qdd[k] * (1.0 / (a * box.acceleration[k])),
        "speed and acceleration": lambda q, qd, qdd: qd[k] * qdd[j] * (1.0 / (a * box.velocity[k])),
        "zero at unit acceleration": lambda q, qd, qdd: (qdd[j] * qdd[j] - qdd[j]) * (1.0 / (a * a + a)),
        "zero at unit speed": lambda q, qd, qdd: (qd[j] * qd[j] * qd[j] - qd[j]) * (1.0 / (v * v * v + v)),
        "zero on a grid": lambda q, qd, qdd: 0.5 * (1.0 - sincos(float(count) * q[i])[1]),
        "zero on a grid, odd": lambda q, qd, qdd: sincos(float(count) * q[i])[0],
        "high harmonic": lambda q, qd, qdd: sincos(float(high) * q[i] + 0.7)[0] * qdd[j] * (1.0 / a),
        "an angle's square root of one": lambda q, qd, qdd: power(sincos(q[i])[0], high),
        "harmless degree, too large": lambda q, qd, qdd: sincos(q[i] + 0.3)[1] * qd[j] * qd[j] * (1.0 / (v * v)),
        "constant": lambda q, qd, qdd: 1.0 + 0.0 * qd[j],
    }
    name = list(terms)[int(rng.integers(len(terms)))]
    return name, terms[name]


def _with_proof(certificate, name, **changes):
    return replace(certificate, joints={**certificate.joints, name: replace(certificate.joints[name], **changes)})


def tampered(robot, certificate, rng):
    """A false certificate, and what was done to it."""
    names = list(certificate.joints)
    joint = int(rng.integers(robot.n))
    name = names[joint]
    proof = certificate.joints[name]
    other = names[(joint + 1) % len(names)]
    kind = int(rng.integers(12))
    if kind <= 5:  # programs are what an adversary would change first
        what, term = drawn_term(robot, certificate.motions, rng)
        size = float(rng.choice([3.0, 1e3, 1e6])) * max(proof.bound, 1e-3)
        program = with_term(certificate.program, joint, lambda q, qd, qdd: size * term(q, qd, qdd))
        counts = certificate.counts
        if counts is not None:
            counts = replace(counts, operations_after=count_operations(program))
        return what, replace(certificate, program=program, counts=counts)
    if kind == 6:
        found = float(rng.choice([math.nan, math.inf, -1.0, 2.0 * proof.bound + 1.0]))
        return f"found {found}", _with_proof(certificate, name, found=found)
    if kind == 7:
        bound = float(rng.choice([math.nan, math.inf, -1.0, 0.5 * proof.found - 1e-9]))
        return f"bound {bound}", _with_proof(certificate, name, bound=bound, found=0.0)
    if kind == 8:
        return "another robot's name", replace(certificate, robot=certificate.robot + "x")
    if kind == 9:
        joints = dict(certificate.joints)
        del joints[name]
        return "a joint left out", replace(certificate, joints=joints)
    if kind == 10:
        trees = tuple(() if k == 0 else tree for k, tree in enumerate(proof.trees))
        return "a tree emptied", _with_proof(certificate, name, trees=trees)
    box = certificate.motions
    side = ("velocity", "acceleration")[int(rng.integers(2))]
    values = tuple(1e4 * x + 1e4 for x in getattr(box, side))
    false = replace(certificate, motions=replace(box, **{side: values}))
    if max(p.found for p in certificate.joints.values()) < 1e-6:
        return "joints exchanged", replace(certificate, joints={other: proof, **certificate.joints})
    return f"{side} without end", false


def refuses(check, robot, certificate) -> bool:
    """True where the check raises `CheckError`."""
    from torquec.errors import CheckError

    try:
        check(robot, certificate)
    except CheckError:
        return True
    return False


def seeds(count, start=0):
    """Generators that differ."""
    return [np.random.default_rng([start, k]) for k in range(count)]
