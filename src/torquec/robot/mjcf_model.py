"""A compiled MuJoCo model to `Robot`.

MuJoCo applies the joints of a body one after the other, each about its own anchor p and axis, as q - ref:

(1)  body frame in its parent's   T(pos, quat) J_1 .. J_k,   J = T(p) R(axis, q - ref) T(-p)  or  J = T(axis (q - ref))
(2)  one body here for each J:    placement = (transforms before J) T(p) R(axis, -ref),  all behind J lies at T(-p)

so that q is MuJoCo's qpos. A ball joint is (1) with the rotation of its quaternion. The position of a free joint is the
body's pose in the world, independent of pos and quat; here the velocity of its origin is in the body's axes
(:mod:`torquec.robot.conventions`). Bodies without joints are welded to their parent. A linear joint coupling, with
qpos0 = ref, is a mimic joint:

(3)  q1 - ref1 = a0 + a1 (q2 - ref2)

Other equality constraints become closed loops (`mjcf_loops`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from torquec.errors import RobotFileError
from torquec.robot.dh_joint import GearedMotor, build_drives
from torquec.robot.friction import Friction
from torquec.robot.joints import KINDS, JointKind, JointType
from torquec.robot.loops.closed_loops import Coupling, unresolved
from torquec.robot.mjcf_loops import (
    JOINT,
    TENDON,
    coupling_polynomial,
    is_moved_from_outside,
    mjcf_loops,
    tendon_coupling,
)
from torquec.robot.right_angle import cos_sin, without_rounding
from torquec.robot.robot import BASE, Body, FileWarning, Frame, Joint, Limits, Mimic, Motor, Robot, Spring
from torquec.robot.tree import BodyTree, resolve_mimics
from torquec.robot.xml_text import unused_name
from torquec.spatial import (
    IDENTITY,
    Inertia,
    Pose,
    Vector3,
    axis_angle_rotation,
    matmul,
    quaternion_rotation,
    scale,
    transpose,
)

MjModel = Any
"""`mujoco.MjModel`: the package is an extra and is not imported here."""

_WORDS = ("free", "ball", "slide", "hinge")  # mjJNT_FREE to mjJNT_HINGE of mujoco.h, in order
_KINDS = {kind.mjcf: kind for kind in KINDS.values() if kind.mjcf}
_ACTUATOR_ON_JOINT = (0, 1)  # mjTRN_JOINT and mjTRN_JOINTINPARENT
_NO_CONSTRAINTS = SimpleNamespace(neq=0)
_FIXED_GAIN, _NO_BIAS = 0, 0  # mjGAIN_FIXED, mjBIAS_NONE


class ModelReader:
    """One pass over a compiled model; `places` maps names of bodies and joints to "file:line"."""

    def __init__(
        self, model: MjModel, *, name: str, disabled: frozenset[str], places: Mapping[str, str], source: str
    ) -> None:
        self.model = model
        self.robot_name = name
        self.disabled = disabled
        self.places = places
        self.source = source
        self.body_names = self.names("body", model.nbody)
        self.joint_names = self.names("jnt", model.njnt)
        self.couplings: list[Coupling] = []
        self.mimics = self.read_mimics()
        self.efforts = self.read_efforts()
        self.tree = BodyTree()
        self.taken = set(self.body_names)

    def read(self) -> Robot:
        """The robot, with the gravity of the file."""
        model = self.model
        links = [Frame(self.body_names[0], BASE)]
        for index in range(1, model.nbody):
            links.append(self.add_body(index, links[model.body_parentid[index]]))
        taken = set(self.body_names)
        sites = []
        for index, name in enumerate(self.names("site", model.nsite)):
            link = links[model.site_bodyid[index]]
            pose = link.pose @ model_pose(model.site_pos[index], model.site_quat[index])
            sites.append(Frame(unused_name(name, taken), link.body, pose))
        file, more = mjcf_loops(
            model if "equality" not in self.disabled else _NO_CONSTRAINTS,
            links,
            sites,
            tuple(self.couplings),
            lambda index: self.given_name("eq", index),
            model_pose,
        )
        gravity = (0.0, 0.0, 0.0) if "gravity" in self.disabled else _vector(model.opt.gravity)
        independent = [name for joint in range(model.njnt) for name in self.rate_names(joint)]
        independent = [name for name in independent if name not in self.mimics]
        return Robot(
            name=self.robot_name,
            bodies=tuple(self.tree.bodies),
            frames=(*links, *sites, *more),
            base_inertia=self.tree.base_inertia,
            gravity=gravity,
            drives=build_drives(self.read_motors(), independent, self.mimics),
            loops=unresolved(replace(file, driven=self.driven())) if file.loops or file.couplings else None,
            warnings=self.left_out(),
            source=self.source,
        )

    def names(self, kind: str, count: int) -> list[str]:
        """The names of the model's elements of a kind; unnamed elements get a unique name."""
        given = [self.given_name(kind, index) for index in range(count)]
        taken = set(given)
        word = "joint" if kind == "jnt" else kind
        return [name or unused_name(f"{word}{index + 1}", taken) for index, name in enumerate(given)]

    def given_name(self, kind: str, index: int) -> str:
        """The name of an element in the file, empty where it has none."""
        start = int(getattr(self.model, f"name_{kind}adr")[index])
        names: bytes = self.model.names
        return names[start : names.index(b"\0", start)].decode("utf-8", "replace")

    def add_body(self, index: int, parent: Frame) -> Frame:
        """A body of the model by (1) and (2); its frame, with the name that it has in the model."""
        model = self.model
        name = self.body_names[index]
        first, count = int(model.body_jntadr[index]), int(model.body_jntnum[index])
        body, pose = parent.body, parent.pose
        if not count or self.kind(first).name != "free":
            pose = pose @ model_pose(model.body_pos[index], model.body_quat[index])
        for joint in range(first, first + count):
            is_last = joint == first + count - 1
            placed, anchor = self.read_joint(joint, pose)
            own_name = name if is_last else unused_name(f"{name}_{self.joint_names[joint]}", self.taken)
            body = self.tree.add(Body(own_name, body, placed))
            pose = Pose(origin=scale(anchor, -1.0))
        self.tree.weld(self.read_inertia(index), body, pose)
        return Frame(name, body, pose)

    def read_inertia(self, index: int) -> Inertia:
        """The inertia of a body about its frame's origin, from mass, centre, principal axes and principal moments."""
        model = self.model
        x, y, z = _vector(model.body_inertia[index])
        axes = without_rounding(quaternion_rotation(*map(float, model.body_iquat[index])))
        tensor = matmul(matmul(axes, ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))), transpose(axes))
        return Inertia.from_center_of_mass(float(model.body_mass[index]), _vector(model.body_ipos[index]), tensor)

    def kind(self, index: int) -> JointKind:
        """The kind of a joint of the model."""
        kind = _KINDS[_WORDS[int(self.model.jnt_type[index])]]
        return kind.limited if self.model.jnt_limited[index] else kind.unlimited

    def rate_names(self, index: int) -> list[str]:
        """The names of a joint's rates: the joint's name, with a suffix if it has several coordinates."""
        name = self.joint_names[index]
        return [f"{name}_{each.suffix}" if each.suffix else name for each in self.kind(index).coordinates]

    def read_joint(self, index: int, before: Pose) -> tuple[Joint, Vector3]:
        """A joint behind the pose `before`, and its anchor, by (2)."""
        model = self.model
        name = self.joint_names[index]
        kind = self.kind(index)
        limited = bool(model.jnt_limited[index]) and kind.has_position_limits
        axis = _vector(model.jnt_axis[index]) if kind.nv == 1 else (0.0, 0.0, 1.0)
        ref = float(model.qpos0[model.jnt_qposadr[index]])
        if kind.nv > 1:
            anchor = _vector(model.jnt_pos[index]) if kind.name == "ball" else (0.0, 0.0, 0.0)
            back = IDENTITY
        elif kind.coordinate.turns:
            anchor = _vector(model.jnt_pos[index])
            back = Pose(axis_angle_rotation(axis, *cos_sin(-ref))) if ref else IDENTITY
        else:
            anchor = (0.0, 0.0, 0.0)
            back = Pose(origin=scale(axis, -ref))
        lower, upper = map(float, model.jnt_range[index]) if limited else (-math.inf, math.inf)
        joint = Joint(
            name=name,
            type=JointType(kind.name),
            placement=before @ Pose(origin=anchor) @ back,
            axis=axis,
            limits=Limits(lower, upper, math.inf, self.efforts[index]),
            friction=self.read_friction(index),
            spring=self.read_spring(index),
            mimic=self.mimics.get(name),
        )
        return joint, anchor

    def read_friction(self, index: int) -> Friction:
        """Damping and dry friction of a joint."""
        model, dof = self.model, int(self.model.jnt_dofadr[index])
        return self.damped("dof", dof, float(model.dof_frictionloss[dof]))

    def damped(self, kind: str, index: int, loss: float) -> Friction:
        """Damping a v + b v |v| + c v^3 (before MuJoCo 3.8: a v only) and dry friction."""
        damping = float(getattr(self.model, f"{kind}_damping")[index])
        bends = getattr(self.model, f"{kind}_dampingpoly", None)
        curved, cubic = (0.0, 0.0) if bends is None else map(float, bends[index])
        return Friction.of({"viscous": damping, "coulomb": loss, "curved": curved, "cubic": cubic})

    def read_spring(self, index: int) -> Spring | None:
        """The spring of a joint; refused where it is not linear."""
        model, name = self.model, self.joint_names[index]
        stiffness = float(model.jnt_stiffness[index])
        self.refuse_polynomial("stiffness", "jnt_stiffnesspoly", index, name)
        self.refuse_polynomial("spring yield", "jnt_springyield", index, name)
        if stiffness and self.kind(index).nv > 1:
            raise self.error(name, f"joint '{name}' has a spring and several coordinates", "remove its stiffness")
        return Spring(stiffness, float(model.qpos_spring[model.jnt_qposadr[index]])) if stiffness else None

    def refuse_polynomial(self, what: str, array: str, index: int, joint: str) -> None:
        """Raise for a nonlinear law, as newer versions of MuJoCo allow it."""
        values = getattr(self.model, array, None)
        if values is not None and values[index].any():
            raise self.error(joint, f"joint '{joint}' has a nonlinear {what}", "keep the linear term only")

    def read_mimics(self) -> dict[str, Mimic]:
        """The joint couplings (3) by the name of the following joint, with chains resolved."""
        model = self.model
        mimics: dict[str, Mimic] = {}
        for index in range(0 if "equality" in self.disabled else model.neq):
            if int(model.eq_type[index]) == TENDON:
                self.couplings.append(tendon_coupling(model, index, self.joint_names, self.source))
            if int(model.eq_type[index]) != JOINT:
                continue
            a0, a1, *higher = map(float, model.eq_data[index][:5])
            follower, leader = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
            name = self.joint_names[follower]
            coupling = self.given_name("eq", index) or f"of joint '{name}'"
            if leader < 0:
                raise self.error(name, f"the coupling {coupling} locks the joint", "remove the joint and weld its body")
            ref1, ref2 = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
            if any(higher):
                polynomial = coupling_polynomial((a0, a1, *higher), ref1, ref2)
                self.couplings.append(Coupling(name, self.joint_names[leader], polynomial))
                continue
            if name in mimics:
                raise self.error(name, f"joint '{name}' follows two others", "keep one coupling of it")
            mimics[name] = Mimic(self.joint_names[leader], a1, ref1 + a0 - a1 * ref2)
        return resolve_mimics(mimics, {name: self.place(name) for name in mimics})

    def driven(self) -> tuple[str, ...]:
        """The joints that an actuator drives directly, not through a tendon."""
        model = self.model
        on_joints = (k for k in range(model.nu) if int(model.actuator_trntype[k]) in _ACTUATOR_ON_JOINT)
        return tuple(dict.fromkeys(self.joint_names[int(model.actuator_trnid[k][0])] for k in on_joints))

    def read_efforts(self) -> list[float]:
        """Effort limit of each joint: the sum over its actuators, capped by the joint's own; infinite without one."""
        model = self.model
        totals: dict[int, float] = {}
        for index in range(model.nu):
            if model.actuator_trntype[index] in _ACTUATOR_ON_JOINT:
                joint = int(model.actuator_trnid[index][0])
                gear = abs(float(model.actuator_gear[index][0]))
                totals[joint] = totals.get(joint, 0.0) + gear * _largest_force(model, index)
        for joint in range(model.njnt):
            if model.jnt_actfrclimited[joint]:
                clamp = max(abs(float(value)) for value in model.jnt_actfrcrange[joint])
                totals[joint] = min(totals.get(joint, math.inf), clamp)
        return [totals.get(joint, math.inf) for joint in range(model.njnt)]

    def read_motors(self) -> list[GearedMotor]:
        """Armatures as motors: a joint's own has gear 1, an actuator's has the actuator's gear and damping."""
        model = self.model
        taken: set[str] = set()
        motors = []
        for index in range(model.njnt):
            for dof, name in enumerate(self.rate_names(index), start=int(model.jnt_dofadr[index])):
                armature = float(model.dof_armature[dof])
                if armature:
                    motors.append(GearedMotor(Motor(unused_name(name, taken), armature), {name: 1.0}))
        names = self.names("actuator", model.nu)
        for index in range(model.nu if hasattr(model, "actuator_armature") else 0):
            inertia, friction = float(model.actuator_armature[index]), self.damped("actuator", index, 0.0)
            joint = self.joint_names[int(model.actuator_trnid[index][0])]
            if (inertia or friction != Friction()) and self.kind(int(model.actuator_trnid[index][0])).nv > 1:
                raise self.error(
                    joint, f"an actuator of joint '{joint}' has a rotor or friction", "give the joint both"
                )
            if inertia or friction != Friction():
                motor = Motor(unused_name(names[index], taken), inertia, friction)
                motors.append(GearedMotor(motor, {joint: float(model.actuator_gear[index][0])}))
        return [*motors, *self.read_shafts(taken)]

    def read_shafts(self, taken: set[str]) -> list[GearedMotor]:
        """Fixed tendons with inertia or friction, as motors of several joints; tendon coefficients are gear ratios."""
        model = self.model
        motors = []
        for index, name in enumerate(self.names("tendon", model.ntendon)):
            first, count = int(model.tendon_adr[index]), int(model.tendon_num[index])
            parts = range(first, first + count)
            ratios = {self.joint_names[int(model.wrap_objid[k])]: float(model.wrap_prm[k]) for k in parts}
            # Versions of MuJoCo before 3.3 know no inertia of tendons.
            inertia = float(model.tendon_armature[index]) if hasattr(model, "tendon_armature") else 0.0
            friction = self.damped("tendon", index, float(model.tendon_frictionloss[index]))
            if not inertia and friction == Friction():
                continue
            motors.append(GearedMotor(Motor(unused_name(name, taken), inertia, friction), ratios))
        return motors

    def left_out(self) -> tuple[FileWarning, ...]:
        """Warnings about forces in the model that `Robot` cannot represent."""
        model = self.model
        warnings = []
        if model.opt.density or model.opt.viscosity:
            warnings.append(FileWarning(self.source, "the forces of the medium (density, viscosity) are left out"))
        for index in range(0 if "equality" in self.disabled else model.neq):
            if is_moved_from_outside(model, index):
                ends = "an operator moves the mocap body at its other end"
                name = self.given_name("eq", index) or f"equality {index + 1}"
                warnings.append(FileWarning(self.source, f"constraint '{name}' is left out: {ends}"))
        for index in range(1, model.nbody):
            if model.body_gravcomp[index]:
                name = self.body_names[index]
                warnings.append(
                    FileWarning(self.place(name), f"gravcomp of body '{name}' is left out: its full weight acts")
                )
        for index, name in enumerate(self.joint_names):
            if model.jnt_limited[index] and not self.kind(index).has_position_limits:
                warnings.append(FileWarning(self.place(name), f"the limit of joint '{name}' is left out"))
        return tuple(warnings)

    def place(self, name: str) -> str:
        """The "file:line" of a body or joint."""
        return self.places.get(name, self.source)

    def error(self, name: str, found: str, remedy: str) -> RobotFileError:
        """An error at a named body or joint."""
        return RobotFileError(found, where=self.place(name), remedy=remedy)


def _largest_force(model: MjModel, index: int) -> float:
    """An actuator's largest force before the gear: its force limit, or a plain motor's gain times control limit."""
    if model.actuator_forcelimited[index]:
        return max(abs(float(value)) for value in model.actuator_forcerange[index])
    plain = model.actuator_gaintype[index] == _FIXED_GAIN and model.actuator_biastype[index] == _NO_BIAS
    if plain and model.actuator_ctrllimited[index]:
        control = max(abs(float(value)) for value in model.actuator_ctrlrange[index])
        return abs(float(model.actuator_gainprm[index][0])) * control
    return math.inf


def _vector(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def model_pose(position: Any, quaternion: Any) -> Pose:
    """A pose from a position (3,) and a quaternion (4,), w first, as MuJoCo has them."""
    w, x, y, z = (float(value) for value in quaternion)
    return Pose(without_rounding(quaternion_rotation(w, x, y, z)), _vector(position))
