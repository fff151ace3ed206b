"""The corpus of bad files: each is refused, or warned of, with the file, the line, and what to do; none in silence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.corpus import bad_dh, bad_documents, bad_logs, bad_mjcf, bad_robots, bad_tables, good
from tests.fuzz.readers import DOORS

from torquec.control.controller_file import read_controller
from torquec.errors import RobotFileError, SnapWarning, TorquecError
from torquec.identification.result.comparison import read_combinations
from torquec.identification.torque.torque_columns import read_columns
from torquec.identification.torque.torque_model import torque_model
from torquec.model.save import load_model
from torquec.proof.torque.certificate import load_certificate
from torquec.robot.classics import load_classic
from torquec.robot.drives import read_drives
from torquec.robot.load import load
from torquec.robot.urdf import parse_urdf
from torquec.simplification.specification import load_specification
from torquec.trajectory.csv_file import read_trajectory
from torquec.trajectory.log_map import read_log_map
from torquec.trajectory.read_log import read_log

ARM = load_classic("planar2r")

ROBOTS = {
    "robot.urdf": bad_robots.URDF,
    "robot.urdf.xacro": bad_robots.XACRO,
    "robot.xml": bad_mjcf.MJCF,
    "robot.toml": bad_dh.DH,
}
TABLES = {
    "robot.drives.toml": (bad_tables.DRIVES, lambda path: read_drives(path, parse_urdf(good.URDF.encode(), "r.urdf"))),
    "specification.toml": (bad_tables.SPECIFICATION, lambda path: load_specification(path, ARM)),
    "map.toml": (bad_tables.LOG_MAP, lambda path: read_log_map(path).check(2, str(path))),
    "columns.toml": (bad_tables.COLUMNS, read_columns),
}
LISTS = {
    "log.csv": (bad_logs.LOGS, lambda path: read_log(path, ARM)),
    "trajectory.csv": (bad_logs.TRAJECTORIES, lambda path: read_trajectory(path, joints=ARM.joint_names)),
    "parameters.csv": (bad_logs.PARAMETERS, lambda path: read_combinations(path, torque_model(ARM))),
}
DOCUMENTS = {
    "model": (bad_documents.MODEL, load_model),
    "certificate": (bad_documents.CERTIFICATE, load_certificate),
    "controller": (bad_documents.CONTROLLER, read_controller),
}


def cases(tables):
    return [pytest.param(file, name, id=f"{file}-{name}") for file, table in tables.items() for name in table]


def refusal(read, path, line, words):
    """Check the error that a reader raises; its place is the file and, where there is one, the line."""
    with pytest.raises(TorquecError) as caught:
        read(path)
    error = caught.value
    assert words in str(error)
    assert error.remedy
    assert error.where == f"{path}:{line}" if line is not None else error.where.startswith(str(path))


@pytest.fixture
def folder(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    return inner


@pytest.mark.filterwarnings(f"ignore::{SnapWarning.__module__}.{SnapWarning.__name__}")
@pytest.mark.parametrize(("file", "name"), cases(ROBOTS))
def test_robots(folder, file, name):
    case = ROBOTS[file][name]
    path = folder / file
    path.write_text(bad_robots.text_of(file, case), encoding="utf-8", newline="")
    if not case.warning:
        refusal(load, path, case.line, case.words)
        return
    where = str(path) if case.line is None else f"{path}:{case.line}"
    assert any(found.where == where and case.words in found.text for found in load(path).warnings)
    with pytest.raises(RobotFileError):
        load(path, strict=True)


@pytest.mark.parametrize(("file", "name"), cases({file: table for file, (table, _) in TABLES.items()}))
def test_tables(folder, file, name):
    table, read = TABLES[file]
    path = folder / file
    path.write_text(bad_robots.text_of(file, table[name]), encoding="utf-8", newline="")
    refusal(read, path, table[name].line, table[name].words)


@pytest.mark.parametrize(("file", "name"), cases({file: table for file, (table, _) in LISTS.items()}))
def test_lists_of_numbers(folder, file, name):
    table, read = LISTS[file]
    text, line, words = table[name]
    path = folder / file
    path.write_text(text, encoding="utf-8", newline="")
    refusal(read, path, line, words)


@pytest.mark.parametrize(("file", "name"), cases({file: table for file, (table, _) in DOCUMENTS.items()}))
def test_documents(folder, file, name):
    table, read = DOCUMENTS[file]
    place, value, words = table[name]
    path = folder / f"{file}.json"
    path.write_text(json.dumps(bad_documents.document_with(file, place, value)), encoding="ascii")
    refusal(read, path, None, words)


@pytest.mark.parametrize("file", DOCUMENTS)
@pytest.mark.parametrize("name", bad_documents.TEXTS)
def test_what_is_no_document(folder, file, name):
    text, line, words = bad_documents.TEXTS[name]
    path = folder / f"{file}.json"
    path.write_text(text, encoding="latin-1")
    refusal(DOCUMENTS[file][1], path, line, words)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.file)
@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "device"])
def test_what_is_no_file(folder, door, kind):
    """A pipe without a writer and a device without an end are refused at once."""
    path = folder / door.file
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    if door.file == "document.json":
        pytest.skip("a part of a model's file")
    with pytest.raises(TorquecError) as caught:
        door.read(path)
    assert str(path) in caught.value.where
    assert caught.value.remedy


@pytest.mark.parametrize("name", bad_logs.BINARY_LOGS)
def test_logs_that_are_no_text(folder, name):
    file, data, words = bad_logs.BINARY_LOGS[name]
    path = folder / file
    path.write_bytes(data)
    refusal(lambda log: read_log(log, ARM), path, None, words)


def test_the_good_files_are_good(folder):
    """Without a warning that the corpus does not ask for: what is bad in a bad file is what was changed."""
    reads = {"robot.urdf": load, "robot.urdf.xacro": load, "robot.xml": load, "robot.toml": load}
    reads |= {file: read for file, (_, read) in {**TABLES, **LISTS}.items()}
    reads |= {"control.toml": TABLES["specification.toml"][1], "way_points.csv": LISTS["trajectory.csv"][1]}
    for file, text in good.TEXTS.items():
        path = folder / file
        path.write_text(text, encoding="utf-8", newline="")
        reads[file](path)
        path.unlink()
    for name, (_, read) in DOCUMENTS.items():
        read(Path(bad_documents.__file__).parent / "documents" / f"{name}.json")


def test_the_corpus_is_large_enough():
    robots = sum(map(len, ROBOTS.values())) + sum("robot" in place for place, _, _ in bad_documents.MODEL.values())
    others = sum(len(table) for table, _ in (*TABLES.values(), *DOCUMENTS.values())) + len(bad_logs.TRAJECTORIES)
    assert robots >= 150
    assert len(bad_logs.LOGS) + len(bad_logs.BINARY_LOGS) >= 40
    assert others >= 60
