"""Rigid-body dynamics, one quantity per file, each written once over any scalar."""

from torquec.dynamics.base_regressor import base_inverse_dynamics, base_mass_matrix, base_regressor
from torquec.dynamics.center_of_mass import center_of_mass, center_of_mass_jacobian
from torquec.dynamics.centroidal_momentum_matrix import (
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_derivative,
)
from torquec.dynamics.coriolis_matrix import coriolis_matrix
from torquec.dynamics.energy import kinetic_energy, potential_energy
from torquec.dynamics.external_wrench import Axes, ExternalWrench
from torquec.dynamics.forward_dynamics import AccelerationDerivatives, forward_dynamics, forward_dynamics_derivatives
from torquec.dynamics.frame_pose import body_poses, frame_pose
from torquec.dynamics.friction_regressor import FrictionColumns, friction_regressor
from torquec.dynamics.friction_torque import friction_torque
from torquec.dynamics.influence_coefficients import Influence, InfluenceCoefficients, influence_coefficients
from torquec.dynamics.inverse_dynamics import gravity_torque, inverse_dynamics, velocity_torque
from torquec.dynamics.inverse_dynamics_derivatives import TorqueDerivatives, inverse_dynamics_derivatives
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.dynamics.mass_matrix import mass_matrix
from torquec.dynamics.regressor import parameter_names, parameter_values, regressor
from torquec.dynamics.spring_torque import spring_torque
from torquec.dynamics.total_torque import total_torque

__all__ = [
    "AccelerationDerivatives",
    "Axes",
    "ExternalWrench",
    "FrictionColumns",
    "Influence",
    "InfluenceCoefficients",
    "TorqueDerivatives",
    "base_inverse_dynamics",
    "base_mass_matrix",
    "base_regressor",
    "body_poses",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_derivative",
    "coriolis_matrix",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_pose",
    "friction_regressor",
    "friction_torque",
    "gravity_torque",
    "influence_coefficients",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_derivative",
    "kinetic_energy",
    "mass_matrix",
    "parameter_names",
    "parameter_values",
    "potential_energy",
    "regressor",
    "spring_torque",
    "total_torque",
    "velocity_torque",
]
