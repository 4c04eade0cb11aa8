import { type Event, type Game, holds, inventoryOf, isPortable, kindOf, type World } from "./game.ts";
import { listThings, renderText } from "./template.ts";

/** Returns the room's description: a header such as `-= Kitchen =-`, visible contents, and things on the floor last. */
export function describeRoom(game: Game, world: World): string {
  const room = game.entities[world.room];
  if (room === undefined) return "";
  const seen = renderText(room.description, game, world);
  const floor = thingsOnFloor(game, world);
  const onFloor = floor.length === 0 ? "" : `There is ${listThings(game, world, floor)} on the floor.`;
  const gap = onFloor === "" || seen === "" ? "" : game.paragraph;
  return `${toHeader(room.name)}\n${seen}${gap}${onFloor}`;
}

export function thingsOnFloor(game: Game, world: World): readonly number[] {
  return (world.contents[world.room] ?? []).filter((thing) => isPortable(kindOf(game, thing)));
}

/** Returns the header line of a room, its name with every word capitalised: `-= Living Room =-`. */
export function toHeader(name: string): string {
  return `-= ${toTitle(name)} =-`;
}

export function toTitle(name: string): string {
  return name.replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
}

export function describeInventory(game: Game, world: World): string {
  const carried = world.contents[inventoryOf(game)] ?? [];
  return carried.length === 0 ? "You are carrying nothing." : `You are carrying: ${listThings(game, world, carried)}.`;
}

/** Immutable state of a game's quests: which are completed, the score, and if the game is won or lost. */
export type Progress = {
  readonly completed: readonly boolean[];
  readonly score: number;
  readonly isWon: boolean;
  readonly isLost: boolean;
};

export function startProgress({ quests }: Game): Progress {
  return { completed: quests.map(() => false), score: 0, isWon: false, isLost: false };
}

/** Updates the quests after a turn that took game time. A quest completes once; a failed quest loses the game. */
export function advance(game: Game, world: World, before: Progress): Progress {
  const completed = [...before.completed];
  let { score } = before;
  let isLost = false;
  const happens = (event: Event): boolean => event.every((fact) => holds(world, fact));
  for (const [i, { reward, wins, fails }] of game.quests.entries()) {
    if (completed[i]) continue;
    if (fails.some(happens)) {
      // A lost game ends at once: later quests of the same turn do not count.
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
