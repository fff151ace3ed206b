// How finely to draw: less while something moves and its pictures come too slowly, everything once it stands still.

import { drawsInSoftware } from "./surfaces";

const SLOW_PICTURE = 36; // milliseconds between pictures of something that moves
const SLOW_PICTURES = 8; // slow pictures minus those in time, before less is drawn
const COARSENESS = [1, 1.25, 1.6, 2]; // factors by which pictures have fewer pixels, across and down
const STILL = 350; // milliseconds without a picture: nothing moves

export class Pace {
  private last = 0;
  private slow = 0;
  private coarse = 0;
  private isStill = true;
  private timer = 0;

  /** `settle` is called when things stand still and a finer picture is due; `simplify` tries to do without shadows. */
  constructor(
    private readonly settle: () => void,
    private readonly simplify: () => boolean,
  ) {}

  /** Pixels of the picture for each of the page's. Without a graphics card, two for one smooth the edges of a still picture. */
  get ratio(): number {
    if (this.isStill) return drawsInSoftware ? 2 : Math.min(2, window.devicePixelRatio);
    return (drawsInSoftware ? 1 : Math.min(2, window.devicePixelRatio)) / COARSENESS[this.coarse]!;
  }

  /** A picture is about to be drawn. */
  note(now: number): void {
    const since = now - this.last;
    this.last = now;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), STILL);
    if (since > STILL) return; // nothing moved before
    this.isStill = false;
    this.slow = since > SLOW_PICTURE ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow < SLOW_PICTURES) return;
    this.slow = 0;
    if (!this.simplify()) this.coarse = Math.min(this.coarse + 1, COARSENESS.length - 1);
  }

  /** Nothing moves any more. */
  rest(): void {
    const before = this.ratio;
    this.isStill = true;
    if (this.ratio !== before) this.settle();
  }
}
