"""Every law fails on the bug that it is meant to catch: each is planted here once and seen.

A bug replaces a function of the package for the length of one test. It must break the laws that are named with it, and
together the bugs must break every law that there is.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace

import pytest
from tests.dynamics.laws import LAWS
from tests.dynamics.random_robots import random_robot, random_state

import torquec.dynamics
from torquec.dynamics.friction import TERMS
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Coordinate
from torquec.dynamics.motion import LinkMotion
from torquec.expr import Node
from torquec.robot import canonical
from torquec.robot.robot import Drives
from torquec.spatial import add, cross, scale

ZERO = (0.0, 0.0, 0.0)
BROKEN, SOUND = 1e-5, 1e-10


def robots():
    """Fresh ones, so that nothing is cached: trees with everything, and an arm of revolute joints alone."""
    found = [(random_robot(seed), seed) for seed in (5, 7, 13)]
    return [*found, (random_robot(2, bodies=5, types=("revolute",), mimic=False), 2)]


def violations(law):
    """By how much each robot breaks a law; those after the one that settles a question are not asked."""
    return (LAWS[law](robot, random_state(robot, seed)) for robot, seed in robots())


def module(name):
    """A module of the dynamics; its public function has the same name and hides it in the package."""
    return importlib.import_module(f"torquec.dynamics.{name}")


def everywhere(monkeypatch, name, wrong):
    """Replace a function in every module of the dynamics that calls it by that name."""
    for info in pkgutil.iter_modules(torquec.dynamics.__path__):
        if hasattr(module(info.name), name):
            monkeypatch.setattr(module(info.name), name, wrong)


BUGS = {}


def bug(*laws):
    """Register a function that plants a bug, with the laws that must notice."""

    def register(plant):
        BUGS[plant.__name__] = (plant, laws)
        return plant

    return register


# --- inverse dynamics -----------------------------------------------------------------------------------------------


@bug("velocity_torque_follows_from_the_mass_matrix")
def gyroscopic_moment_deleted(monkeypatch):
    right = module("inverse_dynamics").body_wrench

    def wrong(e, moving):
        x, y, z = moving.wd
        without_speed = LinkMotion(moving.w, moving.wd, ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)), moving.a, ZERO)
        force, moment = right(replace(e, xx=0.0, xy=0.0, xz=0.0, yy=0.0, yz=0.0, zz=0.0), moving)
        _, spin = right(replace(e, x=0.0, y=0.0, z=0.0, m=0.0), without_speed)
        return force, add(moment, spin)

    everywhere(monkeypatch, "body_wrench", wrong)


@bug("kinetic_energy_is_half_speed_mass_speed", "gravity_and_spring_torques_are_the_gradient_of_the_potential")
def lever_of_the_centre_of_mass_with_the_wrong_sign(monkeypatch):
    right = module("inverse_dynamics").body_wrench

    def wrong(e, moving):
        force, moment = right(e, moving)
        return force, add(moment, scale(cross(e.first, moving.a), -2.0))

    everywhere(monkeypatch, "body_wrench", wrong)


@bug("inverse_dynamics_is_the_sum_of_its_parts")
def moment_of_the_child_force_dropped(monkeypatch):
    right = module("inverse_dynamics").joint_torques

    def wrong(m, placed, *rest):
        return right(m, [replace(link, origin=ZERO) for link in placed], *rest)

    everywhere(monkeypatch, "joint_torques", wrong)


@bug("velocity_torque_follows_from_the_mass_matrix", "power_goes_into_energy")
def prismatic_coriolis_acceleration_without_its_two(monkeypatch):
    right = module("motion")._sliding

    def wrong(parent, link, rate, acceleration):
        return right(parent, link, 0.5 * rate, acceleration)

    monkeypatch.setattr(module("motion"), "_sliding", wrong)


@bug("gravity_and_spring_torques_are_the_gradient_of_the_potential")
def base_pulled_by_gravity_instead_of_pushed(monkeypatch):
    right = module("motion").base_motion
    everywhere(monkeypatch, "base_motion", lambda gravity: right(scale(gravity, -1.0)))


@bug("floats_batches_and_graphs_agree")
def traced_run_takes_another_branch(monkeypatch):
    right = module("inverse_dynamics")._pair

    def wrong(p, r, plus, minus, product, rate):
        return p * plus + r * minus if isinstance(plus, Node) else right(p, r, plus, minus, product, rate)

    monkeypatch.setattr(module("inverse_dynamics"), "_pair", wrong)


# --- mass moments, regrouping ---------------------------------------------------------------------------------------


@bug("mass_matrix_is_the_sum_over_bodies", "regrouping_leaves_torque_and_mass_matrix_unchanged")
def second_moment_along_the_axis_not_given_to_the_parent(monkeypatch):
    right = module("mechanism").regroup

    def wrong(links, moments, **options):
        kept = [replace(e, zz=0.0) if link.column.turns else e for link, e in zip(links, moments, strict=True)]
        return right(links, kept, **options)

    monkeypatch.setattr(module("mechanism"), "regroup", wrong)


@bug("mass_matrix_is_the_sum_over_bodies")
def composite_turned_the_wrong_way(monkeypatch):
    right = MassMoments.turned_about_z
    monkeypatch.setattr(MassMoments, "turned_about_z", lambda e, c, s: right(e, c, -s))


@bug("regrouping_leaves_torque_and_mass_matrix_unchanged")
def gravity_not_in_the_unit_of_length(monkeypatch):
    right = module("mechanism")._in_own_length
    monkeypatch.setattr(module("mechanism"), "_in_own_length", lambda m: replace(right(m), gravity=m.gravity))


@bug("regressor_times_parameters_is_the_torque")
def product_of_inertia_with_the_wrong_sign_in_the_regressor(monkeypatch):
    right = module("regressor")._row

    def wrong(*args):
        row = list(right(*args))
        return (row[0], -row[1], *row[2:])

    monkeypatch.setattr(module("regressor"), "_row", wrong)


# --- Coriolis matrix, derivatives -----------------------------------------------------------------------------------


@bug("mass_matrix_rate_less_twice_coriolis_is_skew", "derivatives_of_inverse_dynamics_are_complex_steps")
def velocity_of_the_child_origin_dropped_from_velocity_moments(monkeypatch):
    right = module("coriolis_matrix").velocity_moments

    def wrong(placed, composite, w, u):
        return right(placed, [replace(e, x=0.0, y=0.0, z=0.0) for e in composite], w, u)

    everywhere(monkeypatch, "velocity_moments", wrong)


@bug("coriolis_matrix_is_that_of_christoffel")
def axis_turned_the_wrong_way(monkeypatch):
    everywhere(monkeypatch, "axis_rate", lambda w, _axis=2: (-w[1], w[0], 0.0))


@bug("coriolis_matrix_times_speed_is_the_velocity_torque")
def speed_row_dropped(monkeypatch):
    right = module("coriolis_matrix").joint_row
    everywhere(monkeypatch, "joint_row", lambda *args: replace(right(*args), g=ZERO))


@bug("derivatives_of_inverse_dynamics_are_complex_steps")
def momentum_dropped_from_the_position_derivative(monkeypatch):
    right = module("inverse_dynamics_derivatives").position_wrench

    def wrong(link, e, velocity, moving, wrench):
        return right(link, e, replace(velocity, linear=ZERO), moving, wrench)

    everywhere(monkeypatch, "position_wrench", wrong)


@bug("derivatives_of_forward_dynamics_are_complex_steps")
def torque_derivatives_taken_at_rest(monkeypatch):
    right = module("inverse_dynamics_derivatives").torque_derivatives

    def wrong(m, placed, qd, qdd):
        return right(m, placed, qd, [0.0 * a for a in qdd])

    monkeypatch.setattr(module("forward_dynamics"), "torque_derivatives", wrong)


@bug("inverse_dynamics_undoes_forward_dynamics", "energy_is_conserved_without_drives")
def joints_solved_one_by_one(monkeypatch):
    right = module("joint_space_solve").factorize

    def wrong(matrix):
        return right([[entry if i == j else 0.0 for j, entry in enumerate(row)] for i, row in enumerate(matrix)])

    monkeypatch.setattr(module("forward_dynamics"), "factorize", wrong)


# --- kinematics, coordinates ----------------------------------------------------------------------------------------


@bug("poses_are_products_of_placements")
def turn_of_a_frame_about_its_axis_forgotten(monkeypatch):
    monkeypatch.setattr(canonical, "_angle_about_z", lambda *args: 0.0)


@bug("poses_are_products_of_placements")
def mimic_multiplier_forgotten(monkeypatch):
    right = module("mechanism").coordinates
    everywhere(monkeypatch, "coordinates", lambda robot: tuple(replace(c, multiplier=1.0) for c in right(robot)))


@bug("mimic_joints_are_free_joints_tied_together", "jacobian_derivative_is_the_rate_of_the_jacobian")
def mimic_multiplier_forgotten_in_speeds(monkeypatch):
    monkeypatch.setattr(Coordinate, "rate", lambda coordinate, qd: qd[coordinate.index])


@bug("jacobian_is_the_derivative_of_the_pose")
def lever_of_the_jacobian_with_the_wrong_sign(monkeypatch):
    monkeypatch.setattr(module("jacobian"), "cross", lambda a, b: cross(b, a))


# --- energy, drives, surroundings -----------------------------------------------------------------------------------


@bug("potential_energy_is_weight_times_height_and_springs")
def centre_of_mass_forgotten_in_the_potential(monkeypatch):
    monkeypatch.setattr(module("energy"), "matvec", lambda matrix, vector: ZERO)


@bug("gravity_and_spring_torques_are_the_gradient_of_the_potential")
def spring_of_a_mimic_joint_at_the_wrong_place(monkeypatch):
    right = module("spring_torque").coordinates
    wrong = lambda robot: tuple(replace(c, offset=c.offset + 0.1) for c in right(robot))  # noqa: E731
    monkeypatch.setattr(module("spring_torque"), "coordinates", wrong)


@bug("rotors_add_a_constant_to_the_mass_matrix")
def motor_coupling_forgotten(monkeypatch):
    right = Drives.reflected_inertia

    def wrong(drives, n):
        full = right(drives, n)
        return tuple(tuple(full[i][j] if i == j else 0.0 for j in range(n)) for i in range(n))

    monkeypatch.setattr(Drives, "reflected_inertia", wrong)


@bug("friction_follows_the_direction_of_motion")
def friction_the_same_in_both_directions(monkeypatch):
    coulomb = TERMS["coulomb"]
    wrong = lambda _, f, state: state.direction.sided(f.coulomb_positive, f.coulomb_positive)  # noqa: E731
    monkeypatch.setattr(type(coulomb), "torque", wrong)


@bug("total_torque_is_bodies_friction_and_springs")
def springs_left_out_of_the_total(monkeypatch):
    monkeypatch.setattr(module("total_torque"), "spring_torque", lambda robot, q: [0.0 * value for value in q])


@bug("wrenches_are_felt_through_the_jacobian")
def wrench_not_turned_into_link_axes(monkeypatch):
    def wrong(robot, placed, body, pose, wrench):
        return wrench.force, wrench.moment

    monkeypatch.setattr(module("external_wrench"), "_in_link_axes", wrong)


# --- the tests ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "law"), [(name, law) for name, (_, laws) in BUGS.items() for law in laws])
def test_law_notices(name, law, monkeypatch):
    BUGS[name][0](monkeypatch)
    assert any(not found < BROKEN for found in violations(law))


@pytest.mark.parametrize("law", LAWS)
def test_law_holds_without_the_bug(law):
    assert all(found < SOUND for found in violations(law))


def test_every_law_has_its_bug():
    assert {law for _, laws in BUGS.values() for law in laws} == set(LAWS)
