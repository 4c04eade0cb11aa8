import type { Rng } from "#trainer/spec/rng.ts";
import type { Expertise } from "../environment.ts";
import { listCommands, toCommandText } from "./command.ts";
import { isAccessible, isCarried, isContainer, kindOf, type Game, type World } from "./game.ts";
import { pick } from "../chance.ts";
import type { Play } from "./play.ts";
import { bringAbout, fetchKey, reach, type Mind, type Plan } from "./planner.ts";
import { findWays } from "./ways.ts";

/** True for each entity that the player has seen: rooms entered, accessible holders there, things examined. */
export type Seen = readonly boolean[];

export function firstSight(game: Game): Seen {
  return lookAround(
    game,
    game.start,
    game.entities.map(() => false),
  );
}

export function lookAround(game: Game, world: World, seen: Seen): Seen {
  const open = (world.contents[world.room] ?? []).filter((thing) => isAccessible(game, world, thing));
  const fresh = [world.room, ...open].filter((entity) => !seen[entity]);
  return fresh.length === 0 ? seen : seen.map((known, entity) => known || fresh.includes(entity));
}

/**
 * Returns the expert's next action, planned from what it has seen. The expert explores until the way to the next
 * quest is known. An objective that names every step (`isTold`) needs no exploration. The thought names the aim:
 * `need key`.
 */
export function advise(
  game: Game,
  { world, progress }: Play,
  { seen, rng, isTold }: { seen: Seen; rng: Rng | undefined; isTold: boolean },
): Expertise {
  const mind: Mind = { game, world, seen: isTold ? undefined : seen, rng, pursued: [], kept: [] };
  const open = game.quests.filter(({ wins }, i) => wins.length > 0 && !progress.completed[i]);
  // Intermediate quests reveal where things are: the expert follows only the last, unless the objective names steps.
  const next = isTold || game.recipe !== undefined ? open[0] : open.at(-1);
  const goal = next?.wins[0] ?? [];
  const plan = isTold || hasRecipe(game, seen) ? bringAbout(mind, goal) : readRecipe(mind);
  const found = plan === "stuck" ? explore(mind) : plan;
  if (typeof found === "object") return { thought: found.aim, action: toCommandText(game, found.command) };
  return { thought: "stuck", action: "look" };
}

function cookbookOf({ entities }: Game): number {
  return entities.findIndex(({ name }) => name === "cookbook");
}

function hasRecipe(game: Game, seen: Seen): boolean {
  return game.recipe === undefined || (seen[cookbookOf(game)] ?? false);
}

function readRecipe(mind: Mind): Plan {
  const { game, world } = mind;
  const cookbook = cookbookOf(game);
  const command = listCommands(game, world).find((one) => one.verb === "examine" && one.thing === cookbook);
  if (command !== undefined) return { command, aim: "read cookbook" };
  return game.recipe === undefined ? "stuck" : reach(mind, game.recipe.kitchen);
}

/** Returns the step towards the nearest closed container, or the nearest exit to a room that was not entered. */
function explore(mind: Mind): Plan {
  const { game, world, seen, rng } = mind;
  if (seen === undefined) return "stuck";
  const { distances, locked } = findWays(mind);
  const rooms = [...game.exits.keys()].filter((room) => distances[room] !== undefined && kindOf(game, room) === "room");
  const containers = [...game.entities.keys()].filter((entity) => {
    const isHere = isContainer(kindOf(game, entity)) && !seen[entity] && seen[world.holders[entity] ?? -1];
    return isHere && distances[world.holders[entity] ?? -1] !== undefined;
  });
  const canOpen = containers.filter((container) => canBeOpened(game, world, container));
  const options = [
    ...rooms.filter((room) => !seen[room]).map((room) => ({ cost: distances[room] ?? 0, isRoom: true, at: room })),
    ...canOpen.map((at) => ({ cost: distances[world.holders[at] ?? -1] ?? 0, isRoom: false, at })),
  ];
  const lowest = Math.min(...options.map(({ cost }) => cost));
  const best = options.filter(({ cost }) => cost === lowest);
  if (best.length === 0) return fetchKey(mind, [...locked, ...containers]);
  const { isRoom, at } = rng === undefined ? (best[0] ?? pick(best, noChance)) : pick(best, rng);
  return isRoom ? reach(mind, at) : bringAbout(mind, [{ is: "open", thing: at }]);
}

const noChance = { int: () => 0, next: () => 0, normal: () => 0 };

function canBeOpened(game: Game, world: World, container: number): boolean {
  // A container without a condition, such as a barbecue, cannot be opened.
  if (world.conditions[container] === undefined) return false;
  if (world.conditions[container] !== "locked") return true;
  const key = game.keys[container];
  return key !== undefined && isCarried(game, world, key);
}
