// Playing a motion: start, scrub, speed, loop.

import { html } from "./elements";
import type { Motion } from "./motion";
import { shown } from "./numbers";
import type { State } from "./state";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly element = html("div", { class: "player", role: "group", "aria-label": "motion" });
  time: number;
  private playing = false;
  private last = 0;
  private readonly button = html("button", { type: "button", class: "play" });
  private readonly scrub = html("input", { type: "range", step: "any", "aria-label": "time" });
  private readonly clock = html("output", { class: "clock" });
  private readonly speed = html("select", { "aria-label": "speed" });
  private readonly loop = html("input", { type: "checkbox", checked: true });
  private readonly followers: ((time: number) => void)[] = [];

  constructor(
    private readonly motion: Motion,
    private readonly state: State,
  ) {
    this.time = motion.start;
    this.scrub.min = String(motion.start);
    this.scrub.max = String(motion.end);
    for (const speed of SPEEDS) this.speed.append(html("option", { value: speed, selected: speed === 1 }, `${speed}\u00d7`));
    this.button.addEventListener("click", () => this.play(!this.playing));
    this.scrub.addEventListener("input", () => {
      this.play(false);
      this.go(Number(this.scrub.value));
    });
    this.element.append(
      this.button,
      html("span", { class: "motion-title", title: motion.data.title }, motion.data.title),
      this.scrub,
      this.clock,
      html("label", {}, html("span", { class: "word" }, "speed "), this.speed),
      html("label", { class: "check" }, this.loop, " loop"),
    );
    this.play(false);
  }

  onTime(follower: (time: number) => void): void {
    this.followers.push(follower);
  }

  go(time: number): void {
    this.time = Math.min(this.motion.end, Math.max(this.motion.start, time));
    this.scrub.value = String(this.time);
    this.scrub.style.setProperty("--share", `${(100 * (this.time - this.motion.start)) / Math.max(1e-9, this.motion.end - this.motion.start)}%`);
    this.scrub.setAttribute("aria-valuetext", `${shown(this.time)} s`);
    this.clock.textContent = `${this.time.toFixed(2)} / ${this.motion.end.toFixed(2)} s`;
    this.motion.show(this.time, this.state);
    for (const follower of this.followers) follower(this.time);
  }

  play(playing: boolean): void {
    const begins = playing && !this.playing;
    this.playing = playing;
    this.button.textContent = playing ? "\u275a\u275a" : "\u25b6";
    this.button.setAttribute("aria-label", playing ? "pause" : "play");
    if (!begins) return;
    if (this.time >= this.motion.end) this.time = this.motion.start;
    this.last = performance.now();
    const step = (now: number): void => {
      if (!this.playing) return;
      let time = this.time + ((now - this.last) / 1000) * Number(this.speed.value);
      this.last = now;
      if (time >= this.motion.end) {
        if (this.loop.checked) time = this.motion.start;
        else this.play(false);
      }
      this.go(time);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
