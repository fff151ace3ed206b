"""Saved models: they come back the same, and nothing else is taken for one."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

import torquec as tq
from torquec.errors import ArgumentError, ModelFileError


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "arm.tq.json"
    tq.save(tq.compile(tq.classics.scara()), path)
    return path


def rewrite(path, change):
    """Edit the document and make its checksum fit again."""
    document = json.loads(path.read_text())
    change(document)
    document.pop("sha256")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    document["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(document))


def test_it_comes_back_with_the_same_torques(saved):
    arm, back = tq.compile(tq.classics.scara()), tq.load_model(saved)
    assert back.robot == arm.robot
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 4))
    np.testing.assert_array_equal(back.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))
    assert back.function("mass_matrix") == arm.function("mass_matrix")


def test_saving_twice_gives_the_same_bytes(saved, tmp_path):
    again = tmp_path / "again.json"
    tq.save(tq.load_model(saved), again)
    assert again.read_bytes() == saved.read_bytes()


def test_only_what_is_asked_for_is_saved_and_the_rest_still_works(tmp_path):
    path = tmp_path / "arm.json"
    tq.save(tq.compile(tq.classics.planar2r()), path, quantities=["gravity_torque", "frame_pose:link2"])
    back = tq.load_model(path)
    assert set(back.functions) == {"gravity_torque", "frame_pose:link2"}
    assert back.mass_matrix([0.0, 0.0]).shape == (2, 2)


def test_another_tool_can_evaluate_the_program(saved):
    """The interpreter that docs/model-file.md describes, in ten lines."""
    import math

    program = json.loads(saved.read_text())["quantities"]["gravity_torque"]["function"]
    q = [0.3, -0.2, 0.1, 0.5]
    known = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "neg": lambda a: -a,
        "sin": math.sin,
        "cos": math.cos,
    }
    values = []
    for op, *args in program["operations"]:
        if op == "const":
            values.append(args[0])
        elif op == "input":
            values.append(q[args[1]])
        else:
            values.append(known[op](*(values[k] for k in args)))
    tau = [values[k] for k in program["outputs"][0]["values"]]
    np.testing.assert_allclose(tau, tq.compile(tq.classics.scara()).gravity_torque(q), atol=1e-12)


def test_operation_counts_are_in_the_file(saved):
    entry = json.loads(saved.read_text())["quantities"]["inverse_dynamics"]
    count = tq.compile(tq.classics.scara()).operation_count("inverse_dynamics")
    assert entry["operations"] == {
        "mul": count.mul,
        "add": count.add,
        "div": count.div,
        "sincos": count.sincos,
        "other": count.other,
    }


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, -2])
def test_a_truncated_file_is_refused(saved, keep):
    data = saved.read_bytes()
    saved.write_bytes(data[: int(len(data) * keep)] if isinstance(keep, float) else data[:keep])
    with pytest.raises(ModelFileError, match=r"arm\.tq\.json"):
        tq.load_model(saved)


@pytest.mark.parametrize(
    "text",
    ["[]", "3", '"torquec-model"', "{}", '{"format": "other"}', "<robot/>", "\x00", '{"a": NaN}', '{"a":1,"a":2}'],
)
def test_other_files_are_refused(saved, text):
    saved.write_text(text)
    with pytest.raises(ModelFileError, match=r"arm\.tq\.json"):
        tq.load_model(saved)


def test_deep_nesting_is_refused(saved):
    saved.write_text("[" * 100_000)
    with pytest.raises(ModelFileError, match=r"nested too deep|not JSON"):
        tq.load_model(saved)


def test_not_text_is_refused(saved):
    saved.write_bytes(b"\xff\xfe" * 100)
    with pytest.raises(ModelFileError, match=r"arm\.tq\.json"):
        tq.load_model(saved)


def test_one_changed_digit_is_refused(saved):
    text = saved.read_text()
    place = text.index('"gravity"') + 30
    digit = next(k for k in range(place, len(text)) if text[k] in "12345678")
    saved.write_text(text[:digit] + chr(ord(text[digit]) + 1) + text[digit + 1 :])
    with pytest.raises(ModelFileError, match="the checksum does not fit"):
        tq.load_model(saved)


def test_a_newer_version_names_both(saved):
    rewrite(saved, lambda document: document.update(version=3))
    with pytest.raises(ModelFileError, match="the file has version 3, this torquec reads versions 1 and 2"):
        tq.load_model(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("robot"), "robot: an object was expected"),
        (lambda d: d.pop("quantities"), "'quantities' is missing"),
        (lambda d: d["robot"].update(gravity=[0, 0]), r"robot\.gravity"),
        (lambda d: d["quantities"].update(colour=d["quantities"]["mass_matrix"]), "there is no quantity 'colour'"),
        (lambda d: d["quantities"].update(mass_matrix=d["quantities"]["gravity_torque"]), "is called 'gravity_torque'"),
        (lambda d: d["quantities"]["mass_matrix"].pop("function"), "quantity 'mass_matrix'"),
        (lambda d: d["quantities"].update(mass_matrix=[]), "quantity 'mass_matrix'"),
        (
            lambda d: d["quantities"]["mass_matrix"]["function"]["operations"].append(["mul", 0, 10**9]),
            "not yet defined",
        ),
        (lambda d: d["quantities"]["mass_matrix"]["function"]["operations"].append(["launch", 0]), "launch"),
    ],
)
def test_a_document_that_fits_its_checksum_is_still_checked(saved, change, message):
    rewrite(saved, change)
    with pytest.raises(ModelFileError, match=message):
        tq.load_model(saved)


def test_missing_file(tmp_path):
    with pytest.raises(ModelFileError, match=r"gone\.json: there is no such file"):
        tq.load_model(tmp_path / "gone.json")


def test_nothing_is_left_where_saving_fails(tmp_path):
    with pytest.raises(ArgumentError):
        tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "no" / "arm.json")
    with pytest.raises(ArgumentError, match="there is no quantity"):
        tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "arm.json", quantities=["colour"])
    assert list(tmp_path.iterdir()) == []
