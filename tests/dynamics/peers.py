"""A `Robot` handed to Pinocchio and to MuJoCo, with mimic joints set free.

Both peers get one free joint per body. Mimic joints and rotors are put back on outside, exactly, by

(1)  q_all = T q + offset,    tau = T' tau_all + reflected qdd,    M = T' M_all T + reflected,    J = J_all T
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
from tests.robot.reference import coupling

from torquec.robot.robot import BASE


def reflected_inertia(robot):
    """What the rotors add to M (n, n)."""
    return np.array(robot.drives.reflected_inertia(robot.n)).reshape(robot.n, robot.n)


# --- Pinocchio ------------------------------------------------------------------------------------------------------


def to_pinocchio(robot):
    """The `pinocchio.Model` of a robot, one joint per body, with all frames."""
    import pinocchio

    model = pinocchio.Model()
    model.name = robot.name
    model.gravity.linear = np.array(robot.gravity)
    index = {BASE: 0}
    for i in _depth_first(robot):
        body, joint = robot.bodies[i], robot.bodies[i].joint
        kind = (
            pinocchio.JointModelPrismaticUnaligned if joint.type.is_prismatic else pinocchio.JointModelRevoluteUnaligned
        )
        index[i] = model.addJoint(index[body.parent], kind(np.array(joint.axis)), _se3(joint.placement), joint.name)
        own = body.inertia
        inertia = pinocchio.Inertia(own.m, np.array(own.center_of_mass), np.array(own.central_tensor))
        model.appendBodyToJoint(index[i], inertia, pinocchio.SE3.Identity())
    for frame in robot.frames:
        operational = pinocchio.FrameType.OP_FRAME
        model.addFrame(pinocchio.Frame(frame.name, index[frame.body], 0, _se3(frame.pose), operational))
    return model


def _depth_first(robot, parent=BASE):
    """Bodies so that every subtree is contiguous: Pinocchio's algorithms count on it."""
    for i, body in enumerate(robot.bodies):
        if body.parent == parent:
            yield i
            yield from _depth_first(robot, i)


def _se3(pose):
    import pinocchio

    return pinocchio.SE3(np.array(pose.rotation), np.array(pose.origin))


class Pinocchio:
    """Pinocchio's answers for a robot, through (1); one state at a time.

    `model` may be one that Pinocchio read itself; joints are then matched by name.
    """

    def __init__(self, robot, model=None):
        self.model = to_pinocchio(robot) if model is None else model
        self.data = self.model.createData()
        order = [self.model.joints[self.model.getJointId(body.joint.name)].idx_v for body in robot.bodies]
        self.coupling, self.offset = np.zeros((len(order), robot.n)), np.zeros(len(order))
        self.coupling[order], self.offset[order] = coupling(robot)
        self.bodies = order
        self.reflected = reflected_inertia(robot)

    @property
    def is_free(self):
        """True where every joint of the robot is a joint of Pinocchio, in the same place, and turns no rotor."""
        same = self.model.nq == self.model.nv and np.array_equal(self.coupling, np.eye(*self.coupling.shape))
        return same and not self.reflected.any()

    def _state(self, q, *rates):
        positions = self.coupling @ q + self.offset
        configuration = np.zeros(self.model.nq)
        for joint in list(self.model.joints)[1:]:
            angle = positions[joint.idx_v]
            # A continuous joint of a URDF is held as (cos, sin).
            configuration[joint.idx_q : joint.idx_q + joint.nq] = (
                angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
            )
        return (configuration, *(self.coupling @ rate for rate in rates))

    def inverse_dynamics(self, q, qd, qdd):
        import pinocchio

        tau = pinocchio.rnea(self.model, self.data, *self._state(q, qd, qdd))
        return self.coupling.T @ tau + self.reflected @ qdd

    def mass_matrix(self, q):
        import pinocchio

        upper = np.triu(pinocchio.crba(self.model, self.data, *self._state(q)))
        return self.coupling.T @ (upper + np.triu(upper, 1).T) @ self.coupling + self.reflected

    def gravity_torque(self, q):
        import pinocchio

        return self.coupling.T @ pinocchio.computeGeneralizedGravity(self.model, self.data, *self._state(q))

    def bias(self, q, qd):
        import pinocchio

        return self.coupling.T @ pinocchio.nonLinearEffects(self.model, self.data, *self._state(q, qd))

    def coriolis_torque(self, q, qd):
        import pinocchio

        matrix = pinocchio.computeCoriolisMatrix(self.model, self.data, *self._state(q, qd))
        return self.coupling.T @ matrix @ self.coupling @ qd

    def forward_dynamics(self, q, qd, tau):
        """Articulated bodies where the joints are free, a dense solve where rotors or mimic joints tie them."""
        import pinocchio

        if self.is_free:
            return pinocchio.aba(self.model, self.data, q, qd, tau)
        return np.linalg.solve(self.mass_matrix(q), tau - self.bias(q, qd))

    def inverse_dynamics_derivatives(self, q, qd, qdd):
        import pinocchio

        by_q, by_qd, _ = pinocchio.computeRNEADerivatives(self.model, self.data, *self._state(q, qd, qdd))
        return self.coupling.T @ by_q @ self.coupling, self.coupling.T @ by_qd @ self.coupling

    def forward_dynamics_derivatives(self, q, qd, tau):
        import pinocchio

        if self.is_free:
            pinocchio.computeABADerivatives(self.model, self.data, q, qd, tau)
            upper = np.triu(self.data.Minv)
            return self.data.ddq_dq.copy(), self.data.ddq_dv.copy(), upper + np.triu(upper, 1).T
        by_q, by_qd = self.inverse_dynamics_derivatives(q, qd, self.forward_dynamics(q, qd, tau))
        inverse = np.linalg.inv(self.mass_matrix(q))
        return -inverse @ by_q, -inverse @ by_qd, inverse

    def energies(self, q, qd):
        import pinocchio

        kinetic = pinocchio.computeKineticEnergy(self.model, self.data, *self._state(q, qd))
        potential = pinocchio.computePotentialEnergy(self.model, self.data, *self._state(q))
        return kinetic + 0.5 * qd @ self.reflected @ qd, potential

    def frame(self, name, q, qd):
        """Rotation, origin, Jacobian and its time derivative, in base axes."""
        import pinocchio

        axes = pinocchio.LOCAL_WORLD_ALIGNED
        # A joint and a link may share a name.
        kinds = pinocchio.FrameType.BODY if self.model.existBodyName(name) else pinocchio.FrameType.OP_FRAME
        index = self.model.getFrameId(name, kinds)
        state = self._state(q, qd)
        pinocchio.computeJointJacobiansTimeVariation(self.model, self.data, *state)
        pinocchio.framesForwardKinematics(self.model, self.data, state[0])
        change = pinocchio.getFrameJacobianTimeVariation(self.model, self.data, index, axes)
        pinocchio.computeJointJacobians(self.model, self.data, state[0])
        matrix = pinocchio.getFrameJacobian(self.model, self.data, index, axes)
        pose = self.data.oMf[index]
        matrix, change = matrix.reshape(6, -1), change.reshape(6, -1)  # (6,) for a single joint
        return pose.rotation.copy(), pose.translation.copy(), matrix @ self.coupling, change @ self.coupling

    def regressor(self, q, qd, qdd):
        """Columns in the order of `PARAMETER_NAMES`, bodies only."""
        import pinocchio

        found = pinocchio.computeJointTorqueRegressor(self.model, self.data, *self._state(q, qd, qdd))
        # Pinocchio: m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
        order = [10 * body + k for body in self.bodies for k in (4, 5, 7, 6, 8, 9, 1, 2, 3, 0)]
        return self.coupling.T @ found.reshape(len(self.bodies), -1)[:, order]


# --- MuJoCo ---------------------------------------------------------------------------------------------------------


def to_mjcf(robot):
    """The robot as MJCF text, one free joint per body; rotors, springs and viscous friction are left out."""
    root = ET.Element("mujoco", model=robot.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="false", boundmass="0", boundinertia="0")
    option = ET.SubElement(root, "option", gravity=_numbers(robot.gravity))
    ET.SubElement(option, "flag", constraint="disable", contact="disable", energy="enable")
    world = ET.SubElement(root, "worldbody")
    elements = []
    for body in robot.bodies:
        holder = world if body.parent == BASE else elements[body.parent]
        element = ET.SubElement(holder, "body", name=body.name, **_placed(body.joint.placement))
        kind = "slide" if body.joint.type.is_prismatic else "hinge"
        ET.SubElement(element, "joint", name=body.joint.name, type=kind, axis=_numbers(body.joint.axis))
        _inertial(element, body.inertia)
        elements.append(element)
    for frame in robot.frames:
        holder = world if frame.body == BASE else elements[frame.body]
        ET.SubElement(holder, "site", name=frame.name, **_placed(frame.pose))
    return ET.tostring(root, encoding="unicode")


def _numbers(values):
    return " ".join(repr(float(value)) for value in values)


def _placed(pose):
    rotation = np.array(pose.rotation)
    return {"pos": _numbers(pose.origin), "xyaxes": _numbers([*rotation[:, 0], *rotation[:, 1]])}


def _inertial(element, inertia):
    """Principal moments and axes: MuJoCo would find them from the full tensor with fewer digits."""
    moments, axes = np.linalg.eigh(np.array(inertia.central_tensor))
    axes = axes * np.linalg.det(axes)
    ET.SubElement(
        element,
        "inertial",
        mass=repr(float(inertia.m)),
        pos=_numbers(inertia.center_of_mass),
        diaginertia=_numbers(moments),
        xyaxes=_numbers([*axes[:, 0], *axes[:, 1]]),
    )


class Mujoco:
    """MuJoCo's answers for a robot, through (1); one state at a time."""

    def __init__(self, robot, model=None):
        import mujoco

        self.model = mujoco.MjModel.from_xml_string(to_mjcf(robot)) if model is None else model
        self.data = mujoco.MjData(self.model)
        self.coupling, self.offset = coupling(robot)
        # MuJoCo numbers joints depth first; a model that it read itself has the rotors in it (armature).
        self.order = [self.model.joint(body.joint.name).dofadr[0] for body in robot.bodies]
        self.reflected = reflected_inertia(robot) if model is None else np.zeros((robot.n, robot.n))

    def _set(self, q, qd, qdd):
        import mujoco

        self.data.qpos[self.order] = self.coupling @ q + self.offset
        self.data.qvel[self.order] = self.coupling @ qd
        self.data.qacc[self.order] = self.coupling @ qdd
        mujoco.mj_inverse(self.model, self.data)

    def inverse_dynamics(self, q, qd, qdd):
        self._set(q, qd, qdd)
        return self.coupling.T @ self.data.qfrc_inverse[self.order] + self.reflected @ qdd

    def rigid_torque(self, q, qd, qdd):
        """Inverse dynamics without what MuJoCo's springs and dampers do."""
        self._set(q, qd, qdd)
        return self.coupling.T @ (self.data.qfrc_inverse + self.data.qfrc_passive)[self.order]

    def bias(self, q, qd):
        self._set(q, qd, np.zeros_like(q))
        return self.coupling.T @ self.data.qfrc_bias[self.order]

    def body(self, name, q):
        """Rotation and origin of a body."""
        self._set(q, np.zeros_like(q), np.zeros_like(q))
        body = self.data.body(name)
        return body.xmat.reshape(3, 3).copy(), body.xpos.copy()

    def mass_matrix(self, q):
        import mujoco

        self._set(q, np.zeros_like(q), np.zeros_like(q))
        full = np.zeros((self.model.nv, self.model.nv))
        for column, unit in zip(full, np.eye(self.model.nv), strict=True):
            mujoco.mj_mulM(self.model, self.data, column, unit)
        full = full[np.ix_(self.order, self.order)]
        return self.coupling.T @ full @ self.coupling + self.reflected

    def frame(self, name, q, qd):
        """Rotation, origin and Jacobian of a site, in base axes."""
        import mujoco

        self._set(q, qd, np.zeros_like(q))
        matrix = np.zeros((6, self.model.nv))
        mujoco.mj_jacSite(self.model, self.data, matrix[:3], matrix[3:], self.model.site(name).id)
        site = self.data.site(name)
        return site.xmat.reshape(3, 3).copy(), site.xpos.copy(), matrix[:, self.order] @ self.coupling
