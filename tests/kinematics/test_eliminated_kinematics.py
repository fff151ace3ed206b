"""All solutions of arms without a closed form: the generating position, brute force, residuals, `complete`."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from tests.kinematics.arms import forward, line_arm, misses, turned_apart

from torquec.errors import ArgumentError
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import KinematicsMethod
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.kinematics.refinement import is_met, solve_rows
from torquec.robot import classics
from torquec.robot.load import load

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models" / "kinematic"
FILES = ("fanuc_crx10ia", "xarm6")


@functools.cache
def arm(name):
    """A robot without a closed form and its inverse: a file, a random arm of skew axes, or one with a slide."""
    if name in FILES:
        if not MODELS.is_dir():
            pytest.skip("the shared models are not there")
        robot, frame = load(MODELS / f"{name}.urdf"), None
    else:
        letters, seed = name.split()
        rng = np.random.default_rng(int(seed))
        axes, steps = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
        robot, frame = line_arm(letters, axes, np.cumsum(0.3 * steps, axis=0)), "tool"
    return robot, inverse_kinematics(robot, frame)


ARMS = [*FILES, *(f"RRRRRR {seed}" for seed in range(100, 105)), "RRPRRR 200"]


def positions(ik, count, seed):
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (count, ik.robot.n))
    for joint in ik.arm.joints:
        if joint.slides:
            q[:, joint.index] = rng.uniform(-0.3, 0.3, count)
    return q


def check_generating(name, count, seed):
    """The position that a pose was made from is among the solutions, or these are said to be incomplete."""
    robot, ik = arm(name)
    q = positions(ik, count, seed)
    rotation, position = forward(robot, ik.frame)(q)
    found, met, complete = ik._solutions(rotation, position, np.zeros_like(q))
    near = (turned_apart(robot, found, q[:, None]) < 1e-6) & met
    distance, angle = misses(robot, ik.frame, found, rotation, position)
    assert max(distance[met].max(), angle[met].max()) < 1e-10
    lost = ~near.any(axis=1)
    assert not (lost & complete).any()
    return lost.sum(), complete.mean()


MORE = ("RRRRRR 100", "RRRRRR 103", "RRRRRR 104")  # arms like others of the list


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in MORE else []) for name in ARMS]
)
def test_the_generating_position_is_found(name):
    assert arm(name)[1].method is KinematicsMethod.ELIMINATION
    lost, complete = check_generating(name, 400, 3)  # of the CRX-10iA about 93 of 100 poses are complete
    assert lost == 0  # pose 284 of RRRRRR 102 has two solutions whose hidden joints are 1e-7 rad apart
    assert complete > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_ten_thousand_generating_positions_are_found(name):
    lost, complete = check_generating(name, 10_000, 4)
    assert lost == 0
    assert complete > 0.9


def check_brute_force(name, count, starts, seed):
    """What Newton's method finds from many starts is among the solutions of poses that are said to be complete."""
    robot, ik = arm(name)
    rng = np.random.default_rng(seed)
    q = positions(ik, count, seed)
    rotation, position = forward(robot, ik.frame)(q)
    found, met, complete = ik._solutions(rotation, position, np.zeros_like(q))
    rows = np.repeat(np.arange(count), starts)
    begins = positions(ik, count * starts, rng.integers(1 << 30))
    ends, error = solve_rows(ik._iteration, begins, rotation[rows], position[rows])
    known = 0
    for row, end in zip(rows[is_met(ik._iteration, error)], ends[is_met(ik._iteration, error)], strict=True):
        if complete[row]:
            known += 1
            assert turned_apart(robot, found[row][met[row]], end).min() < 1e-5
    assert known > count


@pytest.mark.parametrize("name", ["xarm6", "RRRRRR 101", "RRPRRR 200"])
def test_brute_force_finds_nothing_else(name):
    check_brute_force(name, 20, 20, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_brute_force_of_a_thousand_poses_finds_nothing_else(name):
    check_brute_force(name, 1000, 40, 6)


def test_all_gives_solutions_their_count_and_the_degree():
    robot, ik = arm("RRRRRR 101")
    q = positions(ik, 1, 8)[0]
    rotation, position = forward(robot, ik.frame)(q)
    found = ik.all(rotation, position)
    assert (found.complete, found.degree, found.names) == (True, 16, ik.names[: len(found.q)])
    assert len(found.q) % 2 == 0
    assert (found.status & BranchStatus.OUT_OF_REACH == 0).all()
    assert np.abs(found.error).max() < 1e-10
    every = ik(rotation, position)
    assert ((every.status & BranchStatus.OUT_OF_REACH) == 0).sum() == len(found.q)
    best = ik.nearest(rotation, position, near=q)
    np.testing.assert_allclose(best.q, q, atol=1e-9)
    with pytest.raises(ArgumentError, match="takes one pose"):
        ik.all(rotation[None], position[None])


def test_out_of_reach_there_is_none_and_the_nearest_is_given():
    _, ik = arm("RRRRRR 100")
    found = ik.all(np.eye(3), [50.0, 0.0, 0.0])
    assert (len(found.q), found.complete) == (0, True)
    best = ik.nearest(np.eye(3), [50.0, 0.0, 0.0])
    assert best.status & BranchStatus.OUT_OF_REACH
    assert best.error[0] > 40.0


def test_next_to_a_singular_configuration_solutions_are_not_said_to_be_all():
    """Where det J is zero two solutions meet: by bisection to where they are 1e-6 rad from each other."""
    robot, ik = arm("RRRRRR 103")
    rng = np.random.default_rng(12)
    pose = forward(robot, ik.frame)

    def determinant(q):
        step = 1e-6
        columns = []
        for k in range(6):
            (R1, p1), (R0, p0) = (pose(q + s * step * np.eye(6)[k]) for s in (1.0, -1.0))
            spin = (R1 - R0) @ pose(q)[0].T
            columns.append([*(p1 - p0), spin[2, 1], spin[0, 2], spin[1, 0]])
        return np.linalg.det(np.array(columns) / (2.0 * step))

    a, b = positions(ik, 2, 13)
    while determinant(a) * determinant(b) > 0.0:
        b = rng.uniform(-np.pi, np.pi, 6)
    for _ in range(50):
        middle = 0.5 * (a + b)
        a, b = (middle, b) if determinant(middle) * determinant(b) < 0.0 else (a, middle)
    assert not ik.all(*pose(a)).complete


def test_closed_forms_have_all_too():
    robot = classics.puma560()
    ik = inverse_kinematics(robot, "link6")
    rotation, position = forward(robot, "link6")(np.array([0.3, -0.5, 0.4, 0.8, -0.7, 0.2]))
    found = ik.all(rotation, position)
    assert (len(found.q), found.complete, found.degree) == (8, True, 8)
