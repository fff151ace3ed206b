// Loads a generated plug-in through its base and prints what it computes.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "inverse_dynamics_solver/inverse_dynamics_solver.hpp"
#include "pluginlib/class_list_macros.hpp"

int main(int, char ** arguments)
{
  const int n = std::atoi(arguments[1]);
  const auto solver = Plugins<inverse_dynamics_solver::InverseDynamicsSolver>::make[0]();
  solver->initialize();
  Eigen::VectorXd q(n), qd(n), qdd(n);
  for (int k = 0; k < n; ++k) {
    q(k) = 0.3 + 0.1 * k;
    qd(k) = 0.2 - 0.05 * k;
    qdd(k) = 1.0 - 0.2 * k;
  }
  const auto show = [n](Eigen::VectorXd values) {
    for (int k = 0; k < n; ++k) {
      std::printf(" %.17g", values(k));
    }
    std::printf("\n");
  };
  show(solver->getTorques(q, qd, qdd));
  show(solver->getCoriolisVector(q, qd));
  show(solver->getGravityVector(q));
  show(solver->getFrictionVector(qd));
  Eigen::MatrixXd matrix = solver->getInertiaMatrix(q);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      std::printf(" %.17g", matrix(i, k));
    }
  }
  std::printf("\n");
  try {
    solver->getGravityVector(Eigen::VectorXd(n + 1));
  } catch (const std::invalid_argument & error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  return 1;
}
