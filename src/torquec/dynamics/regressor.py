"""Torque regressor: the matrix Y with tau = Y(q, qd, qdd) phi, phi the standard parameters of all bodies.

The parameters are `PARAMETER_NAMES` of each body in turn, about the origin and in the axes of the file's body frame,
then the inertia of each motor's rotor.

(1)  Y_jk = s_j . (wrench of body i for a unit of parameter k),   s_j = (omega, v): the twist of body i per unit
     speed of joint j
(2)  unit wrenches, with a, wd, w of the body frame and U of `motion`:
       m      f = a                     n = 0
       mx     f = U e_x                 n = e_x x a            (my, mz alike)
       Ixx    f = 0                     n = (wd_x, w_x w_z, -w_x w_y)
       Ixy    f = 0                     n = (-U_31, U_32, w_x^2 - w_y^2)    (and cyclic)
(3)  a motor with transmission row t adds  t (t . qdd)  for its rotor inertia
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torquec.dynamics.closed_loops import loop_torques
from torquec.dynamics.mechanism import coordinates, place_links
from torquec.dynamics.motion import motions
from torquec.robot.robot import BASE, Robot
from torquec.spatial import PARAMETER_NAMES, Matrix3, Scalar, Vector3, add, cross, dot, matmul, matvec, transpose

Twist = tuple[Vector3, Vector3]


def parameter_names(robot: Robot) -> list[str]:
    """Names of the columns of the regressor, such as 'Ixx_link1' and 'rotor_motor1'."""
    names = [f"{parameter}_{body.name}" for body in robot.bodies for parameter in PARAMETER_NAMES]
    return names + [f"rotor_{motor.name}" for motor in robot.drives.motors]


def parameter_values(robot: Robot) -> list[float]:
    """The robot's own standard parameters, in the order of `parameter_names`."""
    values = [float(value) for body in robot.bodies for value in body.inertia.parameters]
    return values + [motor.rotor_inertia for motor in robot.drives.motors]


@loop_torques
def regressor(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[list[Scalar]]:
    """Torque regressor Y, (n, 10 bodies + motors); `Y @ parameter_values(robot)` is the inverse dynamics."""
    width = len(PARAMETER_NAMES)
    columns = width * len(robot.bodies)
    total: list[list[Scalar]] = [[0.0] * (columns + len(robot.drives.motors)) for _ in range(robot.n)]
    for i, (twists, moving) in enumerate(_bodies(robot, q, qd, qdd)):
        for index, ratio, s in twists:
            for k, value in enumerate(_row(s, *moving)):
                total[index][width * i + k] = total[index][width * i + k] + ratio * value
    _motors(robot, qdd, total, columns)
    return total


def wrench_regressor(
    robot: Robot, body: int, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """The twists J (6, n), (omega, v), of a body's frame per joint speed, and its unit wrenches (2), (6, 10).

    J' times the wrenches are the ten columns of the body in `regressor`.
    """
    *_, (twists, moving) = _bodies(robot, q, qd, qdd, last=body)
    J: list[list[Scalar]] = [[0.0] * robot.n for _ in range(6)]
    for index, ratio, (omega, v) in twists:
        for row, value in zip(J, (*omega, *v), strict=True):
            row[index] = row[index] + ratio * value
    units = [tuple(float(k == j) for k in range(6)) for j in range(6)]
    wrenches = [list(_row(((a, b, c), (x, y, z)), *moving)) for a, b, c, x, y, z in units]
    return J, wrenches


_Motion = tuple[Matrix3, Vector3, Vector3, Vector3]


def _bodies(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], *, last: int | None = None
) -> Iterator[tuple[list[tuple[int, float, Twist]], _Motion]]:
    """For every body up to `last`: twists per joint that moves it, and U, a, w, wd, in the file's body frame."""
    links = robot.canonical.links
    state = coordinates(robot)
    placed = place_links(links, state, q)
    moving = motions(placed, state, robot.canonical.gravity, qd, qdd)
    twists: list[list[tuple[int, float, Twist]]] = []  # of every link: index and multiplier of a rate, its twist
    for i, link in enumerate(placed):
        # Twists of this link per joint that moves it: those of the parent carried outward, and its own.
        carried: list[tuple[int, float, Twist]] = []
        for index, ratio, (omega, v) in () if link.parent == BASE else twists[link.parent]:
            moved = (link.turn.back(omega), link.turn.back(add(v, cross(omega, link.origin))))
            carried.append((index, ratio, moved))
        for index, column in enumerate(link.columns, start=state[i].index):
            carried.append((index, state[i].multiplier, (column.angular, column.linear)))
        twists.append(carried)
        turn, p = links[i].frame.rotation, links[i].frame.origin
        back = transpose(turn)
        u = matmul(matmul(back, moving[i].u), turn)
        a = matvec(back, add(moving[i].a, matvec(moving[i].u, p)))
        w = matvec(back, moving[i].w)
        wd = matvec(back, moving[i].wd)
        found = [
            (index, ratio, (matvec(back, omega), matvec(back, add(v, cross(omega, p)))))
            for index, ratio, (omega, v) in carried
        ]
        yield found, (u, a, w, wd)
        if i == last:
            return


def _row(s: Twist, u: Matrix3, a: Vector3, w: Vector3, wd: Vector3) -> tuple[Scalar, ...]:
    """(2) along one joint's twist, in the order of `PARAMETER_NAMES`."""
    (ox, oy, oz), v = s
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    # omega . (e x a) = e . (a x omega)
    lever = cross(a, s[0])
    columns = transpose(u)
    return (
        ox * wd[0] + oy * xz - oz * xy,
        oy * u[2][1] - ox * u[2][0] + oz * (xx - yy),
        ox * u[1][0] - oz * u[1][2] + oy * (zz - xx),
        oy * wd[1] + oz * xy - ox * yz,
        oz * u[0][2] - oy * u[0][1] + ox * (yy - zz),
        oz * wd[2] + ox * yz - oy * xz,
        dot(v, columns[0]) + lever[0],
        dot(v, columns[1]) + lever[1],
        dot(v, columns[2]) + lever[2],
        dot(v, a),
    )


def _motors(robot: Robot, qdd: Sequence[Scalar], total: list[list[Scalar]], start: int) -> None:
    """Add the columns of the rotor inertias (3)."""
    for k, row in enumerate(robot.drives.transmission):
        shaft: Scalar = 0.0
        for ratio, acceleration in zip(row, qdd, strict=True):
            shaft = shaft + ratio * acceleration
        for index, ratio in enumerate(row):
            if ratio != 0.0:
                total[index][start + k] = ratio * shaft
