// The mass matrix as a heat map, with the vectors c and g beside it; each entry can be pointed at.

import type { CompiledModel } from "./compiled_model";
import { html } from "./elements";
import { shown } from "./numbers";
import type { State } from "./state";

/** An entry of M (two indices), c or g (one). */
export interface EntryName {
  letter: "M" | "c" | "g";
  row: number;
  column: number;
}

export function matrixMap(state: State, model: CompiledModel, choose: (entry: EntryName) => void): HTMLElement {
  const n = state.data.joints.length;
  const table = html("table", { class: n > 12 ? "matrix large" : "matrix" });
  const names = ["M", "c", "g"] as const;
  const header = html("tr", {}, html("th"));
  const heads = state.data.joints.map((joint, k) => html("th", { scope: "col", title: joint.name }, String(k + 1)));
  const vectorHeads = { c: html("th", { scope: "col" }, "c"), g: html("th", { scope: "col" }, "g") };
  header.append(...heads, html("th", { class: "gap" }), vectorHeads.c, vectorHeads.g);
  table.append(html("caption", {}, html("span", {}, "Mass matrix M, velocity torques c and gravity torques g")), html("thead", {}, header));
  const body = html("tbody");
  table.append(body);
  const cells: { entry: EntryName; button: HTMLButtonElement; cell: HTMLTableCellElement }[] = [];
  const cellOf = (entry: EntryName): HTMLTableCellElement => {
    const button = html("button", { type: "button" });
    button.addEventListener("click", () => {
      for (const other of cells) other.button.setAttribute("aria-pressed", String(other.button === button));
      choose(entry);
    });
    const cell = html("td", {}, button);
    cells.push({ entry, button, cell });
    return cell;
  };
  for (let i = 0; i < n; i += 1) {
    const row = html("tr", {}, html("th", { scope: "row", title: state.data.joints[i]!.name }, String(i + 1)));
    for (let j = 0; j < n; j += 1) row.append(cellOf({ letter: "M", row: i, column: j }));
    row.append(html("td", { class: "gap" }));
    for (const letter of names.slice(1)) row.append(cellOf({ letter, row: i, column: 0 }));
    body.append(row);
  }
  const fill = (): void => {
    const mass = model.value("mass_matrix", state.q);
    const vectors = { c: model.value("velocity_torque", state.q, state.qd), g: model.value("gravity_torque", state.q) };
    for (const { entry, button, cell } of cells) {
      const { letter, row, column } = entry;
      const value = letter === "M" ? mass[row * n + column]! : vectors[letter][row]!;
      // Coupling as a share of what it can be, |M_ij| <= sqrt(M_ii M_jj); vectors relative to their largest entry.
      const most = letter === "M" ? Math.sqrt(mass[row * n + row]! * mass[column * n + column]!) : Math.max(...vectors[letter].map(Math.abs));
      const share = most > 0 ? Math.min(1, Math.abs(value) / most) : 0;
      cell.style.setProperty("--heat", `${Math.round(share * (letter === "M" && row === column ? 42 : 78))}%`);
      cell.className = value < 0 ? "negative" : "positive";
      const text = shown(value, 2, most);
      button.textContent = text;
      // Columns are as wide as the longest number that they have had: they do not change back and forth as the arm moves.
      const head = letter === "M" ? heads[column]! : vectorHeads[letter];
      if (text.length > Number(head.dataset.longest ?? 0)) {
        head.dataset.longest = String(text.length);
        head.style.minWidth = `${text.length}ch`;
      }
      const name = letter === "M" ? `M ${row + 1}, ${column + 1}` : `${letter} ${row + 1}`;
      button.setAttribute("aria-label", `${name}: ${shown(value, 5)}`);
      button.title = `${name} = ${shown(value, 6)}`;
      button.dataset.value = String(value);
    }
  };
  state.onChange(table, fill);
  fill();
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "mass matrix" }, table);
}
