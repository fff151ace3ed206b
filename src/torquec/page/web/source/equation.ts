// One entry of the equations of motion in readable mathematics, and its largest terms at this posture.

import { html, math } from "./elements";
import type { EntryName } from "./matrix";
import { shown } from "./numbers";
import { ClosedForms, type FactorOf, type SpeedTerm } from "./polynomial";
import type { State } from "./state";

const WRITTEN = 60; // terms: about what a reader takes in; the others are shown on request
const LARGEST = 8;

export class EquationView {
  readonly element = html("div", { class: "equation", "aria-live": "polite" });
  private entry: EntryName | null = null;
  private terms: SpeedTerm[] = [];
  private readonly forms: ClosedForms | null;
  private readonly values = html("div");

  constructor(private readonly state: State) {
    const { equations, joints } = state.data;
    this.forms = equations ? new ClosedForms(equations, joints.length) : null;
    state.onChange(this.element, () => this.fillValues());
    this.element.append(
      html("p", { class: "hint" }, this.forms ? "Choose an entry of M, c or g to see its closed form." : state.data.noEquations),
    );
  }

  show(entry: EntryName): void {
    if (!this.forms) return;
    this.entry = entry;
    const { letter, row, column } = entry;
    this.terms = letter === "M" ? this.forms.mass(row, column) : letter === "c" ? this.forms.velocity(row) : this.forms.gravity(row);
    this.terms.sort((a, b) => Math.abs(b.coefficient) - Math.abs(a.coefficient));
    const title = html("h3", {}, math("math", {}, this.name()), ` has ${this.terms.length} ${this.terms.length === 1 ? "term" : "terms"}`);
    const written = html("div", { class: "formula", tabindex: 0, role: "region", "aria-label": "closed form" });
    const write = (count: number): void => {
      written.replaceChildren(this.formula(this.terms.slice(0, count)));
      if (this.terms.length > count) {
        const all = html("button", { type: "button", class: "plain" }, `all ${this.terms.length} terms`);
        all.addEventListener("click", () => write(this.terms.length));
        written.append(all);
      }
    };
    write(WRITTEN);
    this.element.replaceChildren(title, this.values, written, this.legend());
    this.fillValues();
  }

  private fillValues(): void {
    if (!this.forms || !this.entry) return;
    const { q, qd } = this.state;
    const valued = this.terms.map((term) => ({ term, value: this.forms!.value(term, q, qd) }));
    const total = valued.reduce((sum, { value }) => sum + value, 0);
    valued.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const top = valued.slice(0, LARGEST);
    const most = Math.abs(top[0]?.value ?? 0) || 1;
    const list = html("ol", { class: "largest" });
    for (const { term, value } of top) {
      const bar = html("span", { class: value < 0 ? "size negative" : "size" });
      bar.style.width = `${(100 * Math.abs(value)) / most}%`;
      list.append(html("li", {}, html("span", {}, math("math", {}, this.product(term))), html("span", { class: "meter" }, bar), html("b", {}, shown(value, 4))));
    }
    const sum = html("p", {}, "At this posture ", math("math", {}, math("mrow", {}, this.name(), math("mo", {}, "="), number(total))), ".");
    (sum as HTMLElement).dataset.value = String(total);
    sum.className = "entry-value";
    const rest = this.terms.length - top.length;
    const note = rest > 0 ? `The ${top.length} largest of ${this.terms.length} terms here:` : "Its terms here:";
    this.values.replaceChildren(sum, html("p", { class: "hint" }, note), list);
  }

  private name(): Node {
    const { letter, row, column } = this.entry!;
    const index = letter === "M" ? math("mrow", {}, math("mn", {}, `${row + 1}`), math("mo", {}, ","), math("mn", {}, `${column + 1}`)) : math("mn", {}, `${row + 1}`);
    return math("msub", {}, math("mi", {}, letter), index);
  }

  private formula(terms: SpeedTerm[]): Node {
    const pieces = terms.map((term, k) => {
      const sign = term.coefficient < 0 ? "\u2212" : k === 0 ? "" : "+";
      const row = math("mrow", {}, ...(sign ? [math("mo", {}, sign)] : []), this.product({ ...term, coefficient: Math.abs(term.coefficient) }));
      return math("math", {}, row);
    });
    const start = math("math", {}, math("mrow", {}, this.name(), math("mo", {}, "=")));
    return html("p", {}, start, " ", ...pieces.flatMap((piece) => [piece, " "]), ...(pieces.length === 0 ? ["0"] : []));
  }

  private product(term: SpeedTerm): Node {
    const factors = term.factors.flatMap((factor) => this.factor(factor));
    const counts = new Map<number, number>();
    for (const joint of term.speeds) counts.set(joint, (counts.get(joint) ?? 0) + 1);
    for (const [joint, power] of counts) {
      const dot = math("mover", { accent: "true" }, math("mi", {}, "q"), math("mo", {}, "\u02d9"));
      const index = math("mn", {}, String(joint + 1));
      factors.push(power > 1 ? math("msubsup", {}, dot, index, math("mn", {}, "2")) : math("msub", {}, dot, index));
    }
    return math("mrow", {}, number(term.coefficient), ...factors.flatMap((factor) => [math("mspace", { width: "0.17em" }), factor]));
  }

  private factor({ variable, a, b }: FactorOf): Node[] {
    const { prismatic, name } = this.state.data.equations!.variables[variable]!;
    const index = (): Node => math("mn", {}, name);
    const power = (base: string, exponent: number): Node =>
      exponent === 1
        ? math("msub", {}, math("mi", {}, base), index())
        : math("msubsup", {}, math("mi", {}, base), index(), math("mn", {}, String(exponent)));
    if (prismatic) return [power("q", b)];
    return [...(a > 0 ? [power("C", a)] : []), ...(b > 0 ? [power("S", b)] : [])];
  }

  /** What the short names of this entry stand for. */
  private legend(): HTMLElement {
    const used = new Set(this.terms.flatMap((term) => term.factors.map(({ variable }) => variable)));
    const all = this.state.data.equations!.variables;
    const sums = [...used].sort((x, y) => x - y).filter((variable) => all[variable]!.bodies.length > 1 && !all[variable]!.prismatic);
    const texts = sums.map((variable) => {
      const { name, bodies } = all[variable]!;
      const sum = bodies.map(([body, sign], k) => `${sign < 0 ? "\u2212" : k > 0 ? "+" : ""}q${body + 1}`).join(" ");
      return `C${name} = cos(${sum})`;
    });
    return html("p", { class: "hint" }, `${["C1 = cos q1, S1 = sin q1", ...texts].join(", ")}. SI units; coefficients to six digits.`);
  }
}

function number(value: number): Node {
  const [mantissa, exponent] = Number(value.toPrecision(6)).toString().split("e") as [string, string | undefined];
  const plain = math("mn", {}, mantissa.replace("-", "\u2212"));
  if (exponent === undefined) return plain;
  const power = math("msup", {}, math("mn", {}, "10"), math("mn", {}, String(Number(exponent)).replace("-", "\u2212")));
  return math("mrow", {}, plain, math("mo", {}, "\u00b7"), power);
}
