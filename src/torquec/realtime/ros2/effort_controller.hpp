/* @PACKAGE@: chainable effort controllers for ros2_control. Written by torquec. */
#ifndef @GUARD@_EFFORT_CONTROLLER_HPP_
#define @GUARD@_EFFORT_CONTROLLER_HPP_

#include <atomic>
#include <memory>
#include <vector>

#include "@PACKAGE@/effort_law.hpp"
#include "controller_interface/chainable_controller_interface.hpp"
#include "hardware_interface/handle.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp_lifecycle/state.hpp"

namespace @PACKAGE@
{

/* Computed torque. */
class EffortController : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous_state) override;

  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
  bool on_set_chained_mode(bool chained_mode) override;

#ifdef TORQUEC_ROS_HUMBLE
  controller_interface::return_type update_reference_from_subscribers() override;
#else
  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
#endif

  virtual Law law() const;

private:
  controller_interface::return_type hold_reference() noexcept;
  const char * read_settings(const std::vector<rclcpp::Parameter> & changed, LawSettings & settings) const;
  bool change_parameters(const std::vector<rclcpp::Parameter> & changed, const char *& reason);

  EffortLaw law_;
  Vector held_{};
  unsigned unwritten_ = 0;
  /* Settings for the next `update`: one writer, one reader, no lock. The writer owns next_ while waiting_ is false. */
  LawSettings next_;
  std::atomic<bool> waiting_{false};
  std::atomic<bool> active_{false};
  std::shared_ptr<void> parameter_callback_;
};

/* Gravity compensation with PD: gains are in units of torque, and no inertia is computed. */
class GravityController : public EffortController
{
protected:
  Law law() const override;
};

}  // namespace @PACKAGE@

#endif  // @GUARD@_EFFORT_CONTROLLER_HPP_
