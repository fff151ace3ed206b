// The state that the page shows, and who wants to know when it changes.

import type { ViewData } from "./document";

export type Listener = () => void;

export class State {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  /** Measured torques at this instant of a log; null elsewhere. */
  measured: Float64Array | null = null;
  degrees = true;
  private readonly listeners: Listener[] = [];

  constructor(readonly data: ViewData) {
    const n = data.joints.length;
    this.q = Float64Array.from(data.start);
    this.qd = new Float64Array(n);
    this.qdd = new Float64Array(n);
  }

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** A posture that a person chose: within the limits, at rest unless speeds were typed. */
  setPosition(joint: number, value: number): void {
    this.q[joint] = this.bounded(joint, value);
    this.measured = null;
    this.changed();
  }

  setPosture(q: ArrayLike<number>): void {
    for (let k = 0; k < this.q.length; k += 1) this.q[k] = q[k] as number;
    this.measured = null;
    this.changed();
  }

  setRest(): void {
    this.qd.fill(0);
    this.qdd.fill(0);
  }

  bounded(joint: number, value: number): number {
    const { lower, upper } = this.data.joints[joint]!;
    return Math.min(upper ?? Infinity, Math.max(lower ?? -Infinity, value));
  }

  /** The range of a slider: the limits, or a turn, or a metre where there are none. */
  range(joint: number): [number, number] {
    const { lower, upper, prismatic } = this.data.joints[joint]!;
    const most = prismatic ? 1 : Math.PI;
    return [lower ?? (upper === null ? -most : upper - 2 * most), upper ?? (lower === null ? most : lower + 2 * most)];
  }
}
