"""Every kind of model in every command and in Python: each cell works, or is refused with a stated reason.

Rows are kinds, columns are commands. The table `REFUSED` is the whole list of what is not offered; a cell that begins
to work, or ceases to, changes it on purpose.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.model.kinds import ROBOTS, model_of, motions_of

import torquec as tq
from torquec.model.model_parameters import ModelKind
from torquec.trajectory import minimum_jerk, write_trajectory

PROGRAMS = tuple(kind for kind in ModelKind if kind.follows_program)
COMMANDS = (
    "info", "eval", "equations", "params", "linearize", "design", "simulate", "generate", "compare", "bench",
)  # fmt: skip
REFUSED = {("params", kind): "combines the parameters of a robot's bodies" for kind in PROGRAMS}
"""Reasons by command and kind."""
COUPLED = {
    ("panda", "equations", kind): "has joints that follow others"
    for kind in (ModelKind.BASE_PARAMETERS, ModelKind.CERTIFIED_TORQUE)
}
"""The same for one robot: with its fingers coupled, the torques of a program are no polynomials to write down."""
LAW = ("--poles", "-6+6j", "--rate", "500")


@cache
def motion_of(name, kind):
    """From inside the model's box, slowly, to another point of it."""
    robot = model_of(name, kind).robot
    box = motions_of(robot)
    lower, upper = np.array(box.lower), np.array(box.upper)
    start, goal = lower + 0.4 * (upper - lower), lower + 0.6 * (upper - lower)
    return minimum_jerk(start, goal, 2.0, joints=robot.joint_names, period=0.002)


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """The file of a model, and that of its motion, each made once."""
    folder = tmp_path_factory.mktemp("kinds")

    @cache
    def files(name, kind):
        stem = f"{name}_{kind.name.lower()}"
        tq.save(model_of(name, kind), folder / f"{stem}.tq.json")
        motion = write_trajectory(motion_of(name, kind), folder / f"{stem}.csv")
        return folder / f"{stem}.tq.json", motion, folder / stem

    return files


def words(command, files):
    """What is typed for a command on a model."""
    model, motion, out = files
    trajectory = ("--trajectory", motion, "--no-limits")
    more = {
        "design": (*LAW, "-o", f"{out}_law"),
        "simulate": (*LAW, *trajectory),
        "generate": ("-o", f"{out}_c"),
        "compare": (model, *trajectory, "--poles", "-6+6j", "--rounds", "1"),
        "bench": ("--rounds", "1"),
    }
    return command, model, *more.get(command, ()), "--json"


def check_cell(torquec, files, command, kind, name=""):
    outcome = torquec(*words(command, files))
    reason = REFUSED.get((command, kind)) or COUPLED.get((name, command, kind))
    if reason is None:
        assert outcome.status == 0, outcome.err
        assert outcome.document
    else:
        assert (outcome.status, outcome.out) == (2, "")
        assert reason in outcome.err
        assert "remedy" in outcome.err
    return outcome


@pytest.mark.parametrize("kind", ModelKind, ids=lambda kind: kind.value.replace(" ", "-"))
@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_for_the_scara(torquec, saved, command, kind):
    outcome = check_cell(torquec, saved("scara", kind), command, kind)
    if command == "info":
        assert outcome.document["kind"] == kind.value
        assert bool(outcome.document["claim"]) is (kind is ModelKind.CERTIFIED_TORQUE)
    if command == "compare":
        assert max(outcome.document["tracking"]["b"]["rmse"].values()) < 1e-3
    if command == "eval" and kind is not ModelKind.EXACT:
        assert outcome.document["proven"]["tau"]["standing"] in ("exact", "bounded", "unproven")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ModelKind, ids=lambda kind: kind.value.replace(" ", "-"))
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "scara"])
def test_the_table_for_larger_robots(torquec, saved, name, command, kind):
    check_cell(torquec, saved(name, kind), command, kind, name)


@pytest.mark.parametrize("kind", ModelKind, ids=lambda kind: kind.value.replace(" ", "-"))
def test_the_table_in_python(kind, tmp_path):
    """The same entries as functions, on the model itself."""
    model, motion = model_of("scara", kind), motion_of("scara", kind)
    point = (motion.q[500], motion.qd[500], motion.qdd[500])
    tq.save(model, tmp_path / "model.tq.json")
    assert tq.load_model(tmp_path / "model.tq.json").total_torque(*point) == pytest.approx(
        model.total_torque(*point), rel=1e-12
    )
    assert pytest.approx(np.asarray(model.mass_matrix(point[0])), rel=1e-9, abs=1e-12) == tq.linearize(model, *point).M
    law = tq.computed_torque(model, -6 + 6j, period=0.002)
    assert tq.simulate(tq.Plant(model, friction="stick"), law, motion).rmse_values.max() < 1e-3
    assert tq.generate(model, tmp_path / "c").files
    found = tq.compare(model, model, motion, poles=-6 + 6j, rounds=1)
    assert all(row.max == 0.0 for row in found.differences.values())


@pytest.mark.parametrize("kind", PROGRAMS, ids=lambda kind: kind.value.replace(" ", "-"))
def test_a_program_has_no_bodies_to_change(torquec, saved, kind):
    file, _, _ = saved("scara", kind)
    for option in (("--payload", "link4:1"), ("--lock", "joint1=0")):
        refused = torquec("eval", file, *option)
        assert refused.status == 2
        assert kind.value in refused.err
        assert "remedy" in refused.err
