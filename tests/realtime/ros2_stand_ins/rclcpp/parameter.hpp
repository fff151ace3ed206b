#pragma once
#include <any>
#include <string>
#include <vector>
namespace rclcpp
{
class Parameter
{
public:
  Parameter(std::string name, std::any value) : name_(std::move(name)), value_(std::move(value)) {}
  const std::string & get_name() const { return name_; }
  const std::any & value() const { return value_; }
  std::vector<double> as_double_array() const { return std::any_cast<std::vector<double>>(value_); }
  double as_double() const { return std::any_cast<double>(value_); }
  long as_int() const { return std::any_cast<int>(value_); }
  bool as_bool() const { return std::any_cast<bool>(value_); }
  std::string as_string() const { return std::any_cast<std::string>(value_); }

private:
  std::string name_;
  std::any value_;
};
}  // namespace rclcpp
