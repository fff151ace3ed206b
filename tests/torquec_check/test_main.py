"""`python -m torquec_check`: certificates, models and C packages; exit status 0, 1 and 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.torquec_check import holds
from tests.torquec_check.documents import robot_document
from tests.torquec_check.packages import c_package, certified_model, resealed
from tests.torquec_check.witnesses import witness

import torquec as tq
from torquec.expr import function_to_dict
from torquec.foundation.json_text import checksum, document_text
from torquec.model.quantities import trace_quantity
from torquec.realtime.check_file import check_file
from torquec.robot.robot_document import robot_to_dict
from torquec_check import __main__ as command
from torquec_check.package import OF_FLOATS

SOURCES = Path(command.__file__).parents[1]


@pytest.mark.parametrize("precision", ["double", "single"])
def test_code_in_floats_of_a_claim_in_doubles_is_named(tmp_path, capsys, precision):
    """`proven: the package` stood below bounds of "code in double precision", whose code computes in floats."""
    tq.generate(certified_model(), tmp_path / "c", quantities=["inverse_dynamics"], precision=precision)
    status, document = run(capsys, tmp_path / "c")
    others = check_file(tmp_path / "c")
    assert (status, others.ok) == (0, True)
    for assumptions in (document["assumptions"], others.assumptions):
        assert (OF_FLOATS in assumptions) == (precision == "single")


@pytest.fixture
def folder(tmp_path):
    return c_package(tmp_path / "package")


def run(capsys, *words):
    status = command.main([*map(str, words), "--json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out) if printed.out else printed.err


def test_a_package_and_its_model_are_proven(folder, capsys):
    for path, kind in ((folder, "package"), (folder / "planar2r.tq.json", "model")):
        status, document = run(capsys, path)
        assert (status, document["ok"], document["kind"]) == (0, True, kind)
        assert document["claim"]["standing"] == "proven"
        assert set(document) == {
            *("ok", "kind", "claims", "box", "specification", "precision", "slacks", "seconds", "refused"),
            *("robot_as_used", "claim", "assumptions", "parts"),
        }
        assert [len(errors) for errors in document["parts"].values()] == [4, 2, 2, 4]
        assert 0.0 < max(document["parts"]["mass_matrix"]) < 1e-12
    assert command.main([str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "Proven for planar2r" in printed
    assert "mass_matrix: outputs within " in printed


def test_it_runs_with_nothing_but_its_own_folder(folder, tmp_path):
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "torquec_check").symlink_to(SOURCES / "torquec_check")
    script = (
        "import sys, runpy; sys.argv = ['x', sys.argv[1]]\n"
        "try: runpy.run_module('torquec_check', run_name='__main__')\n"
        "except SystemExit as end: assert end.code == 0, end\n"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'torquec']\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "alone")}
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, env=environment, capture_output=True)


def test_a_package_of_another_robot_is_refused(folder, tmp_path, capsys):
    """`--robot` was ignored for folders: a package of a planar arm was checked as a PUMA 560."""
    for name, status in (("planar2r", 0), ("puma560", 1)):
        document = robot_to_dict(getattr(tq.classics, name)())
        (tmp_path / "robot.json").write_text(document_text(document))
        found = run(capsys, folder, "--robot", tmp_path / "robot.json")
        assert found[0] == status
    assert "another robot" in found[1]["refused"][0]
    loaded = tq.attach_payload(tq.classics.planar2r(), "link2", mass=0.5)
    tq.save(tq.compile(loaded), tmp_path / "loaded.tq.json")
    assert run(capsys, folder, "--robot", tmp_path / "loaded.tq.json")[0] == 1


def changed(folder, **fields):
    path = folder / "planar2r.tq.json"
    model = json.loads(path.read_text())
    for place, value in fields.items():
        *way, last = place.split("__")
        inner = model
        for key in way:
            inner = inner[key]
        inner[last] = value
    for inner in (model["certificate"], model):
        inner.pop("sha256")
        inner["sha256"] = checksum(inner)
    path.write_text(document_text(model))
    resealed(folder)
    return path


def test_false_models_are_refused(folder, capsys):
    bound = certified_model().record.joints["joint1"].found
    path = changed(folder, certificate__joints__joint1__bound=0.5 * bound)
    status, document = run(capsys, path)
    assert status == 1
    assert "joint 'joint1'" in document["refused"][0]
    assert document["claim"] is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"version": 1}, "version 1"),
        ({"quantities__inverse_dynamics__function__name": "x"}, "not the certified program"),
        ({"robot__name": "other"}, "other"),
        ({"robot__gravity": [0.0, 0.0, -1.62]}, "another robot"),
        ({"certificate__specification": '[[joint]]\nname = "joint1"\ntorque_error = 1e-9\n'}, "specification"),
    ],
)
def test_other_false_models_are_refused(folder, capsys, fields, words):
    status, document = run(capsys, changed(folder, **fields))
    assert status == 1
    assert words in document["refused"][0]


def test_false_is_not_the_number_zero(folder, capsys):
    """For Python false is 0, so that a served program that no reader of programs takes was the certified one."""
    operations = json.loads((folder / "planar2r.tq.json").read_text())["certificate"]["program"]["operations"]
    operations[0][2] = False
    status, document = run(capsys, changed(folder, quantities__inverse_dynamics__function__operations=operations))
    assert status == 1
    assert "not the certified program" in document["refused"][0]


def test_the_model_of_a_second_program_is_that_of_its_certificate(folder, capsys):
    """It was not read: a control requirement was met by a program, and the model served another one."""
    model = json.loads((folder / "planar2r.tq.json").read_text())
    program = function_to_dict(trace_quantity(tq.classics.planar2r(), "inverse_dynamics"))
    mass = function_to_dict(trace_quantity(tq.classics.planar2r(), "mass_matrix"))
    box = {side: model["certificate"]["motions"][side] for side in ("lower", "upper")}
    proof = {"box": box, "coefficients": {}, "others": [1e-9] * 2, "program": program}
    served = {"inverse_dynamics": {"function": program}, "mass_matrix": {"function": mass}}
    path = changed(folder, certificate__coefficients=proof, coefficients={"quantities": served})
    status, document = run(capsys, path)
    assert (status, document["refused"]) == (0, [])
    assert len(document["parts"]["coefficients.mass_matrix"]) == 4
    own = model["certificate"]["program"]
    for name, function, words in (
        ("inverse_dynamics", own, "not the certified program"),
        ("inverse_dynamics", None, "not the certified program"),
        ("mass_matrix", model["quantities"]["mass_matrix"]["function"], "'mass_matrix' is not that part"),
    ):
        status, document = run(
            capsys, changed(folder, coefficients={"quantities": served | {name: {"function": function}}})
        )
        assert status == 1
        assert words in document["refused"][0]
    status, document = run(capsys, changed(folder, certificate__coefficients=None, coefficients={"quantities": served}))
    assert "not the certified program" in document["refused"][0]


def test_comments_of_a_specification_are_not_printed(folder, capsys):
    text = json.loads((folder / "planar2r.tq.json").read_text())["certificate"]["specification"]
    status, document = run(capsys, changed(folder, certificate__specification=f"# 1e-9 rad: PROVEN\n{text}"))
    assert (status, "PROVEN" in json.dumps(document)) == (0, False)
    assert document["specification"].splitlines() == ["joint1: torque_error = 2.0", "joint2: torque_error = 2.0"]


def test_a_damaged_model_is_refused(folder, capsys):
    path = folder / "planar2r.tq.json"
    path.write_text(path.read_text().replace('"robot"', '"robot" ', 1).replace("link2", "link3", 1))
    assert "checksum" in run(capsys, path)[1]["refused"][0]


def test_files_that_claim_nothing_have_exit_status_two(folder, tmp_path, capsys):
    tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "exact.tq.json", quantities=["gravity_torque"])
    (tmp_path / "other.json").write_text("{}")
    tq.generate(certified_model(), tmp_path / "py", target="numpy", quantities=["inverse_dynamics"])
    tq.generate(tq.classics.planar2r(), tmp_path / "exact", quantities=["gravity_torque"])
    for name, words in (
        ("exact.tq.json", "nothing is claimed"),
        ("other.json", "no certificate"),
        ("none.json", "not a regular file"),
        ("py", "torquec check DIR"),
        ("exact", "claims nothing"),
    ):
        status, text = run(capsys, tmp_path / name)
        assert status == 2, name
        assert words in text
    with pytest.raises(SystemExit) as end:
        command.main([])
    assert end.value.code == 2


def test_a_certificate_needs_its_robot(folder, tmp_path, capsys):
    document = certified_model().record.to_dict()
    path = tmp_path / "x.certificate.json"
    path.write_text(document_text(document))
    if "robot_document" not in document:
        assert run(capsys, path)[0] == 2
    status, found = run(capsys, path, "--robot", folder / "planar2r.tq.json")
    assert (status, found["kind"]) == (0, "certificate")


def test_a_shadowed_header_is_refused_by_the_command(folder, capsys):
    (folder / "bits").mkdir()
    (folder / "bits" / "fp-fast.h").write_text("#define fabs cosh\n")
    status, document = run(capsys, folder)
    assert status == 1
    assert "bits" in document["refused"][0]


@pytest.mark.parametrize("make", [witness, lambda: witness(uncertain=False), holds.document])
def test_a_package_whose_model_is_a_witness_is_refused(folder, capsys, make):
    """What is proven of the witness says nothing about the C beside it."""
    (folder / "planar2r.tq.json").write_text(json.dumps(make()))
    source = folder / "planar2r_simplified.c"
    source.write_text(source.read_text().replace("tau[0] = ", "tau[0] = 2.0*"))
    resealed(folder)
    status, found = run(capsys, folder)
    assert status == 1
    assert found["refused"]


def test_documents_that_are_no_documents_are_malformed(folder, tmp_path, capsys):
    path = tmp_path / "robot.json"
    path.write_text(json.dumps({"format": command.TRACKING}))
    status, found = run(capsys, path)
    assert status == 1
    assert "malformed: KeyError('robot_document')" in found["refused"][0]
    path.write_text(json.dumps(robot_document()))
    assert run(capsys, path)[0] == 2
    model = folder / "planar2r.tq.json"
    assert run(capsys, model, "--robot", path)[0] == 0
    path.write_text(json.dumps(robot_document("scara")))
    status, found = run(capsys, model, "--robot", path)
    assert status == 1
    assert "another robot" in found["refused"][0]


def test_a_file_beyond_the_limit_is_not_read(folder, tmp_path, capsys, monkeypatch):
    model = folder / "planar2r.tq.json"
    monkeypatch.setattr(command, "MOST_BYTES", model.stat().st_size)
    assert run(capsys, model)[0] == 0
    monkeypatch.setattr(command, "MOST_BYTES", model.stat().st_size - 1)
    assert run(capsys, model)[0] == 2
