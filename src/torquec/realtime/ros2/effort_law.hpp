/* @PACKAGE@: control laws with guards, for @N@ joints. Written by torquec; needs no ROS and no allocation.
 *
 *   feedback = damping (qd_ref - qd) + stiffness (q_ref - q)
 *   computed torque:      tau = inverse dynamics at (q, qd, qdd_ref + feedback) + springs at q + friction
 *   gravity compensation: tau = gravity at q + feedback + springs at q + friction
 *
 * within effort and rate limits. Tool and payload, point masses at the frame `@FRAME@`, are added to the model.
 * Friction is compensated at the reference speed. At the measured one, speed noise at standstill would switch Coulomb
 * friction on and off in every cycle: choose it only for friction that is smooth at rest. Friction can also be left out.
 *
 * If the reference is not finite, the robot brakes where it is. If a state or a torque is not finite, the last good torque
 * is held for `hold_cycles`, then goes to zero within the rate limits (`stopping`) and stays there (`stopped`) until
 * `start`. The torques of `update` are finite for all inputs.
 */
#ifndef @GUARD@_EFFORT_LAW_HPP_
#define @GUARD@_EFFORT_LAW_HPP_

#include <array>
#include <cmath>
#include <cstddef>

#include "@PACKAGE@/@PREFIX@.h"
#include "@PACKAGE@/@PREFIX@_load.h"

namespace @PACKAGE@
{

constexpr std::size_t joints = @N@;

using Vector = std::array<double, joints>;

constexpr std::array<const char *, joints> joint_names = {@JOINT_NAMES@};

/* Effort limits in the robot's file; a joint without one has 0, and needs one in the parameters. */
constexpr Vector file_efforts = {@EFFORTS@};

enum class LawStatus
{
  ok,
  reference_refused,  // braking where the robot is
  holding,            // the last good torque
  stopping,           // the torque is going to zero
  stopped             // the torque is zero until `start`
};

enum class Law
{
  computed_torque,  // gains are per unit of inertia
  gravity           // PD with gravity compensation: gains are in units of torque
};

enum class FrictionAt
{
  nothing,
  reference,  // the reference speed
  measured    // the measured speed: noise at standstill becomes torque
};

/* A point mass [kg] at a point [m] of the frame `@FRAME@`. */
struct PointMass
{
  double mass = 0.0;
  std::array<double, 3> center{};
};

/* Whether the package computes torques of a load: not for robots with closed loops or without frames. */
constexpr bool carries_load = @CARRIES@;

struct LawSettings
{
  Law law = Law::computed_torque;
  Vector stiffness{};  // 1/s^2, or N m/rad or N/m
  Vector damping{};    // 1/s, or N m s/rad or N s/m
  Vector effort{};     // N m or N
  Vector rate{};       // N m/s or N/s
  double period = 0.001;  // s, in place of a measured period that cannot be used
  unsigned hold_cycles = 5;
  FrictionAt friction = FrictionAt::reference;
  PointMass tool, payload;
};

/* x clamped to -limit .. limit; 0 if x is not finite. */
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
  /* False if a setting is not finite or below zero, or an effort or rate limit is missing. */
  static bool accepts(const LawSettings & settings) noexcept
  {
    for (const PointMass & held : {settings.tool, settings.payload}) {
      for (const double value : held.center) {
        if (!std::isfinite(value)) {
          return false;
        }
      }
      if (!std::isfinite(held.mass) || !(held.mass >= 0.0) || (held.mass > 0.0 && !carries_load)) {
        return false;
      }
    }
    for (std::size_t i = 0; i < joints; ++i) {
      if (
        !(settings.stiffness[i] >= 0.0) || !(settings.damping[i] >= 0.0) || !(settings.effort[i] > 0.0) ||
        !(settings.rate[i] > 0.0)) {
        return false;
      }
    }
    return all_finite(settings.stiffness) && all_finite(settings.damping) && all_finite(settings.effort) &&
           all_finite(settings.rate) && std::isfinite(settings.period) && settings.period > 0.0;
  }

  /* Change the settings, also between two cycles: torques move to the new law within the rate limits. False: refused. */
  bool configure(const LawSettings & settings) noexcept
  {
    if (!accepts(settings)) {
      return false;
    }
    settings_ = settings;
    load_.fill(0.0);
    for (const PointMass & held : {settings.tool, settings.payload}) {
      const double m = held.mass, x = held.center[0], y = held.center[1], z = held.center[2];
      const std::array<double, 10> added = {m * (y * y + z * z), -m * x * y, -m * x * z, m * (x * x + z * z), -m * y * z,
                                            m * (x * x + y * y), m * x,      m * y,      m * z,               m};
      for (std::size_t k = 0; k < added.size(); ++k) {
        load_[k] += added[k];
      }
    }
    return true;
  }

  unsigned hold_cycles() const noexcept
  {
    return settings_.hold_cycles;
  }

  /* Begin, or begin again after a stop, with torque zero. */
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
    /* A clock that jumps must not widen the rate limit. */
    const bool usable = std::isfinite(period) && period > 0.0 && period <= 2.0 * settings_.period;
    const double dt = usable ? period : settings_.period;
    if (stopping_ || !all_finite(q) || !all_finite(qd)) {
      return fall_back(dt, tau);
    }
    const bool follows = all_finite(q_ref) && all_finite(qd_ref) && all_finite(qdd_ref);
    const bool follows_model = settings_.law == Law::computed_torque;
    const Vector still{};
    Vector feedback{}, qdd{}, wanted{};
    for (std::size_t i = 0; i < joints; ++i) {
      feedback[i] = follows ? settings_.damping[i] * (qd_ref[i] - qd[i]) + settings_.stiffness[i] * (q_ref[i] - q[i])
                            : -settings_.damping[i] * qd[i];
      qdd[i] = follows_model ? (follows ? qdd_ref[i] : 0.0) + feedback[i] : 0.0;
    }
    if (follows_model) {
      @PREFIX@_inverse_dynamics(q.data(), qd.data(), qdd.data(), wanted.data());
    } else {
      @PREFIX@_gravity_torque(q.data(), wanted.data());
    }
    const bool measured = settings_.friction == FrictionAt::measured;
    const Vector & speed = measured ? qd : (follows ? qd_ref : still);
    Vector springs{}, friction{}, carried{};
    @PREFIX@_spring_torque(@SPRING_ARGUMENTS@springs.data());
    if (settings_.friction != FrictionAt::nothing) {
      @PREFIX@_friction_torque(@REFERENCE_FRICTION_ARGUMENTS@friction.data());
    }
    if (load_[9] > 0.0) {
      @PREFIX@_load_torque(q.data(), (follows_model ? qd : still).data(), qdd.data(), load_.data(), carried.data());
    }
    for (std::size_t i = 0; i < joints; ++i) {
      wanted[i] += (follows_model ? 0.0 : feedback[i]) + springs[i] + friction[i] + carried[i];
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
  std::array<double, 10> load_{};  // inertial parameters of tool and payload together
  Vector last_{};
  unsigned faults_ = 0;
  bool stopping_ = true;
};

}  // namespace @PACKAGE@

#endif  // @GUARD@_EFFORT_LAW_HPP_
