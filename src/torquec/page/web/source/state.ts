// The state that the page shows, and the listeners to its changes.

import { Quaternion } from "three";
import { rollPitchYaw, turnOf } from "./angles";
import type { ViewData } from "./document";

export type Listener = () => void;

const BETWEEN_NUMBERS = 100; // milliseconds: numbers that change faster cannot be read

interface NumberListener {
  listener: Listener;
  place: Element;
}

export class State {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  /** Measured torques at this instant of a log, or those of a simulated run's controller; null elsewhere. */
  measured: Float64Array | null = null;
  /** Reference positions of a simulated run at this instant; null elsewhere. */
  reference: Float64Array | null = null;
  /** Whether `measured` holds measured torques or those of the controller. */
  beside = "measured";
  degrees = true;
  private readonly pictures: Listener[] = [];
  private readonly listeners: NumberListener[] = [];
  private readonly hidden = new Set<Element>();
  private readonly watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) this.hidden.add(target);
      else if (this.hidden.delete(target)) for (const { listener, place } of this.listeners) if (place === target) listener();
    }
  });
  private told = 0;

  constructor(readonly data: ViewData) {
    const n = data.joints.length;
    this.q = Float64Array.from(data.start);
    this.qd = new Float64Array(n);
    this.qdd = new Float64Array(n);
  }

  /** Called with every state, before the listeners that show numbers. */
  onPicture(listener: Listener): void {
    this.pictures.push(listener);
  }

  /** Called when the state changes, for what is written at a place; of a state in passing only where that is seen. */
  onChange(place: Element, listener: Listener): void {
    this.listeners.push({ listener, place });
    this.watch.observe(place);
  }

  changed(): void {
    for (const picture of this.pictures) picture();
    for (const { listener } of this.listeners) listener();
  }

  /** A state in passing, of something that moves by itself: every picture shows it, numbers follow now and then. */
  passed(): void {
    for (const picture of this.pictures) picture();
    const now = performance.now();
    if (now - this.told < BETWEEN_NUMBERS) return;
    this.told = now;
    for (const { listener, place } of this.listeners) if (!this.hidden.has(place)) listener();
  }

  /** The position of a joint; of a quaternion, its roll, pitch or yaw. */
  position(joint: number): number {
    const { at, turn } = this.data.joints[joint]!;
    return turn === null ? this.q[at]! : rollPitchYaw(this.turnAt(at))[turn]!;
  }

  /** The quaternion whose four numbers (w, x, y, z) begin at a place of q. */
  turnAt(at: number): Quaternion {
    const [w, x, y, z] = this.q.subarray(at, at + 4);
    return new Quaternion(x, y, z, w);
  }

  setTurn(at: number, { x, y, z, w }: Quaternion): void {
    this.q.set([w, x, y, z], at);
  }

  /** A posture that a person chose: within the limits, at rest unless speeds were typed. */
  setPosition(joint: number, value: number): void {
    const { at, turn } = this.data.joints[joint]!;
    if (turn === null) this.q[at] = this.bounded(joint, value);
    else {
      const angles = rollPitchYaw(this.turnAt(at));
      angles[turn] = value;
      this.setTurn(at, turnOf(angles));
    }
    this.measured = this.reference = null;
    this.changed();
  }

  setPosture(q: ArrayLike<number>): void {
    this.q.set(q);
    this.measured = this.reference = null;
    this.changed();
  }

  /** A posture at rest, in passing. */
  passPosture(q: ArrayLike<number>): void {
    this.q.set(q);
    this.setRest();
    this.measured = this.reference = null;
    this.passed();
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
