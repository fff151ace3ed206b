/* @PACKAGE@: a plug-in for the package inverse_dynamics_solver. Written by torquec. */
#include <cstddef>
#include <stdexcept>
#include <string>

#if __has_include(<inverse_dynamics_solver/inverse_dynamics_solver.hpp>)
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#else
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>
#endif
#include <pluginlib/class_list_macros.hpp>

#include "@PACKAGE@/@PREFIX@.h"

namespace @PACKAGE@
{

class DynamicsSolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  /* The generated code contains the whole model: no parameter is read. */
  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr = nullptr, const std::string & = "",
    const std::string & = "") override
  {
  }

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const override
  {
    check(joint_positions);
    double rows[n * n];
    @PREFIX@_mass_matrix(joint_positions.data(), rows);
    Eigen::MatrixXd matrix(n, n);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) {
        matrix(i, k) = rows[n * i + k];
      }
    }
    return matrix;
  }

  Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const override
  {
    check(joint_positions);
    check(joint_velocities);
    Eigen::VectorXd torques(n);
    @PREFIX@_velocity_torque(joint_positions.data(), joint_velocities.data(), torques.data());
    return torques;
  }

  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const override
  {
    check(joint_positions);
    Eigen::VectorXd torques(n);
    @PREFIX@_gravity_torque(joint_positions.data(), torques.data());
    return torques;
  }

  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const override
  {
    check(joint_velocities);
    Eigen::VectorXd torques(n);
    @PREFIX@_friction_torque(@FRICTION_ARGUMENTS@torques.data());
    return torques;
  }

  /* Inertia, velocity and gravity torques in one call, without computing the mass matrix. */
  Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const override
  {
    check(joint_positions);
    check(joint_velocities);
    check(joint_accelerations);
    Eigen::VectorXd torques(n);
    @PREFIX@_inverse_dynamics(
      joint_positions.data(), joint_velocities.data(), joint_accelerations.data(), torques.data());
    return torques;
  }

private:
  static constexpr int n = @N@;

  static void check(const Eigen::VectorXd & values)
  {
    if (values.size() != n) {
      throw std::invalid_argument(
        "this model has @N@ joints (@JOINT_LIST@), and the vector " + std::to_string(values.size()) + " numbers");
    }
  }
};

}  // namespace @PACKAGE@

PLUGINLIB_EXPORT_CLASS(@PACKAGE@::DynamicsSolver, inverse_dynamics_solver::InverseDynamicsSolver)
