/* @PACKAGE@: test of the law without ROS: for any inputs, torques are finite and within limits. Written by torquec. */
#include <cmath>
#include <cstdio>
#include <limits>

#include "@PACKAGE@/effort_law.hpp"

using @PACKAGE@::LawStatus;
using @PACKAGE@::Vector;
using @PACKAGE@::joints;

namespace
{

unsigned long long seed = 88172645463325252ull;

double draw()
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return static_cast<double>(seed >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

/* Mostly ordinary numbers; sometimes NaN, infinity or huge ones, as from faulty sensors and networks. */
double value()
{
  const double odd[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 0.0};
  return draw() > 0.995 ? odd[seed % 6] : 2.0 * draw();
}

void fill(Vector & values)
{
  for (double & one : values) {
    one = value();
  }
}

/* 0, or the number of the violated guarantee. */
int storm(@PACKAGE@::Law kind)
{
  @PACKAGE@::LawSettings settings;
  settings.stiffness.fill(400.0);
  settings.damping.fill(40.0);
  settings.effort.fill(30.0);
  settings.rate.fill(3000.0);
  settings.law = kind;
  settings.payload.mass = @PACKAGE@::carries_load ? 0.5 : 0.0;
  settings.payload.center = {0.1, 0.0, 0.05};
  @PACKAGE@::EffortLaw law;
  Vector last{};
  long faults = 0, stops = 0, gone = 0;
  if (!law.configure(settings)) {
    return 1;
  }
  settings.rate[0] = std::nan("");
  if (law.configure(settings)) {
    return 2;
  }
  law.start();
  for (long cycle = 0; cycle < @CYCLES@; ++cycle) {
    Vector q, qd, q_ref, qd_ref, qdd_ref, tau;
    fill(q);
    fill(qd);
    fill(q_ref);
    fill(qd_ref);
    fill(qdd_ref);
    /* A sensor that fails for some cycles. */
    gone = gone > 0 ? gone - 1 : (draw() > 0.998 ? 30 : 0);
    if (gone > 0) {
      q[0] = std::nan("");
    }
    const double period = draw() > 0.9 ? value() : 0.001;
    const LawStatus status = law.update(q, qd, q_ref, qd_ref, qdd_ref, period, tau);
    for (std::size_t i = 0; i < joints; ++i) {
      if (!std::isfinite(tau[i]) || std::fabs(tau[i]) > 30.0) {
        return 3;
      }
      if (std::fabs(tau[i] - last[i]) > 3000.0 * 0.002 * (1.0 + 1e-12)) {
        return 4;
      }
    }
    last = tau;
    faults += status != LawStatus::ok;
    bool still = true;
    for (const double one : tau) {
      still = still && one == 0.0;
    }
    if ((status == LawStatus::stopped && !still) || (status == LawStatus::stopping && still)) {
      return 6;
    }
    if (status == LawStatus::stopped && draw() > 0.9) {
      law.start();
      ++stops;
    }
  }
  std::printf("%ld cycles, %ld with a fault, %ld stops: every torque a number within its limits\n", @CYCLES@L, faults, stops);
  return faults > 0 && stops > 0 ? 0 : 5;
}

}  // namespace

int main()
{
  const int broken = storm(@PACKAGE@::Law::computed_torque);
  return broken != 0 ? broken : storm(@PACKAGE@::Law::gravity);
}
