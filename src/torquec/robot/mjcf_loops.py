"""Equality constraints of a compiled MuJoCo model as closed loops.

In MuJoCo constraints are soft; here they hold exactly.

(1)  connect:  a point of body 1 and a point of body 2 coincide, or the origins of two sites
(2)  weld:     a frame of body 1 (relpose) and a frame of body 2 (anchor) coincide, or two sites
(3)  joint:    q1 - ref1 = a0 + a1 (q2 - ref2) + ... + a4 (q2 - ref2)^4; linear ones are mimic joints (`mjcf_model`)
(4)  tendon:   L1 - L1(ref) = a0 + a1 (L2 - L2(ref)),  L = sum c_i q_i the length of a fixed tendon

A constraint that ends at a mocap body is not part of the robot: in a simulation, an operator moves that end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torquec.errors import RobotFileError
from torquec.robot.loops.closed_loops import Coupling, LoopConstraint, LoopFile, LoopKind
from torquec.robot.robot import Frame
from torquec.robot.xml_text import unused_name
from torquec.spatial import IDENTITY, Pose

CONNECT, WELD, JOINT, TENDON = 0, 1, 2, 3  # mjEQ_CONNECT to mjEQ_TENDON of mujoco.h
_SITE = 6  # mjOBJ_SITE


def mjcf_loops(
    model: Any,
    links: Sequence[Frame],
    sites: Sequence[Frame],
    couplings: tuple[Coupling, ...],
    name_of: Callable[[int], str],
    pose_of: Callable[[Any, Any], Pose],
) -> tuple[LoopFile, tuple[Frame, ...]]:
    """The loops of a model, and the frames that (1) and (2) need beside links and sites.

    `name_of` gives the name of a constraint, empty where it has none; `pose_of` a pose from position and quaternion.
    """
    taken = {frame.name for frame in (*links, *sites)}
    loops: list[LoopConstraint] = []
    frames: list[Frame] = []
    for index in range(model.neq):
        kind = int(model.eq_type[index])
        if kind not in (CONNECT, WELD) or is_moved_from_outside(model, index):
            continue
        name = name_of(index) or f"{'connect' if kind == CONNECT else 'weld'} {index + 1}"
        ends = (int(model.eq_obj1id[index]), int(model.eq_obj2id[index]))
        form = LoopKind.POINT if kind == CONNECT else LoopKind.WELD
        if int(model.eq_objtype[index]) == _SITE:
            loops.append(LoopConstraint(name, sites[ends[0]].name, sites[ends[1]].name, form))
            continue
        data = model.eq_data[index]
        first = pose_of(data[:3], (1, 0, 0, 0)) if kind == CONNECT else pose_of(data[3:6], data[6:10])
        second = pose_of(data[3:6] if kind == CONNECT else data[:3], (1, 0, 0, 0))
        pair = []
        for letter, end, pose in zip("ab", ends, (first, second), strict=True):
            link = links[end]
            if pose == IDENTITY:
                pair.append(link.name)
                continue
            frame = Frame(unused_name(f"{name} {letter}", taken), link.body, link.pose @ pose)
            taken.add(frame.name)
            frames.append(frame)
            pair.append(frame.name)
        loops.append(LoopConstraint(name, pair[0], pair[1], form))
    return LoopFile(tuple(loops), couplings), tuple(frames)


def is_moved_from_outside(model: Any, index: int) -> bool:
    """Whether a connect or weld ends at a mocap body."""
    ends = (int(model.eq_obj1id[index]), int(model.eq_obj2id[index]))
    if int(model.eq_type[index]) not in (CONNECT, WELD):
        return False
    if int(model.eq_objtype[index]) == _SITE:
        ends = (int(model.site_bodyid[ends[0]]), int(model.site_bodyid[ends[1]]))
    return any(int(model.body_mocapid[end]) >= 0 for end in ends)


def tendon_coupling(model: Any, index: int, joints: Sequence[str], source: str) -> Coupling:
    """Constraint (4), solved for its last joint; raises `RobotFileError` where it has fewer than two."""
    a0, a1 = (float(value) for value in model.eq_data[index][:2])
    factors: dict[int, float] = {}
    for tendon, share in ((int(model.eq_obj1id[index]), 1.0), (int(model.eq_obj2id[index]), -a1)):
        first = int(model.tendon_adr[tendon]) if tendon >= 0 else 0
        for k in range(first, first + int(model.tendon_num[tendon]) if tendon >= 0 else 0):
            joint = int(model.wrap_objid[k])
            factors[joint] = factors.get(joint, 0.0) + share * float(model.wrap_prm[k])
    total = a0 + sum(factor * float(model.qpos0[model.jnt_qposadr[joint]]) for joint, factor in factors.items())
    named = [(joints[joint], factor) for joint, factor in factors.items() if factor]
    if len(named) < 2:
        raise RobotFileError(
            f"equality constraint {index + 1}, of a tendon, locks {named[0][0] if named else 'no joint'}",
            where=source,
            remedy="remove the joint and weld its body",
        )
    *leaders, (follower, own) = named
    (of, slope), *more = ((name, -factor / own) for name, factor in leaders)
    return Coupling(follower, of, (total / own, slope), tuple(more))


def coupling_polynomial(coefficients: Sequence[float], ref1: float, ref2: float) -> tuple[float, ...]:
    """The polynomial (3) in q2 itself, constant term first, without zeros at its end.

    >>> coupling_polynomial([0.5, 0.0, 2.0], 0.25, 1.0)
    (2.75, -4.0, 2.0)
    """
    shift = np.polynomial.Polynomial([-ref2, 1.0])
    total = np.polynomial.Polynomial([ref1])
    for power, coefficient in enumerate(coefficients):
        total = total + coefficient * shift**power
    return tuple(float(value) for value in np.trim_zeros(total.coef, "b"))
