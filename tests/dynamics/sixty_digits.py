"""The dynamics of a robot in sixty-digit arithmetic, by plain Newton-Euler in the frames of its file, to compare with.

The robot's numbers are taken as they stand, every operation keeps `DIGITS` digits, and nothing of the package's own
algorithms is used. With w and a the angular velocity and acceleration of a body, v the acceleration of its origin less
gravity, and m, h, J its ten parameters turned into base axes:

(1)  force on the body                f = m v + a x h + w x (w x h)
(2)  moment on it about its origin    n = J a + w x (J w) + h x v
(3)  joint torque                     axis . n (rotary) or axis . f (prismatic), f and n of the children added
(4)  derivatives                      central differences of step 10^-20, wrong by 10^-40 of the size of the result

Rotations that a file gives in doubles are orthogonal to 1e-16 only, which is as exact as the question itself.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import wraps

DIGITS = 60
_STEP = Decimal(10) ** -20
_ZERO = Decimal(0)


def _precise(function):
    """The function in `DIGITS` digits."""

    @wraps(function)
    def run(*args, **named):
        with localcontext() as context:
            context.prec = DIGITS
            return function(*args, **named)

    return run


def exact(values):
    """Doubles as decimals, whatever they are nested in."""
    if isinstance(values, (int, float)):
        return Decimal(values)
    return values if isinstance(values, Decimal) else [exact(value) for value in values]


def cross(a, b):
    """a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    """a . b of any length."""
    return sum((x * y for x, y in zip(a, b, strict=True)), _ZERO)


def plus(*vectors):
    """The sum of vectors."""
    return [sum(values, _ZERO) for values in zip(*vectors, strict=True)]


def times(factor, vector):
    """A vector stretched."""
    return [factor * value for value in vector]


def apply(matrix, vector):
    """matrix @ vector."""
    return [dot(row, vector) for row in matrix]


def product(a, b):
    """a @ b."""
    columns = list(zip(*b, strict=True))
    return [[dot(row, column) for column in columns] for row in a]


def sine_and_cosine(angle):
    """By their series, after the angle was halved eight times; `DIGITS` digits."""
    x = angle / 256
    sine, cosine, term, k = _ZERO, _ZERO, Decimal(1), 0
    while abs(term) > Decimal(10) ** (-DIGITS - 5):
        if k % 2:
            sine += term if k % 4 == 1 else -term
        else:
            cosine += term if k % 4 == 0 else -term
        k += 1
        term = term * x / k
    for _ in range(8):
        sine, cosine = 2 * sine * cosine, cosine * cosine - sine * sine
    return sine, cosine


class Placed:
    """Every body of a robot at q: rotation and origin in base axes, joint axis, parent, coordinate and multiplier."""

    def __init__(self, robot, q):
        self.robot, names = robot, robot.joint_names
        self.rotations, self.origins, self.axes, self.coordinates = [], [], [], []
        for body in robot.bodies:
            joint, mimic = body.joint, body.joint.mimic
            index, factor = (names.index(mimic.joint), exact(mimic.multiplier)) if mimic else (
                names.index(joint.name), Decimal(1))  # fmt: skip
            value = factor * q[index] + (exact(mimic.offset) if mimic else 0)
            axis = exact(joint.axis)
            axis = times(1 / dot(axis, axis).sqrt(), axis)
            rotation, origin = exact(joint.placement.rotation), exact(joint.placement.origin)
            if body.parent >= 0:
                before = self.rotations[body.parent]
                rotation, origin = product(before, rotation), plus(self.origins[body.parent], apply(before, origin))
            self.axes.append(apply(rotation, axis))
            if joint.type.is_prismatic:
                origin = plus(origin, times(value, self.axes[-1]))
            else:
                rotation = product(rotation, _turn(axis, value))
            self.rotations.append(rotation)
            self.origins.append(origin)
            self.coordinates.append((index, factor))

    def pose(self, name):
        """Rotation and origin of a named frame."""
        frame = self.robot.frame(name)
        rotation, origin = exact(frame.pose.rotation), exact(frame.pose.origin)
        if frame.body < 0:
            return rotation, origin
        turned = self.rotations[frame.body]
        return product(turned, rotation), plus(self.origins[frame.body], apply(turned, origin))


def _turn(axis, angle):
    """Rodrigues."""
    s, c = sine_and_cosine(angle)
    x, y, z = axis
    skew = [[_ZERO, -z, y], [z, _ZERO, -x], [-y, x, _ZERO]]
    square = product(skew, skew)
    return [[(i == j) + s * skew[i][j] + (1 - c) * square[i][j] for j in range(3)] for i in range(3)]


@_precise
def torques(robot, q, qd, qdd, *, gravity=None, parameters=None, rotors=True):
    """Torques (n,); `parameters` are ten numbers for every body in place of the robot's own."""
    return _torques(Placed(robot, exact(q)), exact(qd), exact(qdd), gravity, parameters, rotors)


def _torques(placed, qd, qdd, gravity=None, parameters=None, rotors=True):
    robot = placed.robot
    parameters = parameters or [body.inertia.parameters for body in robot.bodies]
    down = exact(robot.gravity if gravity is None else gravity)
    nothing = [_ZERO] * 3
    motion, forces = [], []
    for i, body in enumerate(robot.bodies):
        w, a, v, before = (nothing, nothing, times(-1, down), nothing) if body.parent < 0 else motion[body.parent]
        axis, (index, factor) = placed.axes[i], placed.coordinates[i]
        speed, gain = factor * qd[index], factor * qdd[index]
        arm = plus(placed.origins[i], times(-1, before))
        v = plus(v, cross(a, arm), cross(w, cross(w, arm)))
        if body.joint.type.is_prismatic:
            v = plus(v, times(gain, axis), times(2, cross(w, times(speed, axis))))
        else:
            a = plus(a, times(gain, axis), cross(w, times(speed, axis)))
            w = plus(w, times(speed, axis))
        motion.append((w, a, v, placed.origins[i]))
        xx, xy, xz, yy, yz, zz, hx, hy, hz, m = exact(parameters[i])
        rotation = placed.rotations[i]
        h = apply(rotation, [hx, hy, hz])
        tensor = product(product(rotation, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), _columns(rotation))
        force = plus(times(m, v), cross(a, h), cross(w, cross(w, h)))  # (1)
        forces.append([force, plus(apply(tensor, a), cross(w, apply(tensor, w)), cross(h, v))])  # (2)
    tau = [_ZERO] * robot.n
    for i in reversed(range(len(robot.bodies))):
        body, (force, moment), (index, factor) = robot.bodies[i], forces[i], placed.coordinates[i]
        tau[index] += factor * dot(placed.axes[i], force if body.joint.type.is_prismatic else moment)  # (3)
        if body.parent >= 0:
            arm = plus(placed.origins[i], times(-1, placed.origins[body.parent]))
            below = forces[body.parent]
            below[0], below[1] = plus(below[0], force), plus(below[1], moment, cross(arm, force))
    if rotors:
        tau = plus(tau, apply(exact(robot.drives.reflected_inertia(robot.n)), qdd))
    return tau


def _units(n):
    return [[Decimal(i == j) for j in range(n)] for i in range(n)]


def _slopes(function, x):
    """The derivatives (4) of a vector by each x: one row for each x."""
    rows = []
    for k in range(len(x)):
        high, low = (function([v + sign * _STEP * (j == k) for j, v in enumerate(x)]) for sign in (1, -1))
        rows.append([(a - b) / (2 * _STEP) for a, b in zip(high, low, strict=True)])
    return rows


def _flat(nested):
    return [value for item in nested for value in _flat(item)] if isinstance(nested, (list, tuple)) else [nested]


def _columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def _solve(matrix, right):
    """matrix^-1 right, by elimination with pivots; `right` is a matrix."""
    rows = [list(a) + list(b) for a, b in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = times(1 / rows[k][k], rows[k])
        for i in range(n):
            if i != k:
                rows[i] = plus(rows[i], times(-rows[i][k], rows[k]))
    return [row[n:] for row in rows]


def _mass_matrix(robot, q):
    n, placed = robot.n, Placed(robot, q)
    return _columns([_torques(placed, [_ZERO] * n, unit, gravity=(0, 0, 0)) for unit in _units(n)])


def _jacobian(robot, frame, q):
    """(6, n), the file's own frames."""
    placed = Placed(robot, q)
    _, point = placed.pose(frame)
    columns = [[_ZERO] * 6 for _ in range(robot.n)]
    i = robot.frame(frame).body
    while i >= 0:
        axis, (index, factor) = placed.axes[i], placed.coordinates[i]
        arm = plus(point, times(-1, placed.origins[i]))
        own = [*axis, *[_ZERO] * 3] if robot.bodies[i].joint.type.is_prismatic else [*cross(axis, arm), *axis]
        columns[index] = plus(columns[index], times(factor, own))
        i = robot.bodies[i].parent
    return _columns(columns)


@_precise
def quantities(robot, frame, q, qd, qdd, tau, wrench):
    """Every quantity of the robot at one state, by name: its outputs in order, each a flat list."""
    q, qd, qdd, tau, wrench = map(exact, (q, qd, qdd, tau, wrench))
    n, zero = robot.n, [_ZERO] * robot.n
    placed = Placed(robot, q)
    torque = _torques(placed, qd, qdd)
    mass = _mass_matrix(robot, q)
    gravity = _torques(placed, zero, zero)
    velocity = _torques(placed, qd, zero, gravity=(0, 0, 0))
    by_q = _columns(_slopes(lambda x: _torques(Placed(robot, x), qd, qdd), q))
    by_qd = _columns(_slopes(lambda x: _torques(placed, x, qdd), qd))
    forward = [row[0] for row in _solve(mass, [[t - v - g] for t, v, g in zip(tau, velocity, gravity, strict=True)])]
    forward_by_q = _columns(_slopes(lambda x: _torques(Placed(robot, x), qd, forward), q))
    inverse = _solve(mass, _units(n))
    rotation, origin = placed.pose(frame)
    jacobian = _jacobian(robot, frame, q)
    second = _slopes(lambda x: _flat(_jacobian(robot, frame, x)), q)
    at = [robot.bodies[i].inertia for i in range(len(robot.bodies))]
    down = exact(robot.gravity)
    potential = -sum(
        dot(down, plus(times(exact(i.m), o), apply(r, exact(i.first_moment))))
        for i, r, o in zip(at, placed.rotations, placed.origins, strict=True)
    )
    pushed = plus(apply(rotation, wrench[:3])), plus(apply(rotation, wrench[3:]))
    force = [*pushed[0], *pushed[1]]
    regressor = [
        _torques(placed, qd, qdd, parameters=[[float(b == i and k == e) for e in range(10)] for i in range(len(at))],
                 rotors=False)
        for b in range(len(at)) for k in range(10)
    ]  # fmt: skip
    # H of a frame is (n, n, 3): how the column of the second coordinate changes with the first.
    bends = [
        [[[second[i][(3 * half + r) * n + j] for r in range(3)] for j in range(n)] for i in range(n)] for half in (0, 1)
    ]
    along = _slopes(lambda s: _flat(_mass_matrix(robot, plus(q, times(s[0], qd)))), [_ZERO])[0]
    return {
        "inverse_dynamics": [torque],
        "mass_matrix": [_flat(mass)],
        "gravity_torque": [gravity],
        "velocity_torque": [velocity],
        "forward_dynamics": [forward],
        "inverse_dynamics_derivatives": [_flat(by_q), _flat(by_qd)],
        "forward_dynamics_derivatives": [
            _flat([times(-1, row) for row in product(inverse, forward_by_q)]),
            _flat([times(-1, row) for row in product(inverse, by_qd)]),
            _flat(inverse),
        ],
        "regressor": [_flat(_columns(regressor))],
        "kinetic_energy": [[dot(qd, apply(mass, qd)) / 2]],
        "potential_energy": [[potential]],
        "frame_pose": [_flat(rotation), origin],
        "jacobian": [_flat(jacobian)],
        "jacobian_derivative": [apply(_columns(second), qd)],
        "influence_coefficients": [_flat(jacobian[:3]), _flat(bends[0]), _flat(jacobian[3:]), _flat(bends[1])],
        "pushed_inverse_dynamics": [plus(torque, times(-1, apply(_columns(jacobian), force)))],
        "mass_matrix_rate": [along],
    }
