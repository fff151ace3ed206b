/* @PACKAGE@: computed torque with guards, for @N@ joints. Written by torquec; needs no ROS and no allocation.
 *
 *   qdd = qdd_ref + damping (qd_ref - qd) + stiffness (q_ref - q)
 *   tau = inverse dynamics at (q, qd, qdd) + springs at q + friction, within effort and rate limits
 *
 * Friction is that of the reference speed: at the measured one, the noise of a standing joint's speed would switch Coulomb
 * friction on and off in every cycle. It can be chosen, for friction that is smooth at rest, or left out.
 *
 * A reference that is not finite brakes the robot where it is. A state or a torque that is not finite holds the last good
 * torque for `hold_cycles`, then brings it to zero within the rate limits (`stopping`) and stays there (`stopped`) until
 * `start`. No number that is not finite leaves `update`, whatever enters.
 */
#ifndef @GUARD@_EFFORT_LAW_HPP_
#define @GUARD@_EFFORT_LAW_HPP_

#include <array>
#include <cmath>
#include <cstddef>

#include "@PACKAGE@/@PREFIX@.h"

namespace @PACKAGE@
{

constexpr std::size_t joints = @N@;

using Vector = std::array<double, joints>;

constexpr std::array<const char *, joints> joint_names = {@JOINT_NAMES@};

/* From the robot's file; a joint without a limit there has 0, and needs one in its parameters. */
constexpr Vector file_efforts = {@EFFORTS@};

enum class LawStatus
{
  ok,
  reference_refused,  // braking where the robot is
  holding,            // the last good torque
  stopping,           // the torque on its way to zero
  stopped             // at zero: `start` again
};

enum class FrictionAt
{
  nothing,
  reference,  // the speed that is wanted
  measured    // the speed that is: noise at rest becomes torque
};

struct LawSettings
{
  Vector stiffness{};  // 1/s^2
  Vector damping{};    // 1/s
  Vector effort{};     // N m or N
  Vector rate{};       // N m/s or N/s
  double period = 0.001;  // s, where a given period cannot be used
  unsigned hold_cycles = 5;
  FrictionAt friction = FrictionAt::reference;
};

/* x between -limit and limit; 0 where x is no number. */
inline double limited(double x, double limit) noexcept
{
  if (!std::isfinite(x)) {
    return 0.0;
  }
  return x > limit ? limit : (x < -limit ? -limit : x);
}

inline bool all_finite(const Vector & values) noexcept
{
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return false;
    }
  }
  return true;
}

class EffortLaw
{
public:
  /* False, and nothing changed, where a setting is not finite or below zero, or an effort or rate limit is missing. */
  bool configure(const LawSettings & settings) noexcept
  {
    for (std::size_t i = 0; i < joints; ++i) {
      if (
        !(settings.stiffness[i] >= 0.0) || !(settings.damping[i] >= 0.0) || !(settings.effort[i] > 0.0) ||
        !(settings.rate[i] > 0.0)) {
        return false;
      }
    }
    if (
      !all_finite(settings.stiffness) || !all_finite(settings.damping) || !all_finite(settings.effort) ||
      !all_finite(settings.rate) || !std::isfinite(settings.period) || !(settings.period > 0.0)) {
      return false;
    }
    settings_ = settings;
    return true;
  }

  /* Begin, or begin again after a stop: from no torque. */
  void start() noexcept
  {
    last_.fill(0.0);
    faults_ = 0;
    stopping_ = false;
  }

  /* Bring the torque to zero within the rate limits, whatever is measured from now on. */
  void stop() noexcept
  {
    stopping_ = true;
  }

  LawStatus update(
    const Vector & q, const Vector & qd, const Vector & q_ref, const Vector & qd_ref, const Vector & qdd_ref,
    double period, Vector & tau) noexcept
  {
    /* A clock that jumps does not open the rate limit. */
    const bool usable = std::isfinite(period) && period > 0.0 && period <= 2.0 * settings_.period;
    const double dt = usable ? period : settings_.period;
    if (stopping_ || !all_finite(q) || !all_finite(qd)) {
      return fall_back(dt, tau);
    }
    const bool follows = all_finite(q_ref) && all_finite(qd_ref) && all_finite(qdd_ref);
    Vector qdd{};
    for (std::size_t i = 0; i < joints; ++i) {
      qdd[i] = follows ? qdd_ref[i] + settings_.damping[i] * (qd_ref[i] - qd[i]) +
                           settings_.stiffness[i] * (q_ref[i] - q[i])
                       : -settings_.damping[i] * qd[i];
    }
    Vector wanted{};
    if (settings_.friction == FrictionAt::measured) {
      @PREFIX@_total_torque(q.data(), qd.data(), qdd.data(), wanted.data());
    } else {
      @PREFIX@_inverse_dynamics(q.data(), qd.data(), qdd.data(), wanted.data());
      Vector springs{}, friction{};
      @PREFIX@_spring_torque(@SPRING_ARGUMENTS@springs.data());
      if (settings_.friction == FrictionAt::reference) {
        const Vector speed = follows ? qd_ref : Vector{};
        @PREFIX@_friction_torque(@REFERENCE_FRICTION_ARGUMENTS@friction.data());
      }
      for (std::size_t i = 0; i < joints; ++i) {
        wanted[i] += springs[i] + friction[i];
      }
    }
    if (!all_finite(wanted)) {
      return fall_back(dt, tau);
    }
    faults_ = 0;
    move_towards(wanted, dt, tau);
    return follows ? LawStatus::ok : LawStatus::reference_refused;
  }

private:
  LawStatus fall_back(double dt, Vector & tau) noexcept
  {
    if (!stopping_ && faults_ < settings_.hold_cycles) {
      ++faults_;
      tau = last_;
      return LawStatus::holding;
    }
    stopping_ = true;
    move_towards(Vector{}, dt, tau);
    for (const double one : tau) {
      if (one != 0.0) {
        return LawStatus::stopping;
      }
    }
    return LawStatus::stopped;
  }

  void move_towards(const Vector & wanted, double dt, Vector & tau) noexcept
  {
    for (std::size_t i = 0; i < joints; ++i) {
      const double target = limited(wanted[i], settings_.effort[i]);
      last_[i] = limited(last_[i] + limited(target - last_[i], settings_.rate[i] * dt), settings_.effort[i]);
    }
    tau = last_;
  }

  LawSettings settings_{};
  Vector last_{};
  unsigned faults_ = 0;
  bool stopping_ = true;
};

}  // namespace @PACKAGE@

#endif  // @GUARD@_EFFORT_LAW_HPP_
