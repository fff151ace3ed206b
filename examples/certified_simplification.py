"""Certified simplification of a Scara: errors at random states, the proven bound and the allowed error.

    python examples/certified_simplification.py [PICTURE]

simplifies the built-in Scara to 3 % of its torque limits, checks the certificate with independent code, and draws the
errors of ten thousand random states of the certified box. Takes about half a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.report.figure import new_figure, save_figure
from torquec.trajectory.motion_box import MotionBox

HERE = Path(__file__).resolve().parent
STATES = 10_000
BLUE, ORANGE, GREY = "#0b5cad", "#e08a1e", "#8a8f98"


def main(picture: str | None = None) -> None:
    """Simplify, check, sample, and draw."""
    robot = tq.classics.scara()
    specification = tq.load_specification(HERE / "specifications" / "scara.toml", robot)
    small = tq.simplify(robot, specification, seconds=20.0)
    tq.check_certificate(robot, small.record)
    before, after = (model.operation_count("inverse_dynamics") for model in (tq.compile(robot), small))
    print(f"operations: {before.mul} mul, {before.add} add -> {after.mul} mul, {after.add} add")

    states = random_states(small.record.motions)
    errors = np.abs(small.inverse_dynamics(*states) - tq.compile(robot).inverse_dynamics(*states))
    bounds = np.array([small.record.joints[name].bound for name in robot.joint_names])
    allowed = np.array([joint.torque_error for joint in specification.joints])
    for name, error, bound, most in zip(robot.joint_names, errors.max(axis=0), bounds, allowed, strict=True):
        print(f"{name:9} largest of {STATES} states {error:8.4f}, proven {bound:8.4f}, allowed {most:8.4f}")
    if picture is not None:
        draw(
            robot.joint_names,
            errors / allowed,
            bounds / allowed,
            (before.mul + before.add, after.mul + after.add),
            picture,
        )


def random_states(box: MotionBox) -> list[np.ndarray]:
    """Positions, speeds and accelerations (N, n), drawn from the box of a certificate."""
    draw_from = np.random.default_rng(0)
    low, high = np.array(box.lower), np.array(box.upper)
    sides = [np.array(box.velocity), np.array(box.acceleration)]
    return [
        draw_from.uniform(low, high, (STATES, low.size)),
        *(draw_from.uniform(-s, s, (STATES, s.size)) for s in sides),
    ]


def draw(
    joints: tuple[str, ...], errors: np.ndarray, bounds: np.ndarray, operations: tuple[int, int], path: str
) -> None:
    """Errors and bounds in parts of what was allowed, and what the programs cost."""
    figure = new_figure(9.0, 3.6, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 1))
    spread = np.random.default_rng(1)
    for k in range(len(joints)):
        left.scatter(k + spread.uniform(-0.28, 0.28, STATES), 100.0 * errors[:, k], s=1.2, color=BLUE, alpha=0.25, lw=0)
        left.plot(
            [k - 0.36, k + 0.36],
            [100.0 * bounds[k]] * 2,
            color=ORANGE,
            lw=2.5,
            label="" if k else "proven for all states",
        )
        left.plot([k - 0.36, k + 0.36], [100.0] * 2, color=GREY, lw=1.5, ls="--", label="" if k else "allowed")
    left.set_xticks(range(len(joints)), joints)
    left.set_ylabel("torque error [% of what is allowed]")
    left.set_ylim(0.0, 112.0)
    left.set_title(f"{STATES:,} random states of a simplified Scara", loc="left", fontsize=10)
    left.legend(loc="upper right", frameon=False, ncols=2, fontsize=8)
    right.bar(["exact", "simplified"], operations, color=[GREY, BLUE], width=0.6)
    for k, count in enumerate(operations):
        right.text(k, count, str(count), ha="center", va="bottom", fontsize=9)
    right.set_title("multiplications and additions", loc="left", fontsize=10)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
