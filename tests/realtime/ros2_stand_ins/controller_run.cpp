// Runs a generated controller as a manager would; prints its torques at a state, and what came of bad numbers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "controller_interface/chainable_controller_interface.hpp"
#include "pluginlib/class_list_macros.hpp"

static long allocations = 0;

[[gnu::noinline]] void * operator new(std::size_t size)
{
  ++allocations;
  void * place = std::malloc(size ? size : 1);
  if (place == nullptr) {
    throw std::bad_alloc();
  }
  return place;
}
[[gnu::noinline]] void operator delete(void * place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void * place, std::size_t) noexcept { std::free(place); }

std::unique_ptr<controller_interface::ChainableControllerInterface> make_plugin(int which = 0)
{
  return Plugins<controller_interface::ChainableControllerInterface>::make[which]();
}

using controller_interface::CallbackReturn;
using controller_interface::return_type;

int main(int, char ** arguments)
{
  const auto controller = make_plugin();
  const rclcpp_lifecycle::State state;
  if (controller->on_init() != CallbackReturn::SUCCESS) {
    return 1;
  }
  const std::size_t n = controller->command_interface_configuration().names.size();
  auto & parameters = controller->get_node()->parameters;
  // Without limits it does not begin.
  parameters["effort_limit"] = std::vector<double>(1, 0.0);
  if (controller->on_configure(state) != CallbackReturn::FAILURE) {
    return 2;
  }
  parameters["effort_limit"] = std::vector<double>(n, std::atof(arguments[1]));
  parameters["effort_rate_limit"] = std::vector<double>(1, 1e9);
  if (controller->on_configure(state) != CallbackReturn::SUCCESS) {
    return 3;
  }
  std::vector<double> states(2 * n), commands(n, 7.0), last(n);
  bool refuses = false;
  for (std::size_t k = 0; k < n; ++k) {
    states[2 * k] = 0.3 + 0.1 * static_cast<double>(k);
    states[2 * k + 1] = 0.2 - 0.05 * static_cast<double>(k);
    controller->command_interfaces_.emplace_back(&commands[k], &refuses);
  }
  for (double & value : states) {
    controller->state_interfaces_.emplace_back(&value, &refuses);
  }
  auto references = controller->export_reference_interfaces();
  if (references.size() != 3 * n || controller->on_activate(state) != CallbackReturn::SUCCESS) {
    return 4;
  }
  std::printf("%s\n", references[0].get_name().c_str());
  const rclcpp::Duration period(0.001);
  const rclcpp::Time now;
  const auto show = [&commands]() {
    for (const double value : commands) {
      std::printf(" %.17g", value);
    }
    std::printf("\n");
  };
  // Nobody in front: held where it is.
  const long before = allocations;
  if (controller->update(now, period) != return_type::OK) {
    return 5;
  }
  show();
  // In a chain: the reference's acceleration at the state itself gives the model's torque.
  controller->set_chained_mode(true);
  for (std::size_t k = 0; k < n; ++k) {
    references[3 * k].put(states[2 * k]);
    references[3 * k + 1].put(states[2 * k + 1]);
    references[3 * k + 2].put(1.0 - 0.2 * static_cast<double>(k));
  }
  if (controller->update(now, period) != return_type::OK) {
    return 6;
  }
  show();
  // A reference that is no number brakes; a state that is none holds, then stops.
  references[0].put(std::nan(""));
  if (controller->update(now, period) != return_type::OK) {
    return 7;
  }
  show();
  references[0].put(states[0]);
  last = commands;
  states[1] = std::nan("");
  int held = 0;
  while (controller->update(now, period) == return_type::OK && held < 100) {
    ++held;
    if (commands != last) {
      return 8;
    }
  }
  states[1] = 0.0;
  refuses = true;
  const return_type stopped = controller->update(now, period);
  std::printf("%d %d %ld\n", held, stopped == return_type::ERROR, allocations - before);
  show();
  return controller->on_deactivate(state) == CallbackReturn::SUCCESS && commands[0] == 0.0 ? 0 : 9;
}
