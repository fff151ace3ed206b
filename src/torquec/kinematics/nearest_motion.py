"""The nearest branch with its speeds and accelerations, in one program.

Where the closed form branches, the side nearer to the reference is taken (`one_branch`): one branch is computed, not
all. Near folds, or where that branch violates limits or reach, another one may be nearer: `certain` is positive where
none can be. Closed forms that branch in other ways compute all branches and are always certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torquec.expr import Function, trace
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import one_branch
from torquec.kinematics.arm_geometry import PoseTarget
from torquec.kinematics.arm_poses import branch_cost, branch_status, place_joints
from torquec.kinematics.joint_rates import joint_rates_algorithm
from torquec.spatial import matmul, transpose

if TYPE_CHECKING:
    from torquec.kinematics.closed_kinematics import InverseKinematics

FORKS = ("shoulder", "elbow", "wrist")
"""The order in which names of branches count."""


@dataclass(frozen=True, eq=False)
class NearestMotion:
    """The branch nearest to the reference with its rates, for one pose or for N with an axis in front."""

    q: Array
    """(n,)"""
    branch: Indices
    """(), which of the names"""
    status: Indices
    error: Array
    """(2,): what is missed of the position [m] and of the rotation [rad]"""
    qd: Array
    """(n,)"""
    qdd: Array
    """(n,)"""
    manipulability: Any
    pivot: Any
    """As in `JointRates`"""


def nearest_motion_function(ik: InverseKinematics, name: str) -> Function:
    """rotation (3, 3), position (3,), near (n,), velocity (6,), acceleration (6,) -> the parts of `NearestMotion`, and
    certain ().
    """
    rates = joint_rates_algorithm(ik.robot, ik.frame, [joint.index for joint in ik.arm.joints])

    def algorithm(rotation: Any, position: Any, near: Any, velocity: Any, acceleration: Any) -> dict[str, Any]:
        found = _one(ik, rotation, position, near)
        if found is None:
            found = {**ik.nearest_algorithm(rotation, position, near), "certain": 1.0}
        certain = found.pop("certain")
        return {**found, **rates(found["q"], velocity, acceleration), "certain": certain}

    n = ik.robot.n
    inputs = {"rotation": (3, 3), "position": (3,), "near": (n,), "velocity": (6,), "acceleration": (6,)}
    return trace(name, algorithm, inputs)


def _one(ik: InverseKinematics, rotation: Any, position: Any, near: Any) -> dict[str, Any] | None:
    """The branch that is chosen on the way, or None where the closed form has other forks."""
    kept = tuple(near[joint.index] for joint in ik.arm.joints)
    turn = matmul(rotation, transpose(ik.arm.tool.rotation))
    with one_branch() as choices:
        branches = ik.closed.solve(PoseTarget(turn, position, kept))
    forks = [fork for fork in FORKS if fork in choices.second]
    if len(branches) != 1 or 2 ** len(forks) != len(ik.names):
        return None
    (branch,) = branches
    placed = place_joints(ik.arm.joints, branch.values, near)
    missed = [branch.position_miss, branch.rotation_miss]
    status = branch_status(placed.outside, missed, branch.margin, ik.arm.reach)
    cost = branch_cost(status, sum((a - b) * (a - b) for a, b in zip(placed.q, near, strict=True)))
    number = choices.number(forks)
    return {"q": placed.q, "branch": number, "status": status, "error": missed, "certain": choices.others - cost}
