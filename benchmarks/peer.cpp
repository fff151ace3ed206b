/* Writes the peer's C: Pinocchio's algorithms on CasADi scalars, one C file of a URDF.

       peer MODEL.urdf OUT.c [freeflyer]

   Functions cs_rnea, cs_aba, cs_drnea, cs_daba (analytic derivatives) and cs_daba_ad, cs_daba_factored (CasADi's own derivatives of ABA; the
   inverse of M times the derivatives of RNEA). With `freeflyer` the base is free, and only cs_rnea and cs_aba are
   written. Compiled by benchmarks/peer.py against the headers that the wheels of pin and casadi bring. */
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <cstring>

using casadi::SX;
typedef pinocchio::ModelTpl<SX> Model;
typedef pinocchio::DataTpl<SX> Data;
typedef Eigen::Matrix<SX, Eigen::Dynamic, 1> Vector;
typedef Eigen::Matrix<SX, Eigen::Dynamic, Eigen::Dynamic> Matrix;

template <typename M>
static SX to_casadi(const M &m) {
    SX out(m.rows(), m.cols());
    for (Eigen::Index i = 0; i < m.rows(); ++i)
        for (Eigen::Index j = 0; j < m.cols(); ++j) out(i, j) = m(i, j);
    return out;
}

static Vector to_eigen(const SX &s) {
    Vector out(s.size1());
    for (casadi_int i = 0; i < s.size1(); ++i) out[i] = s(i);
    return out;
}

int main(int count, char **words) {
    const bool free_base = count > 3 && !std::strcmp(words[3], "freeflyer");
    pinocchio::Model doubles;
    if (free_base)
        pinocchio::urdf::buildModel(words[1], pinocchio::JointModelFreeFlyer(), doubles);
    else
        pinocchio::urdf::buildModel(words[1], doubles);
    const Model model = doubles.cast<SX>();
    Data data(model);
    const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), a = SX::sym("a", model.nv);
    const Vector eq = to_eigen(q), ev = to_eigen(v), ea = to_eigen(a);

    casadi::CodeGenerator file(words[2]);
    pinocchio::rnea(model, data, eq, ev, ea);
    const SX torque = to_casadi(data.tau);
    pinocchio::aba(model, data, eq, ev, ea, pinocchio::Convention::LOCAL);
    const SX acceleration = to_casadi(data.ddq);
    file.add(casadi::Function("cs_rnea", {q, v, a}, {densify(torque)}));
    file.add(casadi::Function("cs_aba", {q, v, a}, {densify(acceleration)}));
    if (!free_base) {
        const Eigen::Index n = model.nv;
        Matrix dq = Matrix::Zero(n, n), dv = Matrix::Zero(n, n), da = Matrix::Zero(n, n);
        pinocchio::computeRNEADerivatives(model, data, eq, ev, ea, dq, dv, da);
        file.add(casadi::Function("cs_drnea", {q, v, a}, {densify(to_casadi(dq)), densify(to_casadi(dv))}));
        file.add(casadi::Function("cs_drnea_ad", {q, v, a}, {densify(jacobian(torque, q)), densify(jacobian(torque, v))}));

        Data other(model);
        pinocchio::computeABADerivatives(model, other, eq, ev, ea);
        Matrix inverse = other.Minv;
        inverse.triangularView<Eigen::StrictlyLower>() =
            inverse.transpose().triangularView<Eigen::StrictlyLower>();
        file.add(casadi::Function("cs_daba", {q, v, a},
                                  {densify(to_casadi(other.ddq_dq)), densify(to_casadi(other.ddq_dv)), densify(to_casadi(inverse))}));
        file.add(casadi::Function("cs_daba_ad", {q, v, a},
                                  {densify(jacobian(acceleration, q)), densify(jacobian(acceleration, v)),
                                   densify(jacobian(acceleration, a))}));
    }
    file.generate();
    return 0;
}
