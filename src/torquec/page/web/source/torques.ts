// Torques of every joint as bars against their limits: gravity, the whole torque, exact beside simplified, measured.

import type { CompiledModel } from "./compiled_model";
import { html } from "./elements";
import type { JointRows } from "./joints";
import { shown } from "./numbers";
import type { State } from "./state";

export interface Torques {
  total: Float64Array;
  gravity: Float64Array;
  exact: Float64Array | null;
}

/** Torques of the drives at this state, from the module. */
export function torquesAt(model: CompiledModel, q: ArrayLike<number>, qd: ArrayLike<number>, qdd: ArrayLike<number>): Torques {
  return {
    total: model.value("torque", q, qd, qdd),
    gravity: model.value("gravity_torque", q),
    exact: model.has("exact_torque") ? model.value("exact_torque", q, qd, qdd) : null,
  };
}

/** Whether the bounds are proven at this state: the motion is one of the box. */
export function isInsideBox(state: State): boolean {
  const box = state.data.proven;
  if (!box) return false;
  return state.data.joints.every((_, k) => {
    const within = (value: number, most: number | null): boolean => most === null || Math.abs(value) <= most;
    const [q, low, high] = [state.q[k]!, box.lower[k] ?? -Infinity, box.upper[k] ?? Infinity];
    return q >= low && q <= high && within(state.qd[k]!, box.velocity[k]!) && within(state.qdd[k]!, box.acceleration[k]!);
  });
}

export function torqueBars(state: State, model: CompiledModel, rows: JointRows): void {
  const bars = state.data.joints.map((joint, k) => {
    const part = (name: string): HTMLElement => html("span", { class: name });
    const parts = {
      band: part("band"),
      gravity: part("gravity"),
      total: part("total"),
      exact: part("exact"),
      measured: part("measured"),
    };
    const text = html("output", { class: "torque", "aria-label": `torque of ${joint.name}` });
    const track = html("div", { class: "track" }, html("span", { class: "middle" }), ...Object.values(parts));
    rows.bars[k]!.append(track, text);
    return { joint, parts, text, track };
  });
  // Where a file states no limits, bars grow with the largest torque seen.
  let largest = 1e-9;
  const fill = (): void => {
    const found = torquesAt(model, state.q, state.qd, state.qdd);
    for (const value of found.total) largest = Math.max(largest, Math.abs(value));
    const proven = isInsideBox(state) ? state.data.proven : null;
    bars.forEach(({ joint, parts, text, track }, k) => {
      const full = joint.effort ?? largest;
      const place = (value: number): number => Math.min(100, Math.max(0, 50 + (50 * value) / full));
      const span = (element: HTMLElement, from: number, to: number): void => {
        element.style.left = `${Math.min(place(from), place(to))}%`;
        element.style.width = `${Math.abs(place(to) - place(from))}%`;
      };
      const total = found.total[k]!;
      span(parts.total, 0, total);
      span(parts.gravity, 0, found.gravity[k]!);
      parts.band.hidden = !proven;
      if (proven) span(parts.band, total - proven.bounds[k]!, total + proven.bounds[k]!);
      parts.exact.hidden = found.exact === null;
      if (found.exact) parts.exact.style.left = `${place(found.exact[k]!)}%`;
      parts.measured.hidden = state.measured === null || Number.isNaN(state.measured[k]!);
      if (state.measured) parts.measured.style.left = `${place(state.measured[k]!)}%`;
      const over = joint.effort !== null && Math.abs(total) > joint.effort;
      track.classList.toggle("over", over);
      const unit = joint.prismatic ? "N" : "N m";
      const limit = joint.effort === null ? "" : ` / ${shown(joint.effort)}`;
      text.textContent = `${shown(total, 3, full)}${limit} ${unit}`;
      text.dataset.value = String(total);
      track.title = [
        `${joint.name}: ${shown(total, 5)} ${unit}${over ? ", over its limit" : ""}`,
        `gravity ${shown(found.gravity[k]!, 5)}`,
        ...(found.exact ? [`exact ${shown(found.exact[k]!, 5)}`] : []),
        ...(proven ? [`proven within ${shown(proven.bounds[k]!)}`] : []),
        ...(state.measured ? [`${state.beside} ${shown(state.measured[k]!, 5)}`] : []),
      ].join("\n");
    });
  };
  state.onChange(rows.element, fill);
  fill();
}

/** What the marks of bars or of plots mean; only those that this page has. Plots have no gravity. */
export function torqueLegend(state: State, hasGravity: boolean): HTMLElement {
  const entry = (name: string, text: string): HTMLElement => html("span", {}, html("i", { class: `key ${name}` }), text);
  const legend = html("p", { class: "legend" }, entry("total", "torque"));
  if (hasGravity) legend.append(entry("gravity", "of this, gravity"));
  if (state.data.simplified) {
    legend.append(entry("exact", "exact model"));
    if (state.data.proven) {
      const band = entry("band", "proven bound");
      legend.append(band);
      const fill = (): void => {
        const inside = isInsideBox(state);
        band.lastChild!.textContent = inside ? "proven bound" : "outside the certified box: nothing is proven here";
        band.classList.toggle("warning", !inside);
      };
      state.onChange(legend, fill);
      fill();
    }
  }
  for (const name of new Set(state.data.motions.map(({ torques }) => torques))) if (name) legend.append(entry("measured", name));
  return legend;
}
