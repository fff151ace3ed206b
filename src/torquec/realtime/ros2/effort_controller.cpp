/* @PACKAGE@: a chainable effort controller for ros2_control. Written by torquec.
 *
 * References, by joint: position, velocity, acceleration. State: position, velocity. Command: effort.
 * `update` does not allocate, lock or print. It reports an error only when the torques are at zero: a manager deactivates
 * a controller in the cycle of its error, and the ramp to zero would never run.
 */
#include "@PACKAGE@/effort_controller.hpp"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "pluginlib/class_list_macros.hpp"

namespace @PACKAGE@
{

namespace
{

constexpr std::size_t position = 0, velocity = 1, acceleration = 2, references = 3, states = 2;

/* Newer releases give an optional number, older ones a plain one; what cannot be read is no number. */
template <typename Interface, typename = void>
struct has_optional : std::false_type
{
};
template <typename Interface>
struct has_optional<Interface, std::void_t<decltype(std::declval<const Interface &>().get_optional())>> : std::true_type
{
};

template <typename Interface>
double value_of(const Interface & interface)
{
  if constexpr (has_optional<Interface>::value) {
    return interface.get_optional().value_or(std::numeric_limits<double>::quiet_NaN());
  } else {
    return interface.get_value();
  }
}

/* True where the value was set; older releases do not say. */
template <typename Interface>
bool set_value_of(Interface & interface, double value)
{
  if constexpr (std::is_void_v<decltype(interface.set_value(value))>) {
    interface.set_value(value);
    return true;
  } else {
    return interface.set_value(value);
  }
}

std::vector<std::string> names_of(const std::vector<std::string> & kinds)
{
  std::vector<std::string> names;
  for (const char * joint : joint_names) {
    for (const std::string & kind : kinds) {
      names.push_back(std::string(joint) + "/" + kind);
    }
  }
  return names;
}

/* One number for all joints, or one for each; false for any other count. */
bool spread(const std::vector<double> & given, Vector & values)
{
  if (given.size() != 1 && given.size() != joints) {
    return false;
  }
  for (std::size_t i = 0; i < joints; ++i) {
    values[i] = given[given.size() == 1 ? 0 : i];
  }
  return true;
}

}  // namespace

controller_interface::CallbackReturn EffortController::on_init()
{
  auto_declare<std::vector<double>>("natural_frequency", {20.0});
  auto_declare<std::vector<double>>("damping_ratio", {1.0});
  auto_declare<std::vector<double>>("effort_limit", std::vector<double>(file_efforts.begin(), file_efforts.end()));
  auto_declare<std::vector<double>>("effort_rate_limit", {0.0});
  auto_declare<double>("period", 0.001);
  auto_declare<int>("hold_cycles", 5);
  auto_declare<bool>("friction", true);
  auto_declare<std::string>("friction_speed", "reference");
  return controller_interface::CallbackReturn::SUCCESS;
}

controller_interface::InterfaceConfiguration EffortController::command_interface_configuration() const
{
  return {controller_interface::interface_configuration_type::INDIVIDUAL, names_of({"effort"})};
}

controller_interface::InterfaceConfiguration EffortController::state_interface_configuration() const
{
  return {controller_interface::interface_configuration_type::INDIVIDUAL, names_of({"position", "velocity"})};
}

controller_interface::CallbackReturn EffortController::on_configure(const rclcpp_lifecycle::State &)
{
  LawSettings settings;
  Vector frequency{}, ratio{}, limit{}, rate{};
  const auto node = get_node();
  const bool counted = spread(node->get_parameter("natural_frequency").as_double_array(), frequency) &&
                       spread(node->get_parameter("damping_ratio").as_double_array(), ratio) &&
                       spread(node->get_parameter("effort_limit").as_double_array(), limit) &&
                       spread(node->get_parameter("effort_rate_limit").as_double_array(), rate);
  const auto cycles = node->get_parameter("hold_cycles").as_int();
  if (!counted || cycles < 0) {
    RCLCPP_ERROR(node->get_logger(), "give one number for all joints, or one for each of the @N@; cycles from 0 on");
    return controller_interface::CallbackReturn::FAILURE;
  }
  const std::string speed = node->get_parameter("friction_speed").as_string();
  if (speed != "reference" && speed != "measured") {
    RCLCPP_ERROR(node->get_logger(), "friction_speed is neither reference nor measured");
    return controller_interface::CallbackReturn::FAILURE;
  }
  settings.period = node->get_parameter("period").as_double();
  settings.hold_cycles = static_cast<unsigned>(cycles);
  if (!node->get_parameter("friction").as_bool()) {
    settings.friction = FrictionAt::nothing;
  } else if (speed == "measured") {
    settings.friction = FrictionAt::measured;
  }
  hold_cycles_ = settings.hold_cycles;
  for (std::size_t i = 0; i < joints; ++i) {
    settings.stiffness[i] = frequency[i] * frequency[i];
    settings.damping[i] = 2.0 * ratio[i] * frequency[i];
    settings.effort[i] = limit[i];
    settings.rate[i] = rate[i] > 0.0 ? rate[i] : 100.0 * limit[i];
  }
  if (!law_.configure(settings)) {
    RCLCPP_ERROR(
      node->get_logger(), "a gain, a limit or the period is missing, below zero or not finite (effort_limit is needed)");
    return controller_interface::CallbackReturn::FAILURE;
  }
  return controller_interface::CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn EffortController::on_activate(const rclcpp_lifecycle::State &)
{
  if (
    state_interfaces_.size() != states * joints || command_interfaces_.size() != joints ||
    reference_interfaces_.size() != references * joints) {
    RCLCPP_ERROR(get_node()->get_logger(), "the interfaces of @N@ joints are not all there");
    return controller_interface::CallbackReturn::FAILURE;
  }
  for (std::size_t i = 0; i < joints; ++i) {
    held_[i] = value_of(state_interfaces_[states * i + position]);
  }
  if (!all_finite(held_)) {
    RCLCPP_ERROR(get_node()->get_logger(), "a joint's position is not finite");
    return controller_interface::CallbackReturn::FAILURE;
  }
  hold_reference();
  unwritten_ = 0;
  law_.start();
  return controller_interface::CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn EffortController::on_deactivate(const rclcpp_lifecycle::State &)
{
  for (auto & interface : command_interfaces_) {
    static_cast<void>(set_value_of(interface, 0.0));
  }
  return controller_interface::CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::CommandInterface> EffortController::on_export_reference_interfaces()
{
  reference_interfaces_.assign(references * joints, std::numeric_limits<double>::quiet_NaN());
  const std::vector<std::string> names = names_of({"position", "velocity", "acceleration"});
  std::vector<hardware_interface::CommandInterface> exported;
  exported.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    exported.emplace_back(get_node()->get_name(), names[k], &reference_interfaces_[k]);
  }
  return exported;
}

bool EffortController::on_set_chained_mode(bool)
{
  return true;
}

/* Nobody is in front: the robot is held where it was when the controller began. */
controller_interface::return_type EffortController::hold_reference() noexcept
{
  for (std::size_t i = 0; i < joints; ++i) {
    reference_interfaces_[references * i + position] = held_[i];
    reference_interfaces_[references * i + velocity] = 0.0;
    reference_interfaces_[references * i + acceleration] = 0.0;
  }
  return controller_interface::return_type::OK;
}

#ifdef TORQUEC_ROS_HUMBLE
controller_interface::return_type EffortController::update_reference_from_subscribers()
#else
controller_interface::return_type EffortController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
#endif
{
  return hold_reference();
}

controller_interface::return_type EffortController::update_and_write_commands(
  const rclcpp::Time &, const rclcpp::Duration & period)
{
  Vector q{}, qd{}, q_ref{}, qd_ref{}, qdd_ref{}, tau{};
  for (std::size_t i = 0; i < joints; ++i) {
    q[i] = value_of(state_interfaces_[states * i + position]);
    qd[i] = value_of(state_interfaces_[states * i + velocity]);
    q_ref[i] = reference_interfaces_[references * i + position];
    qd_ref[i] = reference_interfaces_[references * i + velocity];
    qdd_ref[i] = reference_interfaces_[references * i + acceleration];
  }
  const LawStatus status = law_.update(q, qd, q_ref, qd_ref, qdd_ref, period.seconds(), tau);
  bool written = true;
  for (std::size_t i = 0; i < joints; ++i) {
    written = set_value_of(command_interfaces_[i], tau[i]) && written;
  }
  /* A command that is refused now and then does no harm: the drive keeps the last one. */
  unwritten_ = written ? 0 : unwritten_ + 1;
  if (unwritten_ > hold_cycles_) {
    law_.stop();
  }
  return status == LawStatus::stopped ? controller_interface::return_type::ERROR : controller_interface::return_type::OK;
}

}  // namespace @PACKAGE@

PLUGINLIB_EXPORT_CLASS(@PACKAGE@::EffortController, controller_interface::ChainableControllerInterface)
