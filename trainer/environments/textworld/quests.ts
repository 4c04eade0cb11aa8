import { holds, type Event, type Game, type World } from "./game.ts";

/** Progress of the quests. Immutable. */
export type Progress = {
  readonly completed: readonly boolean[];
  readonly score: number;
  readonly isWon: boolean;
  readonly isLost: boolean;
};

export function startProgress({ quests }: Game): Progress {
  return { completed: quests.map(() => false), score: 0, isWon: false, isLost: false };
}

/** Updates the quests after every turn that took time. A quest is completed once. Failing one loses the game. */
export function advance(game: Game, world: World, before: Progress): Progress {
  const completed = [...before.completed];
  let { score } = before;
  let isLost = false;
  const happens = (event: Event): boolean => event.every((fact) => holds(world, fact));
  for (const [i, { reward, wins, fails }] of game.quests.entries()) {
    if (completed[i]) continue;
    if (fails.some(happens)) {
      // A lost game stops here: later quests of the same turn do not count.
      isLost = true;
      break;
    }
    if (wins.some(happens)) {
      completed[i] = true;
      score += reward;
    }
  }
  const isWon = !isLost && game.quests.every(({ wins }, i) => wins.length === 0 || completed[i]);
  return { completed, score, isWon, isLost };
}
