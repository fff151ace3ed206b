"""Online payload and friction estimation: recursive least squares with forgetting, 95 % interval of the mass.

The motion is cut into windows of T seconds. A modulating function w(t) = 6 s (1 - s)/T, s the share of the window, is
zero at both ends: momenta take the place of accelerations (Preisig and Rippin, 1993). With p = M qd, b of the momentum
observer, friction f of the model, and p_k and b_k, the contributions of a unit of payload parameter k to p and b:

(1)  y   = integral of  w (tau + b - f) + w' p                  torque that the model does not explain
(2)  h_k = integral of -w' p_k - w b_k                          payload: mass m, first moment m c, inertia in a frame
     h_c = integral of w z,  z = clip(qd/slowest, -1, 1);   h_v = integral of w qd       Coulomb, viscous correction

summed exactly over samples with held torques. One row per joint and window; rows of a joint that is slower than
`slowest` somewhere in the window are left out. Each joint keeps the sums A = sum of h h', a = sum of h y, sum of y^2
and their number, all forgotten with the time constant `memory` [s of motion]. Friction is eliminated joint by joint:

(3)  S = A_pp - A_pf A_ff^-1 A_fp,   s = a_p - A_pf A_ff^-1 a_f
(4)  (sum of S_j/v_j + prior) theta = sum of s_j/v_j,      C = (sum of S_j/v_j + prior)^-1
(5)  v_j = residual variance of joint j times (1 + r)/(1 - r), r the correlation of consecutive residuals, zero if
     negative: noise that outlasts a window (torque ripple at low speed) widens the interval
(6)  m +- t sqrt(C_mm),  t Student's 97.5 % quantile with 1/nu = sum of u_j^2/nu_j degrees of freedom, u_j the share of
     joint j in the information on the mass, nu_j its windows less the parameters that they fit

Forgetting makes C an upper bound (the sum of squared weights is below their sum). The interval covers noise and the
friction corrections, not errors of the robot's own inertias.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from torquec.control.detection_thresholds import bias_program, momentum_program
from torquec.dynamics import frame_pose, jacobian
from torquec.dynamics.friction_torque import friction_torque
from torquec.dynamics.jacobian import jacobian_derivative
from torquec.dynamics.joint_space_solve import factorize, solve
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.expr.math import absolute, maximum, minimum, select, sqrt
from torquec.expr.replay import replay
from torquec.model.model import Model, as_model
from torquec.model.model_function import ModelFunction, ModelOrigin
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, Vector3, cross, dot, product, scale, subtract, total

_PAYLOAD, _FRICTION = 7, 2  # mass, first moment, inertias; Coulomb, viscous
_ZERO: Vector3 = (0.0, 0.0, 0.0)
_COLUMNS = _PAYLOAD + _FRICTION
_PAIRS = tuple(itertools.combinations_with_replacement(range(_COLUMNS), 2))
_SUMS = len(_PAIRS) + _COLUMNS + 2  # A, a, sum of y^2, number of rows
_ONE_WAY = 0.99  # mean of z above which the joint kept its direction over the whole window
_MOST_CORRELATED = 0.9  # largest r of (5): an estimate from some ten windows could reach one by chance
_USUAL = 0.01  # torque noise relative to the torque limit: weights of the first pass
_LEAST = 1e-3  # smallest sqrt(v_j) of (5), relative to the usual noise: avoids division by zero without noise
_RIDGE = 1e-6  # on the squares of z and qd: an unidentifiable friction stays zero
_FAR = 0.3  # standard deviation of the prior of a payload's extent [m]
_NO_LIMIT = 100.0  # [Nm or N] in place of a torque limit that the file does not state
_NORMAL = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True, repr=False)
class RecursiveEstimator(ModelFunction):
    """(q, qd, tau, state) -> mass (1,), interval (2,), moment (3,), coulomb (n,), viscous (n,), next_state.

    `tau` is the torque that acted since the previous call; the first call ignores it. `mass` [kg] and first `moment`
    [kg m] are those of the payload in `frame`, beyond the model's own; `interval` is the 95 % interval of the mass.
    `coulomb` and `viscous` are corrections of the model's friction. Results change once per `window` [s].
    """

    KIND: ClassVar[str] = "estimator"

    frame: str = ""
    window: float = 0.0
    memory: float = 0.0


def recursive_estimator(
    source: Robot | Model,
    frame: str,
    *,
    period: float,
    window: float = 0.1,
    memory: float = 10.0,
    slowest: float = 0.05,
    heaviest: float = 20.0,
) -> RecursiveEstimator:
    """The estimator (1)-(6) of the payload at `frame`, called every `period` seconds.

    `window` [s] is rounded to whole samples, `memory` [s of motion] the time constant of forgetting, `slowest`
    [rad/s or m/s] the speed above which rows count, `heaviest` [kg] the standard deviation of the prior of the mass.
    Raises `ArgumentError` for numbers that are not positive, for windows of less than four samples, for a memory
    shorter than ten windows and for an unknown frame.
    """
    given = {"period": period, "window": window, "memory": memory, "slowest": slowest, "heaviest": heaviest}
    for name, value in given.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"a {name} of {value}", remedy="give a positive number")
    samples = round(window / period)
    if samples < 4 or memory < 10.0 * window:
        raise ArgumentError(
            f"windows of {window:g} s for samples every {period:g} s and a memory of {memory:g} s",
            remedy="give windows of four samples or more, and a memory of ten windows or more",
        )
    model = as_model(source)
    robot = model.robot
    robot.frame(frame)
    n, momentum, smooth = robot.n, momentum_program(model), bias_program(model)
    weights = _Window(samples, period)
    efforts = (each.limits.effort for each in robot.coordinates)
    usual = tuple(_USUAL * (limit if math.isfinite(limit) else _NO_LIMIT) for limit in efforts)
    fusion = _Fusion(usual, heaviest)
    keep = math.exp(-samples * period / memory)

    def algorithm(q: Any, qd: Any, tau: Any, state: Any) -> dict[str, Any]:
        count, sums, rest = state[0], state[1 : 1 + n * (_COLUMNS + 1)], state[1 + n * (_COLUMNS + 1) :]
        told, before, squares, products = rest[: n * _SUMS], *(rest[n * (_SUMS + k) :][:n] for k in range(3))
        p, load = replay(momentum, {"q": q, "qd": qd})["p"], model.at("gravity_torque", q)
        loss = friction_torque(robot, qd, load=load)
        b = [x - f for x, f in zip(replay(smooth, {"q": q, "qd": qd})["b"], loss, strict=True)]
        payload = payload_momenta(robot, frame, q, qd)

        def part(now: Scalar, after: Scalar) -> list[Scalar]:
            """Contribution of a sample to (1) and (2), between intervals of weight `now` and `after`."""
            change, share = now - after, (0.5 * period) * (now + after)
            found: list[Scalar] = []
            for j in range(n):
                z = maximum(-1.0, minimum(1.0, qd[j] * (1.0 / slowest)))
                found += [change * p_k - share * b_k for p_k, b_k in zip(*(c[j] for c in payload), strict=True)]
                found += [share * z, share * qd[j], (period * now) * tau[j] + share * b[j] - change * p[j]]
            return found

        ends = count - (samples - 0.5)
        closed = [x + y for x, y in zip(sums, part(*weights.around(count)), strict=True)]
        opened = part(0.0, weights.at(1.0))
        rows = [closed[k * (_COLUMNS + 1) : (k + 1) * (_COLUMNS + 1)] for k in range(n)]
        counted = [select(minimum(ends, absolute(row[_PAYLOAD]) - _ONE_WAY), 1.0, 0.0) for row in rows]
        forgot = [1.0 - (1.0 - keep) * used for used in counted]
        known = [_added(told[j * _SUMS :][:_SUMS], rows[j], counted[j], forgot[j]) for j in range(n)]
        inflation = [_inflation(a, c) for a, c in zip(squares, products, strict=True)]
        found = fusion.solve(known, inflation)
        errors = [
            used * (row[-1] - _product(row[:-1], [*found.payload, *own]))
            for used, row, own in zip(counted, rows, found.friction, strict=True)
        ]
        return {
            "mass": [found.payload[0]],
            "interval": [found.payload[0] - found.radius, found.payload[0] + found.radius],
            "moment": found.payload[1:4],
            "coulomb": [own[0] for own in found.friction],
            "viscous": [own[1] for own in found.friction],
            "next_state": [
                select(ends, 1.0, count + 1.0),
                *(select(ends, new, old) for new, old in zip(opened, closed, strict=True)),
                *(value for own in known for value in own),
                *(select(ends, new, old) for new, old in zip(errors, before, strict=True)),
                *(f * s + e * e for f, s, e in zip(forgot, squares, errors, strict=True)),
                *(f * s + e * o for f, s, e, o in zip(forgot, products, errors, before, strict=True)),
            ],
        }

    slots = (
        *(StateSlot("sample", (0.0,)), StateSlot("rows", (0.0,) * (n * (_COLUMNS + 1)))),
        StateSlot("information", (0.0,) * (n * _SUMS)),
        *(StateSlot(name, (0.0,) * n) for name in ("residual", "squares", "products")),
    )
    ports = {"q": (n,), "qd": (n,), "tau": (n,), "state": (sum(slot.size for slot in slots),)}
    function = trace("recursive_estimator", algorithm, ports)
    origin = ModelOrigin.of(model)
    made = (function.name, robot.joint_names, function, slots, period, origin)
    return RecursiveEstimator(*made, frame, samples * period, memory)


def payload_momenta(
    robot: Robot, frame: str, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """p_k and b_k of (2), (n, 7) each: of a unit of mass, of first moment and of inertia, each along the frame's axes.

    With the linear momentum L and the angular one H about the frame's origin, in base axes: p = Jv' L + Jw' H and
    b = dJv/dt' L + dJw/dt' H + Jv' m g + Jw' (m c x g - v x L).
    """
    J, Jd = jacobian(robot, frame, q), jacobian_derivative(robot, frame, q, qd)
    g: Vector3 = robot.gravity
    v, w = (_vector([_product(row, qd) for row in J[k : k + 3]]) for k in (0, 3))
    axes = [_vector(column) for column in zip(*frame_pose(robot, frame, q).rotation, strict=True)]
    momenta = [(v, _ZERO), *((cross(w, r), cross(r, v)) for r in axes), *((_ZERO, scale(r, dot(r, w))) for r in axes)]
    loads = [(g, _ZERO), *((_ZERO, subtract(cross(r, g), cross(v, cross(w, r)))) for r in axes), *[(_ZERO, _ZERO)] * 3]
    p = [[_turned(J, j, momentum) for momentum in momenta] for j in range(robot.n)]
    b = [
        [total(_turned(Jd, j, momentum), _turned(J, j, load)) for momentum, load in zip(momenta, loads, strict=True)]
        for j in range(robot.n)
    ]
    return p, b


@dataclass(frozen=True)
class _Window:
    """The modulating function at the middle of each of the `samples` intervals of a window; its integral is one."""

    samples: int
    period: float

    def at(self, interval: Scalar) -> Scalar:
        """w of interval 1 .. samples."""
        N = self.samples
        total = sum((k - 0.5) * (N + 0.5 - k) for k in range(1, N + 1))
        return (1.0 / (self.period * total)) * ((interval - 0.5) * ((N + 0.5) - interval))

    def around(self, count: Scalar) -> tuple[Scalar, Scalar]:
        """w of the intervals before and after sample `count`; zero outside of the window."""
        before = select(count - 0.5, self.at(count), 0.0)
        return before, select(count - (self.samples - 0.5), 0.0, self.at(count + 1.0))


@dataclass(frozen=True)
class _Estimate:
    """theta of (4), the friction corrections of each joint, and the radius of (6)."""

    payload: list[Scalar]
    friction: list[list[Scalar]]
    radius: Scalar


@dataclass(frozen=True)
class _Eliminated:
    """(3) of a joint, the sum of squares after friction, the number of rows, and friction as a function of theta."""

    matrix: list[list[Scalar]]
    vector: list[Scalar]
    squares: Scalar
    rows: Scalar
    free: list[Scalar]
    follows: list[list[Scalar]]

    def residual(self, theta: Sequence[Scalar]) -> Scalar:
        """The sum of squared residuals at theta."""
        bent = [_product(row, theta) for row in self.matrix]
        terms = [t * (x - (s + s)) for t, x, s in zip(theta, bent, self.vector, strict=True)]
        return maximum(0.0, self.squares + sum(terms, 0.0))


@dataclass(frozen=True)
class _Fusion:
    """(4)-(6) over all joints."""

    usual: tuple[float, ...]
    heaviest: float

    def solve(self, known: Sequence[Sequence[Scalar]], inflation: Sequence[Scalar]) -> _Estimate:
        """Two passes: weights from torque limits, then from the residual variances of the first pass."""
        joints = [_eliminated(own) for own in known]
        theta, _ = self._fused(joints, [noise**2 for noise in self.usual])
        variances = [
            inflated * ((_LEAST * noise) ** 2 + joint.residual(theta) / maximum(1.0, joint.rows - _FRICTION - 1.0))
            for joint, inflated, noise in zip(joints, inflation, self.usual, strict=True)
        ]
        theta, first = self._fused(joints, variances)
        known_mass = maximum(first[0], 1e-12)
        inverse: Scalar = 0.0
        for joint, variance in zip(joints, variances, strict=True):
            bent = [_product(row, first) for row in joint.matrix]
            share = _product(first, bent) / (variance * known_mass)
            inverse = inverse + share * share / maximum(0.2, joint.rows - _FRICTION - _PAYLOAD * share)
        friction = [
            [free - _product(row, theta) for free, row in zip(joint.free, joint.follows, strict=True)]
            for joint in joints
        ]
        return _Estimate(theta, friction, _student(inverse) * sqrt(known_mass))

    def _fused(self, joints: Sequence[_Eliminated], variances: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """theta and the first column of C (4)."""
        spread = [self.heaviest * (_FAR**power) for power in (0, 1, 1, 1, 2, 2, 2)]
        matrix: list[list[Scalar]] = [[(i == k) / s**2 for k in range(_PAYLOAD)] for i, s in enumerate(spread)]
        right: list[Scalar] = [0.0] * _PAYLOAD
        for joint, variance in zip(joints, variances, strict=True):
            share = 1.0 / variance
            for i in range(_PAYLOAD):
                right[i] = right[i] + share * joint.vector[i]
                for k in range(i + 1):
                    matrix[i][k] = matrix[i][k] + share * joint.matrix[i][k]
        factors = factorize([[matrix[max(i, k)][min(i, k)] for k in range(_PAYLOAD)] for i in range(_PAYLOAD)])
        return solve(factors, right), solve(factors, [1.0, *[0.0] * (_PAYLOAD - 1)])


def _eliminated(sums: Sequence[Scalar]) -> _Eliminated:
    """(3)."""
    A = dict(zip(_PAIRS, sums, strict=False))
    a, (squares, rows) = sums[len(_PAIRS) : len(_PAIRS) + _COLUMNS], sums[-2:]
    c, v = _PAYLOAD, _PAYLOAD + 1
    cc, cv, vv = A[c, c] + _RIDGE, A[c, v], A[v, v] + _RIDGE
    factor = 1.0 / (cc * vv - cv * cv)
    inverse = ((vv * factor, -cv * factor), (-cv * factor, cc * factor))
    right = [[A[i, c], A[i, v]] for i in range(_PAYLOAD)]
    follows = [[_product(row, each) for each in right] for row in inverse]  # A_ff^-1 A_fp, (2, 4)
    free = [_product(row, a[_PAYLOAD:]) for row in inverse]
    matrix: list[list[Scalar]] = [
        [A[min(i, k), max(i, k)] - _product(right[i], [row[k] for row in follows]) for k in range(_PAYLOAD)]
        for i in range(_PAYLOAD)
    ]
    vector = [a[i] - _product(right[i], free) for i in range(_PAYLOAD)]
    return _Eliminated(matrix, vector, squares - _product(a[_PAYLOAD:], free), rows, free, follows)


def _added(sums: Sequence[Scalar], row: Sequence[Scalar], used: Scalar, kept: Scalar) -> list[Scalar]:
    """The sums of a joint after a row (h, y), which is `used` (1) or not (0); `kept` is the forgetting factor."""
    h, y = row[:-1], row[-1]
    weighted = [used * x for x in h]
    new = [*(weighted[i] * h[k] for i, k in _PAIRS), *(x * y for x in weighted), used * (y * y), used]
    return [kept * old + more for old, more in zip(sums, new, strict=True)]


def _inflation(squares: Scalar, products: Scalar) -> Scalar:
    """(1 + r)/(1 - r) of (5)."""
    r = minimum(_MOST_CORRELATED, maximum(0.0, products) / maximum(squares, 1e-300))
    return (1.0 + r) / (1.0 - r)


def _student(inverse: Scalar) -> Scalar:
    """Student's 97.5 % quantile for 1/nu (Cornish and Fisher), rounded up below five degrees of freedom."""
    z = _NORMAL
    first, second, third = (
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
    )
    return z + inverse * (first + inverse * (second + inverse * third))


def _product(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    return sum((a * b for a, b in zip(left, right, strict=True)), 0.0)


def _vector(values: Sequence[Scalar]) -> Vector3:
    x, y, z = values
    return (x, y, z)


def _turned(J: Sequence[Sequence[Scalar]], j: int, wrench: tuple[Vector3, Vector3]) -> Scalar:
    """Row j of J' (6,) on a force and a moment, or a linear and an angular momentum."""
    found: Scalar = 0.0
    for row, value in zip(J, (*wrench[0], *wrench[1]), strict=True):
        found = total(found, product(row[j], value))
    return found
