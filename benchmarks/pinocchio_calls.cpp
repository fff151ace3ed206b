/* Pinocchio's own C++ algorithms on doubles, timed over a ring of states; built by benchmarks/peer.py.

   A model is handed over joint by joint, as numbers: this file is compiled for the processor at hand, with wider
   registers and another alignment than the libraries of the wheel, and must share no object with them. */
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <chrono>
#include <memory>
#include <string>

struct Robot {
    pinocchio::Model model;
    std::unique_ptr<pinocchio::Data> data;
};

extern "C" void *new_robot(void) { return new Robot; }

/* A joint of the kind 'F' (free), 'X', 'Y', 'Z' (about this axis), 'U' (about `axis`) or 'P' (along `axis`).
   `placement` is a rotation row by row, then an origin; `inertia` a mass, a centre of mass and xx, xy, yy, xz, yz, zz. */
extern "C" void add_joint(void *given, long parent, char kind, const double *axis, const double *placement,
                          const double *inertia) {
    pinocchio::Model &model = static_cast<Robot *>(given)->model;
    Eigen::Matrix3d rotation;
    for (int k = 0; k < 9; ++k) rotation(k / 3, k % 3) = placement[k];
    const pinocchio::SE3 place(rotation, Eigen::Vector3d(placement[9], placement[10], placement[11]));
    const Eigen::Vector3d along(axis[0], axis[1], axis[2]);
    const std::string name = "joint" + std::to_string(model.njoints);
    const size_t from = static_cast<size_t>(parent);
    size_t joint = 0;
    switch (kind) {
    case 'F': joint = model.addJoint(from, pinocchio::JointModelFreeFlyer(), place, name); break;
    case 'X': joint = model.addJoint(from, pinocchio::JointModelRX(), place, name); break;
    case 'Y': joint = model.addJoint(from, pinocchio::JointModelRY(), place, name); break;
    case 'Z': joint = model.addJoint(from, pinocchio::JointModelRZ(), place, name); break;
    case 'U': joint = model.addJoint(from, pinocchio::JointModelRevoluteUnaligned(along), place, name); break;
    default: joint = model.addJoint(from, pinocchio::JointModelPrismaticUnaligned(along), place, name);
    }
    Eigen::Matrix3d tensor;
    tensor << inertia[4], inertia[5], inertia[7], inertia[5], inertia[6], inertia[8], inertia[7], inertia[8], inertia[9];
    const Eigen::Vector3d centre(inertia[1], inertia[2], inertia[3]);
    model.appendBodyToJoint(joint, pinocchio::Inertia(inertia[0], centre, tensor), pinocchio::SE3::Identity());
}

/* Nanoseconds a call of: 0 RNEA, 1 ABA, 2 derivatives of RNEA, 3 derivatives of ABA. */
extern "C" double time_robot(void *given, int which, const double *q, const double *v, const double *a, double *out,
                             long ring, long calls) {
    Robot &robot = *static_cast<Robot *>(given);
    if (!robot.data) robot.data.reset(new pinocchio::Data(robot.model));
    const pinocchio::Model &model = robot.model;
    pinocchio::Data &data = *robot.data;
    Eigen::VectorXd eq(model.nq), ev(model.nv), ea(model.nv);
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0, k = 0; i < calls; ++i, k = k + 1 < ring ? k + 1 : 0) {
        eq = Eigen::Map<const Eigen::VectorXd>(q + k * model.nq, model.nq);
        ev = Eigen::Map<const Eigen::VectorXd>(v + k * model.nv, model.nv);
        ea = Eigen::Map<const Eigen::VectorXd>(a + k * model.nv, model.nv);
        if (which == 0) pinocchio::rnea(model, data, eq, ev, ea);
        else if (which == 1) pinocchio::aba(model, data, eq, ev, ea, pinocchio::Convention::WORLD);
        else if (which == 2) pinocchio::computeRNEADerivatives(model, data, eq, ev, ea);
        else pinocchio::computeABADerivatives(model, data, eq, ev, ea);
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    Eigen::Map<Eigen::VectorXd>(out, model.nv) = which == 0 ? data.tau : data.ddq;
    return spent.count() / static_cast<double>(calls);
}
