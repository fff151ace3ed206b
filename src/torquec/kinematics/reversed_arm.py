"""An arm seen from its hand: the same joints in reverse order carry the base.

(1)  T = G_1 .. G_m,   T x = R x + t,   t = p - R p_0
(2)  T^-1 = G_m^-1 .. G_1^-1,   G_i(q)^-1 turns about -h_i by q;   T^-1 x = R' x - R' t

A closed form for (2) is one for the arm. Where the position is missed by a vector d while the rotation is met, the
arm itself misses by R d, the same distance.
"""

from __future__ import annotations

import dataclasses

from torquec.kinematics.arm_branch import ArmBranch, ArmFamily, ClosedArm, PoseTarget
from torquec.kinematics.arm_geometry import ArmGeometry
from torquec.spatial import IDENTITY, matvec, scale, subtract, transpose

_AROUND = {"shoulder left": "hand left", "shoulder right": "hand right"}
_AROUND |= {f"wrist {way}": f"shoulder {way}" for way in ("no flip", "flip")}
_AROUND |= {there: here for here, there in _AROUND.items()}
"""What is said of the shoulder is said of the hand, and a spherical wrist is a spherical shoulder; and back."""

_FAMILIES = {
    ArmFamily.SPHERICAL_WRIST: ArmFamily.SPHERICAL_SHOULDER,
    ArmFamily.SPHERICAL_SHOULDER: ArmFamily.SPHERICAL_WRIST,
}
_SIDE = "seen from the hand, "


def reversed_geometry(arm: ArmGeometry) -> ArmGeometry:
    """The joints from the hand to the base (2); what stands for the tool is the base's origin."""
    joints = tuple(dataclasses.replace(joint, axis=scale(joint.axis, -1.0)) for joint in reversed(arm.joints))
    return ArmGeometry(joints, IDENTITY, arm.reach)


def seen_from_the_hand(arm: ArmGeometry, back: ClosedArm) -> ClosedArm:
    """The closed form of an arm from that of its `reversed_geometry`."""

    def solve(target: PoseTarget) -> list[ArmBranch]:
        turn = transpose(target.turn)
        shift = subtract(target.position, matvec(target.turn, arm.tool.origin))  # t of (1)
        around = PoseTarget(turn, scale(matvec(turn, shift), -1.0), target.near[::-1])
        return [dataclasses.replace(branch, values=branch.values[::-1]) for branch in back.solve(around)]

    rule = back.rule.removeprefix(_SIDE) if back.rule.startswith(_SIDE) else f"{_SIDE}{back.rule}"
    names = tuple(", ".join(_AROUND.get(word, word) for word in name.split(", ")) for name in back.names)
    return ClosedArm(_FAMILIES.get(back.family, back.family), rule, names, solve)
