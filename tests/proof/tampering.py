"""Certificates whose program, statement or proof was changed by somebody who knows the checker's source.

Every class of tampering has a name: `FALSE` ones make the claim false, or the document say something untrue; `DOUBTFUL`
ones may happen to leave it true, which sampled motions then have to bear out. Terms are added that are zero wherever a
careless checker would look: at unit speeds, on the checker's own grids, at round angles.
"""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np
from tests.proof.sabotage import largest_errors

from torquec.errors import CheckError
from torquec.expr import Op, count_operations, trace
from torquec.expr.function import Operation
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


# --- what else can be changed in a certificate, by name --------------------------------------------------------------


def _with_proof(certificate, name, **changes):
    return replace(certificate, joints={**certificate.joints, name: replace(certificate.joints[name], **changes)})


def recounted(certificate, program):
    """The certificate with another program, and counts that fit it."""
    counts = certificate.counts
    if counts is not None:
        counts = replace(counts, operations_after=count_operations(program))
    return replace(certificate, program=program, counts=counts)


def changed_step(program, rng):
    """The program with one operation changed: a constant, a sine for a cosine, a sum for a difference, an input."""
    steps = list(program.operations)
    other = {Op.SIN: Op.COS, Op.COS: Op.SIN, Op.ADD: Op.SUB, Op.SUB: Op.ADD}
    places = [k for k, step in enumerate(steps) if step.op in other or step.op in (Op.CONST, Op.INPUT)]
    k = places[int(rng.integers(len(places)))]
    step = steps[k]
    if step.op is Op.CONST:
        steps[k] = replace(step, value=step.value * float(rng.choice([0.0, -1.0, 1.0 + 1e-7, 1.1, 1e3])))
    elif step.op is Op.INPUT:
        steps[k] = replace(step, element=int(rng.integers(program.input("q").size)))
    else:
        steps[k] = replace(step, op=other[step.op])
    return replace(program, operations=tuple(steps))


def third_of_an_angle(program):
    """The program with the first angle replaced by three times a third of it, as doubles have that: another angle after
    many turns, and the same on every grid.
    """
    steps = list(program.operations)
    k = next(k for k, step in enumerate(steps) if step.op is Op.INPUT and step.port == "q")
    inserted = [
        steps[k],
        Operation(Op.CONST, value=1.0 / 3.0),
        Operation(Op.MUL, (k, k + 1)),
        Operation(Op.CONST, value=3.0),
        Operation(Op.MUL, (k + 2, k + 3)),
    ]
    moved = [replace(s, args=tuple(a + 4 if a >= k else a for a in s.args)) for s in steps[k + 1 :]]
    results = tuple(tuple(a + 4 if a >= k else a for a in row) for row in program.results)
    return replace(program, operations=(*steps[:k], *inserted, *moved), results=results)


def _term(robot, certificate, name, rng):
    joint = list(certificate.joints).index(name)
    _, term = drawn_term(robot, certificate.motions, rng)
    size = float(rng.choice([3.0, 1e3, 1e6])) * max(certificate.joints[name].bound, 1e-3)
    return recounted(certificate, with_term(certificate.program, joint, lambda q, qd, qdd: size * term(q, qd, qdd)))


def _number(field, values):
    def changed(robot, certificate, name, rng):
        proof = certificate.joints[name]
        return _with_proof(certificate, name, **{"found": 0.0, field: float(rng.choice(values(proof)))})

    return changed


def _box(side, change):
    def changed(robot, certificate, name, rng):
        box = certificate.motions
        values = list(getattr(box, side))
        k = int(rng.integers(len(values)))
        values[k] = change(values[k], rng)
        changed = copy.copy(box)  # past the constructor, which refuses what makes no sense
        object.__setattr__(changed, side, tuple(values))
        return replace(certificate, motions=changed)

    return changed


def _exchanged(robot, certificate, name, rng):
    names = list(certificate.joints)
    other = names[(names.index(name) + 1) % len(names)]
    a, b = certificate.joints[name], certificate.joints[other]
    return replace(certificate, joints={**certificate.joints, name: b, other: a})


def _another_order(robot, certificate, name, rng):
    return replace(certificate, joints=dict(reversed(certificate.joints.items())))


def _without_joint(robot, certificate, name, rng):
    return replace(certificate, joints={key: proof for key, proof in certificate.joints.items() if key != name})


def _far_away(robot, certificate, name, rng):
    away = 2.0 * math.pi * float(rng.choice([1e9, 1e12, 1e15]))
    box = certificate.motions
    sides = {side: tuple(x + away for x in getattr(box, side)) for side in ("lower", "upper")}
    far = replace(certificate, motions=replace(box, **sides))
    return recounted(far, third_of_an_angle(certificate.program))


def _miscounted(robot, certificate, name, rng):
    assert certificate.counts is not None
    after = replace(certificate.counts.operations_after, mul=int(rng.integers(3)))
    return replace(certificate, counts=replace(certificate.counts, operations_after=after))


def _torques_exchanged(robot, certificate, name, rng):
    (row,) = certificate.program.results
    return recounted(certificate, replace(certificate.program, results=((row[1], row[0], *row[2:]),)))


FALSE = {
    "a term in the program": _term,
    "found: no number, or above the bound": _number(
        "found", lambda proof: [math.nan, math.inf, -1.0, 2.0 * proof.bound + 1.0]
    ),
    "bound: no number, negative": _number("bound", lambda proof: [math.nan, math.inf, -1.0, -1e-300]),
    "tolerance below the bound": _number("tolerance", lambda proof: [math.nan, 0.0, 0.9 * proof.bound]),
    "another robot's name": lambda robot, certificate, name, rng: replace(certificate, robot=robot.name + "x"),
    "another robot's hash": lambda robot, certificate, name, rng: replace(certificate, robot_hash="0" * 64),
    "a joint left out": _without_joint,
    "joints in another order": _another_order,
    "a range reversed": _box("lower", lambda x, rng: x + 100.0),
    "a negative speed": _box("velocity", lambda x, rng: -x - 0.1),
    "an endless acceleration": _box("acceleration", lambda x, rng: float(rng.choice([math.nan, math.inf]))),
    "a third of an angle, far away": _far_away,
    "false counts": _miscounted,
}
"""Changes that make a certificate false, or say nothing that makes sense, whatever is drawn."""

DOUBTFUL = {
    "an operation changed": lambda robot, certificate, name, rng: recounted(
        certificate, changed_step(certificate.program, rng)
    ),
    "two torques exchanged": _torques_exchanged,
    "a smaller bound": _number("bound", lambda proof: [0.0, 0.5 * proof.bound, 0.99 * proof.found, 1e-12]),
    "proofs exchanged": _exchanged,
    "a wider range": _box("upper", lambda x, rng: x + float(rng.choice([1e-9, 0.01, 0.3, 5.0]))),
    "a lower range": _box("lower", lambda x, rng: x - float(rng.choice([1e-9, 0.01, 0.3, 5.0]))),
    "a higher speed": _box("velocity", lambda x, rng: x * float(rng.choice([1.0 + 1e-9, 1.01, 2.0, 1e4]))),
    "a higher acceleration": _box("acceleration", lambda x, rng: x * float(rng.choice([1.0 + 1e-9, 1.01, 2.0, 1e4]))),
}
"""Changes that may leave the claim true: it may be accepted where no motion of its box exceeds it."""


def tampered(robot, certificate, rng):
    """A changed certificate, what was done to it, and whether that can leave the claim true."""
    every = [*FALSE, *DOUBTFUL]
    # Programs are what an adversary would change first.
    what = "a term in the program" if rng.random() < 0.3 else every[int(rng.integers(len(every)))]
    name = list(certificate.joints)[int(rng.integers(robot.n))]
    changed = {**FALSE, **DOUBTFUL}[what](robot, certificate, name, rng)
    return what, changed, what in DOUBTFUL


def is_exceeded(robot, certificate, rng) -> bool:
    """True where a sampled motion of the box has an error above its bound."""
    errors = largest_errors(robot, certificate, certificate.motions, rng)
    return any(error > proof.bound for error, proof in zip(errors, certificate.joints.values(), strict=True))


def refuses(check, robot, certificate) -> bool:
    """True where the check raises `CheckError`."""
    try:
        check(robot, certificate)
    except CheckError:
        return True
    return False


def seeds(count, start=0):
    """Generators that differ."""
    return [np.random.default_rng([start, k]) for k in range(count)]
