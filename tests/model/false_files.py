"""Model files and packages changed by somebody who knows the source, checksums made to fit again where that helps.

Every change makes a claim false, or lets a file say something that is not so.
"""

from __future__ import annotations

import hashlib
import json

from tests.proof.tampering import drawn_term, with_term

from torquec.expr import count_operations, function_from_dict, function_to_dict, trace
from torquec.expr.replay import rebuilt, replay
from torquec.foundation.json_text import checksum, document_text


def sealed(document):
    """With a checksum that fits."""
    document.pop("sha256", None)
    document["sha256"] = checksum(document)
    return document


def entry_of(function):
    count = count_operations(function)
    counts = {name: getattr(count, name) for name in ("mul", "add", "div", "sincos", "other")}
    return {"operations": counts, "sha256": function.content_hash, "function": function_to_dict(function)}


def scaled(function, factor):
    """The program with every result multiplied."""
    shapes = {port.name: port.shape for port in function.inputs}

    def times(values):
        return [times(v) for v in values] if isinstance(values, list | tuple) else factor * values

    def algorithm(**inputs):
        return {name: times(values) for name, values in replay(function, inputs).items()}

    return trace(function.name, algorithm, shapes)


def false_model(model, text, rng):
    """A false model file, and what was done to it; `model` is the honest one whose file is `text`."""
    document = json.loads(text)
    quantities = document["quantities"]
    others = [name for name in quantities if name != "inverse_dynamics"]
    proofs = document["certificate"]["joints"]
    joint = sorted(proofs)[int(rng.integers(len(proofs)))]
    kind = int(rng.integers(11))
    if kind == 0:
        name = others[int(rng.integers(len(others)))]
        program = function_from_dict(quantities[name]["function"])
        if not any(port.size for port in program.outputs):
            return None
        factor = float(rng.choice([10.0, -1.0, 1.0 + 1e-7]))
        quantities[name] = entry_of(scaled(program, factor))
        what = f"{name} times {factor}"
    elif kind == 1:
        name = others[int(rng.integers(len(others)))]
        program = function_from_dict(quantities[name]["function"])
        inner = {k: 1.0 + float(op.value) for k, op in enumerate(program.operations) if op.value}
        if not inner:
            return None
        place = list(inner)[int(rng.integers(len(inner)))]
        quantities[name] = entry_of(rebuilt(program, constants={place: inner[place]}))
        what = f"a constant of {name}"
    elif kind == 2:
        index = int(rng.integers(model.robot.n))
        what, term = drawn_term(model.robot, model.record.motions, rng)
        size = 1e3 * max(proof["bound"] for proof in proofs.values())
        program = with_term(model.record.program, index, lambda q, qd, qdd: size * term(q, qd, qdd))
        quantities["inverse_dynamics"] = entry_of(program)
        document["certificate"]["program"] = function_to_dict(program)
        document["certificate"]["counts"]["operations_after"] = entry_of(program)["operations"]
    elif kind == 3:
        side = ("bound", "found", "tolerance")[int(rng.integers(3))]
        proofs[joint][side] = float(rng.choice([0.0, -1.0, 1e-12])) if side != "found" else 1e9
        what = f"{side} {proofs[joint][side]}"
    elif kind == 4:
        side = ("lower", "upper", "velocity", "acceleration")[int(rng.integers(4))]
        values = document["certificate"]["motions"][side]
        values[int(rng.integers(len(values)))] += float(rng.choice([0.01, 5.0])) * (-1.0 if side == "lower" else 1.0)
        what = f"the box's {side}"
    elif kind == 5:
        field = ("terms_before", "terms_after")[int(rng.integers(2))]
        document["certificate"]["counts"][field] += 1
        what = field
    elif kind == 6:
        document["certificate"]["counts"]["operations_before"]["mul"] += 100
        what = "operations before"
    elif kind == 7:
        stated = document["certificate"]["specification"]
        document["certificate"]["specification"] = stated.replace("torque_error = ", "torque_error = 0.0")
        what = "a stricter specification"
    elif kind == 8:
        document["refused"] = {} if document["refused"] else {"regressor": "because"}
        what = "refused quantities"
    elif kind == 9:
        a, b = sorted(others)[:2]
        quantities[a], quantities[b] = quantities[b], quantities[a]
        what = f"{a} and {b} exchanged"
    else:
        body = document["robot"]["bodies"][int(rng.integers(len(document["robot"]["bodies"])))]
        body["inertia"]["m"] = 2.0 * body["inertia"]["m"] + 0.1
        what = "another mass"
    sealed(document["certificate"])
    changed = document_text(sealed(document))
    return None if changed == text else (what, changed)  # ten times zero is no lie


def changed_digit(text, rng):
    """The text with one digit changed; nothing else is touched."""
    places = [k for k, letter in enumerate(text) if letter.isdigit()]
    place = places[int(rng.integers(len(places)))]
    return text[:place] + str((int(text[place]) + 1 + int(rng.integers(9))) % 10) + text[place + 1 :]


def resealed_manifest(folder):
    """Make the manifest's hashes fit the files again."""
    (path,) = folder.glob("*.package.json")
    manifest = json.loads(path.read_text())
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(document_text(manifest))
