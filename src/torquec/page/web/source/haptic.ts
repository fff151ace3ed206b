// The haptic scene: the view and the controls of the loop, which runs beside the page in real time.

import { ArrowHelper, Group, Mesh, MeshBasicMaterial, PlaneGeometry, Quaternion, Vector3 } from "three";
import type { HapticData } from "./document";
import { html } from "./elements";
import { animate } from "./frames";
import { HapticClock, type HapticOrders, type HapticReport } from "./haptic_clock";
import type { HapticLoop } from "./haptic_loop";
import type { FromWorker, ToWorker } from "./haptic_worker";
import workerScript from "./haptic_worker.txt";
import { shown } from "./numbers";
import type { State } from "./state";
import { sphere, surface } from "./surfaces";

const NUMBERS = 100; // milliseconds between changes of the numbers: more often nobody reads them

const LONGEST_START = 10_000; // milliseconds that a thread may take to start

const LAW_TEXTS: Record<string, string> = {
  exact: "exact model",
  slow: "exact model, slow poles",
  simplified: "simplified model",
  none: "no model (PD)",
};

export class HapticView {
  readonly element = html("div", { class: "haptic" });
  readonly group = new Group();
  /** The last report of the loop; null before its start. */
  report: HapticReport | null = null;
  /** Whether the loop has a thread of its own: some browsers and embedding pages allow none. */
  hasThread = false;
  private give: (orders: HapticOrders) => void = () => {}; // until it is known whether a thread runs the loop
  private readonly orders: HapticOrders;
  private written = 0;
  private readonly ball: Mesh;
  private readonly arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 0.001, "#d1495b");
  private readonly wall: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly outputs = { force: html("output"), acceleration: html("output"), mass: html("output") };
  private readonly button = html("button", { type: "button" });

  /** The view of a loop; `loop` itself runs in the page if there is no thread to run another one. */
  constructor(
    readonly loop: HapticLoop,
    private readonly state: State,
  ) {
    const { data } = loop;
    this.orders = { running: false, law: loop.law, settings: loop.settings, pulled: null };
    const tell = (report: HapticReport): void => this.hear(report);
    void ownThread(data, tell).then((give) => {
      const local = new HapticClock(loop, tell);
      this.hasThread = give !== null;
      this.give = give ?? ((orders) => local.order(orders));
      this.order(); // the reader may have started it already
    });
    this.ball = new Mesh(sphere(data.radius), surface({ color: "#e8743b", roughness: 0.4, transparent: true, opacity: 0.75 }));
    this.ball.castShadow = true;
    this.wall = new Mesh(new PlaneGeometry(0.5 * data.reach, 0.5 * data.reach), new MeshBasicMaterial({ color: "#2f7fd1", transparent: true, opacity: 0.22, side: 2 }));
    this.wall.position.set(...loop.position).setZ(data.wall);
    this.group.add(this.ball, this.arrow, this.wall);
    this.group.visible = false;
    this.controls();
    this.run(false);
  }

  get isRunning(): boolean {
    return this.orders.running;
  }

  run(running: boolean): void {
    this.report = null;
    this.orders.pulled = null;
    this.orders.running = running;
    this.group.visible = running;
    this.button.textContent = running ? "stop" : "start";
    this.button.setAttribute("aria-pressed", String(running));
    this.order();
    if (running) animate((now) => this.picture(now));
    else this.state.changed();
  }

  /** The hand pulls the ball there, or lets it go. */
  pull(position: Vector3 | null): void {
    this.orders.pulled = position ? position.toArray() : null;
    this.order();
  }

  private order(): void {
    this.give(this.orders);
  }

  private hear(report: HapticReport): void {
    if (!this.isRunning) return;
    this.report = report;
    if (!report.problem) return;
    this.run(false);
    this.outputs.force.textContent = report.problem;
  }

  private picture(now: number): boolean {
    if (!this.isRunning) return false;
    if (this.report) this.show(this.report, now);
    return true;
  }

  private show({ q, position, turn, force, acceleration, feltMass, atWall }: HapticReport, now: number): void {
    this.state.passPosture(q);
    const [w, x, y, z] = turn;
    this.ball.position.set(...position);
    this.ball.quaternion.copy(new Quaternion(x, y, z, w));
    const direction = new Vector3(...force);
    const size = direction.length();
    this.arrow.visible = size > 0.2;
    if (this.arrow.visible) {
      const { reach, largest, radius } = this.loop.data;
      this.arrow.position.copy(this.ball.position);
      this.arrow.setDirection(direction.normalize());
      this.arrow.setLength((0.4 * reach * size) / largest + radius, 0.05, 0.03);
    }
    if (now - this.written < NUMBERS) return;
    this.written = now;
    this.outputs.force.textContent = `${shown(size, 3, 10)} N`;
    this.outputs.acceleration.textContent = `${shown(Math.hypot(...acceleration), 2, 1)} m/s\u00b2`;
    this.outputs.mass.textContent = atWall ? "at the wall" : Number.isNaN(feltMass) ? "pull the ball" : `${shown(feltMass)} kg`;
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
        this.order();
      };
      input.addEventListener("input", fill);
      fill();
      return html("label", { class: "haptic-row" }, html("span", {}, label), input, output);
    };
    const law = html("select", { "aria-label": "law" });
    for (const name of Object.keys(loop.data.laws)) law.append(html("option", { value: name }, LAW_TEXTS[name] ?? name));
    law.addEventListener("change", () => {
      this.orders.law = law.value;
      this.order();
    });
    const wall = html("input", { type: "checkbox", checked: true });
    wall.addEventListener("change", () => {
      loop.setting("fixtures")[0] = wall.checked ? 1 : 0;
      this.wall.visible = wall.checked;
      this.order();
    });
    loop.setting("rest_position").set(loop.position);
    this.button.addEventListener("click", () => this.run(!this.isRunning));
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

/** Start a thread that runs a loop like the page's own; gives the function that orders it, null without a thread. */
function ownThread(data: HapticData, tell: (report: HapticReport) => void): Promise<((orders: HapticOrders) => void) | null> {
  return new Promise((done) => {
    setTimeout(() => done(null), LONGEST_START);
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([workerScript], { type: "text/javascript" })));
      const send = (message: ToWorker): void => worker.postMessage(message);
      worker.onmessage = ({ data: heard }: MessageEvent<FromWorker>): void => {
        if (heard === "ready") done((orders) => send({ orders }));
        else tell(heard);
      };
      worker.onerror = (event): void => {
        event.preventDefault();
        done(null);
      };
      send({ data });
    } catch {
      done(null);
    }
  });
}
