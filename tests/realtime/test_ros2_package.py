"""The ROS 2 package: what needs no ROS is compiled and run; the rest against stand-ins of its interfaces."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, CXX, build, run

import torquec as tq
from torquec.control.independent_joint import drive_poles, gains_from_poles
from torquec.errors import ArgumentError, RobotError
from torquec.realtime.ros2_package import write_ros2_package
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import BASE, Body, Joint, JointType, Robot, Spring
from torquec.robot.state_coordinate import start_posture
from torquec.spatial import Inertia
from torquec_check.claim import rounded_up

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"
STAND_INS = Path(__file__).parent / "ros2_stand_ins"
STRICT = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-O1")
pytestmark = pytest.mark.skipif(not COMPILERS or CXX is None, reason="no C and C++ compiler")


def written(folder, robot) -> str:
    package = write_ros2_package(robot, folder, force=True)
    name = package.name
    prefix = name.removesuffix("_torquec")
    for part, made in ((prefix, "dynamics.o"), (f"{prefix}_load", "load.o")):
        build(COMPILERS[0], "-std=c99", "-O1", "-ffp-contract=off", f"-I{folder}/include/{name}", "-c",
              folder / "src" / f"{part}.c", "-o", folder / made)  # fmt: skip
    return name


def compiled(folder, name, sources, *words):
    program = folder / "program"
    build(CXX, *STRICT, *words, f"-I{folder}/include", f"-I{folder}/include/{name}", f"-I{STAND_INS}", *sources,
          folder / "dynamics.o", folder / "load.o", "-lm", "-o", program)  # fmt: skip
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
    resting = model.inverse_dynamics(q, qd, -40.0 * qd) + model.friction_torque(0.0 * qd)
    np.testing.assert_allclose(numbers(held), resting, rtol=1e-12)
    np.testing.assert_allclose(numbers(chained), model.total_torque(q, qd, qdd), rtol=1e-12)
    np.testing.assert_allclose(numbers(braking), resting, rtol=1e-12)
    cycles_held, stopped, allocations = counts.split()
    assert (cycles_held, stopped, allocations) == ("5", "1", "0")
    assert not numbers(last).any()
    bounded = run(program, "0.5")
    assert bounded.returncode == 0
    assert np.abs(numbers(bounded.stdout.splitlines()[2])).max() == 0.5


def test_gains_tool_and_payload_change_while_a_controller_runs(tmp_path):
    """Computed torque, and gravity compensation with PD, against models that carry the same loads."""
    robot = tq.classics.stanford()
    name = written(tmp_path, robot)
    assert f"{name}/GravityController" in (tmp_path / "controller_plugins.xml").read_text()
    sources = [tmp_path / "src" / "effort_controller.cpp", STAND_INS / "parameters_run.cpp"]
    program = compiled(tmp_path, name, sources)
    frame, start = hand_frame(robot), start_posture(robot)
    held = tq.attach_payload(robot, frame, mass=1.5)
    placed = tq.attach_payload(robot, frame, mass=1.5, center=(0.1, -0.05, 0.2))
    tool = tq.attach_payload(placed, frame, mass=0.5, name="tool mass")
    q, qd, _ = state(robot)
    gains = np.array(gains_from_poles(robot, drive_poles(robot, start, 0.001), start).speed)
    for is_gravity in (False, True):
        shown = run(program, str(int(is_gravity)))
        assert shown.returncode == 0, (shown.returncode, shown.stderr)
        rows = [numbers(line) for line in shown.stdout.splitlines()]
        for row, arm, is_new in zip(rows, (robot, held, placed, tool, tool, tool), (0, 0, 0, 0, 1, 1), strict=True):
            model = tq.compile(arm)
            if is_gravity:
                wanted = model.gravity_torque(q) - (30.0 if is_new else gains) * qd
            else:
                wanted = model.inverse_dynamics(q, qd, -(60.0 if is_new else 40.0) * qd)
            wanted = wanted + model.friction_torque(0.0 * qd)
            digits = 1e-3 if is_gravity and not is_new else 1e-11  # default gains are written with four digits
            np.testing.assert_allclose(row, wanted, rtol=digits, atol=1e-11)


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


def managed(folder, name, *, humble=False):
    """The controller under a manager that deactivates it in the cycle of its error."""
    sources = [folder / "src" / "effort_controller.cpp", STAND_INS / "managed_run.cpp"]
    return compiled(folder, name, sources, *(["-DTORQUEC_ROS_HUMBLE"] if humble else []))


def test_the_ramp_to_zero_runs_before_the_manager_hears_of_an_error(tmp_path):
    """100 N m/s at 1 kHz: no torque changes by more than 0.1 N m in a cycle, deactivation included."""
    name = written(tmp_path, tq.classics.puma560())
    program = managed(tmp_path, name)
    for fault in ("state", "command"):
        shown = run(program, fault, "100")
        assert shown.returncode == 0, (fault, shown.returncode, shown.stderr)
        before, steps, cycles = numbers(shown.stdout)
        assert before > 20.0  # joint 2 carries the arm
        assert steps <= 0.1 * (1.0 + 1e-9)
        assert cycles == pytest.approx(before / 0.1, abs=8)
    source = tmp_path / "src" / "effort_controller.cpp"
    text = source.read_text()
    planted = text.replace("status == LawStatus::stopped ?", "status >= LawStatus::stopping ?")
    assert planted != text
    source.write_text(planted)
    assert numbers(run(managed(tmp_path, name), "state", "100").stdout)[1] > 20.0


def test_a_standing_arm_does_not_feel_the_noise_of_its_speed(tmp_path):
    """2 mrad/s: steps below 1 N m; with friction at the measured speed, Coulomb friction turns over again and again."""
    program = managed(tmp_path, written(tmp_path, tq.classics.puma560()), humble=True)
    steps = [numbers(run(program, "noise", speed).stdout)[1] for speed in ("reference", "measured")]
    assert steps[0] < 1.0
    assert steps[1] > 10.0
    assert run(program, "noise", "elsewhere").returncode == 3


def test_springs_are_carried_with_and_without_friction(tmp_path):
    arm = tq.classics.scara()
    joint = dataclasses.replace(arm.bodies[0].joint, spring=Spring(30.0, 0.1))
    robot = dataclasses.replace(arm, bodies=(dataclasses.replace(arm.bodies[0], joint=joint), *arm.bodies[1:]))
    name = written(tmp_path, robot)
    sources = [tmp_path / "src" / "effort_controller.cpp", STAND_INS / "controller_run.cpp"]
    shown = run(compiled(tmp_path, name, sources), "1000")
    model = tq.compile(robot)
    np.testing.assert_allclose(numbers(shown.stdout.splitlines()[2]), model.total_torque(*state(robot)), rtol=1e-12)


AMENT = Path("/usr/share/ament_cmake/cmake")


@pytest.mark.skipif(not AMENT.is_dir() or shutil.which("cmake") is None, reason="no ament_cmake")
@pytest.mark.parametrize("exports", ["targets", "variables"])
def test_the_package_is_configured_and_built_with_the_macros_of_ament(tmp_path, exports):
    """Real ament_cmake, stand-ins of the packages; one release exports targets, another one variables."""
    package = tmp_path / "package"
    name = write_ros2_package(tq.classics.scara(), package).name
    stand_in_packages(tmp_path / "ros", targets=exports == "targets")
    build_folder, installed = tmp_path / "build", tmp_path / "installed"
    configure = ["cmake", "-S", package, "-B", build_folder, f"-DCMAKE_PREFIX_PATH={tmp_path / 'ros'}",
                 f"-DCMAKE_INSTALL_PREFIX={installed}", "-DPython3_EXECUTABLE=/usr/bin/python3"]  # fmt: skip
    for words in (configure, ["cmake", "--build", build_folder], ["ctest", "--test-dir", build_folder],
                  ["cmake", "--install", build_folder]):  # fmt: skip
        shown = run(*words)
        assert shown.returncode == 0, shown.stdout + shown.stderr
    for kind in ("controller", "solver"):
        assert (installed / "lib" / f"lib{name}_{kind}.so").exists()
    assert (installed / "share" / name / "package.xml").exists()
    assert (installed / "share" / name / "controller_plugins.xml").exists()


def stand_in_packages(folder: Path, *, targets: bool) -> None:
    """CMake packages of the names that ours asks for, each with the stand-ins' headers."""
    headers = {"Eigen3": STAND_INS / "eigen3"}
    names = ("controller_interface", "hardware_interface", "pluginlib", "rcl_interfaces", "rclcpp", "rclcpp_lifecycle",
             "inverse_dynamics_solver")  # fmt: skip
    for name in (*names, "Eigen3"):
        place = folder / "share" / name / "cmake"
        place.mkdir(parents=True)
        target = f"{name}::{'Eigen' if name == 'Eigen3' else name}"
        include = headers.get(name, STAND_INS)
        lines = [
            f"add_library({target} INTERFACE IMPORTED)",
            f'set_target_properties({target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "{include}")',
        ]
        exported = f"set({name}_TARGETS {target})" if targets else f'set({name}_INCLUDE_DIRS "{include}")'
        text = "\n".join([*(lines if targets or name == "Eigen3" else []), exported, ""])
        if name == "pluginlib":
            text += PLUGINLIB
        (place / f"{name}Config.cmake").write_text(text)


PLUGINLIB = """
macro(pluginlib_export_plugin_description_file base file)
  install(FILES ${file} DESTINATION share/${PROJECT_NAME})
endmacro()
"""
"""The macro of pluginlib that registers a description, as far as the file is concerned."""


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


def test_a_robot_on_a_free_base_is_refused(tmp_path):
    base = Body("trunk", BASE, Joint("base", JointType.FREE), Inertia(xx=0.1, yy=0.2, zz=0.25, m=2.0))
    with pytest.raises(RobotError, match="joint 'base' \\(free\\) is not a single number"):
        write_ros2_package(Robot("drone", (base,)), tmp_path)


def test_a_simplified_model_and_a_payload_are_stated(tmp_path):
    small = tq.simplify(tq.classics.planar2r(), SPECIFICATIONS / "planar2r.toml")
    package = write_ros2_package(small, tmp_path / "small")
    assert package.name == "planar2r_simplified_torquec"
    bound = f"torque error of joint1: at most {rounded_up(small.record.joints['joint1'].bound, 6)} N m"
    for path in ("README.md", "include/planar2r_simplified_torquec/planar2r_simplified.h"):
        text = (tmp_path / "small" / path).read_text()
        assert "SIMPLIFIED: this is not the exact dynamics of planar2r" in text
        assert bound in text
    assert "planar2r (simplified, see README.md)" in (tmp_path / "small" / "package.xml").read_text()
    held = tq.attach_payload(tq.classics.planar2r(), "link2", mass=0.5)
    write_ros2_package(held, tmp_path / "held")
    for path in ("README.md", "include/planar2r_torquec/planar2r.h"):
        assert "0.5 kg at (0.0, 0.0, 0.0) m of frame 'link2'" in (tmp_path / "held" / path).read_text()
    write_ros2_package(tq.abbreviated_model(tq.classics.planar2r()), tmp_path / "short")
    assert "SIMPLIFIED, NOT CERTIFIED" in (tmp_path / "short" / "README.md").read_text()
    write_ros2_package(tq.classics.puma560(), tmp_path / "plain")
    assert "gravity (0.0, 0.0, -9.81) m/s^2" in (tmp_path / "plain" / "README.md").read_text()
