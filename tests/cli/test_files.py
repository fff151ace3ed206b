"""What a command reads and writes is checked before the work: logs, places, endings, extras."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from torquec.cli import files
from torquec.cli.app import COMMANDS, app
from torquec.cli.files import Writes, check_sources, check_target, named_path, need_extra
from torquec.cli.options import command_line_notes
from torquec.errors import ArgumentError, MissingExtraError


def test_what_is_there_already_takes_force(tmp_path):
    file = tmp_path / "out.json"
    check_target(file, Writes.FILE, force=False)
    file.write_text('{"format": "torquec model"}')
    with pytest.raises(ArgumentError, match="exists already"):
        check_target(file, Writes.FILE, force=False)
    check_target(file, Writes.FILE, force=True)
    with pytest.raises(ArgumentError, match="not empty"):
        check_target(tmp_path, Writes.FOLDER, force=False)
    check_target(tmp_path, Writes.FOLDER, force=True)
    check_target(tmp_path, Writes.PACKAGE, force=False)


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path):
    with pytest.raises(ArgumentError, match="this is a folder"):
        check_target(tmp_path, Writes.FILE, force=True)
    (tmp_path / "out").write_text("")
    for kind in (Writes.FOLDER, Writes.PACKAGE):
        with pytest.raises(ArgumentError, match="this is a file"):
            check_target(tmp_path / "out", kind, force=True)


def test_pictures_have_an_ending_that_names_their_format(tmp_path):
    check_target(tmp_path / "a.svg", Writes.PICTURE, force=False)
    with pytest.raises(ArgumentError, match=r"'\.jpeg' is not that of a picture"):
        check_target(tmp_path / "a.jpeg", Writes.PICTURE, force=False)


@pytest.mark.parametrize(
    ("name", "endings", "meant"),
    [
        ("out.htm", (".html",), "did you mean out.html?"),
        ("model.xyz", (".csv",), "did you mean model.csv?"),
        ("out.htm", (".txt", ".tex", ".html"), "did you mean out.html?"),
        ("model.xyz", (".txt", ".tex"), "use .txt, .tex"),
    ],
)
def test_an_unknown_ending_is_refused_with_the_one_that_is_meant(name, endings, meant):
    with pytest.raises(ArgumentError, match="is not that of the format") as caught:
        check_target(Path(name), Writes.FILE, force=False, endings=endings)
    assert caught.value.remedy == meant
    check_target(Path("model"), Writes.FILE, force=False, endings=endings)
    check_target(Path(f"model{endings[0].upper()}"), Writes.FILE, force=False, endings=endings)


@pytest.mark.parametrize("kind", [Writes.FOLDER, Writes.PACKAGE, Writes.PICTURES])
def test_the_name_of_a_file_is_none_of_a_folder(kind, tmp_path):
    with pytest.raises(ArgumentError, match="this is the name of a file") as caught:
        check_target(tmp_path / "out.html", kind, force=True)
    assert caught.value.remedy == f"did you mean {tmp_path / 'out'}?"
    check_target(tmp_path / "out-1.2", kind, force=True)
    (tmp_path / "mine.html").mkdir()
    check_target(tmp_path / "mine.html", kind, force=True)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("view", "planar2r", "-o", "out.htm"), "did you mean out.html?"),
        (("equations", "planar2r", "-o", "out.htm"), "did you mean out.html?"),
        (("params", "planar2r", "-o", "out.json"), "use .txt, .tex"),
        (("generate", "planar2r", "-o", "arm.c"), "did you mean arm?"),
        (("design", "planar2r", "-o", "law.json"), "did you mean law?"),
        (("simulate", "planar2r", "--to", "0.1,0.1", "--csv", "run.npz"), "did you mean run.csv?"),
        (("identify", "planar2r", "simulated", "--urdf", "found.xacro"), "did you mean found.urdf?"),
        (("identify", "planar2r", "simulated", "--mjcf", "found.mjcf"), "did you mean found.xml?"),
        (("new", "planar2r", "-o", "arm.tom"), "did you mean arm.toml?"),
        (("drives", "ur5.urdf", "-o", "ur5.drives"), "did you mean ur5.drives.toml?"),
        (("demo", "-o", "report.html"), "did you mean report?"),
    ],
)
def test_commands_refuse_endings_before_the_work(torquec, tmp_path, monkeypatch, words, meant):
    monkeypatch.chdir(tmp_path)
    outcome = torquec(*words)
    assert outcome.status == 2
    assert meant in outcome.err
    assert not list(tmp_path.iterdir())
    if words[0] == "equations":
        assert torquec(*words, "--format", "html").status == 0  # the format is stated


def test_an_extra_that_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "_PACKAGES", {"plot": ("no_such_package",)})
    check_target(tmp_path / "a.svg", Writes.PICTURE, force=False)
    with pytest.raises(MissingExtraError, match="plot"):
        need_extra("plot", "drawing")
    with pytest.raises(MissingExtraError, match="plot"):
        check_target(tmp_path / "a.png", Writes.PICTURE, force=False)


def targets():
    """Every option of every command that names something to be written."""
    for command in COMMANDS:
        for name, note in command_line_notes(command.options).items():
            if note.writes is not None:
                yield pytest.param(command, name, note.writes, id=f"{command.name}-{name}")


def invoked(command, name, target, *more):
    """The command with an option that it cannot obey: refused before the robot, which does not exist, is read."""
    needed = {
        "identify": ["log.csv"],
        "check-log": ["log.csv"],
        "compare": ["other.urdf"],
        "simplify": ["--spec", "x.toml"],
        "demo": [],
        "excite": [],
        "report": ["results"],
    }
    robot = [] if command.without_model else ["missing.urdf"]
    others = ["-o", "x"] if command.name == "simplify" and name != "output" else []
    words = [command.name, *robot, *needed.get(command.name, []), *others, f"--{name}", str(target), *more]
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize(("command", "name", "kind"), list(targets()))
def test_every_command_refuses_before_the_work_what_it_cannot_write(command, name, kind, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    option = {"errors": "plot"}.get(name, name) if command.name == "simulate" else name
    run = invoked(command, option, "")
    assert (run.exit_code, "is empty" in run.stderr) == (2, True), run.stderr
    (tmp_path / "taken.png").write_text("mine")
    run = invoked(command, option, tmp_path / "taken.png" / "out.png", "--force")
    assert run.exit_code == 2
    assert "missing.urdf" not in run.stderr
    assert "taken.png" in run.stderr
    if kind in (Writes.FILE, Writes.PICTURE, Writes.PAGE):
        run = invoked(command, option, tmp_path / "taken.png")
        assert "exists already" in run.stderr
    elif kind is not Writes.PACKAGE:
        run = invoked(command, option, tmp_path)
        assert "not empty" in run.stderr
    assert (tmp_path / "taken.png").read_text() == "mine"


def test_the_working_folder_is_named_by_a_dot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert named_path(".") == Path()
    run = CliRunner().invoke(app, ["generate", "planar2r", "-o", ".", "--quantity", "gravity_torque"])
    assert run.exit_code == 0
    assert (tmp_path / "planar2r.c").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything may be written here")
def test_a_folder_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    try:
        for kind, name in ((Writes.FILE, "a.txt"), (Writes.FOLDER, "a"), (Writes.PACKAGE, "a/b")):
            with pytest.raises(ArgumentError, match="may not be written"):
                check_target(tmp_path / name, kind, force=True)
    finally:
        tmp_path.chmod(0o700)


WRITING = {
    "generate": ("generate", "{robot}", "--quantity", "mass_matrix", "-o", "{out}"),
    "generate numpy": ("generate", "{robot}", "--quantity", "mass_matrix", "--target", "numpy", "-o", "{out}"),
    "generate wasm": ("generate", "{robot}", "--quantity", "mass_matrix", "--target", "wasm", "-o", "{out}"),
    "generate object": ("generate", "{robot}", "--quantity", "mass_matrix", "--target", "object", "-o", "{out}"),
    "generate rt-c": ("generate", "{robot}", "--target", "rt-c", "-o", "{out}"),
    "generate ros2": ("generate", "{robot}", "--target", "ros2", "-o", "{out}"),
    "linearize": ("linearize", "{robot}", "--q", "0,0", "-o", "{out}"),
    "design": ("design", "{robot}", "-o", "{out}"),
    "simulate": ("simulate", "{robot}", "--to", "0.2,0.1", "--duration", "0.2", "-o", "{out}"),
    "compare": ("compare", "{robot}", "{robot}", "--to", "0.2,0.1", "--duration", "0.2", "-o", "{out}"),
    "simplify": ("simplify", "{robot}", "--spec", "{spec}", "--no-check", "--minutes", "0.0001", "-o", "{out}"),
}
"""Commands that write a folder."""

SPECIFICATION = "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\ntorque_error = 4.0\n"


def written(torquec, tmp_path, command, name, out):
    """The files after a command on an arm whose every name is `name`, and a number where there are more."""
    text = resources.files("torquec.robot.classics").joinpath("planar2r.toml").read_text(encoding="utf-8")
    names = iter([name, *(f"{name}{k}" for k in range(9))])
    text = re.sub(r'^name = ".*"$', lambda _: f"name = {json.dumps(next(names))}", text, flags=re.MULTILINE)
    joints = re.findall(r'^name = (".*")$', text, flags=re.MULTILINE)
    text = text.replace('joint = "joint2"', f"joint = {joints[3]}")
    place = tmp_path / "a" / "b" / "c"
    place.mkdir(parents=True)
    (place / "arm.toml").write_text(text)
    (place / "spec.toml").write_text(SPECIFICATION)
    words = {"robot": place / "arm.toml", "spec": place / "spec.toml", "out": place / out}
    outcome = torquec(*(word.format(**words) for word in WRITING[command]))
    assert outcome.status == 0, outcome.err
    found = {path.relative_to(place / out) for path in (place / out).rglob("*") if path.is_file()}
    everywhere = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert everywhere == {place / "arm.toml", place / "spec.toml", *(place / out / path for path in found)}
    return found


@pytest.mark.parametrize("command", WRITING)
def test_the_names_of_a_robot_never_lead_out_of_the_folder(torquec, tmp_path, command):
    assert written(torquec, tmp_path, command, "../../up", "out")


def test_an_absolute_name_does_not_either(torquec, tmp_path):
    evil = str(tmp_path / "evil")
    assert written(torquec, tmp_path, "simplify", evil, "out")
    assert not list(tmp_path.glob("evil*"))


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are Unicode there")
@pytest.mark.parametrize("command", ["generate", "design", "simplify"])
def test_folders_whose_names_are_no_utf_8(torquec, tmp_path, command):
    found = written(torquec, tmp_path, command, "arm", os.fsdecode(b"o\xff"))
    for path in found:
        place = tmp_path / "a" / "b" / "c" / os.fsdecode(b"o\xff") / path
        if path.suffix in (".html", ".json", ".c"):
            place.read_bytes().decode("utf-8")


def test_a_log_that_is_not_there_comes_before_extras(torquec, tmp_path, monkeypatch):
    (tmp_path / "log.csv").write_text("t\n")
    for package in ("scipy", "clarabel"):
        for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
            monkeypatch.setitem(sys.modules, name, None)
    for words in (
        ("identify", "planar2r", tmp_path / "lug.csv"),
        ("identify", "planar2r", tmp_path / "log.csv", "--validate", tmp_path / "lug.csv"),
        ("check-log", "planar2r", tmp_path / "lug.csv"),
    ):
        outcome = torquec(*words)
        assert outcome.status == 2
        assert "lug.csv: there is no such file" in outcome.err
        assert "did you mean 'log.csv'?" in outcome.err


def test_a_simulated_log_and_a_folder_of_a_bag_are_there(tmp_path):
    check_sources([Path("simulated"), tmp_path])
    with pytest.raises(ArgumentError, match="no such file"):
        check_sources([tmp_path / "simulated"])
