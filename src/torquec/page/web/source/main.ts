// The page: reads the document, builds the picture and the panel, and lets them follow one state.

import type { BufferGeometry } from "three";
import { baseHandles } from "./base";
import { CompiledModel } from "./compiled_model";
import type { ViewData } from "./document";
import { byId, html } from "./elements";
import { EquationView } from "./equation";
import { gamepadHand } from "./gamepad";
import { Hand, handPanel, type Pose } from "./hand";
import { HapticView } from "./haptic";
import { HapticLoop } from "./haptic_loop";
import { jointRows } from "./joints";
import { matrixMap } from "./matrix";
import { geometryOf } from "./meshes";
import { Motions } from "./motions";
import { shown } from "./numbers";
import { framePose, type Overlay, type Placements, RobotView } from "./robot_view";
import { type Dragging, SceneView, VIEWS, type ViewName } from "./scene";
import { State } from "./state";
import { torqueBars, torqueLegend, torquesAt } from "./torques";

const OVERLAYS: { overlay: Overlay; text: string }[] = [
  { overlay: "frames", text: "frames" },
  { overlay: "axes", text: "joint axes" },
  { overlay: "center", text: "centre of mass" },
  { overlay: "inertia", text: "inertia" },
];

function section(title: string, name: string, ...children: Node[]): HTMLElement {
  return html("details", { class: "card", id: name, open: true }, html("summary", {}, html("h2", {}, title)), ...children);
}

async function decodedMeshes(data: ViewData): Promise<(BufferGeometry | null)[]> {
  return Promise.all(
    data.meshes.map(async (mesh) => {
      try {
        return await geometryOf(mesh);
      } catch (error) {
        data.problems.push(`${mesh.name} could not be decoded: ${String(error)}`);
        return null;
      }
    }),
  );
}

/** Size of the robot [m], to which marks are scaled. */
function sizeOf(data: ViewData, placements: Placements): number {
  const view = new RobotView({ ...data, shapes: [] }, 1, [], placements);
  let largest = 0.1;
  const points = data.frames.map((frame) => framePose(view, frame.body, frame.pose).position);
  for (const k of data.bodies.keys()) points.push(framePose(view, k, { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] }).position);
  for (const a of points) for (const b of points) largest = Math.max(largest, a.distanceTo(b));
  return largest;
}

function head(data: ViewData): void {
  document.title = `${data.name} \u2013 Torquec`;
  byId("name").textContent = data.name;
  const count = new Set(data.bodies.map((body) => body.joint).filter((joint) => joint >= 0)).size - (data.base === null ? 0 : 1);
  const facts = [`${count} ${count === 1 ? "joint" : "joints"}`];
  if (data.base !== null) facts.push("floating base");
  if (data.mass > 0) facts.push(`${shown(data.mass)} kg`);
  facts.push(data.kindText);
  byId("facts").textContent = facts.join(" \u00b7 ");
  byId("made").textContent = `Torquec ${data.version}. The model runs in this page; nothing is sent or loaded.`;
}

/** Follow the reader's colours, or the button's. */
function colours(apply: () => void): void {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const set = (isDark: boolean): void => {
    root.dataset.theme = isDark ? "dark" : "light";
    apply();
  };
  set(dark.matches);
  dark.addEventListener("change", () => set(dark.matches));
  byId("theme").addEventListener("click", () => set(root.dataset.theme !== "dark"));
}

function makeScene(data: ViewData, meshes: (BufferGeometry | null)[], size: number, dragging: Dragging, placements: Placements): SceneView | null {
  const place = byId("scene");
  try {
    return new SceneView(data, place, meshes, size, dragging, placements);
  } catch {
    place.append(
      html("p", { class: "no-picture", role: "alert" }, "There is no picture: this browser has no WebGL. All numbers of the panel are live without it."),
    );
    return null;
  }
}

async function start(): Promise<void> {
  const data = JSON.parse(byId("data").textContent!) as ViewData;
  head(data);
  const state = new State(data);
  const model = data.module ? await CompiledModel.load(data.module) : null;
  const meshes = await decodedMeshes(data);
  const placements: Placements = (q) => (model?.has("joint_placements") ? model.value("joint_placements", q) : null);
  const size = sizeOf(data, placements);
  let hand: Hand;
  let haptic: HapticView | null = null;
  let turn: Pose["turn"] | undefined;
  const dragging: Dragging = {
    begin: () => {
      turn = hand.pose?.turn;
    },
    pull: (position) => {
      if (haptic?.isRunning) haptic.pull(position);
      else hand.reach(position, turn);
    },
    end: () => haptic?.pull(null),
  };
  const scene = makeScene(data, meshes, size, dragging, placements);
  // Without a picture the tree of bodies still says where the hand is.
  const robot = scene?.robot ?? new RobotView({ ...data, shapes: [] }, size, [], placements);
  state.onPicture(() => (scene ? scene.move(state.q, state.reference) : robot.move(state.q)));
  hand = new Hand(state, model, (which): Pose => framePose(robot, which.body, which.pose));

  const panel = byId("panel");
  const rows = jointRows(state, (joint) => {
    robot.highlight(joint);
    scene?.draw();
  });
  const units = html("button", { type: "button", class: "plain", id: "units" });
  const named = (): void => {
    const [now, other] = state.degrees ? ["degrees", "radians"] : ["radians", "degrees"];
    units.textContent = `show ${other}`;
    units.setAttribute("aria-label", `angles in ${now}; show ${other}`);
  };
  units.addEventListener("click", () => {
    state.degrees = !state.degrees;
    named();
    state.changed();
  });
  named();
  const moving = html("button", { type: "button", class: "plain", "aria-pressed": "false", id: "moving" }, "speeds, accelerations");
  moving.addEventListener("click", () => {
    const open = moving.getAttribute("aria-pressed") !== "true";
    moving.setAttribute("aria-pressed", String(open));
    rows.element.classList.toggle("moving", open);
  });
  const home = html("button", { type: "button", class: "plain", id: "home" }, "reset");
  home.addEventListener("click", () => {
    state.setRest();
    state.setPosture(data.start);
    scene?.look();
  });
  const joints = section("Joints", "joints", html("div", { class: "row tools" }, units, moving, home), rows.element);
  panel.append(joints);

  const dynamics = model !== null && data.noDynamics === "";
  if (dynamics) {
    joints.insertBefore(torqueLegend(state, true), rows.element);
    torqueBars(state, model, rows);
  } else panel.append(html("p", { class: "card note" }, data.noDynamics));

  if (data.hands.length > 0) {
    let wanted = false;
    const showEllipsoid = (): void => scene?.showEllipsoid(wanted ? hand.manipulability() : null);
    const chosen = (): void => {
      scene?.chooseHand(hand.index);
      scene?.move(state.q);
    };
    chosen();
    const made = handPanel(state, hand, chosen, (on) => {
      wanted = on;
      showEllipsoid();
    });
    if (scene) state.onPicture(() => wanted && showEllipsoid());
    const pad = html("p", { class: "hint", id: "gamepad", hidden: true }, "Gamepad: the left stick moves the hand along x and y, the right stick along z.");
    made.element.append(pad);
    if (scene) gamepadHand(size, () => scene.handPosition, dragging, (there) => (pad.hidden = !there));
    panel.append(section("Hand", "hand", made.element));
  }
  if (data.haptic && model && scene) {
    haptic = new HapticView(new HapticLoop(data.haptic, await CompiledModel.load(data.haptic.module)), state);
    scene.add(haptic.group);
    panel.prepend(section("Haptic scene", "haptic", haptic.element));
  }
  if (dynamics) {
    const equation = new EquationView(state);
    panel.append(
      section("Equations of motion", "matrix", matrixMap(state, model, (entry) => equation.show(entry)), equation.element),
    );
  }

  const motions = new Motions(state, dynamics ? model : null, byId("motion"));
  if (motions.player && dynamics) panel.append(section("Torques along the motion", "along", torqueLegend(state, false), motions.plots));
  if (data.problems.length > 0) {
    const list = html("ul");
    for (const text of data.problems) list.append(html("li", {}, text));
    panel.append(section("What could not be drawn", "problems", list));
  }

  const bar = byId("overlays");
  for (const { overlay, text } of OVERLAYS) {
    if (overlay === "inertia" && !data.bodies.some((body) => body.ellipsoid)) continue;
    const button = html("button", { type: "button", "aria-pressed": "false" }, text);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      robot.show(overlay, on);
      scene?.draw();
    });
    if (scene) bar.append(button);
  }
  if (scene && data.base !== null) bar.append(baseHandles(state, scene, robot));
  if (scene && data.motions.some((motion) => motion.reference)) bar.append(referenceButton(scene, motions, state));
  if (scene) viewButtons(scene, bar, data.hands.length > 0);
  colours(() => {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    scene?.paint({
      link: color("robot-link"),
      housing: color("robot-housing"),
      accent: color("accent"),
      grid: color("grid"),
      floorShade: Number(color("floor-shade")),
    });
  });
  state.changed();
  scene?.look();
  if (scene) forPaper(scene, data);
  // Values that tests and other scripts of the page may read.
  Object.assign(window, {
    torquec: {
      ...{ data, state, model, hand, scene, robot, haptic, torquesAt },
      get player() {
        return motions.player;
      },
    },
  });
  document.documentElement.dataset.ready = "yes";
}

/** The button that shows the reference of a simulated run, with the tube around its hand. */
function referenceButton(scene: SceneView, motions: Motions, state: State): HTMLElement {
  const button = html("button", { type: "button", "aria-pressed": "false" }, "reference");
  const show = (): void => {
    const on = button.getAttribute("aria-pressed") === "true";
    scene.showReference(on ? (motions.player?.motion ?? null) : null);
    const { radius } = scene.ghost;
    button.textContent = on && radius > 0 ? `reference, tube of ${shown(1000 * radius)} mm` : "reference";
    scene.move(state.q, state.reference);
  };
  motions.onChoice(show);
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    show();
  });
  return button;
}

/** Buttons for the path of the hand and for the sides from which the robot is seen. */
function viewButtons(scene: SceneView, bar: HTMLElement, hasHand: boolean): void {
  if (hasHand) {
    const trace = html("button", { type: "button", "aria-pressed": "false" }, "path of the hand");
    trace.addEventListener("click", () => {
      const on = trace.getAttribute("aria-pressed") !== "true";
      trace.setAttribute("aria-pressed", String(on));
      scene.showTrace(on);
    });
    bar.append(trace);
  }
  const views = html("span", { class: "views", role: "group", "aria-label": "view" });
  for (const name of Object.keys(VIEWS) as ViewName[]) {
    const button = html("button", { type: "button", class: "plain" }, name);
    button.addEventListener("click", () => scene.look(name));
    views.append(button);
  }
  bar.append(views);
}

/** Paper gets a still picture, beside the scene so that its size does not become the scene's: WebGL may print empty. */
function forPaper(scene: SceneView, data: ViewData): void {
  const picture = html("canvas", { id: "still", role: "img", "aria-label": `${data.name} as shown` });
  const take = (): void => {
    scene.copyTo(picture);
    byId("scene").after(picture);
  };
  const paper = window.matchMedia("print");
  window.addEventListener("beforeprint", take);
  paper.addEventListener("change", () => paper.matches && take());
  if (paper.matches) take();
  scene.canvas.setAttribute("aria-label", `${data.name} in three dimensions; arrow keys turn it, plus and minus zoom`);
}

start().catch((error: unknown) => {
  byId("panel").prepend(html("p", { class: "card note", role: "alert" }, `This page could not start: ${String(error)}`));
  document.documentElement.dataset.ready = "failed";
  throw error;
});
