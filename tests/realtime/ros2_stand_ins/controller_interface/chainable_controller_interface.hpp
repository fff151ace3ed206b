// A stand-in with the signatures of ros2_control's ChainableControllerInterface (Humble, Jazzy); none of its code.
#pragma once
#include <any>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hardware_interface/handle.hpp"
#include "rcl_interfaces/msg/set_parameters_result.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp_lifecycle/state.hpp"

#define RCLCPP_ERROR(logger, ...) ((void)(logger), std::fprintf(stderr, "ERROR " __VA_ARGS__), std::fputc('\n', stderr))

namespace controller_interface
{
enum class return_type { OK, ERROR };
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class interface_configuration_type { ALL, INDIVIDUAL, NONE };

struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names;
};

class Node
{
public:
  std::map<std::string, std::any> parameters;
  rclcpp::Parameter get_parameter(const std::string & name) const { return {name, parameters.at(name)}; }

  using Callback = std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<rclcpp::Parameter> &)>;
  std::shared_ptr<Callback> add_on_set_parameters_callback(Callback callback)
  {
    callback_ = std::make_shared<Callback>(std::move(callback));
    return callback_;
  }
  rcl_interfaces::msg::SetParametersResult set_parameter(const rclcpp::Parameter & parameter)
  {
    const auto result = (*callback_)({parameter});
    if (result.successful) {
      parameters[parameter.get_name()] = parameter.value();
    }
    return result;
  }
  const char * get_name() const { return "effort"; }
  int get_logger() const { return 0; }

private:
  std::shared_ptr<Callback> callback_;
};

class ChainableControllerInterface
{
public:
  virtual ~ChainableControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) { return CallbackReturn::SUCCESS; }

  return_type update(const rclcpp::Time & time, const rclcpp::Duration & period)
  {
    if (!chained_) {
#ifdef TORQUEC_ROS_HUMBLE
      const return_type read = update_reference_from_subscribers();
#else
      const return_type read = update_reference_from_subscribers(time, period);
#endif
      if (read != return_type::OK) {
        return read;
      }
    }
    return update_and_write_commands(time, period);
  }
  std::vector<hardware_interface::CommandInterface> export_reference_interfaces()
  {
    return on_export_reference_interfaces();
  }
  bool set_chained_mode(bool chained)
  {
    chained_ = chained;
    return on_set_chained_mode(chained);
  }
  std::shared_ptr<Node> get_node() const { return node_; }
  std::vector<hardware_interface::LoanedInterface> command_interfaces_, state_interfaces_;

protected:
  template <typename T>
  T auto_declare(const std::string & name, const T & value)
  {
    node_->parameters.emplace(name, value);
    return value;
  }
  virtual std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() = 0;
  virtual bool on_set_chained_mode(bool) { return true; }
#ifdef TORQUEC_ROS_HUMBLE
  virtual return_type update_reference_from_subscribers() = 0;
#else
  virtual return_type update_reference_from_subscribers(const rclcpp::Time &, const rclcpp::Duration &) = 0;
#endif
  virtual return_type update_and_write_commands(const rclcpp::Time &, const rclcpp::Duration &) = 0;
  std::vector<double> reference_interfaces_;

private:
  bool chained_ = false;
  std::shared_ptr<Node> node_ = std::make_shared<Node>();
};
}  // namespace controller_interface
