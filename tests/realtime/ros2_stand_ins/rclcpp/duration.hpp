#pragma once
namespace rclcpp
{
class Duration
{
public:
  explicit Duration(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }

private:
  double seconds_;
};
}  // namespace rclcpp
