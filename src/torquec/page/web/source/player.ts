// Playing a motion: start, scrub, speed, loop.

import { html } from "./elements";
import { animate } from "./frames";
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
  private readonly title = html("span", { class: "motion-title" });
  private readonly followers: ((time: number) => void)[] = [];

  constructor(
    readonly motion: Motion,
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
      this.title,
      this.scrub,
      this.clock,
      html("label", {}, html("span", { class: "word" }, "speed "), this.speed),
      html("label", { class: "check" }, this.loop, " loop"),
    );
    this.title.append(motion.data.title);
    this.title.title = motion.data.title;
    this.play(false);
  }

  /** Let the reader choose among the motions of the page, by their titles, of which this is number `own`. */
  offer(titles: string[], own: number, choose: (index: number) => void): void {
    if (titles.length < 2) return;
    const choice = html("select", { "aria-label": "motion" });
    for (const [k, title] of titles.entries()) choice.append(html("option", { value: k, selected: k === own }, title));
    choice.addEventListener("change", () => {
      const chosen = Number(choice.value);
      choice.value = String(own); // of this player; the other has a list of its own
      choose(chosen);
    });
    this.title.replaceChildren(choice);
  }

  onTime(follower: (time: number) => void): void {
    this.followers.push(follower);
  }

  /** Show a time; `passing` while it runs. */
  go(time: number, passing = false): void {
    this.time = Math.min(this.motion.end, Math.max(this.motion.start, time));
    this.scrub.value = String(this.time);
    this.scrub.style.setProperty("--share", `${(100 * (this.time - this.motion.start)) / Math.max(1e-9, this.motion.end - this.motion.start)}%`);
    this.scrub.setAttribute("aria-valuetext", `${shown(this.time)} s`);
    this.clock.textContent = `${this.time.toFixed(2)} / ${this.motion.end.toFixed(2)} s`;
    this.motion.show(this.time, this.state);
    if (passing) this.state.passed();
    else this.state.changed();
    for (const follower of this.followers) follower(this.time);
  }

  play(playing: boolean): void {
    const begins = playing && !this.playing;
    const ends = this.playing && !playing;
    this.playing = playing;
    this.button.textContent = playing ? "\u275a\u275a" : "\u25b6";
    this.button.setAttribute("aria-label", playing ? "pause" : "play");
    if (ends) this.state.changed();
    if (!begins) return;
    if (this.time >= this.motion.end) this.time = this.motion.start;
    this.last = performance.now();
    animate((now) => {
      if (!this.playing) return false;
      let time = this.time + ((now - this.last) / 1000) * Number(this.speed.value);
      this.last = now;
      if (time >= this.motion.end) {
        if (this.loop.checked) time = this.motion.start;
        else this.play(false);
      }
      this.go(time, this.playing);
      return true;
    });
  }
}
