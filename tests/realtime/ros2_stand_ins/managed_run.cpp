// Runs a generated controller as a manager does that deactivates a controller in the cycle of its error. Prints the largest
// torque before the fault, the largest change of a torque in a cycle, and how many cycles passed until the error.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "controller_interface/chainable_controller_interface.hpp"
#include "pluginlib/class_list_macros.hpp"

std::unique_ptr<controller_interface::ChainableControllerInterface> make_plugin(int which = 0)
{
  return Plugins<controller_interface::ChainableControllerInterface>::make[which]();
}

using controller_interface::CallbackReturn;
using controller_interface::return_type;

namespace
{

unsigned long long seed = 88172645463325252ull;

double uniform()
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return static_cast<double>(seed >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

}  // namespace

int main(int, char ** arguments)
{
  const std::string fault = arguments[1], setting = arguments[2];
  const auto controller = make_plugin();
  const rclcpp_lifecycle::State state;
  if (controller->on_init() != CallbackReturn::SUCCESS) {
    return 1;
  }
  const std::size_t n = controller->command_interface_configuration().names.size();
  auto & parameters = controller->get_node()->parameters;
  parameters["effort_limit"] = std::vector<double>(n, 1000.0);
  parameters["effort_rate_limit"] = std::vector<double>(1, fault == "noise" ? 1e6 : std::atof(setting.c_str()));
  if (fault == "noise") {
    parameters["friction_speed"] = setting;
  }
  if (controller->on_configure(state) != CallbackReturn::SUCCESS) {
    return 3;
  }
  std::vector<double> states(2 * n), commands(n), last(n);
  bool refuses = false, full = false;
  for (std::size_t k = 0; k < n; ++k) {
    controller->command_interfaces_.emplace_back(&commands[k], &refuses, &full);
  }
  for (double & value : states) {
    controller->state_interfaces_.emplace_back(&value, &refuses);
  }
  static_cast<void>(controller->export_reference_interfaces());
  if (controller->on_activate(state) != CallbackReturn::SUCCESS) {
    return 4;
  }
  double before = 0.0, largest = 0.0;
  int since = 0;
  const int settled = 2000;
  for (int cycle = 0; cycle < 2 * settled; ++cycle) {
    const bool faulty = cycle >= settled;
    if (faulty && fault == "state") {
      states[1] = std::nan("");
    } else if (fault == "noise") {
      for (std::size_t k = 0; k < n; ++k) {
        states[2 * k + 1] = 0.002 * uniform();
      }
    }
    /* For more than the cycles that are waited for; then the drive listens again. */
    full = fault == "command" && cycle >= settled && cycle < settled + 6;
    const return_type returned = controller->update(rclcpp::Time(), rclcpp::Duration(0.001));
    if (returned == return_type::ERROR) {
      static_cast<void>(controller->on_deactivate(state));
    }
    for (std::size_t k = 0; k < n; ++k) {
      /* The first torques rise within the limits, too. */
      if (cycle > 1 && (faulty || fault == "noise")) {
        largest = std::fmax(largest, std::fabs(commands[k] - last[k]));
      }
      before = faulty ? before : std::fmax(before, std::fabs(commands[k]));
    }
    last = commands;
    since += faulty;
    if (returned == return_type::ERROR) {
      break;
    }
  }
  std::printf("%.17g %.17g %d\n", before, largest, since);
  return 0;
}
