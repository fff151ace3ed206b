// One loop for everything that moves: what changes the state goes first, its picture follows in the same frame.

/** Called with the time [ms] before every picture, as long as it gives true. */
export type Step = (now: number) => boolean;

const steps = new Set<Step>();
const pictures = new Set<(now: number) => void>();
let asked = false;

export function animate(step: Step): void {
  steps.add(step);
  ask();
}

/** With the next frame, once, however often it is asked for. */
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
