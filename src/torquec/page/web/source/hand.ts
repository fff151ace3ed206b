// The hand: dragging it by inverse kinematics, typing its position, and how well it can move (manipulability).

import { Matrix4, type Quaternion, Vector3 } from "three";
import { rollPitchYaw, turnOf } from "./angles";
import type { CompiledModel } from "./compiled_model";
import type { HandData } from "./document";
import { symmetricAxes } from "./eigen";
import { html } from "./elements";
import { DEGREE, field, shown, typed } from "./numbers";
import { matrixOf } from "./robot_view";
import type { State } from "./state";

const STEPS = 60; // of Newton's method for one pull; it ends earlier if the error stops shrinking
const CLOSE = 1e-10; // [m, rad]

export interface Pose {
  position: Vector3;
  turn: Quaternion;
}

export interface Manipulability {
  /** Product of the singular values of the hand's velocity Jacobian that the arm's geometry does not make zero. */
  measure: number;
  vectors: number[][];
  lengths: number[];
}

export class Hand {
  index = 0;

  constructor(
    private readonly state: State,
    private readonly model: CompiledModel | null,
    private readonly poseOf: (hand: Pick<HandData, "body" | "pose">) => Pose,
  ) {}

  /** The transform from poses in the world to poses of the hand's functions, in which a floating base is at its joint. */
  private toBase(hand: HandData): Matrix4 {
    const body = this.state.data.bodies[hand.base];
    if (!body) return new Matrix4();
    const { position, turn } = this.poseOf({ body: hand.base, pose: { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] } });
    return matrixOf(body.placement).multiply(new Matrix4().compose(position, turn, new Vector3(1, 1, 1)).invert());
  }

  get data(): HandData | null {
    return this.state.data.hands[this.index] ?? null;
  }

  get pose(): Pose | null {
    return this.data ? this.poseOf(this.data) : null;
  }

  /**
   * Pull the hand towards a pose, as near as the arm and its limits let it come; gives the remaining distance [m]. If
   * position and rotation cannot both be reached, the position has priority.
   */
  reach(position: Vector3, turn?: Quaternion): number {
    const hand = this.data;
    if (!hand || !this.model) return Infinity;
    const seen = this.toBase(hand);
    const wanted = seen.clone().multiply(new Matrix4().makeRotationFromQuaternion(turn ?? this.poseOf(hand).turn)).elements;
    const target = position.clone().applyMatrix4(seen);
    const rotation = [0, 4, 8, 1, 5, 9, 2, 6, 10].map((k) => wanted[k]!);
    let found = hand.step ? this.sought(hand.step, rotation, target, hand.reach) : null;
    if (!found || found.error > 1e-6) found = this.sought(hand.place, rotation, target, null);
    this.state.setRest();
    this.state.setPosture([...this.state.q.subarray(0, hand.first), ...found.q]);
    return found.missed;
  }

  /** Newton steps from this posture; with a `reach` [m], an error in rotation counts like an error in position at that arm's length. */
  private sought(step: string, rotation: number[], position: Vector3, reach: number | null): { q: Float64Array; error: number; missed: number } {
    let q: Float64Array = this.state.q.slice(this.data!.first);
    let best = { q, error: Infinity, missed: Infinity };
    let idle = 0;
    for (let k = 0; k < STEPS && best.error > CLOSE && idle < 12; k += 1) {
      const [moved, error] = this.model!.call(step, q, rotation, [position.x, position.y, position.z]) as [Float64Array, Float64Array];
      const size = error[0]! + (reach === null ? 0 : reach * error[1]!);
      idle = size < 0.999 * best.error ? 0 : idle + 1;
      if (size < best.error) best = { q, error: size, missed: error[0]! };
      q = moved;
    }
    return best;
  }

  manipulability(): Manipulability | null {
    const hand = this.data;
    if (!hand || !this.model) return null;
    const jacobian = this.model.value(hand.jacobian, this.state.q.subarray(hand.first));
    const n = jacobian.length / 6;
    const product = [0, 1, 2].map((i) =>
      [0, 1, 2].map((j) => {
        let sum = 0;
        for (let k = 0; k < n; k += 1) sum += jacobian[i * n + k]! * jacobian[j * n + k]!;
        return sum;
      }),
    );
    const { values, vectors } = symmetricAxes(product);
    const back = this.toBase(hand).invert();
    const lengths = values.map((value) => Math.sqrt(Math.max(0, value)));
    const sorted = [...lengths].sort((a, b) => b - a).slice(0, hand.rank);
    const turned = vectors.map((v) => new Vector3(...(v as [number, number, number])).transformDirection(back).toArray());
    return { measure: sorted.reduce((total, value) => total * value, 1), vectors: turned, lengths };
  }
}

export interface HandPanel {
  element: HTMLElement;
}

/** Position and turn of the hand as fields, and its manipulability. */
export function handPanel(state: State, hand: Hand, chosen: () => void, ellipsoid: (shown: boolean) => void): HandPanel {
  const choice = html("select", { "aria-label": "hand" });
  for (const [k, data] of state.data.hands.entries()) choice.append(html("option", { value: k }, data.frame));
  choice.addEventListener("change", () => {
    hand.index = Number(choice.value);
    chosen();
    state.changed();
  });
  const missed = html("p", { class: "hint missed", role: "status" });
  const labels = ["x", "y", "z", "roll", "pitch", "yaw"];
  const fields = labels.map((label, k) => {
    const input = html("input", { type: "text", inputmode: "decimal", class: "number", "aria-label": `${label} of the hand`, autocomplete: "off" });
    const unit = html("span", { class: "unit" }, k < 3 ? "m" : "");
    if (k >= 3 && !hand.data?.step) input.disabled = true;
    input.addEventListener("change", () => {
      const value = typed(input.value);
      const pose = hand.pose;
      if (value === null || !pose) {
        input.setAttribute("aria-invalid", "true");
        return;
      }
      input.removeAttribute("aria-invalid");
      const angles = rollPitchYaw(pose.turn);
      const position = pose.position.clone();
      if (k < 3) position.setComponent(k, value);
      else angles[k - 3] = value * (state.degrees ? DEGREE : 1);
      const off = hand.reach(position, k < 3 ? pose.turn : turnOf(angles));
      missed.textContent = off > 1e-6 ? `Out of reach: ${shown(1000 * off)} mm are missed.` : "";
    });
    return { input, unit, element: html("label", { class: "field" }, html("span", { class: "letter" }, label), input, unit) };
  });
  const measure = html("output", { class: "measure" });
  const box = html("input", { type: "checkbox" });
  box.addEventListener("change", () => ellipsoid(box.checked));
  const fill = (): void => {
    const pose = hand.pose;
    if (!pose) return;
    const values = [pose.position.x, pose.position.y, pose.position.z, ...rollPitchYaw(pose.turn)];
    fields.forEach(({ input, unit }, k) => {
      if (k >= 3) {
        unit.textContent = state.degrees ? "\u00b0" : "rad";
        input.disabled = !hand.data?.step;
      }
      if (document.activeElement !== input) input.value = field(values[k]! / (k >= 3 && state.degrees ? DEGREE : 1));
    });
    const found = hand.manipulability();
    measure.textContent = found ? shown(found.measure, 4) : "";
    measure.dataset.value = String(found?.measure);
  };
  const element = html(
    "div",
    { class: "hand" },
    html("div", { class: "row" }, html("label", {}, "Frame ", choice), html("label", { class: "check" }, box, " velocity ellipsoid")),
    html("div", { class: "fields" }, ...fields.map((field) => field.element)),
    missed,
    html("p", { class: "row" }, html("span", {}, "Manipulability"), measure),
  );
  state.onChange(element, fill);
  fill();
  return { element };
}
