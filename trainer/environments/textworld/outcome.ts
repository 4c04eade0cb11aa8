import { isCarried, isPortable, kindOf, nameOf, type Game, type World } from "./game.ts";

/** Result of a command. The same `world` as before means that nothing changed. */
export type Outcome = {
  readonly world: World;
  readonly text: string;
  /** False where the command was refused. */
  readonly isDone: boolean;
  /** Number of line breaks that the compiled games print after this text. */
  readonly numBreaks: number;
};

/** The name with its article. Doors are printed without one. */
export function the(game: Game, entity: number): string {
  const name = nameOf(game, entity);
  return kindOf(game, entity) === "door" ? name : `the ${name}`;
}

/** Refuses a command about a thing that is not carried: commands never pick things up implicitly. */
export function refuseCarrying(game: Game, world: World, thing: number): string | undefined {
  if (isCarried(game, world, thing)) return undefined;
  const name = nameOf(game, thing);
  return isPortable(kindOf(game, thing)) ? `You need to take the ${name} first.` : `The ${name} is fixed in place.`;
}
