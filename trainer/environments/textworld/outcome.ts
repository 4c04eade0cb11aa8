import { isCarried, isPortable, kindOf, nameOf, type Game, type World } from "./game.ts";

/** What a command leads to. Nothing changed where `world` is the one it came from. */
export type Outcome = {
  readonly world: World;
  readonly text: string;
  /** Carried out, not refused. */
  readonly isDone: boolean;
  /** Line breaks that the compiled games print after this text. */
  readonly numBreaks: number;
};

/** Doors are spoken of without an article. */
export function the(game: Game, entity: number): string {
  const name = nameOf(game, entity);
  return kindOf(game, entity) === "door" ? name : `the ${name}`;
}

/** Nothing is taken up by the way: what is used must be carried. */
export function refuseCarrying(game: Game, world: World, thing: number): string | undefined {
  if (isCarried(game, world, thing)) return undefined;
  const name = nameOf(game, thing);
  return isPortable(kindOf(game, thing)) ? `You need to take the ${name} first.` : `The ${name} is fixed in place.`;
}
