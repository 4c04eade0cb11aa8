import { isCarried, type Exit, type Game, type World } from "./game.ts";
import type { Rng } from "#trainer/spec/rng.ts";

type Walker = {
  readonly game: Game;
  readonly world: World;
  readonly seen: readonly boolean[] | undefined;
  readonly rng: Rng | undefined;
};

export type Ways = {
  /** Number of turns to each reachable room, opening and unlocking of doors included; undefined for other rooms. */
  readonly distances: readonly (number | undefined)[];
  /** First exit to take on the way to each room. */
  readonly firstExits: readonly (Exit | undefined)[];
  /** Doors that the player has seen locked and whose key is not carried. */
  readonly locked: readonly number[];
};

/** Finds shortest paths from the player to known rooms. A room that was never entered can only be the end of a path. */
export function findWays({ game, world, seen, rng }: Walker): Ways {
  const distances: (number | undefined)[] = [];
  const firstExits: (Exit | undefined)[] = [];
  const locked: number[] = [];
  distances[world.room] = 0;
  const waiting = [world.room];
  while (waiting.length > 0) {
    waiting.sort((a, b) => (distances[b] ?? 0) - (distances[a] ?? 0));
    const room = waiting.pop() ?? world.room;
    if (seen !== undefined && !seen[room]) continue;
    for (const exit of game.exits[room] ?? []) {
      const cost = costOf(game, world, exit);
      if (cost === undefined) {
        if (exit.door !== undefined) locked.push(exit.door);
        continue;
      }
      const distance = (distances[room] ?? 0) + cost;
      const known = distances[exit.room];
      // With `rng`, the later of two equally short paths replaces the earlier one with probability 1/2.
      if (known !== undefined && (known < distance || (known === distance && (rng === undefined || rng.next() < 0.5))))
        continue;
      if (known === undefined || known > distance) waiting.push(exit.room);
      distances[exit.room] = distance;
      firstExits[exit.room] = room === world.room ? exit : firstExits[room];
    }
  }
  return { distances, firstExits, locked };
}

/** Returns the number of turns to pass an exit, including its door; undefined if a key is missing. */
export function costOf(game: Game, world: World, { door }: Exit): number | undefined {
  if (door === undefined || world.conditions[door] === "open") return 1;
  if (world.conditions[door] === "closed") return 2;
  const key = game.keys[door];
  return key !== undefined && isCarried(game, world, key) ? 3 : undefined;
}
