// A stand-in with the signatures of inverse_dynamics_solver's plug-in interface; none of its code.
#pragma once
#include <eigen3/Eigen/Core>
#include <memory>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>
#include <string>

namespace inverse_dynamics_solver
{
class InverseDynamicsSolver
{
public:
  virtual ~InverseDynamicsSolver() {}
  virtual void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
    const std::string & param_namespace = "", const std::string & robot_description = "") = 0;
  virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const = 0;
  virtual Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const = 0;
  virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const = 0;
  virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const = 0;
  virtual Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const = 0;

protected:
  InverseDynamicsSolver() {}
};
}  // namespace inverse_dynamics_solver
