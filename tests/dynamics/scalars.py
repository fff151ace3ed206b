"""The ways to run one algorithm: on floats, on batches, through the expression graph, and on complex numbers."""

from __future__ import annotations

import numpy as np

from torquec import dynamics
from torquec.expr import evaluate, trace

STEP = 1e-30
"""Of the complex step: its square is lost in rounding, so the derivative has no truncation error."""


def _dtau_dq(robot, q, qd, qdd):
    return dynamics.inverse_dynamics_derivatives(robot, q, qd, qdd).dtau_dq


def _dtau_dqd(robot, q, qd, qdd):
    return dynamics.inverse_dynamics_derivatives(robot, q, qd, qdd).dtau_dqd


def _dqdd_dq(robot, q, qd, tau):
    return dynamics.forward_dynamics_derivatives(robot, q, qd, tau).dqdd_dq


def _dqdd_dqd(robot, q, qd, tau):
    return dynamics.forward_dynamics_derivatives(robot, q, qd, tau).dqdd_dqd


def _dqdd_dtau(robot, q, qd, tau):
    return dynamics.forward_dynamics_derivatives(robot, q, qd, tau).dqdd_dtau


def _last_frame_origin(robot, q):
    return dynamics.frame_pose(robot, robot.frames[-1].name, q).origin


def _last_frame_rotation(robot, q):
    return dynamics.frame_pose(robot, robot.frames[-1].name, q).rotation


def _last_frame_jacobian(robot, q):
    return dynamics.jacobian(robot, robot.frames[-1].name, q)


def _last_frame_jacobian_derivative(robot, q, qd):
    return dynamics.jacobian_derivative(robot, robot.frames[-1].name, q, qd)


QUANTITIES = {
    "inverse_dynamics": (dynamics.inverse_dynamics, ("q", "qd", "qdd")),
    "mass_matrix": (dynamics.mass_matrix, ("q",)),
    "gravity_torque": (dynamics.gravity_torque, ("q",)),
    "velocity_torque": (dynamics.velocity_torque, ("q", "qd")),
    "coriolis_matrix": (dynamics.coriolis_matrix, ("q", "qd")),
    "forward_dynamics": (dynamics.forward_dynamics, ("q", "qd", "tau")),
    "friction_torque": (dynamics.friction_torque, ("qd",)),
    "spring_torque": (dynamics.spring_torque, ("q",)),
    "total_torque": (dynamics.total_torque, ("q", "qd", "qdd")),
    "kinetic_energy": (dynamics.kinetic_energy, ("q", "qd")),
    "potential_energy": (dynamics.potential_energy, ("q",)),
    "regressor": (dynamics.regressor, ("q", "qd", "qdd")),
    "dtau_dq": (_dtau_dq, ("q", "qd", "qdd")),
    "dtau_dqd": (_dtau_dqd, ("q", "qd", "qdd")),
    "dqdd_dq": (_dqdd_dq, ("q", "qd", "tau")),
    "dqdd_dqd": (_dqdd_dqd, ("q", "qd", "tau")),
    "dqdd_dtau": (_dqdd_dtau, ("q", "qd", "tau")),
    "center_of_mass": (dynamics.center_of_mass, ("q",)),
    "center_of_mass_jacobian": (dynamics.center_of_mass_jacobian, ("q",)),
    "centroidal_momentum_matrix": (dynamics.centroidal_momentum_matrix, ("q",)),
    "centroidal_momentum_matrix_derivative": (dynamics.centroidal_momentum_matrix_derivative, ("q", "qd")),
    "frame_origin": (_last_frame_origin, ("q",)),
    "frame_rotation": (_last_frame_rotation, ("q",)),
    "jacobian": (_last_frame_jacobian, ("q",)),
    "jacobian_derivative": (_last_frame_jacobian_derivative, ("q", "qd")),
}
"""Every quantity of a robot at a state: the algorithm and which parts of the state it takes."""


def on_batch(algorithm, robot, *arrays):
    """The algorithm run once on N states, (N, n) arrays in, (N, ...) out; complex where an input is."""
    columns = [[array[:, i] for i in range(array.shape[1])] for array in arrays]
    return stacked(algorithm(robot, *columns), len(arrays[0]), np.result_type(*arrays, float))


def on_floats(algorithm, robot, *arrays):
    """The algorithm run state by state on plain floats."""
    return np.array(
        [algorithm(robot, *([float(x) for x in row] for row in rows)) for rows in zip(*arrays, strict=True)]
    )


def on_graph(robot, state, names):
    """The named quantities traced as one function and evaluated on the batch: {name: (N, ...)}."""

    def everything(**inputs):
        return {name: QUANTITIES[name][0](robot, *(inputs[part] for part in QUANTITIES[name][1])) for name in names}

    parts = sorted({part for name in names for part in QUANTITIES[name][1]})
    function = trace("everything", everything, dict.fromkeys(parts, (robot.n,)))
    return evaluate(function, {part: getattr(state, part) for part in parts})


def stacked(value, size, kind=float):
    """Nested lists of scalars or (N,) arrays as one array (N, ...)."""
    if isinstance(value, list | tuple):
        return np.stack([stacked(entry, size, kind) for entry in value], axis=1)
    return np.broadcast_to(np.asarray(value, dtype=kind), (size,))


def along(algorithm, robot, points, directions):
    """The derivative of an algorithm along directions, by the complex step; each a tuple of (N, n)."""
    moved = [point + 1j * STEP * direction for point, direction in zip(points, directions, strict=True)]
    return on_batch(algorithm, robot, *moved).imag / STEP


def by_element(algorithm, robot, points, which=0):
    """The derivative of an algorithm by the elements of its argument `which`, as the last axis."""
    columns = []
    for unit in np.eye(points[which].shape[1]):
        directions = [np.zeros_like(point) for point in points]
        directions[which] = directions[which] + unit
        columns.append(along(algorithm, robot, points, directions))
    return np.stack(columns, axis=-1)
