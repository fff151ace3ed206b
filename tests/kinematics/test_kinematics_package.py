"""Inverse kinematics as C, called from here: the same branches as in Python, within a fixed number of steps."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, WARNINGS, build, build_selftest, needs_compiler, run
from tests.kinematics.arms import UR10E, forward, line_arm, misses, off_lines, turned_apart
from tests.kinematics.test_iterative_kinematics import HAND, HARD, ODD, numeric

import torquec as tq
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import KinematicsMethod
from torquec.kinematics.kinematics_package import write_kinematics_package

pytestmark = needs_compiler


class IteratedInC:
    """The two entry points of a package with iterations."""

    def __init__(self, ik, directory):
        write_kinematics_package(ik, directory, prefix="arm")
        library = directory / "libarm.so"
        sources = [directory / "arm.c", directory / "arm_iteration.c"]
        build(COMPILERS[0], "-std=c99", *WARNINGS, "-O0", "-fPIC", "-shared", *sources, "-lm", "-o", library)
        self.ik, self.directory = ik, directory
        self.library, self.n, self.branches = ctypes.CDLL(str(library)), ik.robot.n, len(ik.names)

    def every(self, rotation, position, near):
        q, status, error = np.empty((self.branches, self.n)), np.empty(self.branches), np.empty((self.branches, 2))
        return self._call("arm_every_pose", rotation, position, near, q, status, error), q, status, error

    def nearest(self, rotation, position, near):
        q, branch, status, error = np.empty(self.n), np.zeros(1, np.int32), np.empty(1), np.empty(2)
        self._call("arm_nearest_branch", rotation, position, near, q, branch, status, error)
        return q, int(branch[0]), float(status[0]), error

    def _call(self, name, *arrays):
        kept = [np.ascontiguousarray(a, dtype=None if a.dtype == np.int32 else float) for a in arrays[:3]] + list(
            arrays[3:]
        )
        return getattr(self.library, name)(*(a.ctypes.data_as(ctypes.c_void_p) for a in kept))


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    """A UR10e whose lines are off by up to 1e-3, as C."""
    robot = line_arm("RRRRRR", *off_lines(UR10E, 1e-3, np.random.default_rng(3)), hand=HAND)
    return IteratedInC(tq.inverse_kinematics(robot, "tool"), tmp_path_factory.mktemp("ur"))


def test_a_calibrated_arm_has_the_branches_of_python(calibrated):
    arm, ik, robot = calibrated, calibrated.ik, calibrated.ik.robot
    assert ik.method is KinematicsMethod.NEAR
    rng = np.random.default_rng(4)
    near = np.zeros(6)
    different = 0
    turns, places = forward(robot, "tool")(rng.uniform(-np.pi, np.pi, (12, 6)))
    all_ways, all_best = ik(turns, places, near=near), ik.nearest(turns, places, near=near)
    for k, (rotation, position) in enumerate(zip(turns, places, strict=True)):
        count, found, status, _ = arm.every(rotation, position, near)
        met = status < BranchStatus.OUT_OF_REACH
        assert count == met.sum() >= 1
        distance, angle = misses(robot, "tool", found[met][None], rotation[None], position[None])
        assert max(distance.max(), angle.max()) < 1e-10
        same = (all_ways.status[k] & BranchStatus.OUT_OF_REACH) == 0
        different += int((same != met).any())
        both = met & same
        different += int(np.abs(found[both] - all_ways.q[k][both]).max(initial=0.0) > 1e-6)
        one, branch, state, missed = arm.nearest(rotation, position, near)
        assert state < BranchStatus.OUT_OF_REACH
        assert missed.max() < 1e-10
        different += int(branch != all_best.branch[k] or np.abs(one - all_best.q[k]).max() > 1e-6)
    assert different == 0


def test_hard_poses_are_not_lost_in_c(calibrated):
    """Next to singularities, where a search finds what no branch of the nominal arm leads to."""
    robot, most = calibrated.ik.robot, 0
    for q, rotation, position in zip(HARD, *forward(robot, "tool")(HARD), strict=True):
        count, found, status, _ = calibrated.every(rotation, position, np.zeros(6))
        met = status < BranchStatus.OUT_OF_REACH
        assert turned_apart(robot, found[met], q).min() < 1e-5
        most = max(most, count)
    assert most > 8


def test_a_numeric_arm_reaches_what_it_can(tmp_path):
    robot = line_arm("RRRRRR", *ODD)
    ik = numeric(robot, "tool")
    assert ik.method is KinematicsMethod.NUMERIC
    arm = IteratedInC(ik, tmp_path)
    rng = np.random.default_rng(5)
    for q in rng.uniform(-2.0, 2.0, (8, 6)):
        rotation, position = forward(robot, "tool")(q)
        found, _, state, missed = arm.nearest(rotation, position, np.zeros(6))
        assert state < BranchStatus.OUT_OF_REACH
        distance, angle = misses(robot, "tool", found[None, None], rotation[None], position[None])
        assert max(distance.max(), angle.max(), missed.max()) < 1e-10
    far, *_, status, error = arm.every(np.eye(3), np.array([9.0, 0.0, 0.0]), np.zeros(6))
    assert (far, status[0]) == (0, BranchStatus.OUT_OF_REACH | int(status[0]) & 3)
    assert error[0, 0] > 5.0


def test_all_solutions_by_elimination_are_those_of_python(tmp_path):
    robot = line_arm("RRRRRR", *ODD)
    ik = tq.inverse_kinematics(robot, "tool")
    assert ik.method is KinematicsMethod.ELIMINATION
    arm = IteratedInC(ik, tmp_path)
    for q in np.random.default_rng(6).uniform(-3.0, 3.0, (10, 6)):
        rotation, position = forward(robot, "tool")(q)
        count, found, status, _ = arm.every(rotation, position, np.zeros(6))
        ours = ik.all(rotation, position, near=np.zeros(6))
        met = status < BranchStatus.OUT_OF_REACH
        assert count == met.sum() == len(ours.q)
        for one in found[met]:
            assert turned_apart(robot, ours.q, one).min() < 1e-9
        assert turned_apart(robot, found[met], q).min() < 1e-9
    count, _, status, error = arm.every(np.eye(3), np.array([9.0, 0.0, 0.0]), np.zeros(6))
    assert count == 0
    assert (status >= BranchStatus.OUT_OF_REACH).all()
    assert error[0, 0] > 5.0


def test_a_broken_pose_leaves_the_arm_where_it_is(calibrated):
    near = np.array([0.1, -1.0, 1.0, 0.2, 0.3, 0.4])
    for position in ([np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0]):
        q, _, state, _ = calibrated.nearest(np.eye(3), np.array(position), near)
        assert np.isfinite(q).all()
        assert state >= BranchStatus.OUT_OF_REACH


def test_packages_test_themselves(calibrated, tmp_path):
    """Closed: the usual self-test. Iterated: poses that joints reach are met; the header states the bound."""
    write_kinematics_package(tq.inverse_kinematics(tq.classics.puma560(), "link6"), tmp_path, prefix="puma")
    result = run(build_selftest(tmp_path, COMPILERS[0], "puma", "-O0"))
    assert result.returncode == 0, result.stdout
    folder = calibrated.directory
    program = folder / "test"
    sources = [folder / name for name in ("iteration_test.c", "libarm.so")]
    build(COMPILERS[0], "-std=c99", *WARNINGS, "-O0", *sources, "-lm", f"-Wl,-rpath,{folder}", "-o", program)
    result = run(program)
    assert result.returncode == 0, result.stdout
    assert result.stdout.count("branches") == 12
    assert "ARM_LARGEST_STEPS 47088" in (folder / "arm_iteration.h").read_text()
    assert "arm_iteration.c" in (folder / "CMakeLists.txt").read_text()
