// The motions of a page: one is played at a time, with its torques plotted below the equations.

import type { CompiledModel } from "./compiled_model";
import { html } from "./elements";
import { Motion } from "./motion";
import { Player } from "./player";
import { torquePlots } from "./plots";
import type { State } from "./state";

export class Motions {
  /** The player of the chosen motion; null where there is none. */
  player: Player | null = null;
  /** Plots of its torques; empty without dynamics. */
  readonly plots = html("div");
  private readonly players: Player[];
  private readonly made = new Map<Player, HTMLElement>();
  private readonly choices: (() => void)[] = [];

  constructor(
    private readonly state: State,
    private readonly dynamics: CompiledModel | null,
    private readonly place: HTMLElement,
  ) {
    const { motions, joints } = state.data;
    this.players = motions.map((motion) => new Player(new Motion(motion, joints.length, state.q.length), state));
    const titles = motions.map(({ title }) => title);
    for (const [own, player] of this.players.entries()) player.offer(titles, own, (index) => this.choose(index));
    if (this.players.length > 0) this.choose(0);
  }

  choose(index: number): void {
    const player = this.players[index]!;
    this.player?.play(false);
    this.player = player;
    this.place.replaceChildren(player.element);
    if (this.dynamics) this.plots.replaceChildren(this.made.get(player) ?? this.plotsOf(player, this.dynamics));
    player.go(player.time);
    for (const choice of this.choices) choice();
  }

  /** Called when another motion is chosen. */
  onChoice(choice: () => void): void {
    this.choices.push(choice);
  }

  private plotsOf(player: Player, model: CompiledModel): HTMLElement {
    const { element, mark } = torquePlots(this.state, model, player.motion, (time) => player.go(time));
    player.onTime(mark);
    this.made.set(player, element);
    return element;
  }
}
