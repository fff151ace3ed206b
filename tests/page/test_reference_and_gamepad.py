"""In a real browser: the reference of a simulated run with the tube around its hand, limits of torques, a gamepad."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.browser import launched, opened

from torquec.dynamics.frame_pose import frame_pose
from torquec.page.view_document import SimulatedRun
from torquec.page.view_page import view_page
from torquec.robot import classics
from torquec.trajectory.polynomial_motion import minimum_jerk

BOUNDS = (2e-3, 3e-3)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    robot = classics.planar2r()
    motion = minimum_jerk([0.0, 0.0], [0.9, -0.7], 1.0, joints=robot.joint_names, period=0.01)
    runs = [
        SimulatedRun("followed", motion, np.ones_like(motion.q), motion.q + 0.05, BOUNDS),
        SimulatedRun("bare", motion, np.ones_like(motion.q)),
    ]
    path = tmp_path_factory.mktemp("runs") / "runs.html"
    path.write_text(view_page(robot, runs=runs).html, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


def test_the_reference_is_drawn_with_the_tube_of_the_bounds(browser, path):
    robot = classics.planar2r()
    with opened(browser, path) as page:
        button = page.page.get_by_role("button", name="reference")
        assert not page.ask("torquec.scene.ghost.group.visible")
        button.click()
        page.ask("torquec.player.go(0.4)")
        reference = np.array(page.ask("[...torquec.state.reference]"))
        assert reference == pytest.approx(np.array(page.ask("[...torquec.state.q]")) + 0.05, abs=0.01)
        lines = "[...torquec.scene.ghost.lines.geometry.getAttribute('position').array].slice(-3)"
        frame = page.ask("torquec.data.hands[0].frame")
        assert page.ask(lines) == pytest.approx(frame_pose(robot, frame, reference.tolist()).origin, abs=1e-5)
        # The widest place: the sum over joints of its bound times the hand's way per radian.
        widest = 0.0
        for q in minimum_jerk([0.0, 0.0], [0.9, -0.7], 1.0, joints=robot.joint_names, period=0.01).q + 0.05:
            here, ways = np.array(frame_pose(robot, frame, q.tolist()).origin), 0.0
            for j, bound in enumerate(BOUNDS):
                moved = q.copy()
                moved[j] += 1e-6
                ways += bound * np.linalg.norm(np.array(frame_pose(robot, frame, moved.tolist()).origin) - here) / 1e-6
            widest = max(widest, ways)
        assert page.ask("torquec.scene.ghost.radius") == pytest.approx(widest, rel=1e-3)
        assert "mm" in button.inner_text()
        page.page.get_by_label("motion", exact=True).locator("visible=true").last.select_option("1")
        assert page.ask("torquec.scene.ghost.radius") == 0
        assert page.complaints == []


def test_torques_along_a_motion_have_their_limits(browser, path):
    with opened(browser, path) as page:
        limits = page.ask("torquec.data.joints.map((joint) => joint.effort)")
        words = page.page.locator("#along figcaption").all_inner_texts()
        assert all(("% of the limit" in text) == (limit is not None) for text, limit in zip(words, limits, strict=True))


def test_buttons_do_not_hide_the_hand_in_a_small_frame(browser, tmp_path):
    """The bar of buttons takes several rows there, and the camera steps back from all of them."""
    robot = classics.puma560()
    path = tmp_path / "small.html"
    path.write_text(view_page(robot, posture=[0.0, -1.6, 1.6, 0.0, 0.0, 0.0]).html, encoding="utf-8")
    with opened(browser, path, viewport={"width": 620, "height": 420}) as page:
        page.wait_for_picture()
        hand = page.ask("torquec.scene.onScreen(torquec.scene.handPosition)")
        assert hand["y"] > page.ask("document.getElementById('overlays').getBoundingClientRect().bottom")
        assert hand["y"] < page.ask("document.getElementById('scene').getBoundingClientRect().bottom")


STUB = """
const pad = { connected: true, axes: [0, 0, 0, 0], buttons: [] };
navigator.getGamepads = () => [null, pad];
window.pad = pad;
window.dispatchEvent(new Event("gamepadconnected"));
"""


def test_a_gamepad_moves_the_hand_and_lets_go(browser, tmp_path):
    path = tmp_path / "puma.html"
    path.write_text(view_page(classics.puma560(), posture=[0.0, -0.6, 2.6, 0.0, 0.5, 0.0]).html, encoding="utf-8")
    place = "torquec.scene.handPosition.toArray()"
    with opened(browser, path) as page:
        assert page.page.locator("#gamepad").is_hidden()
        before = np.array(page.ask(place))
        page.ask(f"(() => {{ {STUB} }})()")
        page.wait("!document.getElementById('gamepad').hidden")
        page.page.wait_for_timeout(150)
        assert page.ask(place) == pytest.approx(before, abs=1e-9)  # sticks at rest, and below their dead zone
        page.ask("pad.axes[0] = 0.05")
        page.page.wait_for_timeout(150)
        assert page.ask(place) == pytest.approx(before, abs=1e-9)
        page.ask("pad.axes[0] = 0; pad.axes[3] = -1")  # the right stick up
        page.wait(f"{place}[2] > {before[2] + 0.01}")
        page.ask("pad.axes[3] = 0")
        page.page.wait_for_timeout(150)
        after = np.array(page.ask(place))
        assert np.abs(after - before)[:2].max() < 0.3 * (after - before)[2]
        page.page.wait_for_timeout(150)
        assert page.ask(place) == pytest.approx(after, abs=1e-9)
        page.ask("pad.connected = false")
        page.wait("document.getElementById('gamepad').hidden")
        assert page.complaints == []
