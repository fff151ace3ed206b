/* @PACKAGE@: chainable effort controllers for ros2_control. Written by torquec.
 *
 * References, by joint: position, velocity, acceleration. State: position, velocity. Command: effort.
 * Gains, limits, friction, tool and payload can be changed while the controller runs (`ros2 param set`); the torques move to
 * the new law within the rate limits.
 * `update` does not allocate, lock or print. It reports an error only when the torques are zero: a manager deactivates a
 * controller in the cycle of its error, so an earlier error would prevent the ramp to zero.
 */
#include "@PACKAGE@/effort_controller.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "pluginlib/class_list_macros.hpp"
#include "rcl_interfaces/msg/set_parameters_result.hpp"

namespace @PACKAGE@
{

namespace
{

constexpr std::size_t position = 0, velocity = 1, acceleration = 2, references = 3, states = 2;

/* Newer ROS releases return an optional number, older ones a plain one; a value that cannot be read becomes NaN. */
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

/* True if the value was set; older ROS releases do not report it, and count as true. */
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
  if (law() == Law::gravity) {
    auto_declare<std::vector<double>>("position_gain", {@POSITION_GAINS@});
    auto_declare<std::vector<double>>("speed_gain", {@SPEED_GAINS@});
  } else {
    auto_declare<std::vector<double>>("natural_frequency", {20.0});
    auto_declare<std::vector<double>>("damping_ratio", {1.0});
  }
  for (const std::string held : {"tool", "payload"}) {
    auto_declare<double>(held + "_mass", 0.0);
    auto_declare<std::vector<double>>(held + "_center", {0.0, 0.0, 0.0});
  }
  auto_declare<std::vector<double>>("effort_limit", std::vector<double>(file_efforts.begin(), file_efforts.end()));
  auto_declare<std::vector<double>>("effort_rate_limit", {0.0});
  auto_declare<double>("period", 0.001);
  auto_declare<int>("hold_cycles", 5);
  auto_declare<bool>("friction", true);
  auto_declare<std::string>("friction_speed", "reference");
  parameter_callback_ =
    get_node()->add_on_set_parameters_callback([this](const std::vector<rclcpp::Parameter> & changed) {
      rcl_interfaces::msg::SetParametersResult result;
      const char * reason = "";
      result.successful = change_parameters(changed, reason);
      result.reason = reason;
      return result;
    });
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

Law EffortController::law() const
{
  return Law::computed_torque;
}

Law GravityController::law() const
{
  return Law::gravity;
}

/* The settings from the node's parameters and the changed ones; returns the reason of a refusal, or null. */
const char * EffortController::read_settings(
  const std::vector<rclcpp::Parameter> & changed, LawSettings & settings) const
{
  const auto node = get_node();
  const auto given = [&](const std::string & name) {
    for (const rclcpp::Parameter & parameter : changed) {
      if (parameter.get_name() == name) {
        return parameter;
      }
    }
    return node->get_parameter(name);
  };
  const auto numbers = [&](const std::string & name) { return given(name).as_double_array(); };
  const bool is_gravity = law() == Law::gravity;
  Vector first{}, second{}, limit{}, rate{};
  const bool counted = spread(numbers(is_gravity ? "position_gain" : "natural_frequency"), first) &&
                       spread(numbers(is_gravity ? "speed_gain" : "damping_ratio"), second) &&
                       spread(numbers("effort_limit"), limit) && spread(numbers("effort_rate_limit"), rate);
  const auto cycles = given("hold_cycles").as_int();
  if (!counted || cycles < 0) {
    return "give one number for all joints, or one for each of the @N@; cycles from 0 on";
  }
  const std::string speed = given("friction_speed").as_string();
  if (speed != "reference" && speed != "measured") {
    return "friction_speed is neither reference nor measured";
  }
  const auto held = [&](const std::string & name, PointMass & mass) {
    const std::vector<double> center = numbers(name + "_center");
    mass.mass = given(name + "_mass").as_double();
    if (center.size() != mass.center.size()) {
      return false;
    }
    std::copy(center.begin(), center.end(), mass.center.begin());
    return true;
  };
  if (!held("tool", settings.tool) || !held("payload", settings.payload)) {
    return "a center has three numbers";
  }
  settings.law = law();
  settings.period = given("period").as_double();
  settings.hold_cycles = static_cast<unsigned>(cycles);
  if (!given("friction").as_bool()) {
    settings.friction = FrictionAt::nothing;
  } else if (speed == "measured") {
    settings.friction = FrictionAt::measured;
  }
  for (std::size_t i = 0; i < joints; ++i) {
    settings.stiffness[i] = is_gravity ? first[i] : first[i] * first[i];
    settings.damping[i] = is_gravity ? second[i] : 2.0 * second[i] * first[i];
    settings.effort[i] = limit[i];
    settings.rate[i] = rate[i] > 0.0 ? rate[i] : 100.0 * limit[i];
  }
  if (!EffortLaw::accepts(settings)) {
    return "a gain, a mass, a limit or the period is missing, below zero or not finite (effort_limit is needed), or a mass "
           "cannot be carried";
  }
  return nullptr;
}

/* Refused parameters keep their values. An inactive controller takes changes when it is activated. */
bool EffortController::change_parameters(const std::vector<rclcpp::Parameter> & changed, const char *& reason)
{
  LawSettings settings;
  const char * wrong = read_settings(changed, settings);
  if (wrong == nullptr && active_.load() && waiting_.load(std::memory_order_acquire)) {
    wrong = "the change before this one is not taken yet: try again";
  }
  if (wrong != nullptr) {
    reason = wrong;
    return false;
  }
  if (active_.load()) {
    next_ = settings;
    waiting_.store(true, std::memory_order_release);
  }
  return true;
}

controller_interface::CallbackReturn EffortController::on_configure(const rclcpp_lifecycle::State &)
{
  LawSettings settings;
  if (const char * wrong = read_settings({}, settings)) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", wrong);
    return controller_interface::CallbackReturn::FAILURE;
  }
  law_.configure(settings);
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
  LawSettings settings;
  if (read_settings({}, settings) == nullptr) {
    law_.configure(settings);
  }
  hold_reference();
  unwritten_ = 0;
  waiting_ = false;
  law_.start();
  active_ = true;
  return controller_interface::CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn EffortController::on_deactivate(const rclcpp_lifecycle::State &)
{
  active_ = false;
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

/* No other controller writes the references: hold the position at activation. */
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
  if (waiting_.load(std::memory_order_acquire)) {
    law_.configure(next_);
    waiting_.store(false, std::memory_order_release);
  }
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
  /* An occasional refused command does no harm: the drive keeps the last one. */
  unwritten_ = written ? 0 : unwritten_ + 1;
  if (unwritten_ > law_.hold_cycles()) {
    law_.stop();
  }
  return status == LawStatus::stopped ? controller_interface::return_type::ERROR : controller_interface::return_type::OK;
}

}  // namespace @PACKAGE@

PLUGINLIB_EXPORT_CLASS(@PACKAGE@::EffortController, controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(@PACKAGE@::GravityController, controller_interface::ChainableControllerInterface)
