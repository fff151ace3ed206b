"""Certificates whose documents were changed at random, with checksums that fit: refused, or what they claim is true."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest
from tests.torquec_check.documents import program_document
from tests.torquec_check.packages import certified_model
from tests.torquec_check.test_certificate import coefficients, document, sealed

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.robot.robot_document import robot_from_dict
from torquec_check.certificate import certificate_of, check_certificate
from torquec_check.document import RefusedError, parse_document
from torquec_check.program import torque_program
from torquec_check.specification import check_specification

UNREAD = {
    "sha256",
    "counts",
    "robot_hash",
    "frames",
    "base_inertia",
    "snap",
    "attached",
    "locked",
    "limits",
    "friction",
}
UNREAD |= {"spring", "counterbalances", "lacking_inertia"}
"""What no torque depends on, and torquec reads more strictly."""


def _honest():
    """A simplified arm with its specification; the exact one with coefficients and least inertias, in doubles."""
    made = certified_model().record.to_dict()
    proof = {"family": "M", "index": [0, 1], "kind": "absolute", "bound": 1e-9, "found": 0.0, "tolerance": None}
    return [
        json.loads(json.dumps(made)),
        document(least_inertia=[0.15, 0.03], coefficients=coefficients(**{"M[1,2]": proof})),
        document(joints={}, coefficients=coefficients()),
    ]


def _places(values, path=()):
    """Paths of all values in a document."""
    yield path
    children = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for key, value in children:
        yield from _places(value, (*path, key))


def _changed(values, rng):
    """A copy with one value changed, left out, or put in the place of another one."""
    values = copy.deepcopy(values)
    paths = [path for path in _places(values) if path and not UNREAD & set(path)]
    *above, last = paths[rng.integers(len(paths))]
    place = values
    for key in above:
        place = place[key]
    old, way = place[last], rng.integers(8)
    if isinstance(old, bool | str | dict | type(None)) or (isinstance(old, list) and way < 6):
        if isinstance(place, dict) and way < 3:
            del place[last]
        else:
            place[last] = [None, 0, -1.0, "x", {}, [], True, "q"][way]
    elif isinstance(old, list):
        old.reverse() if way == 6 else old.append(old[0] if old else 0)
    else:
        factors = [0.0, -1.0, 0.5, 0.9, 0.999, 1.001, 1.1, 1e6]
        place[last] = old * factors[way] if isinstance(old, float) or way < 2 else old + int(rng.integers(-2, 3))
    return sealed(values)


def _evaluated(program, inputs):
    values = []
    for step in program.operations:
        given = [values[k] for k in step.args]
        if step.op == "const":
            values.append(step.value)
        elif step.op == "input":
            values.append(inputs[step.port][step.element])
        elif step.op in ("sin", "cos"):
            values.append(getattr(math, step.op)(given[0]))
        else:
            a, b = (*given, 0.0)[:2]
            values.append({"add": a + b, "sub": a - b, "mul": a * b, "neg": -a}[step.op])
    return [values[k] for k in program.results[0]]


def _is_true(values, rng):
    """Whether torques at random motions of the box are within the bounds, and M above the least inertias."""
    plain = copy.deepcopy(values["robot_document"])
    for k, body in enumerate(plain["bodies"]):
        body["name"] = f"body{k}"  # no torque depends on it: the checker does not read it
    robot, motions = robot_from_dict(plain, any_inertia=True), values["motions"]
    program = torque_program(values["program"], robot.n)
    bounds = [proof["bound"] for proof in values["joints"].values()] or [math.inf] * robot.n
    for _ in range(20):
        q = rng.uniform(motions["lower"], motions["upper"])
        qd, qdd = (rng.uniform(-1.0, 1.0, robot.n) * (motions[key] or 1.0) for key in ("velocity", "acceleration"))
        own = inverse_dynamics(robot, list(q), list(qd), list(qdd))
        found = _evaluated(program, {"q": q, "qd": qd, "qdd": qdd})
        if any(abs(a - b) > bound * (1.0 + 1e-9) for a, b, bound in zip(own, found, bounds, strict=True)):
            return False
        zero = [0.0] * robot.n
        rest = np.array(_evaluated(program, {"q": q, "qd": zero, "qdd": zero}))
        M = np.array([_evaluated(program, {"q": q, "qd": zero, "qdd": row}) - rest for row in np.eye(robot.n)])
        if "least_inertia" in values and np.linalg.eigvalsh((M + M.T) / 2 - np.diag(values["least_inertia"]))[0] < 0.0:
            return False
    return True


def _tamper(count, seed):
    rng, accepted = np.random.default_rng(seed), 0
    honest = _honest()
    for values in honest:
        check_certificate(certificate_of(values), lambda *_: None)
        assert _is_true(values, rng)
    for k in range(count):
        false = _changed(honest[k % len(honest)], rng)
        try:
            false = parse_document(json.dumps(false).encode())
            certificate = certificate_of(false)
            check_certificate(certificate, lambda *_: None)
            check_specification(certificate)
        except RefusedError:
            continue
        accepted += 1
        assert _is_true(false, rng), false
    return accepted


def test_changed_documents_are_refused_or_true():
    """Accepted are larger bounds, smaller boxes, and changes of what no torque depends on."""
    assert 0 < _tamper(24, seed=0) < 12


@pytest.mark.slow
def test_four_thousand_changed_documents():
    assert 0 < _tamper(4000, seed=1) < 2000


def test_the_program_is_evaluated_as_the_robot():
    """The measure of truth above: the exact program gives the robot's torques."""
    found = _evaluated(torque_program(program_document(), 2), {"q": [0.3, 0.4], "qd": [0.1, 0.2], "qdd": [1.0, -1.0]})
    robot = robot_from_dict(document()["robot_document"])
    assert found == pytest.approx(inverse_dynamics(robot, [0.3, 0.4], [0.1, 0.2], [1.0, -1.0]))
