// The haptic loop in real time: it catches up with the clock every few milliseconds and reports its state.

import type { Vector3 } from "./document";
import type { HapticLoop } from "./haptic_loop";

const MOST = 0.25; // seconds that are caught up after the page slept
const AHEAD = 0.008; // seconds that the loop runs ahead: about its usual wait for its turn, so that it deviates less in both directions
const BETWEEN = 6; // milliseconds between reports: twice as often as screens show pictures

/** Orders of the page to the loop. */
export interface HapticOrders {
  running: boolean;
  law: string;
  settings: Float64Array;
  /** Where the hand pulls the ball to [m]; null where it does not hold it. */
  pulled: Vector3 | null;
}

/** A report of the loop to the page. */
export interface HapticReport {
  q: Float64Array;
  position: Vector3;
  turn: [number, number, number, number];
  force: Vector3;
  acceleration: Vector3;
  feltMass: number;
  atWall: boolean;
  cycles: number;
  /** Largest difference between simulated time and the clock [s] since the start. */
  lag: number;
  /** Why the loop ended; empty while it runs. */
  problem: string;
}

export class HapticClock {
  private running = false;
  private lag = 0;
  private last = 0;
  /** Lag of simulated time behind the clock [s]; negative if it is ahead. */
  private behind = 0;
  private told = 0;

  constructor(
    private readonly loop: HapticLoop,
    private readonly tell: (report: HapticReport) => void,
  ) {}

  order({ running, law, settings, pulled }: HapticOrders): void {
    const { loop } = this;
    loop.law = law;
    loop.settings.set(settings);
    const begins = running && !this.running;
    this.running = running;
    if (begins) this.begin();
    if (pulled) loop.pull(pulled);
    else loop.release();
  }

  private begin(): void {
    this.loop.reset();
    this.lag = 0;
    this.behind = 0;
    this.last = performance.now();
    this.tick();
  }

  private tick(): void {
    if (!this.running) return;
    const now = performance.now();
    this.behind += (now - this.last) / 1000;
    this.last = now;
    this.lag = Math.max(this.lag, Math.abs(this.behind));
    this.behind = Math.min(MOST, this.behind);
    const { period } = this.loop.data;
    let problem = "";
    try {
      for (; this.behind > -AHEAD; this.behind -= period) this.loop.step();
    } catch (error) {
      this.running = false;
      problem = String(error);
    }
    if (problem || now - this.told > BETWEEN) {
      this.told = now;
      this.report(problem);
    }
    setTimeout(() => this.tick(), period * 1000);
  }

  private report(problem: string): void {
    const { q, position, turn, force, acceleration, feltMass, atWall, cycles } = this.loop;
    this.tell({ q: q.slice(), position, turn, force, acceleration, feltMass, atWall, cycles, lag: this.lag, problem });
  }
}
