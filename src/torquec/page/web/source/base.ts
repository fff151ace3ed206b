// A floating base: handles in the picture that move and turn it; its coordinates are rows of the joints.

import { type Matrix4, Object3D, Quaternion, Vector3 } from "three";
import { html } from "./elements";
import { matrixOf, type RobotView } from "./robot_view";
import type { SceneView } from "./scene";
import type { State } from "./state";

const MODES = { "move the base": "translate", "turn the base": "rotate" } as const;

/** Put the base at a pose of the world; its position stands first in q. */
export function placeBase(state: State, pose: Matrix4): void {
  const joint = matrixOf(state.data.bodies[state.data.base!]!.placement);
  const [origin, turn] = [new Vector3(), new Quaternion()];
  joint.invert().multiply(pose).decompose(origin, turn, new Vector3());
  state.q.set(origin.toArray());
  state.setTurn(3, turn.normalize());
  state.measured = null;
  state.changed();
}

/** Buttons that show the handles; at most one kind at a time. */
export function baseHandles(state: State, scene: SceneView, robot: RobotView): HTMLElement {
  const anchor = new Object3D();
  let following = true;
  const handles = scene.handles(anchor, () => {
    anchor.updateMatrix();
    following = false;
    placeBase(state, anchor.matrix);
    following = true;
  });
  const helper = handles.getHelper();
  helper.visible = handles.enabled = false;
  state.onPicture(() => {
    if (following) robot.group(state.data.base!).matrixWorld.decompose(anchor.position, anchor.quaternion, new Vector3());
  });
  const group = html("span", { class: "views", role: "group", "aria-label": "base" });
  const buttons = Object.entries(MODES).map(([text, mode]) => {
    const button = html("button", { type: "button", "aria-pressed": "false" }, text);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      for (const other of buttons) other.setAttribute("aria-pressed", String(on && other === button));
      handles.setMode(mode);
      helper.visible = handles.enabled = on;
      scene.draw();
    });
    return button;
  });
  group.append(...buttons);
  return group;
}
