"""Model files and packages changed by somebody who knows the source, checksums made to fit again where that helps.

Every change makes a claim false, or lets a file say something that is not so.
"""

from __future__ import annotations

import hashlib
import json

from tests.proof.tampering import drawn_term, is_exceeded, with_term

from torquec.errors import TorquecError
from torquec.expr import count_operations, function_from_dict, function_to_dict, trace
from torquec.expr.replay import rebuilt, replay
from torquec.foundation.json_text import checksum, document_text
from torquec.model.check_programs import check_programs
from torquec.model.save import load_model
from torquec.model.simplified import counts_of
from torquec.robot.robot_document import robot_from_dict
from torquec.simplification.specification import parse_specification


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


# --- any field of a model's file ------------------------------------------------------------------------------------

_LONG = ("operations", "trees", "quantities", "bodies", "frames")
"""Lists that would outnumber everything else: one of their items is drawn, not all."""


def places(values, rng, path=()):
    """Paths to all values of a document; of long lists and objects to one item each, which is drawn."""
    if isinstance(values, dict):
        items = list(values.items())
    elif isinstance(values, list):
        items = list(enumerate(values))
    else:
        return []
    if path and path[-1] in _LONG and items:
        items = [items[int(rng.integers(len(items)))]]
    return [found for key, value in items for found in ((*path, key), *places(value, rng, (*path, key)))]


def at(document, path):
    for key in path:
        document = document[key]
    return document


def put(document, path, value):
    at(document, path[:-1])[path[-1]] = value


def other_value(value, rng):
    """Another value in the place of one: empty, of another type, or of another size."""
    empty = [None, [], {}, "", 0, False]
    if isinstance(value, bool):
        near = [not value]
    elif isinstance(value, int | float):
        near = [-value, value + 1, 0.5 * value, value * (1.0 + 1e-9), value * 1e6, 1e300]
    elif isinstance(value, str):
        near = [value + "x", value[:-1], "0" * len(value)]
    elif isinstance(value, list):
        near = [value[1:], value[::-1], [*value, *value]]
    else:
        near = [dict(list(value.items())[1:]), {**value, "x": 0}] if isinstance(value, dict) else [0.0, "x"]
    return [*near, *near, *empty][int(rng.integers(2 * len(near) + len(empty)))]


def resealed(document):
    """All hashes made to fit again: of the robot, of programs, of the certificate, of the file."""
    certificate = document.get("certificate")
    try:
        robot = robot_from_dict(document["robot"])
        if isinstance(certificate, dict) and "robot_hash" in certificate:
            certificate["robot_hash"] = robot.content_hash
            certificate["robot"] = robot.name
        for entry in document["quantities"].values():
            entry.update(entry_of(function_from_dict(entry["function"])))
    except (TorquecError, KeyError, TypeError, ValueError, AttributeError, IndexError):
        pass  # what cannot be read cannot be made to fit
    if isinstance(certificate, dict) and "sha256" in certificate:
        sealed(certificate)
    return document_text(sealed(document)) if "sha256" in document else document_text(document)


def changed_field(text, rng):
    """A model file with one value changed, or two exchanged, hashes made to fit again; and what was done."""
    document = json.loads(text)
    every = places(document, rng)
    path = every[int(rng.integers(len(every)))]
    value = at(document, path)
    if rng.random() < 0.25:
        same = [p for p in every if type(at(document, p)) is type(value) and p[: len(path)] != path != p]
        same = [p for p in same if path[: len(p)] != p]
        if not same:
            return None
        other = same[int(rng.integers(len(same)))]
        put(document, path, at(document, other))
        put(document, other, value)
        what = f"{path} and {other} exchanged"
    elif rng.random() < 0.1:
        del at(document, path[:-1])[path[-1]]
        what = f"{path} left out"
    else:
        new = other_value(value, rng)
        put(document, path, new)
        what = f"{path}: {str(new)[:30]}"
    changed = resealed(document)
    return None if json.loads(changed) == json.loads(text) else (what, changed)


def is_untrue(path, rng) -> bool:
    """Whether an accepted model claims something that is not so: a sampled motion above a bound, a specification or
    counts that are not its own, a program that computes something else.
    """
    model = load_model(path)
    record = model.record
    if record is None:
        return False
    specification = record.specification and parse_specification(record.specification, model.robot)
    if specification and any(
        joint.torque_error is not None and not record.joints[joint.name].bound <= joint.torque_error
        for joint in specification.joints
    ):
        return True
    if record.counts is not None and record.counts != counts_of(model.robot, record.program):
        return True
    check_programs(model)
    return is_exceeded(model.robot, record, rng)


# --- packages -------------------------------------------------------------------------------------------------------


def _in_file(pattern, change):
    def changed(folder, rng):
        paths = sorted(folder.glob(pattern))
        path = paths[int(rng.integers(len(paths)))]
        path.write_text(change(path.read_text(), rng))
        return path.name

    return changed


def _in_manifest(field, values):
    def changed(folder, rng):
        (path,) = folder.glob("*.package.json")
        manifest = json.loads(path.read_text())
        own = values(manifest[field])
        manifest[field] = own[int(rng.integers(len(own)))]
        path.write_text(document_text(manifest))
        return f"{field}: {manifest[field]}"

    return changed


def _exchanged_files(folder, rng):
    a, b = (folder / name for name in rng.choice(["selftest.c", "CMakeLists.txt", "planar2r_simplified.h"], 2, False))
    one, two = a.read_text(), b.read_text()
    a.write_text(two)
    b.write_text(one)
    return f"{a.name} and {b.name}"


def _another_source(folder, rng):
    name = str(rng.choice(["other.c", "planar2r.h", "fast.cpp"]))
    (folder / name).write_text((folder / "planar2r_simplified.c").read_text().replace("1", "2"))
    return name


PACKAGES = {
    "a digit in C": _in_file("*.c", lambda text, rng: changed_digit(text, rng)),
    "a digit in the header": _in_file("*.h", lambda text, rng: changed_digit(text, rng)),
    "a sign in C": _in_file("*simplified.c", lambda text, rng: text.replace(*rng.permutation(["+", "-"]), 1)),
    "a line left out": _in_file("*.[ch]", lambda text, rng: text.replace(str(rng.choice(text.split("\n"))) + "\n", "")),
    "a file emptied": _in_file("*", lambda text, rng: ""),
    "files exchanged": _exchanged_files,
    "a foreign source": _another_source,
    "a digit in the model": _in_file("*.tq.json", lambda text, rng: changed_digit(text, rng)),
    "another prefix": _in_manifest("prefix", lambda own: [own + "x", "", "../x", None, 5]),
    "other quantities": _in_manifest(
        "quantities", lambda own: [[], own[1:], own[::-1], [*own, "forward_dynamics"], None]
    ),
    "another precision": _in_manifest("precision", lambda own: ["single", "half", None]),
    "another model": _in_manifest("model", lambda own: ["", "../" + own, "selftest.c", None]),
    "another format": _in_manifest("format", lambda own: ["torquec package 1", None, ""]),
    "another version": _in_manifest("written_by", lambda own: ["torquec 99.0", "torquec 0.0.1", None, ""]),
}
"""What can be done to a package whose manifest is made to fit again."""
