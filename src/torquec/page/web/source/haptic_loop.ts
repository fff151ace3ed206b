// The haptic loop itself, without anything to see: hand, force sensor, controller and arm, a cycle of 2 ms at a time.

import { doublesOf } from "./bytes";
import type { CompiledModel } from "./compiled_model";
import type { HapticData, Vector3 } from "./document";

const WINDOW = 10; // cycles over which momentum is compared with the impulse: 20 ms
const FADE = 0.97; // forgetting factor of the felt mass per window: it remembers about two thirds of a second
const WARM = 40; // cycles of every law before the clock starts
const STANDING: Vector3 = [0, 0, 0];

export class HapticLoop {
  row: Float64Array;
  readonly settings: Float64Array;
  readonly goal: Float64Array;
  law: string;
  cycles = 0;
  /** The hand's force on the arm [N] and the arm's acceleration [m/s^2], base axes; the mass that they make [kg]. */
  force: Vector3 = [0, 0, 0];
  acceleration: Vector3 = [0, 0, 0];
  feltMass = NaN;
  /** Whether the ball touched the wall in the last window: force over acceleration is no mass there. */
  atWall = false;
  private touched = false;
  private readonly first: Float64Array;
  private impulse: Vector3 = [0, 0, 0];
  private speed: Vector3 = [0, 0, 0];
  private sums: [number, number] = [0, 0];

  constructor(
    readonly data: HapticData,
    private readonly module: CompiledModel,
  ) {
    this.first = doublesOf(data.first);
    this.row = this.first.slice();
    this.settings = Float64Array.from(data.settings);
    this.goal = new Float64Array(Object.values(data.goalSizes).reduce((sum, size) => sum + size, 0));
    this.law = Object.keys(data.laws)[0]!;
    this.release();
  }

  private get joints(): number {
    const [start, stop] = this.data.parts.motion!;
    return (stop - start) / 2;
  }

  get q(): Float64Array {
    const start = this.data.parts.motion![0];
    return this.row.subarray(start, start + this.joints);
  }

  /** Where the ball is [m], and how it is turned: w, x, y, z. */
  get position(): Vector3 {
    const at = this.data.cycle.position![0];
    return [this.row[at]!, this.row[at + 1]!, this.row[at + 2]!];
  }

  get turn(): [number, number, number, number] {
    const at = this.data.cycle.orientation![0];
    return [this.row[at]!, this.row[at + 1]!, this.row[at + 2]!, this.row[at + 3]!];
  }

  setting(name: string): Float64Array {
    return part(this.settings, this.data.settingSizes, name);
  }

  reset(): void {
    this.row = this.first.slice();
    this.cycles = 0;
    [this.force, this.acceleration, this.speed, this.impulse] = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]];
    this.sums = [0, 0];
    this.feltMass = NaN;
    this.atWall = this.touched = false;
    this.release();
  }

  /** Run every law for a while, and begin anew: browsers compile functions when they are first called, which takes long. */
  warmUp(): void {
    const chosen = this.law;
    for (const law of Object.keys(this.data.laws)) {
      this.law = law;
      this.reset();
      for (let k = 0; k < WARM; k += 1) this.step();
    }
    this.law = chosen;
    this.reset();
  }

  /** The hand holds the ball and pulls it there, with the ball's present rotation. */
  pull(position: Vector3, velocity = STANDING, acceleration = STANDING): void {
    const goal = (name: string): Float64Array => part(this.goal, this.data.goalSizes, name);
    goal("position").set(position);
    goal("velocity").set(velocity);
    goal("acceleration").set(acceleration);
    if (goal("grip")[0] === 0) goal("orientation").set(this.turn);
    goal("grip")[0] = 1;
  }

  release(): void {
    this.goal.fill(0);
    part(this.goal, this.data.goalSizes, "orientation")[0] = 1;
  }

  /** One cycle of 2 ms. */
  step(): void {
    const { data, module } = this;
    const noise = Float64Array.from({ length: 6 }, normal);
    const [sampled, log] = module.call(data.laws[this.law]!, this.row, this.goal, this.settings, noise) as [Float64Array, Float64Array];
    let row = sampled;
    for (let k = 0; k < data.steps; k += 1) row = module.value(data.motion, row);
    if (!row.every(Number.isFinite)) throw new Error("the haptic loop left the finite numbers");
    this.row = row;
    this.cycles += 1;
    const at = this.joints + 6; // after the seen joints and the measured wrench stands the hand's own
    this.force = turned(this.turn, [log[at]!, log[at + 1]!, log[at + 2]!]);
    this.impulse = this.impulse.map((sum, k) => sum + data.period * this.force[k]!) as Vector3;
    this.touched ||= this.setting("fixtures")[0]! > 0 && this.position[2] - data.radius < data.wall;
    if (this.cycles % WINDOW === 0) this.compare();
  }

  /** The felt mass: impulse of the hand over the change of the arm's velocity. */
  private compare(): void {
    const n = this.joints;
    const start = this.data.parts.motion![0] + n;
    const qd = this.row.subarray(start, start + n);
    const J = this.module.value(this.data.jacobian, this.q);
    const now = [0, 1, 2].map((i) => qd.reduce((sum, value, k) => sum + J[i * n + k]! * value, 0)) as Vector3;
    const change = now.map((value, k) => value - this.speed[k]!) as Vector3;
    this.acceleration = change.map((value) => value / (WINDOW * this.data.period)) as Vector3;
    this.atWall = this.touched;
    this.touched = false;
    this.sums = this.atWall ? [0, 0] : [FADE * this.sums[0] + dot(this.impulse, change), FADE * this.sums[1] + dot(change, change)];
    // Motion below a hand's tremor determines no mass.
    this.feltMass = this.sums[1] > 1e-3 ? this.sums[0] / this.sums[1] : NaN;
    this.speed = now;
    this.impulse = [0, 0, 0];
  }
}

function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** A vector turned by a unit quaternion: v + 2 u x (u x v + w v). */
function turned([w, ...u]: [number, number, number, number], v: Vector3): Vector3 {
  const inner = cross(u, v).map((value, k) => value + w * v[k]!) as Vector3;
  return cross(u, inner).map((value, k) => v[k]! + 2 * value) as Vector3;
}

function part(values: Float64Array, sizes: Record<string, number>, name: string): Float64Array {
  let start = 0;
  for (const [key, size] of Object.entries(sizes)) {
    if (key === name) return values.subarray(start, start + size);
    start += size;
  }
  throw new Error(`there is no ${name}`);
}

/** A normally distributed number: the noise of the force sensor. */
function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
