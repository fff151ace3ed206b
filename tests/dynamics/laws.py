"""Laws of rigid-body dynamics that determine each quantity from simpler ones, down to the placements in the file.

A law takes a robot and a batch of states and gives the largest violation, relative to the largest value that it
compares: a few times the rounding error for a right implementation. Derivatives are complex steps, exact to rounding.

    placements -> poses -> Jacobian, M (sum over bodies), U
    M -> velocity torque, kinetic energy          U -> gravity torque
    M, velocity torque, gravity torque -> inverse dynamics -> everything else
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.dynamics.peers import reflected_inertia
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import QUANTITIES, along, by_element, on_batch, on_floats, on_graph
from tests.robot import reference

from torquec import dynamics
from torquec.dynamics import Axes, ExternalWrench
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.dynamics.motion import motions
from torquec.robot.robot import Drives
from torquec.spatial import Inertia


def violation(found, expected, *others):
    """Largest difference, relative to the largest of the expected (and other) values."""
    scale = max([1e-12, *(np.abs(values).max(initial=0.0) for values in (expected, *others))])
    return float(np.abs(found - expected).max(initial=0.0) / scale)


def times(matrices, vectors):
    """(N, i, j) times (N, j)."""
    return np.einsum("nij,nj->ni", matrices, vectors)


def _skew(v):
    """[v x] for vectors along the last axis."""
    x, y, z = np.moveaxis(v, -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack(row, axis=-1) for row in ([zero, -z, y], [z, zero, -x], [-y, x, zero])], axis=-2)


def at_frame(algorithm, name):
    """An algorithm of (robot, frame, state...) as one of (robot, state...)."""
    return lambda robot, *state: algorithm(robot, name, *state)


def _rotation(robot, name, q):
    return dynamics.frame_pose(robot, name, q).rotation


def _origin(robot, name, q):
    return dynamics.frame_pose(robot, name, q).origin


# --- kinematics -----------------------------------------------------------------------------------------------------


def poses_are_products_of_placements(robot, state):
    """Every frame's pose is the plain product of the file's placements and joint motions."""
    worst = 0.0
    for frame in robot.frames:
        expected = np.array([reference.frame_pose(robot, q, frame.name) for q in state.q])
        turned = on_batch(at_frame(_rotation, frame.name), robot, state.q)
        origin = on_batch(at_frame(_origin, frame.name), robot, state.q)
        worst = max(worst, violation(turned, expected[:, :3, :3]), violation(origin, expected[:, :3, 3], 1.0))
    return worst


def jacobian_is_the_derivative_of_the_pose(robot, state):
    """Upper rows: dp/dq. Lower rows: [w x] = dR/dq R'."""
    worst = 0.0
    for frame in robot.frames:
        found = on_batch(at_frame(dynamics.jacobian, frame.name), robot, state.q)
        linear = by_element(at_frame(_origin, frame.name), robot, (state.q,))
        turned = by_element(at_frame(_rotation, frame.name), robot, (state.q,))
        rotation = on_batch(at_frame(_rotation, frame.name), robot, state.q)
        spin = np.einsum("nabj,ncb->njac", turned, rotation)
        angular = _skew(np.moveaxis(found[:, 3:], 1, 2))
        worst = max(worst, violation(found[:, :3], linear, 1.0), violation(angular, spin, 1.0))
    return worst


def jacobian_derivative_is_the_rate_of_the_jacobian(robot, state):
    """dJ/dt = dJ/dq qd."""
    worst = 0.0
    for frame in robot.frames:
        found = on_batch(at_frame(dynamics.jacobian_derivative, frame.name), robot, state.q, state.qd)
        expected = along(at_frame(dynamics.jacobian, frame.name), robot, (state.q,), (state.qd,))
        worst = max(worst, violation(found, expected, 1.0))
    return worst


# --- energies and what follows from them ----------------------------------------------------------------------------


def mass_matrix_is_the_sum_over_bodies(robot, state):
    """M = sum of m Jv'Jv - Jv' [h x] Jw + Jw' [h x] Jv + Jw' J Jw over bodies, plus T' diag(rotors) T."""
    size = len(state.q)

    def origins(r, q):
        return [pose.origin for pose in dynamics.body_poses(r, q)]

    def rotations(r, q):
        return [pose.rotation for pose in dynamics.body_poses(r, q)]

    velocity = by_element(origins, robot, (state.q,))  # (N, bodies, 3, n)
    turn = on_batch(rotations, robot, state.q)
    spin = np.einsum("nbijk,nblj->nbilk", by_element(rotations, robot, (state.q,)), turn)
    omega = np.stack([spin[:, :, 2, 1], spin[:, :, 0, 2], spin[:, :, 1, 0]], axis=2)
    total = np.tile(reflected_inertia(robot), (size, 1, 1))
    for i, body in enumerate(robot.bodies):
        jv, jw, r = velocity[:, i], omega[:, i], turn[:, i]
        h = _skew(np.einsum("nij,j->ni", r, np.array(body.inertia.first_moment)))
        tensor = r @ np.array(body.inertia.tensor) @ r.transpose(0, 2, 1)
        jv_t, jw_t = jv.transpose(0, 2, 1), jw.transpose(0, 2, 1)
        total += body.inertia.m * jv_t @ jv - jv_t @ h @ jw + jw_t @ h @ jv + jw_t @ tensor @ jw
    return violation(on_batch(dynamics.mass_matrix, robot, state.q), total)


def kinetic_energy_is_half_speed_mass_speed(robot, state):
    """T = 1/2 qd' M qd."""
    mass = on_batch(dynamics.mass_matrix, robot, state.q)
    expected = 0.5 * np.einsum("ni,nij,nj->n", state.qd, mass, state.qd)
    return violation(on_batch(dynamics.kinetic_energy, robot, state.q, state.qd), expected, mass)


def potential_energy_is_weight_times_height_and_springs(robot, state):
    """U = -sum m g . c + sum 1/2 k (q - rest)^2, from poses that the package did not compute."""
    coupling, offset = reference.coupling(robot)
    expected = np.zeros(len(state.q))
    for k, q in enumerate(state.q):
        for i, (body, pose) in enumerate(zip(robot.bodies, reference.body_poses(robot, q), strict=True)):
            moment = pose @ np.array([*body.inertia.first_moment, body.inertia.m])
            expected[k] -= np.array(robot.gravity) @ moment[:3]
            if body.joint.spring is not None:
                stretch = coupling[i] @ q + offset[i] - body.joint.spring.rest
                expected[k] += 0.5 * body.joint.spring.stiffness * stretch**2
    return violation(on_batch(dynamics.potential_energy, robot, state.q), expected, 1.0)


def velocity_torque_follows_from_the_mass_matrix(robot, state):
    """c = Mdot qd - 1/2 d(qd' M qd)/dq: Lagrange's equations; no other quadratic form satisfies it."""
    change = by_element(dynamics.mass_matrix, robot, (state.q,))
    rate = np.einsum("nijk,nk,nj->ni", change, state.qd, state.qd)
    gradient = np.einsum("nijk,ni,nj->nk", change, state.qd, state.qd)
    return violation(
        on_batch(dynamics.velocity_torque, robot, state.q, state.qd), rate - 0.5 * gradient, _torques(robot, state)
    )


def gravity_and_spring_torques_are_the_gradient_of_the_potential(robot, state):
    """g + springs = dU/dq."""
    found = on_batch(dynamics.gravity_torque, robot, state.q) + on_batch(dynamics.spring_torque, robot, state.q)
    return violation(found, by_element(dynamics.potential_energy, robot, (state.q,)), _torques(robot, state))


def inverse_dynamics_is_the_sum_of_its_parts(robot, state):
    """tau = M qdd + c + g."""
    mass = on_batch(dynamics.mass_matrix, robot, state.q)
    speed = on_batch(dynamics.velocity_torque, robot, state.q, state.qd)
    weight = on_batch(dynamics.gravity_torque, robot, state.q)
    return violation(_torques(robot, state), times(mass, state.qdd) + speed + weight)


def power_goes_into_energy(robot, state):
    """qd . (tau + springs) = d(T + U)/dt along the motion."""
    drive = _torques(robot, state) + on_batch(dynamics.spring_torque, robot, state.q)
    power = np.einsum("ni,ni->n", state.qd, drive)
    kinetic = along(dynamics.kinetic_energy, robot, (state.q, state.qd), (state.qd, state.qdd))
    potential = along(dynamics.potential_energy, robot, (state.q,), (state.qd,))
    return violation(kinetic + potential, power, _torques(robot, state))


def energy_is_conserved_without_drives(robot, state):
    """A robot that only its springs drive keeps T + U."""
    springs = -on_batch(dynamics.spring_torque, robot, state.q)
    qdd = on_batch(dynamics.forward_dynamics, robot, state.q, state.qd, springs)
    kinetic = along(dynamics.kinetic_energy, robot, (state.q, state.qd), (state.qd, qdd))
    potential = along(dynamics.potential_energy, robot, (state.q,), (state.qd,))
    return violation(kinetic, -potential, _torques(robot, state))


# --- Coriolis matrix ------------------------------------------------------------------------------------------------


def coriolis_matrix_times_speed_is_the_velocity_torque(robot, state):
    """C qd = c."""
    found = times(on_batch(dynamics.coriolis_matrix, robot, state.q, state.qd), state.qd)
    return violation(found, on_batch(dynamics.velocity_torque, robot, state.q, state.qd), _torques(robot, state))


def mass_matrix_rate_less_twice_coriolis_is_skew(robot, state):
    """Mdot - 2 C = -(Mdot - 2 C)'."""
    rate = along(dynamics.mass_matrix, robot, (state.q,), (state.qd,))
    matrix = on_batch(dynamics.coriolis_matrix, robot, state.q, state.qd)
    return violation(matrix + matrix.transpose(0, 2, 1), rate, matrix, 1e-3)


def coriolis_matrix_is_that_of_christoffel(robot, state):
    """2 C = dc/dqd, which among all matrices with the two laws above only Christoffel's has."""
    change = by_element(dynamics.velocity_torque, robot, (state.q, state.qd), 1)
    return violation(2.0 * on_batch(dynamics.coriolis_matrix, robot, state.q, state.qd), change, 1e-3)


# --- forward dynamics and derivatives -------------------------------------------------------------------------------


def inverse_dynamics_undoes_forward_dynamics(robot, state):
    """tau(q, qd, qdd(q, qd, tau)) = tau."""
    qdd = on_batch(dynamics.forward_dynamics, robot, state.q, state.qd, state.tau)
    found = on_batch(dynamics.inverse_dynamics, robot, state.q, state.qd, qdd)
    return violation(found, state.tau, _torques(robot, state))


def derivatives_of_inverse_dynamics_are_complex_steps(robot, state):
    """dtau/dq and dtau/dqd."""
    point = (state.q, state.qd, state.qdd)
    by_q, by_qd = (by_element(dynamics.inverse_dynamics, robot, point, k) for k in (0, 1))
    scale = _torques(robot, state)
    return max(
        violation(on_batch(QUANTITIES["dtau_dq"][0], robot, *point), by_q, by_qd, scale),
        violation(on_batch(QUANTITIES["dtau_dqd"][0], robot, *point), by_qd, by_q, scale),
    )


def derivatives_of_forward_dynamics_are_complex_steps(robot, state):
    """dqdd/dq, dqdd/dqd and dqdd/dtau, compared as the torques that they stand for."""
    point = (state.q, state.qd, state.tau)
    mass = on_batch(dynamics.mass_matrix, robot, state.q)
    steps = [mass @ by_element(dynamics.forward_dynamics, robot, point, k) for k in range(3)]
    names = ("dqdd_dq", "dqdd_dqd", "dqdd_dtau")
    found = [mass @ on_batch(QUANTITIES[name][0], robot, *point) for name in names]
    scale = _torques(robot, state)
    worst = [violation(f, step, scale) for f, step in zip(found[:2], steps[:2], strict=True)]
    return max(*worst, violation(found[2], steps[2]))


# --- parameters, regrouping, drives ---------------------------------------------------------------------------------


def regressor_times_parameters_is_the_torque(robot, state):
    """Y phi = tau for the robot's own parameters and for any others, of real bodies or not."""
    rng = np.random.default_rng(len(robot.bodies))
    any_bodies = tuple(
        replace(body, inertia=Inertia(*(float(value) for value in rng.normal(size=10)))) for body in robot.bodies
    )
    worst = 0.0
    for one in (robot, replace(robot, bodies=any_bodies)):
        matrix = on_batch(dynamics.regressor, one, state.q, state.qd, state.qdd)
        worst = max(worst, violation(matrix @ np.array(dynamics.parameter_values(one)), _torques(one, state)))
    return worst


def regrouping_leaves_torque_and_mass_matrix_unchanged(robot, state):
    """All groupings, and with them the unit of length, give what the bodies' own moments give."""

    def torques(grouping):
        def algorithm(r, q, qd, qdd):
            m = mechanism(r, grouping)
            placed = place(m, q)
            return joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, qdd), qdd)

        return on_batch(algorithm, robot, state.q, state.qd, state.qdd)

    def masses(grouping):
        def algorithm(r, q):
            m = mechanism(r, grouping)
            return joint_inertias(m, place(m, q))

        return on_batch(algorithm, robot, state.q)

    changed = (Grouping.REGROUPED, Grouping.BALANCED)
    tau, mass = torques(Grouping.NONE), masses(Grouping.NONE)
    worst = max(violation(torques(grouping), tau) for grouping in changed)
    return max(worst, *(violation(masses(grouping), mass) for grouping in changed))


def rotors_add_a_constant_to_the_mass_matrix(robot, state):
    """tau with drives - tau without = T' diag(rotor inertia) T qdd, T the transmission."""
    bare = replace(robot, drives=Drives())
    found = _torques(robot, state) - _torques(bare, state)
    if not robot.drives.motors:
        return violation(found, np.zeros_like(found), _torques(bare, state))
    gear = np.array(robot.drives.transmission)
    rotors = np.array([motor.rotor_inertia for motor in robot.drives.motors])
    return violation(found, state.qdd @ (gear.T * rotors) @ gear, _torques(robot, state))


def mimic_joints_are_free_joints_tied_together(robot, state):
    """tau(q) = T' tau_free(T q + offset), T from the file's multipliers."""
    matrix, offset = reference.coupling(robot)
    untied = tuple(replace(body, joint=replace(body.joint, mimic=None)) for body in robot.bodies)
    free = replace(robot, bodies=untied, drives=Drives())
    arrays = (state.q @ matrix.T + offset, state.qd @ matrix.T, state.qdd @ matrix.T)
    expected = on_batch(dynamics.inverse_dynamics, free, *arrays) @ matrix
    return violation(_torques(replace(robot, drives=Drives()), state), expected)


def friction_follows_the_direction_of_motion(robot, state):
    """By the plain formula of joints and motors; at zero speed dry friction is zero."""
    expected = np.array([reference.friction_torque(robot, qd) for qd in state.qd])
    worst = violation(on_batch(dynamics.friction_torque, robot, state.qd), expected, 1.0)
    rest = np.zeros((1, robot.n))
    still = reference.friction_torque(robot, rest[0])
    return max(worst, violation(on_batch(dynamics.friction_torque, robot, rest)[0], still, 1.0))


def total_torque_is_bodies_friction_and_springs(robot, state):
    """tau_total = tau + friction + springs."""
    friction = on_batch(dynamics.friction_torque, robot, state.qd)
    expected = _torques(robot, state) + friction + on_batch(dynamics.spring_torque, robot, state.q)
    return violation(on_batch(dynamics.total_torque, robot, state.q, state.qd, state.qdd), expected)


def wrenches_are_felt_through_the_jacobian(robot, state):
    """tau without - tau with = J' F, in base axes; in the frame's own axes F is turned by its rotation first."""
    rng = np.random.default_rng(robot.n)
    free = _torques(robot, state)
    worst = 0.0
    for frame in (robot.frames[0], robot.frames[-1], robot.frames[len(robot.frames) // 2]):
        matrix = on_batch(at_frame(dynamics.jacobian, frame.name), robot, state.q)
        turn = on_batch(at_frame(_rotation, frame.name), robot, state.q)
        force, moment = (tuple(float(value) for value in rng.uniform(-50.0, 50.0, 3)) for _ in range(2))
        for axes in Axes:
            push = ExternalWrench(frame.name, force, moment, axes)
            both = (push, ExternalWrench(frame.name, force, moment, axes))  # two on one frame add up

            def pushed(r, q, qd, qdd, wrenches=both):
                return dynamics.inverse_dynamics(r, q, qd, qdd, wrenches=wrenches)

            turned = turn if axes is Axes.FRAME else np.broadcast_to(np.eye(3), turn.shape)
            felt = 2.0 * np.concatenate([turned @ np.array(force), turned @ np.array(moment)], axis=1)
            found = free - on_batch(pushed, robot, state.q, state.qd, state.qdd)
            worst = max(worst, violation(found, np.einsum("nki,nk->ni", matrix, felt), free))
    return worst


def floats_batches_and_graphs_agree(robot, state):
    """Every quantity run on floats, on a batch, and traced then evaluated."""
    graph = on_graph(robot, state, QUANTITIES)
    worst = 0.0
    for name, (algorithm, parts) in QUANTITIES.items():
        arrays = [getattr(state, part) for part in parts]
        batch = on_batch(algorithm, robot, *arrays)
        for other in (graph[name], on_floats(algorithm, robot, *arrays)):
            worst = max(worst, violation(other, batch, 1.0))
    return worst


def _torques(robot, state):
    return on_batch(dynamics.inverse_dynamics, robot, state.q, state.qd, state.qdd)


LAWS = {
    law.__name__: law
    for law in (
        poses_are_products_of_placements,
        jacobian_is_the_derivative_of_the_pose,
        jacobian_derivative_is_the_rate_of_the_jacobian,
        mass_matrix_is_the_sum_over_bodies,
        kinetic_energy_is_half_speed_mass_speed,
        potential_energy_is_weight_times_height_and_springs,
        velocity_torque_follows_from_the_mass_matrix,
        gravity_and_spring_torques_are_the_gradient_of_the_potential,
        inverse_dynamics_is_the_sum_of_its_parts,
        power_goes_into_energy,
        energy_is_conserved_without_drives,
        coriolis_matrix_times_speed_is_the_velocity_torque,
        mass_matrix_rate_less_twice_coriolis_is_skew,
        coriolis_matrix_is_that_of_christoffel,
        inverse_dynamics_undoes_forward_dynamics,
        derivatives_of_inverse_dynamics_are_complex_steps,
        derivatives_of_forward_dynamics_are_complex_steps,
        regressor_times_parameters_is_the_torque,
        regrouping_leaves_torque_and_mass_matrix_unchanged,
        rotors_add_a_constant_to_the_mass_matrix,
        mimic_joints_are_free_joints_tied_together,
        friction_follows_the_direction_of_motion,
        total_torque_is_bodies_friction_and_springs,
        wrenches_are_felt_through_the_jacobian,
        floats_batches_and_graphs_agree,
    )
}


def holds(law, seeds=range(25), *, tolerance=1e-10, **options):
    """Assert a law on random robots; the message names the seed."""
    for seed in seeds:
        robot = random_robot(seed, **options)
        found = LAWS[law](robot, random_state(robot, seed))
        assert found < tolerance, f"{law}: {found:.1e} on random_robot({seed})"
