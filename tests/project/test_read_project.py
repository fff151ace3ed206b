"""Project files: what they say, and every mistake of a file told at once with its line."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import pytest
from tests.cli.conftest import ARM
from tests.project.bad_projects import BAD_PROJECTS

from torquec.errors import ArgumentError, UnitWarning
from torquec.project.read_project import parse_project, read_project

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "projects"

WHOLE = """\
robot = "arm.urdf"
seed = 7
gravity = [0.0, 0.0, -9.8]

[[payload]]
frame = "lower"
mass = 0.5

[identify]
logs = ["simulated"]
method = "ordinary"
cutoff = 10

[specification.every_joint]
velocity = 1.0
acceleration = 2.0
torque_error_part = 0.02

[simplify]
minutes = 2

[design]
poles = "-5,-6/-7"
rate = 250

[motion]
from_deg = [0, 0]
to_deg = [30, -10]
duration = 3

[[experiment]]
name = "with a load"
payload = { frame = "lower", mass = 0.2, center = [0, 0, 1] }
runs = 5

[realtime]
order = "zeroth"

[generate]
targets = ["c", "rt-c"]
update = ["load"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    return tmp_path


def refused(folder: Path, text: str) -> str:
    with pytest.raises(ArgumentError) as caught:
        parse_project(text, folder / "arm.toml")
    return str(caught.value)


def test_every_part_is_read(folder):
    project = parse_project(WHOLE, folder / "arm.toml")
    assert project.name == "arm"
    assert project.robot.gravity == (0.0, 0.0, -9.8)
    assert project.robot.mass == pytest.approx(2.5)
    assert project.identify.options.cutoff == 10.0
    assert project.specification.joints[0].torque_error == pytest.approx(0.02 * 50)
    assert project.simplify.seconds == 120.0
    assert project.design.period == 0.004
    assert project.design.kind == "computed-torque"
    assert project.motion.to == pytest.approx((math.radians(30), math.radians(-10)))
    (experiment,) = project.experiments
    assert experiment.payload[0].center == (0.0, 0.0, 1.0)
    assert experiment.runs == 5
    assert project.generate.update == ("load",)
    assert project.files == {"arm.urdf": folder / "arm.urdf"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_examples_are_projects(path):
    assert read_project(path).robot.n > 0


def test_all_mistakes_are_listed_with_their_lines(folder):
    text = """\
robot = "arm.urdf"
sede = 1

[specification.every_joint]
velocity = -1.0
acceleration = "fast"

[simplify]
seconds = 0

[design]
controller = "magic"
poles = "-5,-6,-7"
rat = 500

[motion]
to = [0.1]

[[experiment]]
name = "one"

[[experiment]]
runs = 1.5
frction = "stick"

[generate]
targets = ["fortran"]
"""
    said = refused(folder, text)
    found = {line.split(":")[1] for line in said.splitlines() if "arm.toml:" in line and line.split(":")[1].isdigit()}
    assert found == {"2", "5", "6", "9", "12", "13", "14", "17", "22", "23", "24", "27"}, said
    assert "12 mistakes" in said
    for words in (
        "unknown key 'sede'",
        "'velocity' is -1",
        "'design.controller' is 'magic'",
        "an experiment has no name",
    ):
        assert words in said, words


@pytest.mark.parametrize("kind", BAD_PROJECTS)
def test_every_mistake_of_a_kind_is_told_at_its_line_with_a_remedy(folder, kind):
    text = BAD_PROJECTS[kind]
    said = refused(folder, text)
    expected = {k for k, line in enumerate(text.splitlines(), 1) if line.endswith("# X")}
    found = [int(line) for line in re.findall(r"^.*arm\.toml:(\d+): ", said, re.MULTILINE)]
    assert set(found) == expected, said
    assert f": {len(found)} mistakes" in said
    assert said.count("remedy: ") == len(found) + 1  # and one for all of them
    assert "--" not in said  # keys of the file, not options of the command line


def test_of_several_wrong_words_all_are_named(folder):
    said = refused(folder, 'robot = "arm.urdf"\n[generate]\ntargets = ["c", "cobol", "ada"]\n')
    assert "'cobol', 'ada' are no targets" in said
    said = refused(folder, 'robot = "arm.urdf"\n[identify]\nlogs = ["a.csv", "simulated", "b.csv"]\n')
    assert "there are no files 'a.csv', 'b.csv'" in said


def test_what_is_missing_because_it_was_wrong_is_no_second_mistake(folder):
    said = refused(folder, 'robot = "nobody.urdf"\n[lock]\nelbow = 0\nshoulder = 0\n')
    assert said.count("remedy") == 1
    assert "neither a file beside the project nor a built-in robot" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("robot = ", "not TOML"),
        ("robot = ", "other errors are reported once the file can be parsed"),
        ('robot = "planar2r"\n[design]\n[design]', "arm.toml:3"),
        ('robot = "planar2r"\n[design]\nrate = 0.001', "for a period of 0.001 s write rate = 1000"),
        ('robot = "planar2r"\n[design]\ncontroller = "lqr"\nweights = "a"\n[motion]\nto = [1, 1]', "arm.toml:4"),
        ("", "'robot' is missing"),
        ('robot = "planar2r"\n[lock]\njoint1 = 0\njoint2 = 0', "no joint is left to move"),
        ('robot = "planar2r"\n[lock]\njoint9 = 0', "arm.toml:3"),
        ('robot = "planar2r"\n[identify]\nlogs = ["none.csv"]', "there is no file 'none.csv'"),
        ('robot = "planar2r"\n[identify]\nlogs = []', "there are no logs"),
        ('robot = "planar2r"\n[motion]\nto = [1, 1]', "no controller"),
        ('robot = "planar2r"\n[design]\n[motion]\nduration = 1', "'duration' without 'to'"),
        ('robot = "planar2r"\n[design]\n[motion]\ntrajectory = "standard"', "not for 'planar2r'"),
        ('robot = "planar2r"\n[design]\n[[experiment]]\nname = "x"', "the experiment has no motion"),
        ('robot = "planar2r"\n[design]\n[[experiment]]\nname = "../x"\nto = [1, 1]', "names a folder"),
        ('robot = "planar2r"\n[simplify]\nseconds = 1', "add [specification]"),
        ('robot = "planar2r"\n[design]\ncontroller = "lqr"', "add [motion]"),
        ('robot = "planar2r"\n[generate]\nupdate = ["load"]', "is for the target rt-c"),
        ('robot = "planar2r"\nsnap = "yes"', "write true or false"),
        ('robot = "planar2r"\n[specification]\nfile = "none.toml"', "there is no file 'none.toml'"),
        ('robot = "planar2r"\n[[payload]]\nframe = "hand"\nmass = 1', "arm.toml:3"),
    ],
)
def test_misuse(folder, text, words):
    assert words in refused(folder, text)


def test_a_motion_beyond_the_limits_is_told_before_the_work(folder):
    said = refused(folder, 'robot = "arm.urdf"\n[design]\n[motion]\nto = [1.9, 1.9]\nduration = 0.1\n')
    assert "arm.toml:3" in said
    assert "shoulder" in said


NESTED = """\
robot = "arm.urdf"

[[payload]]
frame = "hand"
mas = 1.0

[[payload]]
frme = "lower"
mass = "heavy"

[design]
evaluation = "sometimes"
option = ["nix=1"]

[[experiment]]
name = "loaded"
payload = { frame = "nowhere", mas = 0.2 }

[realtime]
ordr = "first"

[identify]
log = ["a.csv"]
"""


def listed(said: str) -> list[str]:
    """The mistakes of a message, without the name of the file."""
    return [line.removeprefix("arm.toml:") for line in said.splitlines() if re.match(r"arm\.toml:\d", line)]


def test_mistakes_in_tables_inside_tables_are_found_in_one_round(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(ArgumentError) as caught:
        read_project_text(NESTED)
    assert listed(str(caught.value)) == [
        "3: 'payload[0].mass' is missing",
        "4: robot 'arm' has no frame 'hand'",
        "5: unknown key 'payload[0].mas'",
        "7: 'payload[1].frame' is missing",
        "8: unknown key 'payload[1].frme'",
        "9: 'payload[1].mass' is 'heavy'",
        "12: 'design.evaluation' is 'sometimes'",
        "13: 'nix=1' names no option of a law",
        "17: 'experiment[0].payload.mass' is missing",
        "17: unknown key 'experiment[0].payload.mas'",
        "17: robot 'arm' has no frame 'nowhere'",
        "19: [realtime] needs to know what the model must achieve",
        "20: unknown key 'realtime.ordr'",
        "22: 'identify.logs' is missing",
        "23: unknown key 'identify.log'",
    ]


def test_without_its_robot_a_file_is_told_what_no_robot_would_mend(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(ArgumentError) as caught:
        read_project_text(NESTED.replace("arm.urdf", "nobody.urdf") + '[lock]\nelbow = "a"\nshoulder = 0\n')
    said = listed(str(caught.value))
    assert said[0].startswith("1: 'nobody.urdf' is neither a file")
    assert "5: unknown key 'payload[0].mas'" in said
    assert "25: 'lock.elbow' is 'a'" in said
    assert not any("frame 'hand'" in line or "shoulder" in line for line in said)


def read_project_text(text: str) -> None:
    parse_project(text, Path("arm.toml"))


def test_keys_that_could_stand_there_are_all_named(folder):
    said = refused(folder, 'robot = "arm.urdf"\n[design]\n[motion]\nto = [0, 0]\nduraton = 1\n')
    assert "the keys known here are: duration, from, from_deg, to, to_deg, trajectory" in said


FREE = ARM.replace('type="revolute"', 'type="continuous"').replace('velocity="1"', 'velocity="1000"')
"""The arm without limits of motion: nothing else stops what is wrong."""
DEGREES = 'robot = "free.urdf"\n{more}\n[design]\n[motion]\n{motion}\n'


@pytest.mark.parametrize(
    ("more", "motion", "said"),
    [
        ("", "to = [90, 0]", r"arm\.toml:5: 'to' is 90 rad: radians are meant.*write to_deg"),
        ("", 'trajectory = "deg.csv"', r"arm\.toml:5: the position of joint 'shoulder' is 60 rad.*into the file"),
        ("[lock]\nelbow = 90", "to = [1]", r"arm\.toml:3: the position of joint 'elbow' is 90 rad"),
    ],
)
def test_angles_in_degrees_are_told_with_the_remedy(folder, more, motion, said):
    (folder / "free.urdf").write_text(FREE)
    (folder / "deg.csv").write_text("t,shoulder,elbow\n0,0,0\n1,30,-20\n2,60,-45\n")
    text = DEGREES.format(more=more, motion=motion)
    with pytest.warns(UnitWarning, match=said):
        parse_project(text, folder / "arm.toml")
    strict = refused(folder, "strict = true\n" + text)
    assert "leave out strict" in strict
    assert "radians are meant" in strict


def test_angles_in_degrees_say_nothing_where_they_are_meant(folder):
    (folder / "free.urdf").write_text(FREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        parse_project(DEGREES.format(more="", motion="to_deg = [90, 0]"), folder / "arm.toml")
