"""The haptic scene: a ball that weighs what it should, pulled in the page; arms that cannot have one are refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.model_kinds import program_model
from tests.page.browser import launched, opened

from torquec.errors import RobotError
from torquec.model.model import Model
from torquec.page import haptic_scene as module
from torquec.page.haptic_scene import USUAL_MASS, haptic_scene
from torquec.page.view_functions import free_posture, view_hands
from torquec.page.view_page import view_page
from torquec.robot import classics

PAGE = Path(__file__).parents[2] / "docs" / "page.md"

PULL = """(law) => {
  const loop = torquec.haptic.loop;
  loop.reset();
  loop.law = law;
  loop.setting("fixtures")[0] = 0;
  const [[x, y, z], r, w] = [loop.position, 0.05, 4];
  let farthest = 0;
  for (let k = 0; k < 2000; k += 1) {
    const t = 0.002 * k;
    const size = r * Math.min(1, 2 * t);
    const [c, s] = [size * Math.cos(w * t), size * Math.sin(w * t)];
    loop.pull([x + c - size, y + s, z], [-w * s, w * c, 0], [-w * w * c, -w * w * s, 0]);
    loop.step();
    farthest = Math.max(farthest, Math.hypot(loop.position[0] - x, loop.position[1] - y, loop.position[2] - z));
  }
  return [loop.feltMass, farthest];
}"""

FALL = """() => {
  const loop = torquec.haptic.loop;
  loop.reset();
  loop.law = "exact";
  loop.setting("fixtures")[0] = 1;
  loop.setting("gravity")[2] = -2;
  const before = loop.atWall;
  for (let k = 0; k < 1500; k += 1) loop.step();
  loop.setting("gravity")[2] = 0;
  return [loop.position[2] - loop.data.radius - loop.data.wall, before, loop.atWall, Number.isNaN(loop.feltMass)];
}"""

PUSH = """() => {
  const [x, y] = torquec.haptic.report.position;
  const down = torquec.scene.camera.position.clone().set(x, y, torquec.haptic.loop.data.wall - 0.1);
  torquec.haptic.pull(down);
}"""
FELT = "document.querySelector('.haptic > .row:last-child output').textContent"


@pytest.mark.parametrize("name", ["planar2r", "scara"])
def test_an_arm_whose_hand_cannot_go_everywhere_has_no_scene(name):
    model = Model(getattr(classics, name)())
    hands = view_hands(model)
    with pytest.raises(RobotError, match="no haptic scene"):
        haptic_scene(model, hands[0] if hands else None, [0.0] * model.robot.n)


def test_a_simplified_model_is_one_of_the_laws():
    model = Model(classics.planar2r())
    assert list(module._laws(model, [0.3, 0.4])) == ["exact", "slow", "none"]
    assert "simplified" in module._laws(program_model(classics.planar2r()), [0.3, 0.4])


@pytest.mark.slow
def test_the_first_row_is_at_rest_and_the_wall_below():
    robot = classics.puma560()
    model = Model(robot)
    (hand,) = view_hands(model)
    q = free_posture(robot, hand)
    scene = haptic_scene(model, hand, q)
    assert set(scene.laws) == {"exact", "slow", "none"}
    np.testing.assert_allclose(scene.first[scene.loop.parts["motion"]], [*q, *[0.0] * 6])
    ball = scene.loop.cycle.read(scene.first[scene.loop.parts["cycle"]])["position"]
    assert ball[2] - module.RADIUS > scene.wall_height


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def haptic_page(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("haptic") / "haptic.html"
    path.write_text(view_page(classics.puma560(), haptic=True).html, encoding="utf-8")
    return path


def pulled(page):
    """Start the scene, pull the ball with the mouse; how far it went [m], and the loop's thread."""
    page.page.get_by_role("button", name="start").click()
    page.wait("torquec.haptic.report?.cycles > 100")
    at = page.ask("torquec.scene.onScreen(torquec.scene.handPosition)")
    before = page.ask("torquec.haptic.report.position")
    page.page.mouse.move(at["x"], at["y"])
    page.page.mouse.down()
    for k in range(1, 11):
        page.page.mouse.move(at["x"] + 4 * k, at["y"] - 2 * k)
        page.page.wait_for_timeout(60)
    page.page.mouse.up()
    after = page.ask("torquec.haptic.report.position")
    page.page.get_by_role("button", name="stop").click()
    return np.linalg.norm(np.subtract(after, before))


@pytest.mark.slow
def test_the_ball_weighs_what_it_should_and_stops_at_the_wall(browser, haptic_page):
    with opened(browser, haptic_page) as page:
        mass, moved = page.ask(PULL, "exact")
        assert mass == pytest.approx(USUAL_MASS, rel=0.05)
        assert moved > 0.05
        without, _ = page.ask(PULL, "none")
        assert abs(without - USUAL_MASS) > abs(mass - USUAL_MASS)  # what the model buys
        printed = re.search(r"feels like ([\d.]+) kg with the model and ([\d.]+) kg\s+without", PAGE.read_text("utf-8"))
        assert [mass, without] == pytest.approx([float(text) for text in printed.groups()], abs=0.08)
        height, *touches = page.ask(FALL)
        assert abs(height) < 1e-3  # it lies on the wall, pressed in by its weight over the stiffness
        assert touches == [False, True, True]  # where force over acceleration is no mass


@pytest.mark.slow
def test_at_the_wall_no_mass_is_shown(browser, haptic_page):
    with opened(browser, haptic_page) as page:
        page.ask("for (const part of document.querySelectorAll('details')) part.open = true")
        page.page.get_by_role("button", name="start").click()
        page.wait("torquec.haptic.report?.cycles > 50")
        assert page.ask(FELT) in ("", "pull the ball")
        page.ask(PUSH)
        page.wait("torquec.haptic.report.atWall")
        page.wait(f"{FELT} === 'at the wall'")
        page.ask("torquec.haptic.pull(null)")
        page.page.get_by_role("checkbox", name="wall").uncheck()
        page.wait(f"{FELT} !== 'at the wall'")
        assert page.complaints == []


@pytest.mark.slow
def test_the_loop_has_a_thread_of_its_own_which_the_mouse_pulls(browser, haptic_page):
    with opened(browser, haptic_page) as page:
        page.wait("torquec.haptic.hasThread")
        assert pulled(page) > 0.01
        # A page that is busy does not hold up the arm: it goes on while nothing else does.
        page.page.get_by_role("button", name="start").click()
        page.wait("torquec.haptic.report?.cycles > 50")
        page.ask("(() => { const end = performance.now() + 1000; while (performance.now() < end); })()")
        behind = page.ask("new Promise((done) => setTimeout(() => done(torquec.haptic.report.lag), 50))")
        assert behind < 0.5
        assert page.complaints == []


@pytest.mark.slow
def test_where_no_thread_is_allowed_the_loop_runs_in_the_page(browser, haptic_page):
    with opened(browser, haptic_page, script="delete window.Worker;") as page:
        assert pulled(page) > 0.01
        assert not page.ask("torquec.haptic.hasThread")
        assert page.complaints == []


@pytest.mark.slow
def test_only_a_page_with_the_scene_may_start_threads(haptic_page):
    assert "worker-src blob:;" in haptic_page.read_text(encoding="utf-8")
    assert "worker-src" not in view_page(classics.planar2r()).html[:2000]


@pytest.mark.slow
def test_a_start_before_the_thread_is_there_waits_for_it(browser, haptic_page):
    with opened(browser, haptic_page) as page:
        page.ask("torquec.haptic.run(true)")
        page.wait("torquec.haptic.report?.cycles > 20")
        assert page.ask("torquec.haptic.hasThread")
        assert page.complaints == []
