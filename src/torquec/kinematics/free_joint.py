"""Arms with one joint more than a pose needs: one joint is given, the six others have a closed form.

With T = G_1 .. G_m of the arm and a free joint f whose value is given:

(1)  f last:    T G_f^-1 = G_1 .. G_m-1         a shorter arm; the first joint likewise, seen from the hand (Panda: 7)
(2)  f third, axes 1, 2, 3 meeting in S:        G_f^-1 T = G_1' G_2' G_4 .. G_7, where G_i' = G_f^-1 G_i G_f
     turns about R_f^-1 h_i through S. With a spherical wrist (5, 6, 7) this is a wrist on a carrier whose first two
     axes meet (iiwa: 3); joint 5 likewise, seen from the hand

The value of the free joint is that of the reference.
"""

from __future__ import annotations

import dataclasses

from torquec.errors import ArgumentError
from torquec.kinematics.angle import JointAngle
from torquec.kinematics.arm_branch import ArmBranch, ArmFamily, ClosedArm, PoseTarget
from torquec.kinematics.arm_family import closed_arm, spherical_wrist, wrist_branches, wrist_names
from torquec.kinematics.arm_geometry import ArmGeometry, is_on_axis, meeting_point
from torquec.kinematics.position_arm import SHOULDERS, about_a_point
from torquec.kinematics.reversed_arm import reversed_geometry, seen_from_the_hand
from torquec.spatial import Pose, add, dot, matmul, matvec, scale, subtract


def free_joint_arm(arm: ArmGeometry, free: str | None) -> ClosedArm | str:
    """The closed form with the joint `free` given, or the first that serves; or why there is none.

    Raises `ArgumentError` where no joint of the arm has that name.
    """
    names = [joint.name for joint in arm.joints]
    if free is not None and free not in names:
        raise ArgumentError(f"no joint '{free}' moves the frame", remedy=f"choose one of: {', '.join(names)}")
    if len(arm.joints) != 7:
        return "it has not seven joints, of which one could be free"
    third, last = 2, 6
    # The elbow turns about the line from shoulder to wrist with the third joint; where that has no closed form, others.
    for place in (third, last, 0, last - third) if free is None else (names.index(free),):
        found = _with_free(arm, place)
        if found is not None:
            return dataclasses.replace(found, free=place)
    which = "any one joint" if free is None else f"the joint '{free}'"
    return f"with {which} given the six others have no closed form"


def _with_free(arm: ArmGeometry, place: int) -> ClosedArm | None:
    back = reversed_geometry(arm)
    if place == len(arm.joints) - 1:
        return _free_last(arm)
    if place == 0:
        found = _free_last(back)
    elif place == 2:
        return _free_third(arm)
    elif place == len(arm.joints) - 3:
        found = _free_third(back)
    else:
        return None
    return None if found is None else seen_from_the_hand(arm, found)


def _free_last(arm: ArmGeometry) -> ClosedArm | None:
    """Equation (1)."""
    last = arm.joints[-1]
    rest = ArmGeometry(arm.joints[:-1], Pose(arm.tool.rotation, last.point), arm.reach)
    found = closed_arm(rest)
    if not isinstance(found, ClosedArm):
        return None
    grip = subtract(arm.tool.origin, last.point)

    def solve(target: PoseTarget) -> list[ArmBranch]:
        turn, at, value = target.turn, subtract(target.position, matvec(target.turn, grip)), target.near[-1]
        if last.slides:
            at = subtract(at, scale(matvec(turn, last.axis), value))
        else:
            turn = matmul(turn, (-JointAngle.of(value)).rotation(last.axis))
        return [
            dataclasses.replace(branch, values=(*branch.values, value))
            for branch in found.solve(PoseTarget(turn, at, target.near[:-1]))
        ]

    return dataclasses.replace(found, solve=solve)


def _free_third(arm: ArmGeometry) -> ClosedArm | None:
    """Equation (2)."""
    first, second, third, fourth, *_ = arm.joints
    if first.slides or second.slides or third.slides:
        return None
    center, wrist = meeting_point(first, second), spherical_wrist(arm)
    if center is None or not is_on_axis(center, third) or isinstance(wrist, str):
        return None
    if not fourth.slides and is_on_axis(wrist.center, fourth):
        return None
    grip = subtract(arm.tool.origin, wrist.center)
    slant = dot(first.axis, second.axis)

    def solve(target: PoseTarget) -> list[ArmBranch]:
        value = target.near[2]
        back = -JointAngle.of(value)
        turn = matmul(back.rotation(third.axis), target.turn)
        w = subtract(target.position, matvec(target.turn, grip))
        seen = add(center, back.turn(third.axis, subtract(w, center)))
        pair = [dataclasses.replace(joint, axis=back.turn(third.axis, joint.axis)) for joint in (first, second)]
        carrier = about_a_point((*pair, fourth), center, wrist.center, arm.reach, slant=slant)
        places = carrier.solve(seen, (target.near[0], target.near[1], target.near[3]))
        return [
            dataclasses.replace(branch, values=(*branch.values[:2], value, *branch.values[2:]))
            for branch in wrist_branches(places, turn, wrist, target.near[4])
        ]

    elbows = ("slide out", "slide in") if fourth.slides else ("elbow up", "elbow down")
    names = wrist_names(tuple((elbow, shoulder) for elbow in elbows for shoulder in SHOULDERS))
    rule = "axes 1, 2 and 3 meet, and axes 5, 6 and 7"
    return ClosedArm(ArmFamily.SPHERICAL_WRIST, rule, names, solve)
