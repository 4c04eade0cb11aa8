import { toCommandText } from "../command.ts";
import type { Game } from "../game.ts";
import { startPlay, type } from "../play.ts";
import { bringAbout } from "../planner.ts";

/** Step limit of the longest games, with room for detours. */
const maxSteps = 500;

/** The commands of a player with full knowledge who completes quest after quest. Empty where no way is known. */
export function walkToWin(game: Game): readonly string[] {
  const lines: string[] = [];
  let play = startPlay(game);
  while (!play.progress.isWon && !play.progress.isLost && lines.length < maxSteps) {
    const { world, progress } = play;
    const next = game.quests.find(({ wins }, i) => wins.length > 0 && !progress.completed[i]);
    const mind = { game, world, seen: undefined, rng: undefined, pursued: [], kept: [] };
    const plan = bringAbout(mind, next?.wins[0] ?? []);
    if (typeof plan !== "object") return [];
    const line = toCommandText(game, plan.command);
    lines.push(line);
    ({ play } = type(game, play, line));
  }
  return play.progress.isWon ? lines : [];
}
