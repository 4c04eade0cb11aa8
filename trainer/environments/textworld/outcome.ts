import { type Game, isCarried, isPortable, kindOf, nameOf, type World } from "./game.ts";
import type { Progress } from "./describe.ts";

/** Result of executing a command. If nothing changed, `world` is the same object as before. */
export type Outcome = {
  readonly world: World;
  readonly text: string;
  readonly isDone: boolean;
  /** Number of line breaks that the compiled games print after this text. */
  readonly numBreaks: number;
};

/** Returns the entity's name with the article "the", except for a door, which the games print without an article. */
export function the(game: Game, entity: number): string {
  const name = nameOf(game, entity);
  return kindOf(game, entity) === "door" ? name : `the ${name}`;
}

/** Returns the refusal of a command about a thing that is not carried. Commands never pick things up implicitly. */
export function refuseCarrying(game: Game, world: World, thing: number): string | undefined {
  if (isCarried(game, world, thing)) return undefined;
  const name = nameOf(game, thing);
  return isPortable(kindOf(game, thing)) ? `You need to take the ${name} first.` : `The ${name} is fixed in place.`;
}

/** Returns TextWorld's intermediate reward: +1 for a shorter plan or a win, −1 for a longer plan or a loss. */
export function signOf({ isWon, isLost }: Progress, before: number | undefined, after: number | undefined): number {
  if (isWon) return 1;
  if (isLost) return -1;
  return before === undefined || after === undefined ? 0 : Math.sign(before - after);
}
