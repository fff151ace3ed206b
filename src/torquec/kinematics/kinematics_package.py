"""Inverse kinematics as a C package: every branch, the nearest one, and joint speeds and accelerations.

A closed form is straight-line code throughout. An iteration (`near`, `numeric`) has straight-line parts: a start, a
step, and the status and error at the end; `<prefix>_iteration.c` has the bounded loops around them.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from torquec.codegen.c.names import package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.identifiers import prefix_identifier
from torquec.dynamics.frame_pose import frame_pose
from torquec.foundation.arrays import Array
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_package
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import InverseKinematics
from torquec.kinematics.eliminated_kinematics import EliminatedKinematics
from torquec.kinematics.iteration_text import IterationShape, iteration_header, iteration_source, iteration_test
from torquec.kinematics.iterative_kinematics import NUMERIC_STARTS, IterativeKinematics
from torquec.kinematics.tuning import TUNING

_CMAKE_LIBRARY = "add_library({prefix} {prefix}.c)"
_CMAKE_ITERATED = "add_library({prefix} {prefix}.c {prefix}_iteration.c)"
_CMAKE_TEST = """
add_executable({prefix}_iteration_test iteration_test.c)
target_link_libraries({prefix}_iteration_test {prefix})
add_test(NAME {prefix}_iteration_test COMMAND {prefix}_iteration_test)
"""


def write_kinematics_package(
    ik: InverseKinematics, directory: str | os.PathLike[str], *, prefix: str | None = None, force: bool = False
) -> list[Path]:
    """Write the C package of an inverse into `directory`; returns the paths.

    Names begin with `prefix`, else with the robot's name and `_ik`. Raises `ArgumentError` where files are in the
    way or the directory cannot be written.
    """
    word = f"{ik.robot.name}_ik" if prefix is None else prefix
    branches = "; ".join(f"{k} {name}" for k, name in enumerate(ik.names))
    description = (
        f"Inverse kinematics of the frame '{ik.frame}' of robot '{ik.robot.name}', {ik.method.value}.\n"
        f"Joints: {', '.join(ik.robot.joint_names)}. Branches: {branches}."
    )
    if not isinstance(ik, IterativeKinematics):
        functions = [ik.function, ik.nearest_function, ik.rates_function]
        contents = c_package(functions, prefix=word, description=description)
        return write_package(to_path(directory), contents, name=prefix_identifier(word), target="c", force=force)
    is_numeric = ik.tidy is None
    parts = {"step": ik.step_function, "finish": ik.finish_function}
    if isinstance(ik, EliminatedKinematics):
        parts |= {
            "eliminant": ik.eliminant_function,
            "value": ik.determinant_function,
            "solution": ik.solution_function,
        }
    if not is_numeric:
        parts = {"start": ik.start_function, **parts}
    if ik.is_traced:
        parts |= {"curve_start": ik.curve_start_function, "curve_step": ik.curve_step_function}
    functions = [*parts.values(), ik.rates_function]
    names = package_names(functions, word)
    contents = c_package(functions, prefix=word, description=description)
    shape = _shape(ik, names.prefix, dict(zip(parts, names.functions, strict=False)))
    poses, reference, met = _recorded(ik)
    contents[f"{names.prefix}_iteration.h"] = iteration_header(shape)
    contents[f"{names.prefix}_iteration.c"] = iteration_source(shape)
    contents["iteration_test.c"] = iteration_test(shape, poses, reference, met)
    library, both = (text.format(prefix=names.prefix) for text in (_CMAKE_LIBRARY, _CMAKE_ITERATED))
    build = contents["CMakeLists.txt"].replace(library, both)
    contents["CMakeLists.txt"] = build + _CMAKE_TEST.format(prefix=names.prefix)
    return write_package(to_path(directory), contents, name=prefix_identifier(word), target="c", force=force)


def _shape(ik: IterativeKinematics, prefix: str, functions: dict[str, str]) -> IterationShape:
    n = ik.robot.n
    limits = [joint.limits for joint in ik.robot.joints]
    half, turning, moving = np.zeros(n), np.ones(n), np.zeros(n)
    for joint in ik.moving_joints:
        half[joint.index] = ik.arm.reach if joint.slides else np.pi
        turning[joint.index], moving[joint.index] = 0.0 if joint.slides else 1.0, 1.0
    is_numeric = ik.tidy is None
    return IterationShape(
        prefix,
        functions,
        n,
        len(ik.closed.names),
        len(ik.names),
        ik.missed,
        np.random.default_rng(0).uniform(size=(sum(NUMERIC_STARTS) - 1 if is_numeric else 0, n)),  # always the same
        np.array([one.lower for one in limits]),
        np.array([one.upper for one in limits]),
        half,
        turning,
        moving,
        None if is_numeric else ik.search,
        isinstance(ik, EliminatedKinematics),
    )


def _recorded(ik: IterativeKinematics) -> tuple[Array, Array, Array]:
    """Poses (N, 12) that random joints within the limits reach, the reference (n,), branches that meet each (N,)."""
    limits = [joint.limits for joint in ik.robot.joints]
    low = np.array([max(one.lower, -2.5) for one in limits])
    high = np.array([min(one.upper, 2.5) for one in limits])
    rng = np.random.default_rng(1)
    rows, met = [], []
    reference = np.clip(np.zeros(ik.robot.n), low, high)
    for _ in range(TUNING.tested_poses):
        q = rng.uniform(low, high)
        # A free joint keeps the reference's value: the pose must be reachable with that value.
        for index in range(ik.robot.n):
            if index not in {joint.index for joint in ik.moving_joints}:
                q[index] = reference[index]
        pose = frame_pose(ik.robot, ik.frame, q.tolist())
        rotation, origin = np.array(pose.rotation, dtype=float), np.array(pose.origin, dtype=float)
        rows.append(np.concatenate([rotation.ravel(), origin]))
        status = np.asarray(ik(rotation, origin, near=reference).status)
        met.append(int(((status & BranchStatus.OUT_OF_REACH) == 0).sum()))
    return np.array(rows), reference, np.array(met)
