"""Robots with free, ball and planar joints: every quantity against Pinocchio and by laws, on random trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec import dynamics
from torquec.dynamics import ExternalWrench
from torquec.dynamics.composite import composite_gravity
from torquec.dynamics.mechanism import mechanism, place
from torquec.errors import ArgumentError
from torquec.expr import count_operations, evaluate, trace
from torquec.model.model import compile as compiled
from torquec.robot import conventions
from torquec.robot.configuration import difference, integrate, neutral, random_position
from torquec.robot.friction import Friction
from torquec.robot.joints import JointType
from torquec.robot.joints.planar import PLANAR
from torquec.robot.robot import BASE, Drives, Joint
from torquec.spatial import IDENTITY, Pose

SEVERAL = (JointType.FREE, JointType.BALL, JointType.PLANAR)
SEEDS = range(40)
LIMIT = 1e-10
STEP = 1e-6


def any_robot(seed, *, share=0.4, bodies=None):
    """A random tree, some of its joints free, ball or planar, in the middle of the tree too."""
    rng = np.random.default_rng([seed, 11])
    robot = random_robot(seed, bodies=bodies, mimic=False, motors=False)
    made = []
    for index, body in enumerate(robot.bodies):
        if rng.uniform() < share or index == 0:
            kind = SEVERAL[rng.integers(3)]
            body = replace(body, joint=replace(body.joint, type=kind, friction=Friction()))
        made.append(replace(body, joint=replace(body.joint, spring=None)))
    return replace(robot, bodies=tuple(made), drives=Drives())


def state(robot, seed):
    rng = np.random.default_rng([seed, 12])
    return (random_position(robot, rng), *rng.uniform(-2.0, 2.0, (3, robot.nv)))


def close(found, expected, limit=LIMIT):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0.0) <= limit * max(1.0, np.abs(expected).max(initial=0.0))


def se3(pose):
    import pinocchio

    return pinocchio.SE3(np.array(pose.rotation), np.array(pose.origin))


class Peer:
    """Pinocchio's model of a robot: planar joints stand in axes whose z is theirs."""

    def __init__(self, robot):
        pinocchio = pytest.importorskip("pinocchio")
        self.pin, self.robot, self.model = pinocchio, robot, pinocchio.Model()
        self.model.gravity.linear = np.array(robot.gravity)
        index, inner = {BASE: 0}, {BASE: IDENTITY}

        def add(parent):
            for i, body in enumerate(robot.bodies):
                if body.parent != parent:
                    continue
                joint, axis = body.joint, np.array(body.joint.axis)
                turns = joint.type in (JointType.CONTINUOUS, JointType.PLANAR)  # about z
                own = Pose(PLANAR.axes(joint.axis)) if turns else IDENTITY
                made = {
                    JointType.FREE: pinocchio.JointModelFreeFlyer(),
                    JointType.BALL: pinocchio.JointModelSpherical(),
                    JointType.PLANAR: pinocchio.JointModelPlanar(),
                    JointType.CONTINUOUS: pinocchio.JointModelRUBZ(),
                    JointType.PRISMATIC: pinocchio.JointModelPrismaticUnaligned(axis),
                    JointType.REVOLUTE: pinocchio.JointModelRevoluteUnaligned(axis),
                }[joint.type]
                placed = inner[parent].inverse() @ joint.placement @ own
                index[i], inner[i] = self.model.addJoint(index[parent], made, se3(placed), joint.name), own
                tensor = pinocchio.Inertia(
                    body.inertia.m, np.array(body.inertia.center_of_mass), np.array(body.inertia.central_tensor)
                )
                self.model.appendBodyToJoint(index[i], tensor, se3(own.inverse()))
                add(i)

        add(BASE)
        for frame in robot.frames:
            pose = se3(inner[frame.body].inverse() @ frame.pose)
            self.model.addFrame(pinocchio.Frame(frame.name, index[frame.body], 0, pose, pinocchio.FrameType.OP_FRAME))
        self.data = self.model.createData()
        self.names = list(self.model.names)[1:]

    def there(self, q, *rates):
        found = [conventions.to_pinocchio(self.robot, q, rate, joints=self.names) for rate in rates]
        return (found[0][0], *(rate for _, rate in found))

    def back(self, q, v):
        return conventions.from_pinocchio(self.robot, self.there(q, v)[0], v, joints=self.names)[1]

    def back_matrix(self, q, matrix):
        """Rows and columns in our order."""
        once = np.array([self.back(q, column) for column in np.asarray(matrix).T])
        return np.array([self.back(q, row) for row in once.T])


@pytest.mark.parametrize("seed", SEEDS)
def test_quantities_are_those_of_pinocchio(seed):
    check_quantities(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40, 1000, 40))
def test_quantities_of_a_thousand_trees_are_those_of_pinocchio(first):
    for seed in range(first, first + 40):
        check_quantities(seed)


def check_quantities(seed):
    robot = any_robot(seed)
    peer = Peer(robot)
    pin, model, data = peer.pin, peer.model, peer.data
    q, v, a, tau = state(robot, seed)
    pq, pv, pa, pt = peer.there(q, v, a, tau)
    close(dynamics.inverse_dynamics(robot, q, v, a), peer.back(q, pin.rnea(model, data, pq, pv, pa)))
    close(dynamics.gravity_torque(robot, q), peer.back(q, pin.computeGeneralizedGravity(model, data, pq)))
    upper = np.triu(pin.crba(model, data, pq))
    mass = peer.back_matrix(q, upper + np.triu(upper, 1).T)
    close(dynamics.mass_matrix(robot, q), mass)
    close(dynamics.forward_dynamics(robot, q, v, tau), peer.back(q, pin.aba(model, data, pq, pv, pt)), 1e-8)
    close(dynamics.kinetic_energy(robot, q, v), pin.computeKineticEnergy(model, data, pq, pv))
    close(dynamics.potential_energy(robot, q), pin.computePotentialEnergy(model, data, pq))
    pin.dccrba(model, data, pq, pv)
    rows = {"A": data.Ag.reshape(6, -1), "Ad": data.dAg.reshape(6, -1)}
    rows["J"] = pin.jacobianCenterOfMass(model, data, pq).reshape(3, -1)
    expected = {name: [peer.back(q, row) for row in matrix] for name, matrix in rows.items()}
    close(dynamics.center_of_mass(robot, q), pin.centerOfMass(model, data, pq))
    close(dynamics.center_of_mass_jacobian(robot, q), expected["J"])
    close(dynamics.centroidal_momentum_matrix(robot, q), expected["A"])
    close(dynamics.centroidal_momentum_matrix_derivative(robot, q, v), expected["Ad"])
    by_q, by_v, _ = pin.computeRNEADerivatives(model, data, pq, pv, pa)
    found = dynamics.inverse_dynamics_derivatives(robot, q, v, a)
    close(found.dtau_dq, peer.back_matrix(q, by_q), 1e-9)
    close(found.dtau_dqd, peer.back_matrix(q, by_v), 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_frames_are_those_of_pinocchio(seed):
    robot = any_robot(seed)
    peer = Peer(robot)
    pin, model, data = peer.pin, peer.model, peer.data
    q, v, *_ = state(robot, seed)
    pq, pv = peer.there(q, v)
    for frame in robot.frames:
        index = model.getFrameId(frame.name)
        pin.computeJointJacobiansTimeVariation(model, data, pq, pv)
        pin.framesForwardKinematics(model, data, pq)
        change = pin.getFrameJacobianTimeVariation(model, data, index, pin.LOCAL_WORLD_ALIGNED).reshape(6, -1)
        pin.computeJointJacobians(model, data, pq)
        matrix = pin.getFrameJacobian(model, data, index, pin.LOCAL_WORLD_ALIGNED).reshape(6, -1)
        pose = dynamics.frame_pose(robot, frame.name, q)
        close(pose.rotation, data.oMf[index].rotation)
        close(pose.origin, data.oMf[index].translation)
        close(dynamics.jacobian(robot, frame.name, q), [peer.back(q, row) for row in matrix])
        close(dynamics.jacobian_derivative(robot, frame.name, q, v), [peer.back(q, row) for row in change])


@pytest.mark.parametrize("seed", range(12))
def test_positions_integrate_as_those_of_pinocchio(seed):
    robot = any_robot(seed)
    peer = Peer(robot)
    q, v, *_ = state(robot, seed)
    pq, pv = peer.there(q, v)
    there = integrate(robot, q, v, time=0.3)
    close(peer.there(there, v)[0], peer.pin.integrate(peer.model, pq, 0.3 * pv))
    close(difference(robot, q, there), 0.3 * v)
    back, rates = conventions.from_pinocchio(robot, pq, pv, joints=peer.names)
    close(dynamics.mass_matrix(robot, back), dynamics.mass_matrix(robot, q))
    close(rates, v, 0.0)


@pytest.mark.parametrize("seed", range(12))
def test_coriolis_matrix_is_half_skew_and_gives_the_velocity_torque(seed):
    robot = any_robot(seed)
    q, v, *_ = state(robot, seed)
    c = np.array(dynamics.coriolis_matrix(robot, q, v))
    close(c @ v, dynamics.velocity_torque(robot, q, v))
    ahead, behind = (np.array(dynamics.mass_matrix(robot, integrate(robot, q, s * STEP * v))) for s in (1, -1))
    close(c + c.T, (ahead - behind) / (2 * STEP), 1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_regressor_parts_and_routes_agree(seed):
    robot = any_robot(seed)
    q, v, a, tau = state(robot, seed)
    torque = np.array(dynamics.inverse_dynamics(robot, q, v, a))
    close(np.array(dynamics.regressor(robot, q, v, a)) @ dynamics.parameter_values(robot), torque)
    mass, bias = dynamics.mass_matrix(robot, q), dynamics.velocity_torque(robot, q, v)
    close(np.array(mass) @ a + bias + dynamics.gravity_torque(robot, q), torque)
    close(dynamics.inverse_dynamics(robot, q, v, a, carried=True), torque)
    close(composite_gravity(mechanism(robot), place(mechanism(robot), q)), dynamics.gravity_torque(robot, q))
    close(dynamics.inverse_dynamics(robot, q, v, dynamics.forward_dynamics(robot, q, v, tau)), tau, 1e-8)
    frame = robot.frames[-1].name
    push = ExternalWrench(frame, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    pose, j = dynamics.frame_pose(robot, frame, q), np.array(dynamics.jacobian(robot, frame, q))
    wrench = np.concatenate([np.array(pose.rotation) @ push.force, np.array(pose.rotation) @ push.moment])
    close(dynamics.inverse_dynamics(robot, q, v, a, wrenches=(push,)), torque - j.T @ wrench)


@pytest.mark.parametrize("seed", range(6))
def test_forward_dynamics_derivatives_are_those_in_the_tangent_space(seed):
    robot = any_robot(seed, bodies=4)
    q, v, _, tau = state(robot, seed)
    found = dynamics.forward_dynamics_derivatives(robot, q, v, tau)
    units = np.eye(robot.nv) * STEP

    def slope(function):
        return np.array([(np.array(function(unit)) - function(-unit)) / (2 * STEP) for unit in units]).T

    close(found.dqdd_dq, slope(lambda d: dynamics.forward_dynamics(robot, integrate(robot, q, d), v, tau)), 1e-5)
    close(found.dqdd_dqd, slope(lambda d: dynamics.forward_dynamics(robot, q, v + d, tau)), 1e-5)
    close(np.array(found.dqdd_dtau) @ dynamics.mass_matrix(robot, q), np.eye(robot.nv), 1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_programs_and_batches_are_the_floats(seed):
    robot = any_robot(seed)
    shapes = {"q": (robot.nq,), "v": (robot.nv,), "a": (robot.nv,)}
    program = trace("id", lambda q, v, a: {"tau": dynamics.inverse_dynamics(robot, q, v, a)}, shapes)
    states = [state(robot, k) for k in range(3)]
    batch = evaluate(program, {key: np.array([s[k] for s in states]) for k, key in enumerate(shapes)})["tau"]
    for row, (q, v, a, _) in zip(batch, states, strict=True):
        close(row, dynamics.inverse_dynamics(robot, q, v, a))


def free_body(**changes):
    robot = any_robot(0, bodies=1)
    body = robot.bodies[0]
    return replace(robot, bodies=(replace(body, joint=Joint("base", JointType.FREE)),), **changes)


def test_a_free_base_costs_a_rotation_of_gravity():
    robot = free_body(gravity=(0.0, 0.0, -9.81))
    held = count_operations(trace("g", lambda q: {"tau": dynamics.gravity_torque(robot, q)}, {"q": (7,)}))
    assert (held.sincos, held.div) == (0, 0)
    assert held.mul <= 30  # products of the quaternion, those with gravity, and nine of the first moment
    moved = count_operations(
        trace("n", lambda v: {"tau": dynamics.velocity_torque(robot, neutral(robot), v)}, {"v": (6,)})
    )
    assert moved.mul <= 60


def test_sizes_of_another_vector_are_named():
    robot = free_body()
    with pytest.raises(ArgumentError, match=r"(?s)position of 6 numbers.*7 numbers \(nq\); rates have 6 \(nv\)"):
        integrate(robot, [0.0] * 6, [0.0] * 6)
    with pytest.raises(ArgumentError, match=r"(?s)rates of 7 numbers.*6 numbers \(nv\); positions have 7 \(nq\)"):
        integrate(robot, neutral(robot), [0.0] * 7)
    with pytest.raises(ArgumentError, match=r"(?s)position of 6 numbers.*positions have 7 \(nq\), rates 6 \(nv\)"):
        dynamics.mass_matrix(robot, [0.0] * 6)
    with pytest.raises(ArgumentError, match=r"(?s)rates of 7 numbers.*positions have 7 \(nq\), rates 6 \(nv\)"):
        dynamics.inverse_dynamics(robot, neutral(robot), neutral(robot), [0.0] * 6)
    with pytest.raises(ArgumentError, match="qd has 6 numbers"):
        compiled(robot).inverse_dynamics(neutral(robot), neutral(robot), [0.0] * 6)
    with pytest.raises(ArgumentError, match="influence coefficients"):
        dynamics.influence_coefficients(robot, robot.frames[-1].name, neutral(robot))
