// One loop for everything that moves: what changes the state goes first, its picture follows in the same frame.

import { drawsInSoftware } from "./surfaces";

/** Called with the time [ms] before every picture, as long as it gives true. */
export type Step = (now: number) => boolean;

const steps = new Set<Step>();
const pictures = new Set<(now: number) => void>();
let asked = false;
let due = 0;

const BETWEEN = 25; // milliseconds between pictures that the processor draws: it has other work, too
const EARLY = 4; // milliseconds that a picture may come before its time: screens show them in steps of 16.7

export function animate(step: Step): void {
  steps.add(step);
  ask();
}

/** Draw a picture with the next frame, once, however often it is requested. */
export function drawSoon(picture: (now: number) => void): void {
  pictures.add(picture);
  ask();
}

function ask(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(run);
}

function run(now: number): void {
  if (drawsInSoftware && steps.size > 0 && now < due - EARLY) {
    requestAnimationFrame(run);
    return;
  }
  due = Math.max(due, now - BETWEEN) + BETWEEN;
  try {
    for (const step of [...steps]) if (!step(now)) steps.delete(step);
    const due = [...pictures];
    pictures.clear();
    for (const picture of due) picture(now);
  } finally {
    asked = false;
    if (steps.size > 0 || pictures.size > 0) ask();
  }
}
