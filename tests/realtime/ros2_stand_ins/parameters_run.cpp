// Runs a generated controller, changes its parameters while it runs, and prints its torques before and after each change.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "controller_interface/chainable_controller_interface.hpp"
#include "pluginlib/class_list_macros.hpp"

using controller_interface::CallbackReturn;
using controller_interface::return_type;
using Numbers = std::vector<double>;

int main(int, char ** arguments)
{
  const auto controller =
    Plugins<controller_interface::ChainableControllerInterface>::make[std::atoi(arguments[1])]();
  const rclcpp_lifecycle::State state;
  if (controller->on_init() != CallbackReturn::SUCCESS) {
    return 1;
  }
  const std::size_t n = controller->command_interface_configuration().names.size();
  const auto node = controller->get_node();
  node->parameters["effort_limit"] = Numbers(n, 1000.0);
  node->parameters["effort_rate_limit"] = Numbers(1, 1e9);
  if (controller->on_configure(state) != CallbackReturn::SUCCESS) {
    return 2;
  }
  Numbers states(2 * n), commands(n);
  bool refuses = false;
  for (std::size_t k = 0; k < n; ++k) {
    states[2 * k] = 0.3 + 0.1 * static_cast<double>(k);
    states[2 * k + 1] = 0.2 - 0.05 * static_cast<double>(k);
    controller->command_interfaces_.emplace_back(&commands[k], &refuses);
  }
  for (double & value : states) {
    controller->state_interfaces_.emplace_back(&value, &refuses);
  }
  static_cast<void>(controller->export_reference_interfaces());
  /* While it is inactive any number of changes is taken, and read at activation. */
  for (const double mass : {0.25, 0.0}) {
    if (!node->set_parameter({"tool_mass", mass}).successful) {
      return 3;
    }
  }
  if (controller->on_activate(state) != CallbackReturn::SUCCESS) {
    return 4;
  }
  const auto show = [&]() {
    if (controller->update(rclcpp::Time(), rclcpp::Duration(0.001)) != return_type::OK) {
      std::exit(5);
    }
    for (const double value : commands) {
      std::printf(" %.17g", value);
    }
    std::printf("\n");
  };
  show();
  const auto change = [&](const std::string & name, std::any value) {
    return node->set_parameter({name, std::move(value)}).successful;
  };
  if (!change("payload_mass", 1.5) || change("tool_mass", 0.5)) {
    return 6;  // one change a cycle
  }
  show();
  if (!change("payload_center", Numbers{0.1, -0.05, 0.2})) {
    return 7;
  }
  show();
  if (!change("tool_mass", 0.5)) {
    return 8;
  }
  show();
  if (!change(std::atoi(arguments[1]) == 0 ? "natural_frequency" : "speed_gain", Numbers{30.0})) {
    return 9;
  }
  show();
  /* What is wrong is refused, and changes nothing. */
  if (
    change("payload_mass", -1.0) || change("payload_mass", std::nan("")) || change("payload_center", Numbers{0.0}) ||
    change("effort_limit", Numbers{0.0}) || change("friction_speed", std::string("elsewhere"))) {
    return 10;
  }
  show();
  return controller->on_deactivate(state) == CallbackReturn::SUCCESS ? 0 : 11;
}
