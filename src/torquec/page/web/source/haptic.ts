// The haptic scene: hand, force sensor, controller and arm run in the page in steps of 2 ms, in real time.

import { ArrowHelper, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, PlaneGeometry, Quaternion, SphereGeometry, Vector3 } from "three";
import { doublesOf } from "./bytes";
import { CompiledModel } from "./compiled_model";
import type { HapticData } from "./document";
import { html } from "./elements";
import { shown } from "./numbers";
import type { State } from "./state";

const WINDOW = 10; // cycles over which momentum is compared with the impulse: 20 ms
const FADE = 0.97; // of what the felt mass remembers, per window: about two thirds of a second
const MOST = 0.25; // seconds that are caught up after the page slept

const LAW_TEXTS: Record<string, string> = {
  exact: "exact model",
  slow: "exact model, slow poles",
  simplified: "simplified model",
  none: "no model (PD)",
};

/** The loop itself, without anything to see. */
export class HapticLoop {
  row: Float64Array;
  readonly settings: Float64Array;
  readonly goal: Float64Array;
  law: string;
  cycles = 0;
  /** The hand's force on the arm [N] and the arm's acceleration [m/s^2], base axes; the mass that they make [kg]. */
  readonly force = new Vector3();
  readonly acceleration = new Vector3();
  feltMass = NaN;
  private readonly first: Float64Array;
  private readonly impulse = new Vector3();
  private readonly speed = new Vector3();
  private sums: [number, number] = [0, 0];

  constructor(
    readonly data: HapticData,
    private readonly module: CompiledModel,
    private readonly jacobian: (q: ArrayLike<number>) => Float64Array,
    readonly joints: number,
  ) {
    this.first = doublesOf(data.first);
    this.row = this.first.slice();
    this.settings = Float64Array.from(data.settings);
    this.goal = new Float64Array(Object.values(data.goalSizes).reduce((sum, size) => sum + size, 0));
    this.law = Object.keys(data.laws)[0]!;
    this.release();
  }

  get q(): Float64Array {
    return this.row.subarray(this.data.parts["motion"]![0], this.data.parts["motion"]![0] + this.joints);
  }

  get ball(): { position: Vector3; turn: Quaternion } {
    const [at, turned] = [this.data.cycle["position"]![0], this.data.cycle["orientation"]![0]];
    const [w, x, y, z] = this.row.subarray(turned, turned + 4) as unknown as [number, number, number, number];
    return { position: new Vector3(...this.row.subarray(at, at + 3)), turn: new Quaternion(x, y, z, w) };
  }

  setting(name: string): Float64Array {
    return part(this.settings, this.data.settingSizes, name);
  }

  reset(): void {
    this.row = this.first.slice();
    this.speed.set(0, 0, 0);
    this.impulse.set(0, 0, 0);
    this.sums = [0, 0];
    this.feltMass = NaN;
    this.release();
  }

  /** The hand holds on and wants to be there, turned as the ball is. */
  pull(position: Vector3, velocity = new Vector3(), acceleration = new Vector3()): void {
    const goal = (name: string): Float64Array => part(this.goal, this.data.goalSizes, name);
    position.toArray(goal("position"));
    velocity.toArray(goal("velocity"));
    acceleration.toArray(goal("acceleration"));
    const { turn } = this.ball;
    if (goal("grip")[0] === 0) goal("orientation").set([turn.w, turn.x, turn.y, turn.z]);
    goal("grip")[0] = 1;
  }

  release(): void {
    this.goal.fill(0);
    part(this.goal, this.data.goalSizes, "orientation")[0] = 1;
  }

  /** One cycle of 2 ms. */
  step(): void {
    const { data, module } = this;
    const noise = Float64Array.from({ length: 6 }, normal);
    const [sampled, log] = module.call(data.laws[this.law]!, this.row, this.goal, this.settings, noise) as [Float64Array, Float64Array];
    let row = sampled;
    for (let k = 0; k < data.steps; k += 1) row = module.value(data.motion, row);
    if (!row.every(Number.isFinite)) throw new Error("the haptic loop left the finite numbers");
    this.row = row;
    this.cycles += 1;
    const at = this.joints + 6; // after the seen joints and the measured wrench stands the hand's own
    this.force.set(log[at]!, log[at + 1]!, log[at + 2]!).applyQuaternion(this.ball.turn);
    this.impulse.addScaledVector(this.force, data.period);
    if (this.cycles % WINDOW === 0) this.compare();
  }

  /** Impulse of the hand against what it did to the arm's speed: the mass that is felt. */
  private compare(): void {
    const n = this.joints;
    const qd = this.row.subarray(this.data.parts["motion"]![0] + n, this.data.parts["motion"]![0] + 2 * n);
    const J = this.jacobian(this.q);
    const now = [0, 1, 2].map((i) => qd.reduce((sum, value, k) => sum + J[i * n + k]! * value, 0)) as [number, number, number];
    const change = new Vector3(...now).sub(this.speed);
    this.acceleration.copy(change).divideScalar(WINDOW * this.data.period);
    this.sums = [FADE * this.sums[0] + this.impulse.dot(change), FADE * this.sums[1] + change.lengthSq()];
    // Below a hand's tremor there is nothing to weigh by.
    this.feltMass = this.sums[1] > 1e-3 ? this.sums[0] / this.sums[1] : NaN;
    this.speed.set(...now);
    this.impulse.set(0, 0, 0);
  }
}

/** What is seen of the loop, and its controls. */
export class HapticView {
  readonly element = html("div", { class: "haptic" });
  readonly group = new Group();
  /** How far simulated time is behind the clock [s], at its worst since the start. */
  lag = 0;
  private running = false;
  private last = 0;
  private owed = 0;
  private readonly ball: Mesh;
  private readonly arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 0.001, "#d1495b");
  private readonly wall: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly outputs = { force: html("output"), acceleration: html("output"), mass: html("output") };
  private readonly button = html("button", { type: "button" });

  constructor(
    readonly loop: HapticLoop,
    private readonly state: State,
  ) {
    const { data } = loop;
    this.ball = new Mesh(new SphereGeometry(data.radius, 40, 24), new MeshStandardMaterial({ color: "#e8743b", roughness: 0.4, transparent: true, opacity: 0.75 }));
    this.ball.castShadow = true;
    this.wall = new Mesh(new PlaneGeometry(0.5 * data.reach, 0.5 * data.reach), new MeshBasicMaterial({ color: "#2f7fd1", transparent: true, opacity: 0.22, side: 2 }));
    this.wall.position.copy(loop.ball.position).setZ(data.wall);
    this.group.add(this.ball, this.arrow, this.wall);
    this.group.visible = false;
    this.controls();
    this.run(false);
  }

  get isRunning(): boolean {
    return this.running;
  }

  run(running: boolean): void {
    this.running = running;
    this.group.visible = running;
    this.button.textContent = running ? "stop" : "start";
    this.button.setAttribute("aria-pressed", String(running));
    if (!running) return;
    this.loop.reset();
    this.lag = 0;
    this.owed = 0;
    this.last = performance.now();
    this.tick();
    const picture = (): void => {
      if (!this.running) return;
      this.show();
      requestAnimationFrame(picture);
    };
    requestAnimationFrame(picture);
  }

  /** Catch up with the clock, then again soon: the picture may be slower than the loop. */
  private tick(): void {
    if (!this.running) return;
    const now = performance.now();
    this.owed += (now - this.last) / 1000;
    this.last = now;
    this.lag = Math.max(this.lag, this.owed);
    this.owed = Math.min(MOST, this.owed);
    const { period } = this.loop.data;
    try {
      for (; this.owed >= period; this.owed -= period) this.loop.step();
    } catch (error) {
      this.run(false);
      this.outputs.force.textContent = String(error);
      return;
    }
    setTimeout(() => this.tick(), 2);
  }

  private show(): void {
    const { loop } = this;
    this.state.setRest();
    this.state.setPosture(loop.q);
    const { position, turn } = loop.ball;
    this.ball.position.copy(position);
    this.ball.quaternion.copy(turn);
    const size = loop.force.length();
    this.arrow.visible = size > 0.2;
    if (this.arrow.visible) {
      this.arrow.position.copy(position);
      this.arrow.setDirection(loop.force.clone().normalize());
      this.arrow.setLength((0.4 * loop.data.reach * size) / loop.data.largest + loop.data.radius, 0.05, 0.03);
    }
    this.outputs.force.textContent = `${shown(size, 3, 10)} N`;
    this.outputs.acceleration.textContent = `${shown(loop.acceleration.length(), 2, 1)} m/s\u00b2`;
    this.outputs.mass.textContent = Number.isNaN(loop.feltMass) ? "pull the ball" : `${shown(loop.feltMass)} kg`;
  }

  private controls(): void {
    const { loop } = this;
    const slider = (label: string, unit: string, low: number, high: number, start: number, take: (value: number) => void): HTMLElement => {
      const input = html("input", { type: "range", min: low, max: high, step: "any", "aria-label": label });
      const output = html("output");
      input.value = String(start);
      const fill = (): void => {
        output.textContent = `${shown(Number(input.value))} ${unit}`;
        take(Number(input.value));
      };
      input.addEventListener("input", fill);
      fill();
      return html("label", { class: "haptic-row" }, html("span", {}, label), input, output);
    };
    const law = html("select", { "aria-label": "law" });
    for (const name of Object.keys(loop.data.laws)) law.append(html("option", { value: name }, LAW_TEXTS[name] ?? name));
    law.addEventListener("change", () => {
      loop.law = law.value;
    });
    const wall = html("input", { type: "checkbox", checked: true });
    wall.addEventListener("change", () => {
      loop.setting("fixtures")[0] = wall.checked ? 1 : 0;
      this.wall.visible = wall.checked;
    });
    const rest = loop.ball.position;
    rest.toArray(loop.setting("rest_position"));
    this.button.addEventListener("click", () => this.run(!this.running));
    const row = (label: string, output: HTMLElement): HTMLElement => html("div", { class: "row" }, html("span", {}, label), output);
    this.element.append(
      html("p", { class: "hint" }, "Start, then pull the ball at the hand with mouse or finger: the arm moves as if the ball were there."),
      html("div", { class: "row" }, this.button, html("label", {}, "Law ", law), html("label", { class: "check" }, wall, " wall")),
      slider("mass", "kg", 2, 40, loop.data.settings[0]!, (value) => loop.setting("mass").fill(value)),
      slider("stiffness", "N/m", 0, 400, 0, (value) => loop.setting("stiffness").fill(value, 0, 3)),
      slider("damping", "N s/m", 0, 60, 0, (value) => loop.setting("damping").fill(value, 0, 3)),
      row("Force of the hand", this.outputs.force),
      row("Acceleration", this.outputs.acceleration),
      row("Felt mass", this.outputs.mass),
    );
  }
}

function part(values: Float64Array, sizes: Record<string, number>, name: string): Float64Array {
  let start = 0;
  for (const [key, size] of Object.entries(sizes)) {
    if (key === name) return values.subarray(start, start + size);
    start += size;
  }
  throw new Error(`there is no ${name}`);
}

/** A normally distributed number: the noise of the force sensor. */
function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
