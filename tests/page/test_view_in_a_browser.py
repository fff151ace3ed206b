"""The live view in a real browser: what it draws, computes and lets people do, from a file and without a network."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.page.browser import CONTRAST, is_blank, launched, opened, pixels
from tests.page.test_view_page import HOSTILE, renamed
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.dynamics.frame_pose import frame_pose
from torquec.page.view_document import SimulatedRun
from torquec.page.view_functions import torque_quantity
from torquec.page.view_page import view_page
from torquec.robot import classics
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

NO_WEBGL = """
const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...rest);
};
"""
SET = "q => { torquec.state.setRest(); torquec.state.setPosture(q); }"


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def puma_file(folder, browser):
    """The PUMA 560 with its standard motion."""
    path = folder / "puma560.html"
    path.write_text(
        view_page(classics.puma560(), trajectory=puma560_standard_trajectory(period=0.02)).html, encoding="utf-8"
    )
    return path


@pytest.fixture(scope="module")
def puma(browser, puma_file):
    """One page for the tests that leave it as it was, or do not mind."""
    with opened(browser, puma_file) as page:
        yield page


@pytest.fixture(scope="module")
def model():
    return tq.compile(classics.puma560())


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_it_opens_from_disk_asks_for_nothing_and_draws(puma, puma_file):
    assert puma.requests == [puma_file.resolve().as_uri()]
    assert puma.complaints == []
    assert not is_blank(puma.canvas_pixels())
    assert puma.page.title().startswith("puma560")


def test_a_page_that_draws_nothing_would_fail():
    """The check of the test above can fail: an even picture, and one with a smooth shade."""
    assert is_blank(np.full((60, 80, 3), 200.0))
    assert is_blank(np.linspace(255.0, 220.0, 60)[:, None, None] * np.ones((1, 80, 3)))


def test_a_slider_moves_the_arm_and_the_numbers_follow(puma, model):
    page = puma.page
    puma.ask(SET, [0.1, -0.4, 0.3, 0.2, 0.5, -0.3])
    before = puma.canvas_pixels()
    slider = page.get_by_role("slider", name="position of joint2")
    slider.fill("-1.1")
    q = np.array([0.1, -1.1, 0.3, 0.2, 0.5, -0.3])
    np.testing.assert_allclose(puma.ask("Array.from(torquec.state.q)"), q)
    shown = [float(text) for text in puma.ask("[...document.querySelectorAll('.torque')].map(e => e.dataset.value)")]
    wanted = model.total_torque(q, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(shown, wanted, atol=1e-12 * np.abs(wanted).max())
    first = puma.ask("document.querySelector('.torque').textContent")
    assert first.endswith("N m")
    mass = [float(x) for x in puma.ask("[...document.querySelectorAll('.matrix button')].map(e => e.dataset.value)")]
    table = np.array(mass).reshape(6, 8)  # M, then c and g
    np.testing.assert_allclose(table[:, :6], model.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(table[:, 7], model.gravity_torque(q), atol=1e-11)
    place = puma.ask("(() => { const p = torquec.hand.pose.position; return [p.x, p.y, p.z]; })()")
    np.testing.assert_allclose(place, frame_pose(model.robot, "link6", list(q)).origin, atol=1e-12)
    assert np.abs(puma.canvas_pixels() - before).max() > 40.0


def test_keys_move_a_slider_and_fields_take_degrees_and_radians(puma):
    page = puma.page
    puma.ask(SET, [0.0] * 6)
    page.get_by_role("slider", name="position of joint1").focus()
    page.keyboard.press("ArrowRight")
    moved = puma.ask("torquec.state.q[0]")
    assert moved == pytest.approx(np.radians(320.0) / 100.0)
    field = page.get_by_role("textbox", name="position of joint3")
    field.fill("30")
    field.press("Enter")
    assert puma.ask("torquec.state.q[2]") == pytest.approx(np.radians(30.0))
    page.get_by_role("button", name="show radians").click()
    field.fill("0,5")
    field.press("Enter")
    assert puma.ask("torquec.state.q[2]") == pytest.approx(0.5)
    field.fill("a lot")
    field.press("Enter")
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("99")
    field.press("Enter")
    assert puma.ask("torquec.state.q[2]") == pytest.approx(classics.puma560().joints[2].limits.upper)
    page.get_by_role("button", name="show degrees").click()


def test_the_hand_goes_where_it_is_dragged(puma):
    puma.ask(SET, [0.2, -0.9, 0.6, 0.1, 0.6, 0.2])
    puma.wait_for_picture()
    screen = "(() => torquec.scene.onScreen(torquec.scene.handPosition))()"
    turn = "(() => { const t = torquec.hand.pose.turn; return [t.x, t.y, t.z, t.w]; })()"
    at, direction = puma.ask(screen), puma.ask(turn)
    mouse = puma.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, 9):
        mouse.move(at["x"] + 4 * k, at["y"] + 5 * k)
    mouse.up()
    now = puma.ask(screen)
    assert abs(now["x"] - (at["x"] + 32)) < 0.5
    assert abs(now["y"] - (at["y"] + 40)) < 0.5
    assert np.abs(np.dot(puma.ask(turn), direction)) == pytest.approx(1.0, abs=1e-9)  # the hand keeps its direction


def test_a_typed_place_is_reached_or_said_to_be_out_of_reach(puma, model):
    puma.ask(SET, [0.2, -0.9, 0.6, 0.1, 0.6, 0.2])
    start = np.array(frame_pose(model.robot, "link6", [0.2, -0.9, 0.6, 0.1, 0.6, 0.2]).origin)
    field = puma.page.get_by_role("textbox", name="x of the hand")
    field.fill(f"{start[0] - 0.1:.6f}")
    field.press("Enter")
    q = puma.ask("Array.from(torquec.state.q)")
    np.testing.assert_allclose(frame_pose(model.robot, "link6", q).origin, start - [0.1, 0, 0], atol=1e-6)
    assert puma.page.locator(".missed").text_content() == ""
    field.fill("5")
    field.press("Enter")
    assert "Out of reach" in puma.page.locator(".missed").text_content()
    jacobian = model.jacobian("link6")(np.array(puma.ask("Array.from(torquec.state.q)")))[:3]
    measure = float(puma.ask("document.querySelector('.measure').dataset.value"))
    assert measure == pytest.approx(np.sqrt(np.linalg.det(jacobian @ jacobian.T)), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("entry", "quantity"), [("M 1, 2", "M"), ("c 2", "c"), ("g 3", "g")])
def test_an_entry_that_is_chosen_shows_its_closed_form(puma, model, entry, quantity):
    q, qd = np.array([0.3, -0.7, 0.4, 0.2, 0.5, 0.1]), np.array([0.4, -0.2, 0.6, 1.0, -0.5, 0.3])
    puma.ask(
        "([q, qd]) => { torquec.state.q.set(q); torquec.state.qd.set(qd); torquec.state.changed(); }",
        [q.tolist(), qd.tolist()],
    )
    puma.page.locator(f".matrix button[aria-label^='{entry}:']").click()
    value = float(puma.ask("document.querySelector('.entry-value').dataset.value"))
    known = {"M": model.mass_matrix(q)[0, 1], "c": model.velocity_torque(q, qd)[1], "g": model.gravity_torque(q)[2]}
    assert value == pytest.approx(known[quantity], abs=1e-10)
    assert puma.page.locator(".formula math").count() >= 2
    assert puma.page.locator(".largest li").count() > 0
    puma.ask("torquec.state.setRest()")


def test_a_motion_is_played_and_scrubbed(puma, model):
    motion = puma560_standard_trajectory(period=0.02)
    page = puma.page
    middle = float(motion.t[len(motion.t) // 2])
    page.get_by_role("slider", name="time").fill(str(middle))
    state = motion.at(middle)
    np.testing.assert_allclose(puma.ask("Array.from(torquec.state.q)"), state.q, atol=1e-4)
    page.get_by_label("speed", exact=True).select_option("4")
    page.get_by_role("button", name="play").click()
    puma.wait(f"torquec.player.time < {middle}")  # around: the end is followed by the beginning
    page.get_by_role("button", name="pause").click()
    stopped = puma.ask("torquec.player.time")
    page.get_by_label("loop").uncheck()
    page.get_by_role("button", name="play").click()
    puma.wait(f"torquec.player.time === {motion.t[-1]}")
    page.get_by_role("button", name="play").wait_for()
    assert stopped < motion.t[-1]
    assert page.locator(".plots svg").count() == 6
    assert puma.complaints == []


def arm_states(robot, count=1000):
    rng = np.random.default_rng(11)
    return [rng.uniform(-size, size, (count, robot.n)) for size in (3.0, 2.0, 5.0)]


SAME = """([q, qd, qdd]) => q.map((_, k) => Array.from(torquec.model.value("torque", q[k], qd[k], qdd[k])))"""


@pytest.mark.parametrize(
    "name",
    [
        "puma560",
        "scara",
        pytest.param("ur5.urdf", marks=pytest.mark.slow),
        pytest.param("panda.urdf", marks=pytest.mark.slow),
    ],
)
def test_torques_are_pythons_to_rounding(browser, folder, puma, name):
    robot = shared_model(name) if "." in name else getattr(classics, name)()
    q, qd, qdd = arm_states(robot)
    wanted = getattr(tq.compile(robot), torque_quantity(robot))(q, qd, qdd)
    states = [q.tolist(), qd.tolist(), qdd.tolist()]
    if name == "puma560":
        found = puma.ask(SAME, states)
    else:
        with opened(browser, write(folder, f"{name}.html", view_page(robot).html)) as page:
            found = page.ask(SAME, states)
            assert page.complaints == []
            assert not is_blank(page.canvas_pixels())
    assert np.abs(np.array(found) - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_hostile_names_are_text(browser, folder):
    path = write(folder, "hostile.html", view_page(renamed(classics.planar2r(), HOSTILE)).html)
    with opened(browser, path) as page:
        assert page.complaints == []
        assert page.page.locator("#name").text_content() == HOSTILE
        assert page.page.locator(".joint .name").first.text_content() == HOSTILE
        assert page.page.locator("script").count() == 2
        assert len(page.requests) == 1


def test_the_policy_stops_whatever_would_reach_out(browser, folder, puma_file):
    with opened(browser, puma_file) as page:
        reached = page.ask("fetch('https://example.org/').then(() => 'reached', () => 'stopped')")
        assert reached == "stopped"
        planted = "Object.assign(document.createElement('script'), { textContent: 'window.planted = 1' })"
        page.ask(f"document.body.append({planted})")
        page.ask("document.body.append(Object.assign(new Image(), { src: 'https://example.org/a.png' }))")
        page.wait_for_complaint("img-src data:", "blocked")
        page.wait_for_complaint("Content Security Policy")
        assert page.ask("window.planted") is None


def test_without_webgl_there_is_a_message_and_the_numbers_live(browser, puma_file, model):
    with opened(browser, puma_file, script=NO_WEBGL) as page:
        assert "no WebGL" in page.page.locator("[role=alert]").text_content()
        page.page.get_by_role("slider", name="position of joint2").fill("-1")
        q = np.array(page.ask("Array.from(torquec.state.q)"))
        shown = float(page.ask("document.querySelectorAll('.torque')[1].dataset.value"))
        assert shown == pytest.approx(
            model.total_torque(
                q,
                np.array(page.ask("Array.from(torquec.state.qd)")),
                np.array(page.ask("Array.from(torquec.state.qdd)")),
            )[1]
        )
        place = page.ask("(() => { const p = torquec.hand.pose.position; return [p.x, p.y, p.z]; })()")
        np.testing.assert_allclose(place, frame_pose(model.robot, "link6", list(q)).origin, atol=1e-12)


def test_on_a_phone_nothing_is_cut_off_and_a_finger_turns_the_robot(browser, puma_file):
    size = {"width": 390, "height": 844}
    with opened(browser, puma_file, viewport=size, has_touch=True, device_scale_factor=2) as page:
        assert page.ask("document.documentElement.scrollWidth") <= 390
        box = page.page.locator("#scene canvas").bounding_box()
        assert box["width"] >= 380
        assert box["height"] >= 200
        assert not is_blank(page.canvas_pixels())
        assert page.page.get_by_role("slider", name="position of joint1").bounding_box()["height"] >= 30
        assert page.complaints == []


SHAPE = "[torquec.scene.canvas.clientWidth, torquec.scene.canvas.clientHeight]"


def assert_on_paper(page, shape):
    """A picture in the place of the scene: of the scene's shape, not of what paper leaves to it."""
    still = page.page.locator("#still")
    still.wait_for(state="visible")  # it is put into the page with its picture
    width, height = still.evaluate("e => e.width"), still.evaluate("e => e.height")
    assert [width / shape[0], height / shape[1]] == pytest.approx([width / shape[0]] * 2, rel=0.01)
    assert width >= shape[0]  # not coarser than on the screen
    assert not is_blank(pixels(still.screenshot()))
    assert not page.page.locator("#scene canvas").is_visible()
    assert page.complaints == []


def test_on_paper_there_is_a_still_picture(browser, puma_file):
    """Also where the page is told of the paper late, having been laid out for it before, as on a busy machine."""
    with opened(browser, puma_file) as page:
        shape = page.ask(SHAPE)
        page.page.context.new_cdp_session(page.page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
        page.page.emulate_media(media="print")
        assert_on_paper(page, shape)
        assert len(page.page.pdf()) > 100_000  # 85 kB without the picture
        page.page.emulate_media(media="screen")
        page.page.locator("#still").wait_for(state="hidden")
        assert page.ask(SHAPE) == shape
        assert not is_blank(page.canvas_pixels())


def test_a_page_that_was_never_on_a_screen_has_its_picture(browser, puma_file):
    with opened(browser, puma_file, before=lambda page: page.emulate_media(media="print")) as page:
        assert_on_paper(page, [960, 640])


def test_on_paper_no_column_cuts_a_card(browser, puma_file):
    """Every card has the width of the sheet; joints and torques have two columns inside theirs."""
    with opened(browser, puma_file) as page:
        page.page.emulate_media(media="print")
        widths = page.ask("[...document.querySelectorAll('.card')].map((e) => e.getBoundingClientRect().width)")
        assert len(set(widths)) == 1
        assert page.ask("document.querySelector('#panel').clientWidth") == pytest.approx(widths[0])
        left = page.ask("[...document.querySelectorAll('.joint')].map((e) => e.getBoundingClientRect().left)")
        assert len(set(left)) == 2


@pytest.mark.parametrize("width", [390, 960])
def test_labels_of_the_hand_do_not_touch_their_fields(browser, puma_file, width):
    gaps = """[...document.querySelectorAll('.hand .field')].map((e) => {
      const text = document.createRange();
      text.selectNodeContents(e.querySelector('.letter'));
      return e.querySelector('input').getBoundingClientRect().left - text.getBoundingClientRect().right;
    })"""
    with opened(browser, puma_file, viewport={"width": width, "height": 800}) as page:
        found = page.ask(gaps)
        assert len(found) == 6
        assert min(found) >= 3.0


def test_in_a_frame_of_another_page(browser, folder):
    import html

    text = html.escape(view_page(classics.planar2r()).html)
    outer = f'<!doctype html><title>report</title><iframe srcdoc="{text}" width="1000" height="700"></iframe>'
    with opened(browser, write(folder, "outer.html", outer), ready=False) as page:
        frame = page.page.frame_locator("iframe")
        frame.locator("html[data-ready=yes]").wait_for()
        assert frame.locator(".torque").count() == 2
        assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser, puma_file, scheme):
    """Contrast of 4.5 at least (WCAG AA), of every text that is seen."""
    with opened(browser, puma_file, color_scheme=scheme) as page:
        assert page.ask("document.documentElement.dataset.theme") == scheme
        page.page.locator(".matrix button").nth(1).click()
        assert page.ask(CONTRAST) == []


def test_everything_that_can_be_used_has_a_name_and_can_be_reached_by_keys(puma):
    nameless = """() => [...document.querySelectorAll("button, input, select, canvas, summary")].filter((e) => {
      const label = e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim();
      return !label || e.tabIndex < 0;
    }).map((e) => e.outerHTML.slice(0, 80))"""
    assert puma.ask(nameless) == []
    puma.page.locator("#scene canvas").focus()
    before = puma.canvas_pixels()
    puma.page.keyboard.press("ArrowLeft")
    puma.page.keyboard.press("+")
    assert np.abs(puma.canvas_pixels() - before).max() > 30.0


def test_a_robot_without_inertias_is_drawn_and_says_so(browser, folder):
    from torquec.spatial import Inertia

    robot = classics.puma560()
    bodies = tuple(dataclasses.replace(b, inertia=Inertia(), lacking_inertia=(b.name,)) for b in robot.bodies)
    path = write(folder, "bare.html", view_page(dataclasses.replace(robot, bodies=bodies)).html)
    with opened(browser, path) as page:
        assert page.complaints == []
        assert "no inertia" in page.page.locator(".note").text_content()
        assert page.page.locator(".torque").count() == 0
        assert not is_blank(page.canvas_pixels())


@pytest.mark.slow
def test_a_certified_model_shows_its_bound_inside_its_box_and_says_where_nothing_is_proven(browser, folder):
    root = Path(__file__).resolve().parents[2]
    model = tq.simplify(classics.planar2r(), root / "examples" / "specifications" / "planar2r.toml")
    with opened(browser, write(folder, "simplified.html", view_page(model).html)) as page:
        band = page.page.locator(".track .band").first
        assert band.is_visible()
        shown = page.ask("torquec.data.proven.bounds")
        proven = [row[0] for row in model.proven("inverse_dynamics").bounds]
        # Bounds on the page are rounded up, by less than one part in a hundred.
        assert all(bound <= text <= 1.01 * bound for bound, text in zip(proven, shown, strict=True))
        own, exact = page.ask(
            "(() => { const { q, qd, qdd } = torquec.state, t = torquec.torquesAt(torquec.model, q, qd, qdd);"
            " return [[...t.total], [...t.exact]]; })()"
        )
        assert np.all(np.abs(np.subtract(own, exact)) <= shown)
        page.ask("(() => { torquec.state.qd[0] = 50; torquec.state.changed(); })()")
        assert not band.is_visible()
        assert "nothing is proven here" in page.page.locator(".legend").first.text_content()
        assert page.complaints == []


@pytest.mark.parametrize("width", [960, 330])
def test_simulated_runs_are_chosen_and_played_in_little_room(browser, folder, width):
    robot = classics.planar2r()
    names = robot.joint_names
    runs = []
    for title, goal in (("light", [0.5, -0.4]), ("heavy <b>", [-0.7, 0.9])):
        motion = minimum_jerk([0.0, 0.0], goal, 1.0, joints=names, period=0.01)
        runs.append(SimulatedRun(title, motion, np.ones_like(motion.q)))
    path = write(folder, "runs.html", view_page(robot, runs=runs).html)
    with opened(browser, path, viewport={"width": width, "height": 520}) as page:
        page.page.get_by_label("motion", exact=True).locator("visible=true").last.select_option("1")
        page.ask("torquec.player.go(1)")
        assert page.ask("[...torquec.state.q]") == pytest.approx([-0.7, 0.9])
        assert page.ask("[...torquec.state.measured, torquec.state.beside]") == [1, 1, "simulated"]
        page.page.get_by_label("motion", exact=True).locator("visible=true").last.select_option("0")
        assert page.ask("torquec.player.time") == 0
        # Nothing lies over anything else, and the arm fills a good part of the picture.
        stage, panel = page.ask(
            "['stage', 'panel'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON())"
        )
        assert stage["right"] <= panel["left"] + 1 or stage["bottom"] <= panel["top"] + 1
        assert page.ask("torquec.scene.canvas.clientWidth") <= stage["width"] + 1
        assert page.ask("document.documentElement.scrollWidth") <= width
        base, hand = (
            page.ask(f"torquec.scene.onScreen({point})")
            for point in ("torquec.robot.root.position", "torquec.scene.handPosition")
        )
        assert np.hypot(base["x"] - hand["x"], base["y"] - hand["y"]) > 0.2 * stage["height"]
        assert page.complaints == []


def test_views_turn_the_camera_and_the_path_of_the_hand_is_drawn(puma):
    puma.ask(SET, [0.0, -0.4, 0.3, 0.0, 0.5, 0.0])
    direction = (
        "(() => { const at = torquec.scene.handPosition.clone(); torquec.scene.camera.getWorldDirection(at); "
        "return [at.x, at.y, at.z]; })()"
    )
    for name, towards in (("front", [-1, 0, 0]), ("side", [0, 1, 0]), ("top", [0, 0, -1])):
        puma.page.get_by_role("button", name=name, exact=True).click()
        puma.wait_for_picture()
        np.testing.assert_allclose(puma.ask(direction), towards, atol=0.05)
    puma.page.get_by_role("button", name="fit", exact=True).click()
    assert puma.ask("torquec.scene.traced") == 0
    button = puma.page.get_by_role("button", name="path of the hand")
    button.click()
    for angle in np.linspace(0.0, 0.5, 6):
        puma.ask(SET, [float(angle), -0.4, 0.3, 0.0, 0.5, 0.0])
        puma.wait_for_picture()
    assert puma.ask("torquec.scene.traced") == 6
    button.click()
    assert puma.ask("torquec.scene.traced") == 0


def test_joints_of_many_limbs_are_grouped_and_found(browser, folder):
    robot = shared_model("talos_reduced.urdf")
    path = write(folder, "talos.html", view_page(robot, meshes=False).html)
    with opened(browser, path) as talos:
        rows = talos.page.locator(".joint")
        assert rows.count() == robot.n
        assert talos.page.locator(".limb").count() > 4
        names = [
            text.rpartition(" ")[0].rpartition(" ")[0] for text in talos.page.locator(".limb summary").all_inner_texts()
        ]
        assert names == ["torso", "head", "arm_left, gripper_left", "arm_right, gripper_right", "leg_left", "leg_right"]
        talos.page.get_by_role("searchbox", name="find a joint").fill("LEG_left_4")
        (visible,) = [row for row in rows.all() if row.is_visible()]
        assert "leg_left_4_joint" in visible.inner_text()
        assert talos.ask("torquec.scene.drawCalls") <= 60
        assert "head" not in talos.ask("torquec.data.hands[0].frame")
