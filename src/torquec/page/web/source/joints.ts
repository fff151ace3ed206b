// A row per joint: name, slider with its limits, fields for position, speed and acceleration, and the torque bar.

import type { JointData } from "./document";
import { html } from "./elements";
import { DEGREE, field, shown, typed } from "./numbers";
import type { State } from "./state";

type Part = "q" | "qd" | "qdd";

const PARTS: { part: Part; label: string; unit: [string, string, string] }[] = [
  { part: "q", label: "position", unit: ["\u00b0", "rad", "m"] },
  { part: "qd", label: "speed", unit: ["\u00b0/s", "rad/s", "m/s"] },
  { part: "qdd", label: "acceleration", unit: ["\u00b0/s\u00b2", "rad/s\u00b2", "m/s\u00b2"] },
];

export interface JointRows {
  element: HTMLElement;
  /** Where the bar of each joint goes. */
  bars: HTMLElement[];
}

const MANY = 12; // joints, from which rows are grouped by limb and can be searched

export function jointRows(state: State, hover: (joint: number) => void): JointRows {
  const list = html("div", { class: "joints" });
  const bars: HTMLElement[] = [];
  const rows: HTMLElement[] = [];
  const owners = state.data.joints.map((_, k) => state.data.bodies.find(({ joint, rates }) => joint >= 0 && joint <= k && k < joint + rates)?.joint ?? k);
  state.data.joints.forEach((joint, k) => {
    const bar = html("div", { class: "bar-place" });
    bars.push(bar);
    const row = html("div", { class: "joint" }, head(state, joint, k), slider(state, joint, k), bar);
    row.addEventListener("pointerenter", () => hover(owners[k]!));
    row.addEventListener("pointerleave", () => hover(-1));
    row.addEventListener("focusin", () => hover(owners[k]!));
    row.addEventListener("focusout", () => hover(-1));
    rows.push(row);
  });
  if (rows.length > MANY) groupByLimb(state, rows, list);
  else list.append(...rows);
  return { element: list, bars };
}

/** The bodies of one limb: a chain from the base, or from where the tree branches, to the next branching. */
function limbs(state: State): number[][] {
  const { bodies } = state.data;
  const children = new Map<number, number>();
  for (const body of bodies) children.set(body.parent, (children.get(body.parent) ?? 0) + 1);
  const limb: number[] = [];
  const found: number[][] = [];
  bodies.forEach((body, k) => {
    const goesOn = body.parent >= 0 && children.get(body.parent) === 1;
    limb[k] = goesOn ? limb[body.parent]! : found.push([]) - 1;
    const joints = found[limb[k]!]!;
    for (let j = body.joint; j >= 0 && j < body.joint + body.rates; j += 1) if (!joints.includes(j)) joints.push(j);
  });
  const seen = new Set<number>();
  return found.map((joints) => joints.filter((joint) => !seen.has(joint) && seen.add(joint))).filter((joints) => joints.length > 0);
}

/** The common beginning of the names of a limb's joints; without one, the names without numbers and "joint". */
function limbName(names: string[]): string {
  let common = names[0] ?? "";
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  common = common.replace(/[^a-zA-Z]+[a-zA-Z]{0,1}$|[^a-zA-Z0-9]+$/, "");
  if (common) return common;
  const stems = new Set(names.map((name) => name.replace(/[_-]?joint|[_-]?\d+/gi, "") || name));
  return stems.size <= 2 ? [...stems].join(", ") : `${names[0]} \u2026 ${names.at(-1)}`;
}

/** Rows in folded groups, one a limb, below a field that finds joints by their names. */
function groupByLimb(state: State, rows: HTMLElement[], list: HTMLElement): void {
  const search = html("input", { type: "search", class: "search", placeholder: "find a joint", "aria-label": "find a joint", autocomplete: "off" });
  const groups = limbs(state).map((joints, k) => {
    const names = joints.map((joint) => state.data.joints[joint]!.name);
    const isBase = state.data.base !== null && joints[0] === 0 && joints.length === state.data.bodies[0]!.rates;
    const count = isBase ? "position and turn" : `${joints.length} ${joints.length === 1 ? "joint" : "joints"}`;
    const summary = html("summary", {}, `${isBase ? "base" : limbName(names)} `, html("span", { class: "count" }, count));
    const group = html("details", { class: "limb", open: k === 0 }, summary, ...joints.map((joint) => rows[joint]!));
    return { group, joints };
  });
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const { group, joints } of groups) {
      let any = false;
      for (const joint of joints) {
        const hit = state.data.joints[joint]!.name.toLowerCase().includes(wanted);
        rows[joint]!.hidden = !hit;
        any ||= hit;
      }
      group.hidden = !any;
      if (wanted) group.open = any;
    }
  });
  list.append(search, ...groups.map(({ group }) => group));
}

function factor(state: State, joint: JointData): number {
  return state.degrees && !joint.prismatic ? DEGREE : 1;
}

function head(state: State, joint: JointData, k: number): HTMLElement {
  const fields = PARTS.map(({ part, label, unit }) => {
    const input = html("input", {
      type: "text",
      inputmode: "decimal",
      class: `number ${part}`,
      "aria-label": `${label} of ${joint.name}`,
      autocomplete: "off",
    });
    const mark = html("span", { class: "unit" });
    const fill = (): void => {
      mark.textContent = unit[joint.prismatic ? 2 : state.degrees ? 0 : 1]!;
      if (document.activeElement === input && !input.dataset.done) return;
      delete input.dataset.done;
      input.value = field((part === "q" ? state.position(k) : state[part][k]!) / factor(state, joint));
      input.removeAttribute("aria-invalid");
    };
    const take = (): void => {
      const value = typed(input.value);
      if (value === null) {
        input.setAttribute("aria-invalid", "true");
        return;
      }
      input.dataset.done = "yes";
      if (part === "q") state.setPosition(k, value * factor(state, joint));
      else {
        state[part][k] = value * factor(state, joint);
        state.measured = null;
        state.changed();
      }
    };
    input.addEventListener("change", take);
    input.addEventListener("blur", fill);
    state.onChange(input, fill);
    fill();
    return html("span", { class: `field ${part}` }, input, mark);
  });
  const name = html("span", { class: "name", title: joint.name }, joint.name);
  return html("div", { class: "joint-head" }, html("span", { class: "index" }, String(k + 1)), name, ...fields);
}

function slider(state: State, joint: JointData, k: number): HTMLElement {
  const [low, high] = state.range(k);
  const input = html("input", {
    type: "range",
    min: low,
    max: high,
    step: "any",
    "aria-label": `position of ${joint.name}`,
  });
  const limit = (value: number | null): HTMLElement => html("span", { class: value === null ? "limit open" : "limit" });
  const [least, most] = [limit(joint.lower), limit(joint.upper)];
  const fill = (): void => {
    const q = state.position(k);
    const scale = factor(state, joint);
    const unit = joint.prismatic ? "m" : state.degrees ? "\u00b0" : "rad";
    input.value = String(q);
    input.setAttribute("aria-valuetext", `${shown(q / scale, 4)} ${unit}`);
    const share = ((q - low) / (high - low)) * 100;
    input.style.setProperty("--share", `${Math.min(100, Math.max(0, share))}%`);
    input.style.setProperty("--zero", low < 0 && high > 0 ? `${(-low / (high - low)) * 100}%` : "-100%");
    least.textContent = joint.lower === null ? "no limit" : shown(joint.lower / scale, 3);
    most.textContent = joint.upper === null ? "no limit" : shown(joint.upper / scale, 3);
  };
  // Arrow keys move by a hundredth of the range; `any` would leave that to the browser.
  input.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    state.setPosition(k, state.position(k) + (way * (high - low)) / 100);
  });
  input.addEventListener("input", () => state.setPosition(k, Number(input.value)));
  state.onChange(input, fill);
  fill();
  return html("div", { class: "slide" }, least, input, most);
}
