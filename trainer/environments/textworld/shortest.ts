import { listCommands, type Command } from "./command.ts";
import { inventoryOf, kindOf, isPortable, type Fact, type Game } from "./game.ts";
import { perform } from "./perform.ts";
import type { Play } from "./play.ts";
import { advance } from "./describe.ts";

/**
 * Returns the number of turns in a shortest win, found by breadth-first search that moves only things relevant to the
 * quests. Undefined if no win is found among two thousand worlds.
 */
export function shortestWin(game: Game, start: Pick<Play, "world" | "progress">): number | undefined {
  if (start.progress.isWon) return 0;
  const matters = thingsThatMatter(game);
  const visited = new Set([keyOf(game, start, matters)]);
  let layer = [start];
  for (let turns = 1; layer.length > 0 && visited.size < maxWorlds; turns++) {
    const next: typeof layer = [];
    for (const { world, progress } of layer)
      for (const command of listCommands(game, world)) {
        if (!isUseful(game, command, matters)) continue;
        const outcome = perform(game, world, command);
        if (!outcome.isDone) continue;
        const reached = { world: outcome.world, progress: advance(game, outcome.world, progress) };
        if (reached.progress.isWon) return turns;
        const key = keyOf(game, reached, matters);
        if (reached.progress.isLost || visited.has(key)) continue;
        visited.add(key);
        next.push(reached);
      }
    layer = next;
  }
  return undefined;
}

const maxWorlds = 2000;

/**
 * Returns the things that can matter for a win: those named by quests or recipe, doors, knives of cooking games, keys
 * of these things, and everything that contains them.
 */
function thingsThatMatter(game: Game): ReadonlySet<number> {
  const matters = new Set<number>(game.quests.flatMap(({ wins }) => wins.flat().flatMap(entitiesOf)));
  for (const [entity, { kind, isSharp }] of game.entities.entries())
    if (kind === "door" || (game.recipe !== undefined && isSharp)) matters.add(entity);
  for (const { food } of game.recipe?.ingredients ?? []) matters.add(food);
  for (let size = 0; size < matters.size;) {
    size = matters.size;
    for (const entity of matters) {
      const [holder, key] = [game.start.holders[entity], game.keys[entity]];
      if (holder !== undefined && holder < inventoryOf(game)) matters.add(holder);
      if (key !== undefined) matters.add(key);
    }
  }
  return matters;
}

function entitiesOf(fact: Fact): readonly number[] {
  if (fact.is === "player at") return [fact.room];
  return fact.is === "held" ? [fact.thing, fact.holder] : [fact.thing];
}

function isUseful(game: Game, command: Command, matters: ReadonlySet<number>): boolean {
  if (command.verb === "look" || command.verb === "inventory" || command.verb === "examine") return false;
  if (!("thing" in command)) return true;
  if (!matters.has(command.thing)) return false;
  if (command.verb === "put" || command.verb === "insert") return matters.has(command.other);
  // Dropping a thing is tried only to free a hand, or if a quest requires it on the floor.
  if (command.verb !== "drop") return true;
  return (
    game.capacity !== undefined ||
    game.quests.some(({ wins }) => wins.flat().some((fact) => isDropped(game, fact, command.thing)))
  );
}

function isDropped(game: Game, fact: Fact, thing: number): boolean {
  return fact.is === "held" && fact.thing === thing && kindOf(game, fact.holder) === "room";
}

function keyOf(
  game: Game,
  { world, progress }: Pick<Play, "world" | "progress">,
  matters: ReadonlySet<number>,
): string {
  let key = `${world.room}`;
  for (const entity of matters) {
    if (isPortable(kindOf(game, entity))) key += `,${world.holders[entity] ?? ""}`;
    const food = world.foods[entity];
    if (food !== undefined) key += `${food.cooking ?? ""}${food.cutting ?? ""}${food.heat ?? ""}`;
    key += world.conditions[entity] ?? "";
  }
  return `${key}|${progress.completed.map(Number).join("")}`;
}
