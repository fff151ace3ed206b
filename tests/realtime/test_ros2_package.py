"""The ROS 2 package: what needs no ROS is compiled and run; the rest against stand-ins of its interfaces."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, CXX, build, run

import torquec as tq
from torquec.errors import ArgumentError
from torquec.realtime.ros2_package import write_ros2_package
from torquec.robot.robot import Robot

STAND_INS = Path(__file__).parent / "ros2_stand_ins"
STRICT = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-O1")
pytestmark = pytest.mark.skipif(not COMPILERS or CXX is None, reason="no C and C++ compiler")


def written(folder, robot) -> str:
    package = write_ros2_package(robot, folder, force=True)
    name = package.name
    prefix = name.removesuffix("_torquec")
    build(COMPILERS[0], "-std=c99", "-O1", "-ffp-contract=off", f"-I{folder}/include/{name}", "-c",
          folder / "src" / f"{prefix}.c", "-o", folder / "dynamics.o")  # fmt: skip
    return name


def compiled(folder, name, sources, *words):
    program = folder / "program"
    build(CXX, *STRICT, *words, f"-I{folder}/include", f"-I{folder}/include/{name}", f"-I{STAND_INS}", *sources,
          folder / "dynamics.o", "-lm", "-o", program)  # fmt: skip
    return program


def numbers(line: str) -> np.ndarray:
    return np.array([float(word) for word in line.split()])


def state(robot: Robot):
    k = np.arange(robot.n)
    return 0.3 + 0.1 * k, 0.2 - 0.05 * k, 1.0 - 0.2 * k


@pytest.mark.parametrize(
    ("classic", "humble"),
    [("scara", False), *(pytest.param("puma560", h, marks=pytest.mark.slow) for h in (True, False))],
)
def test_the_controller_gives_the_models_torques_within_limits_and_no_number_that_is_none(tmp_path, classic, humble):
    robot = tq.classics.load_classic(classic)
    name = written(tmp_path, robot)
    sources = [tmp_path / "src" / "effort_controller.cpp", STAND_INS / "controller_run.cpp"]
    program = compiled(tmp_path, name, sources, *(["-DTORQUEC_ROS_HUMBLE"] if humble else []))
    shown = run(program, "1000")
    assert shown.returncode == 0, (shown.returncode, shown.stderr)
    first, held, chained, braking, counts, last = shown.stdout.splitlines()
    assert first == f"effort/{robot.joint_names[0]}/position"
    model = tq.compile(robot)
    q, qd, qdd = state(robot)
    # 20 rad/s, critically damped: computed torque by the model itself.
    np.testing.assert_allclose(numbers(held), model.total_torque(q, qd, -40.0 * qd), rtol=1e-12)
    np.testing.assert_allclose(numbers(chained), model.total_torque(q, qd, qdd), rtol=1e-12)
    np.testing.assert_allclose(numbers(braking), model.total_torque(q, qd, -40.0 * qd), rtol=1e-12)
    cycles_held, stopped, allocations = counts.split()
    assert (cycles_held, stopped, allocations) == ("5", "1", "0")
    assert not numbers(last).any()
    bounded = run(program, "0.5")
    assert bounded.returncode == 0
    assert np.abs(numbers(bounded.stdout.splitlines()[2])).max() == 0.5


@pytest.mark.parametrize("classic", ["scara", pytest.param("puma560", marks=pytest.mark.slow)])
def test_the_plug_in_gives_the_models_quantities(tmp_path, classic):
    robot = tq.classics.load_classic(classic)
    name = written(tmp_path, robot)
    program = compiled(tmp_path, name, [tmp_path / "src" / "dynamics_solver.cpp", STAND_INS / "solver_run.cpp"])
    shown = run(program, str(robot.n))
    assert shown.returncode == 0
    torque, velocity, gravity, friction, inertia, refused = shown.stdout.splitlines()
    model = tq.compile(robot)
    q, qd, qdd = state(robot)
    np.testing.assert_allclose(numbers(torque), model.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    np.testing.assert_allclose(numbers(velocity), model.velocity_torque(q, qd), rtol=1e-11)
    np.testing.assert_allclose(numbers(gravity), model.gravity_torque(q), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(numbers(friction), model.friction_torque(qd), rtol=1e-12)
    np.testing.assert_allclose(numbers(inertia).reshape(robot.n, robot.n), model.mass_matrix(q), rtol=1e-12, atol=1e-15)
    assert f"this model has {robot.n} joints" in refused


def test_the_law_under_a_storm_of_bad_numbers_and_a_planted_limiter(tmp_path):
    """The test that is shipped passes, and fails with a limiter that lets NaN through, as std::clamp does."""
    name = written(tmp_path, tq.classics.scara())
    test = [tmp_path / "test" / "effort_law_test.cpp"]
    shown = run(compiled(tmp_path, name, test))
    assert shown.returncode == 0, shown.stdout
    assert "every torque a number within its limits" in shown.stdout
    law = tmp_path / "include" / name / "effort_law.hpp"
    text = law.read_text()
    open_limiter = text.replace("  if (!std::isfinite(x)) {\n    return 0.0;\n  }\n", "")
    assert open_limiter != text
    law.write_text(open_limiter.replace("if (!all_finite(wanted))", "if (false)"))
    assert run(compiled(tmp_path, name, test)).returncode in (3, 4)


def test_files_are_whole_and_say_what_was_compiled(tmp_path):
    robot = tq.classics.scara()
    package = write_ros2_package(robot, tmp_path, prefix="My-Arm")
    assert package.name == "my_arm_torquec"
    for file in package.files:
        assert "@" not in file.read_text().replace("you@example.com", ""), file
    for file in ("package.xml", "controller_plugins.xml", "solver_plugins.xml"):
        ET.fromstring((tmp_path / file).read_text())
    readme = (tmp_path / "README.md").read_text()
    assert "against stand-ins of the interfaces" in readme
    assert "Neither was\ncompiled against real ROS headers" in readme
    write_ros2_package(robot, tmp_path, prefix="My-Arm")  # its own files may be replaced
    (tmp_path / "package.xml").write_text("<package/>")
    with pytest.raises(ArgumentError, match="was edited since Torquec wrote it"):
        write_ros2_package(robot, tmp_path, prefix="My-Arm")
