// Torques along a motion, a small plot per joint: predicted, exact, measured, the proven band, and where time is now.

import type { CompiledModel } from "./compiled_model";
import { html, svg } from "./elements";
import type { Motion } from "./motion";
import { shown } from "./numbers";
import type { State } from "./state";
import { isInsideBox, torquesAt } from "./torques";

const [WIDTH, HEIGHT] = [400, 110]; // of a plot, in its own units
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 8, 8, 18];
const NEAR = 2.5; // a limit is drawn where it is within so many times the largest torque

interface Series {
  name: string;
  values: Float64Array;
}

export function torquePlots(state: State, model: CompiledModel, motion: Motion, go: (time: number) => void): { element: HTMLElement; mark: (time: number) => void } {
  const n = motion.n;
  const N = motion.t.length;
  const total = new Float64Array(N * n);
  const exact = model.has("exact_torque") ? new Float64Array(N * n) : null;
  let inside = state.data.proven !== null;
  for (let k = 0; k < N; k += 1) {
    const [q, qd, qdd] = [motion.q, motion.qd, motion.qdd].map((values) => values.subarray((k * values.length) / N, ((k + 1) * values.length) / N)) as [Float64Array, Float64Array, Float64Array];
    const found = torquesAt(model, q, qd, qdd);
    total.set(found.total, k * n);
    if (exact && found.exact) exact.set(found.exact, k * n);
    inside &&= isInsideBox({ ...state, data: state.data, q, qd, qdd } as State);
  }
  const element = html("div", { class: "plots" });
  const marks: SVGLineElement[] = [];
  const x = (time: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * (time - motion.start)) / Math.max(1e-9, motion.end - motion.start);
  state.data.joints.forEach((joint, j) => {
    const column = (values: Float64Array): Float64Array => Float64Array.from({ length: N }, (_, k) => values[k * n + j]!);
    const series: Series[] = [{ name: "total", values: column(total) }];
    if (exact) series.push({ name: "exact", values: column(exact) });
    if (motion.tau) series.unshift({ name: "measured", values: column(motion.tau) });
    const bound = inside ? (state.data.proven?.bounds[j] ?? null) : null;
    const every = series.flatMap(({ values }) => [...values].filter(Number.isFinite));
    const pad = bound ?? 0;
    const peak = Math.max(1e-12, ...every.map(Math.abs));
    const limit = joint.effort !== null && joint.effort <= NEAR * peak ? joint.effort : 0; // farther, it would flatten the curves
    let [low, high] = [Math.min(0, -limit, ...every) - pad, Math.max(0, limit, ...every) + pad];
    if (high - low < 1e-9) [low, high] = [-1, 1];
    const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
    const path = (values: Float64Array, shift = 0): string => {
      let [text, pen] = ["", "M"];
      values.forEach((value, k) => {
        if (!Number.isFinite(value)) pen = "M";
        else {
          text += `${pen}${x(motion.t[k]!).toFixed(1)} ${y(value + shift).toFixed(1)}`;
          pen = "L";
        }
      });
      return text;
    };
    const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `torque of ${joint.name} along the motion` });
    if (bound !== null) {
      const values = series.find(({ name }) => name === "total")!.values;
      const back = [...values].map((value, k) => `L${x(motion.t[k]!).toFixed(1)} ${y(value - bound).toFixed(1)}`).reverse().join("");
      picture.append(svg("path", { class: "band", d: `${path(values, bound)}${back}Z` }));
    }
    picture.append(svg("line", { class: "zero", x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0) }));
    for (const edge of limit ? [limit, -limit] : []) picture.append(svg("line", { class: "limit", x1: LEFT, x2: WIDTH - RIGHT, y1: y(edge), y2: y(edge) }));
    for (const { name, values } of series) picture.append(svg("path", { class: name, d: path(values) }));
    for (const value of [low + pad, high - pad]) {
      if (Math.abs(y(value) - y(0)) > 12 || value === 0) picture.append(svg("text", { x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, shown(value)));
    }
    picture.append(svg("text", { x: LEFT - 5, y: y(0) + 3.5, "text-anchor": "end" }, "0"));
    picture.append(svg("text", { x: LEFT, y: HEIGHT - 4 }, `${shown(motion.start)} s`), svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, "text-anchor": "end" }, `${shown(motion.end)} s`));
    const mark = svg("line", { class: "now", y1: TOP, y2: HEIGHT - BOTTOM });
    picture.append(mark);
    marks.push(mark);
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const share = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
      go(motion.start + Math.min(1, Math.max(0, share)) * (motion.end - motion.start));
    });
    const unit = joint.prismatic ? "N" : "N m";
    element.append(html("figure", {}, html("figcaption", {}, html("span", { class: "name" }, joint.name), fit(series, unit, motion.data.torques, joint.effort === null ? "" : `${shown((100 * peak) / joint.effort)} % of the limit, `)), picture));
  });
  return {
    element,
    mark: (time) => {
      for (const mark of marks) {
        mark.setAttribute("x1", String(x(time)));
        mark.setAttribute("x2", String(x(time)));
      }
    },
  };
}

/** Deviation of the model's torques from the measured or commanded ones, if there are any. */
function fit(series: Series[], unit: string, beside: string, used: string): HTMLElement {
  const measured = series.find(({ name }) => name === "measured")?.values;
  const total = series.find(({ name }) => name === "total")!.values;
  if (!measured) return html("span", { class: "unit" }, `${used}${unit}`);
  let [sum, count] = [0, 0];
  measured.forEach((value, k) => {
    if (!Number.isFinite(value)) return;
    sum += (value - total[k]!) ** 2;
    count += 1;
  });
  return html("span", { class: "unit" }, `${used}${unit}, RMS ${beside === "measured" ? "error" : "difference"} ${shown(Math.sqrt(sum / Math.max(1, count)))}`);
}
