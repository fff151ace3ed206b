// A motion: samples of all joints, and the state between them.

import { doublesOf } from "./bytes";
import type { MotionData } from "./document";
import type { State } from "./state";

export class Motion {
  readonly t: Float64Array;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly tau: Float64Array | null;

  constructor(
    readonly data: MotionData,
    readonly n: number,
  ) {
    const values = doublesOf(data.values);
    const N = data.samples;
    const block = (k: number): Float64Array => values.subarray(N + k * N * n, N + (k + 1) * N * n);
    this.t = values.subarray(0, N);
    [this.q, this.qd, this.qdd] = [block(0), block(1), block(2)];
    this.tau = data.torques ? block(3) : null;
  }

  get start(): number {
    return this.t[0]!;
  }

  get end(): number {
    return this.t[this.t.length - 1]!;
  }

  /** Put a time's values into the state: between samples the cubic through both neighbours. */
  show(time: number, state: State): void {
    const last = this.t.length - 1;
    let k = this.before(time);
    if (k >= last) k = Math.max(0, last - 1);
    const h = last > 0 ? this.t[k + 1]! - this.t[k]! : 1;
    const s = last > 0 ? Math.min(1, Math.max(0, (time - this.t[k]!) / h)) : 0;
    const next = Math.min(last, k + 1);
    for (let j = 0; j < this.n; j += 1) {
      const [i, m] = [k * this.n + j, next * this.n + j];
      const mix = (values: Float64Array): number => values[i]! + s * (values[m]! - values[i]!);
      const [a, b] = [this.q[i]!, this.q[m]!];
      const [u, v] = [h * this.qd[i]!, h * this.qd[m]!];
      state.q[j] = a + s * (u + s * (3 * (b - a) - 2 * u - v + s * (2 * (a - b) + u + v)));
      state.qd[j] = mix(this.qd);
      state.qdd[j] = mix(this.qdd);
    }
    const nearest = s < 0.5 ? k : next;
    state.beside = this.data.torques;
    state.measured = this.tau ? this.tau.slice(nearest * this.n, (nearest + 1) * this.n) : null;
  }

  private before(time: number): number {
    let [low, high] = [0, this.t.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.t[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
