// A stand-in with the signatures of ros2_control that generated controllers use; none of its code.
#pragma once
#include <optional>
#include <string>

namespace hardware_interface
{
class CommandInterface
{
public:
  CommandInterface(const std::string & prefix, const std::string & name, double * value)
  : name_(prefix + "/" + name), value_(value)
  {
  }
  const std::string & get_name() const { return name_; }
  void put(double value) { *value_ = value; }

private:
  std::string name_;
  double * value_;
};

// What a controller is lent: Humble has plain numbers, later releases may refuse to give or to take one.
class LoanedInterface
{
public:
  explicit LoanedInterface(double * value, const bool * refuses, const bool * full = nullptr)
  : value_(value), refuses_(refuses), full_(full)
  {
  }
#ifdef TORQUEC_ROS_HUMBLE
  double get_value() const { return *value_; }
  void set_value(double value) { *value_ = value; }
#else
  std::optional<double> get_optional() const { return *refuses_ ? std::nullopt : std::optional<double>(*value_); }
  template <typename T>
  [[nodiscard]] bool set_value(const T & value)
  {
    if (full_ != nullptr && *full_) {
      return false;
    }
    *value_ = value;
    return true;
  }
#endif

private:
  double * value_;
  const bool * refuses_;
  const bool * full_;
};
}  // namespace hardware_interface
