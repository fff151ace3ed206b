"""The haptic scene: a ball that weighs what it should, pulled in the page; arms that cannot have one are refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model_kinds import program_model
from tests.page.browser import launched, opened

from torquec.errors import RobotError
from torquec.model.model import Model
from torquec.page import haptic_scene as module
from torquec.page.hand_posture import free_posture
from torquec.page.haptic_scene import USUAL_MASS, haptic_scene
from torquec.page.view_functions import view_hands
from torquec.page.view_page import view_page
from torquec.robot import classics

PULL = """(law) => {
  const loop = torquec.haptic.loop;
  const V = torquec.scene.handPosition.constructor;
  loop.reset();
  loop.law = law;
  loop.setting("fixtures")[0] = 0;
  const [start, r, w] = [loop.ball.position.clone(), 0.05, 4];
  let farthest = 0;
  for (let k = 0; k < 2000; k += 1) {
    const t = 0.002 * k;
    const size = r * Math.min(1, 2 * t);
    const [c, s] = [size * Math.cos(w * t), size * Math.sin(w * t)];
    const goal = start.clone().add(new V(c - size, s, 0));
    loop.pull(goal, new V(-w * s, w * c, 0), new V(-w * w * c, -w * w * s, 0));
    loop.step();
    farthest = Math.max(farthest, loop.ball.position.distanceTo(start));
  }
  return [loop.feltMass, farthest];
}"""

FALL = """() => {
  const loop = torquec.haptic.loop;
  loop.reset();
  loop.law = "exact";
  loop.setting("fixtures")[0] = 1;
  loop.setting("gravity")[2] = -2;
  for (let k = 0; k < 1500; k += 1) loop.step();
  loop.setting("gravity")[2] = 0;
  return loop.ball.position.z - loop.data.radius - loop.data.wall;
}"""


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


@pytest.mark.slow
def test_the_ball_weighs_what_it_should_and_stops_at_the_wall(tmp_path):
    with launched() as browser:
        (tmp_path / "haptic.html").write_text(view_page(classics.puma560(), haptic=True).html, encoding="utf-8")
        with opened(browser, tmp_path / "haptic.html") as page:
            mass, moved = page.ask(PULL, "exact")
            assert mass == pytest.approx(USUAL_MASS, rel=0.05)
            assert moved > 0.05
            without, _ = page.ask(PULL, "none")
            assert abs(without - USUAL_MASS) > abs(mass - USUAL_MASS)  # what the model buys
            assert abs(page.ask(FALL)) < 1e-3  # it lies on the wall, pressed in by its weight over the stiffness

            page.page.get_by_role("button", name="start").click()
            page.wait("torquec.haptic.loop.cycles > 5600")
            at = page.ask("torquec.scene.onScreen(torquec.scene.handPosition)")
            before = page.ask("torquec.haptic.loop.ball.position.toArray()")
            page.page.mouse.move(at["x"], at["y"])
            page.page.mouse.down()
            for k in range(1, 11):
                page.page.mouse.move(at["x"] + 4 * k, at["y"] - 2 * k)
                page.page.wait_for_timeout(60)
            page.page.mouse.up()
            after = page.ask("torquec.haptic.loop.ball.position.toArray()")
            assert np.linalg.norm(np.subtract(after, before)) > 0.01
            page.page.get_by_role("button", name="stop").click()
            assert page.complaints == []
