// A motion: samples of all joints, and the state between them.

import { Quaternion } from "three";
import { doublesOf } from "./bytes";
import type { MotionData } from "./document";
import type { State } from "./state";

export class Motion {
  readonly t: Float64Array;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly tau: Float64Array | null;
  /** The reference of a simulated run. */
  readonly reference: Float64Array | null;

  constructor(
    readonly data: MotionData,
    readonly n: number,
    private readonly nq = n,
  ) {
    const values = doublesOf(data.values);
    const N = data.samples;
    const block = (k: number): Float64Array => values.subarray(N + N * nq + k * N * n, N + N * nq + (k + 1) * N * n);
    this.t = values.subarray(0, N);
    this.q = values.subarray(N, N + N * nq);
    [this.qd, this.qdd] = [block(0), block(1)];
    this.tau = data.torques ? block(2) : null;
    const end = N + N * nq + (data.torques ? 3 : 2) * N * n;
    this.reference = data.reference ? values.subarray(end, end + N * nq) : null;
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
    const mixed = (values: Float64Array, i: number, m: number): number => values[i]! + s * (values[m]! - values[i]!);
    for (let j = 0; j < this.n; j += 1) {
      const [i, m] = [k * this.n + j, next * this.n + j];
      state.qd[j] = mixed(this.qd, i, m);
      state.qdd[j] = mixed(this.qdd, i, m);
      if (this.nq > this.n) continue;
      const [a, b] = [this.q[i]!, this.q[m]!];
      const [u, v] = [h * this.qd[i]!, h * this.qd[m]!];
      state.q[j] = a + s * (u + s * (3 * (b - a) - 2 * u - v + s * (2 * (a - b) + u + v)));
    }
    if (this.nq > this.n) this.betweenQuaternions(k * this.nq, next * this.nq, s, state, mixed);
    const nearest = s < 0.5 ? k : next;
    state.beside = this.data.torques;
    state.reference = this.reference ? this.reference.subarray(nearest * this.nq, (nearest + 1) * this.nq) : null;
    state.measured = this.tau ? this.tau.slice(nearest * this.n, (nearest + 1) * this.n) : null;
  }

  /** Positions with quaternions: on the straight line, then of unit length. */
  private betweenQuaternions(i: number, m: number, s: number, state: State, mixed: (values: Float64Array, i: number, m: number) => number): void {
    for (let j = 0; j < this.nq; j += 1) state.q[j] = mixed(this.q, i + j, m + j);
    for (const { at, turn } of state.data.joints) {
      if (turn !== 0) continue;
      const [a, b] = [i, m].map((row) => new Quaternion(this.q[row + at + 1], this.q[row + at + 2], this.q[row + at + 3], this.q[row + at])) as [Quaternion, Quaternion];
      state.setTurn(at, a.slerp(b, s));
    }
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
