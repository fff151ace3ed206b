// A gamepad moves the hand, or pulls the ball of the haptic scene: left stick along x and y, right stick along z.

import type { Vector3 } from "three";
import { animate } from "./frames";
import type { Dragging } from "./scene";

const DEAD = 0.12; // share of a stick's travel that counts as rest
const SPEED = 0.35; // robot sizes per second at full travel of a stick

/** Let gamepads drag the hand, which is at `place()` now; `tell` is called with whether one is connected. */
export function gamepadHand(size: number, place: () => Vector3, dragging: Dragging, tell: (there: boolean) => void): void {
  let target: Vector3 | null = null;
  let last = 0;
  let polling = false;
  const sticks = (): [number, number, number] | null => {
    const pad = navigator.getGamepads().find((one) => one?.connected);
    if (!pad) return null;
    const [x = 0, y = 0, , z = 0] = pad.axes.map((value) => (Math.abs(value) < DEAD ? 0 : value));
    return [-y, -x, -z]; // pushed forward is along x, to the left along y, up along z
  };
  const release = (): void => {
    if (target) dragging.end();
    target = null;
  };
  const poll = (now: number): boolean => {
    const found = sticks();
    tell(found !== null);
    const passed = Math.min(0.1, (now - last) / 1000);
    last = now;
    if (!found) {
      release();
      polling = false;
      return false;
    }
    if (found.every((value) => value === 0)) release();
    else {
      if (!target) {
        target = place().clone();
        dragging.begin();
      }
      const [x, y, z] = found;
      target.x += SPEED * size * passed * x;
      target.y += SPEED * size * passed * y;
      target.z += SPEED * size * passed * z;
      dragging.pull(target.clone());
    }
    return true;
  };
  const begin = (): void => {
    if (polling) return;
    polling = true;
    last = performance.now();
    animate(poll);
  };
  window.addEventListener("gamepadconnected", begin);
  if (navigator.getGamepads?.().some((one) => one?.connected)) begin();
}
