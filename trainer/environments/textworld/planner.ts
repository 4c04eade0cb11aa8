import type { Rng } from "#trainer/spec/rng.ts";
import { cutVerbs, isFull, type Command } from "./command.ts";
import {
  cuttings,
  holds,
  inventoryOf,
  isCarried,
  isContainer,
  isSupporter,
  kindOf,
  nameOf,
  nowhereOf,
  type Event,
  type Fact,
  type Game,
  type World,
} from "./game.ts";
import { findWays } from "./ways.ts";

export type Mind = {
  readonly game: Game;
  readonly world: World;
  /** True for each room entered and holder inspected; undefined if the player knows everything. */
  readonly seen: readonly boolean[] | undefined;
  /** Random numbers for the choice among equally good paths; undefined to choose the first one. */
  readonly rng: Rng | undefined;
  /** Things that the plan is already trying to get. No subplan for one of them may need it, which would be circular. */
  readonly pursued: readonly number[];
  /** Things that must stay in the inventory while the plan is executed. */
  readonly kept: readonly number[];
  /** Room in which the goal requires the player to be. It decides from which side a door is handled. */
  readonly stand?: number | undefined;
};

export type Advice = { readonly command: Command; readonly aim: string };
/** Next step of the expert's plan; "done" if nothing is left to do; "stuck" if no step is known. */
export type Plan = Advice | "done" | "stuck";

const after = (plan: Plan, next: () => Plan): Plan => (plan === "done" ? next() : plan);

export function bringAbout(mind: Mind, event: Event): Plan {
  const missing = event.filter((fact) => !holds(mind.world, fact));
  const [first] = missing.sort((a, b) => rankOf(a) - rankOf(b));
  const stand = event.flatMap((fact) => (fact.is === "player at" ? [fact.room] : []))[0];
  return first === undefined ? "done" : bringFact({ ...mind, stand }, first);
}

/** Returns the order of facts: things to hold or place first, then doors and containers, then the player's room. */
function rankOf({ is }: Fact): number {
  if (is === "held") return 0;
  return is === "player at" ? 2 : 1;
}

function bringFact(mind: Mind, fact: Fact): Plan {
  const { game, world } = mind;
  switch (fact.is) {
    case "player at":
      return reach(mind, fact.room);
    case "held":
      return fact.holder === inventoryOf(game) ? carry(mind, fact.thing) : bring(mind, fact.thing, fact.holder);
    case "open":
      return openUp(mind, fact.thing);
    case "closed":
      return world.conditions[fact.thing] === "locked"
        ? turnKey(mind, "unlock", fact.thing)
        : after(near(mind, fact.thing), () => act(mind, { verb: "close", thing: fact.thing }));
    case "locked":
      return turnKey(mind, "lock", fact.thing);
    case "eaten":
      return after(carry(mind, fact.thing), () => act(mind, { verb: "eat", thing: fact.thing }));
    case "fried":
    case "roasted":
    case "grilled": {
      const kind = { fried: "stove", roasted: "oven", grilled: "barbecue" }[fact.is];
      const other = game.entities.findIndex((entity) => entity.kind === kind);
      return after(carry(mind, fact.thing), () =>
        after(near(mind, other), () => act(mind, { verb: "cook", thing: fact.thing, other })),
      );
    }
    case "chopped":
    case "sliced":
    case "diced": {
      const verb = cutVerbs[cuttings.find((way) => way === fact.is) ?? "chopped"];
      const other = game.entities.findIndex(({ isSharp }) => isSharp);
      const holding = { ...mind, kept: [...mind.kept, fact.thing, other] };
      return after(carry(holding, fact.thing), () =>
        after(carry(holding, other), () => act(mind, { verb, thing: fact.thing, other })),
      );
    }
    case "raw":
    case "needs cooking":
    case "cooked":
    case "burned":
      return "stuck";
  }
}

/** Returns a command as the next step, with the verb and the thing's name as the aim in the expert's thought. */
function act({ game }: Mind, command: Extract<Command, { thing: number }>): Advice {
  const verb = command.verb === "take" || command.verb === "take from" ? "need" : command.verb;
  return { command, aim: `${verb} ${nameOf(game, command.thing)}` };
}

export function isKnown({ game, world, seen }: Mind, entity: number): boolean {
  if (seen === undefined || isCarried(game, world, entity)) return true;
  if (kindOf(game, entity) === "door") return roomsOf(game, entity).some((room) => seen[room]);
  const holder = world.holders[entity] ?? nowhereOf(game);
  return seen[holder] ?? false;
}

/** Returns the two rooms that a door joins; empty for other entities. */
export function roomsOf(game: Game, door: number): readonly number[] {
  return [...game.exits.keys()].filter((room) => game.exits[room]?.some((exit) => exit.door === door));
}

function near(mind: Mind, entity: number): Plan {
  if (!isKnown(mind, entity)) return "stuck";
  if (kindOf(mind.game, entity) !== "door") return reach(mind, mind.world.holders[entity] ?? -1);
  const sides = roomsOf(mind.game, entity);
  if (mind.stand !== undefined && sides.includes(mind.stand)) return reach(mind, mind.stand);
  const { distances } = findWays(mind);
  const rooms = sides.filter((room) => mind.seen?.[room] !== false);
  const [closest] = rooms.sort((a, b) => (distances[a] ?? Infinity) - (distances[b] ?? Infinity));
  return closest === undefined ? "stuck" : reach(mind, closest);
}

/** Returns the next step on the way to a room, opening closed doors. The key of a locked door is fetched first. */
export function reach(mind: Mind, room: number): Plan {
  const { game, world } = mind;
  if (world.room === room) return "done";
  const ways = findWays(mind);
  const exit = ways.firstExits[room];
  if (exit === undefined) return fetchKey(mind, ways.locked);
  if (exit.door !== undefined && world.conditions[exit.door] !== "open")
    return openUp({ ...mind, stand: undefined }, exit.door);
  const isNew = mind.seen !== undefined && !mind.seen[room];
  const target = isNew ? "explore" : `reach ${nameOf(game, room)}`;
  return { command: { verb: "go", direction: exit.direction }, aim: target };
}

/** Returns the next step towards an obtainable key that fits one of the locks. */
export function fetchKey(mind: Mind, locks: readonly number[]): Plan {
  for (const lock of locks) {
    const key = mind.game.keys[lock];
    if (key === undefined || mind.pursued.includes(key) || isCarried(mind.game, mind.world, key)) continue;
    const plan = carry(mind, key);
    if (plan !== "stuck") return plan;
  }
  return "stuck";
}

export function carry(mind: Mind, thing: number): Plan {
  const { game, world } = mind;
  if (isCarried(game, world, thing)) return "done";
  const holder = world.holders[thing] ?? nowhereOf(game);
  if (thing === game.recipe?.meal && holder === nowhereOf(game)) return prepare(mind);
  if (holder === nowhereOf(game) || mind.pursued.includes(thing) || !isKnown(mind, thing)) return "stuck";
  const pursuing = { ...mind, pursued: [...mind.pursued, thing] };
  if (kindOf(game, holder) === "room")
    return after(reach(pursuing, holder), () => takeUp(mind, { verb: "take", thing }));
  return after(isContainer(kindOf(game, holder)) ? openUp(pursuing, holder) : near(pursuing, holder), () =>
    after(near(pursuing, holder), () => takeUp(mind, { verb: "take from", thing, other: holder })),
  );
}

function takeUp(mind: Mind, command: Extract<Command, { verb: "take" | "take from" }>): Plan {
  const { game, world, kept } = mind;
  if (!isFull(game, world)) return act(mind, command);
  const spare = (world.contents[inventoryOf(game)] ?? []).find((thing) => !kept.includes(thing));
  return spare === undefined ? "stuck" : act(mind, { verb: "drop", thing: spare });
}

function bring(mind: Mind, thing: number, holder: number): Plan {
  const { game } = mind;
  const kind = kindOf(game, holder);
  if (kind === "room")
    return after(carry(mind, thing), () => after(reach(mind, holder), () => act(mind, { verb: "drop", thing })));
  if (isSupporter(kind))
    return after(carry(mind, thing), () =>
      after(near(mind, holder), () => act(mind, { verb: "put", thing, other: holder })),
    );
  return after(carry(mind, thing), () =>
    after(openUp({ ...mind, kept: [...mind.kept, thing] }, holder), () =>
      after(near(mind, holder), () => act(mind, { verb: "insert", thing, other: holder })),
    ),
  );
}

function openUp(mind: Mind, lock: number): Plan {
  const condition = mind.world.conditions[lock];
  if (condition === "open" || condition === undefined) return "done";
  if (condition === "locked") return turnKey(mind, "unlock", lock);
  return after(near(mind, lock), () => act(mind, { verb: "open", thing: lock }));
}

function turnKey(mind: Mind, verb: "lock" | "unlock", lock: number): Plan {
  const key = mind.game.keys[lock];
  if (key === undefined) return "stuck";
  return after(carry({ ...mind, pursued: [...mind.pursued, lock] }, key), () =>
    after(near(mind, lock), () => {
      if (verb === "lock" && mind.world.conditions[lock] === "open") return act(mind, { verb: "close", thing: lock });
      return act(mind, { verb, thing: lock, other: key });
    }),
  );
}

function prepare(mind: Mind): Plan {
  const { recipe } = mind.game;
  if (recipe === undefined) return "stuck";
  const foods = recipe.ingredients.map(({ food }) => food);
  const holding = { ...mind, kept: [...mind.kept, ...foods] };
  for (const food of foods) {
    const plan = carry(holding, food);
    if (plan !== "done") return plan;
  }
  return after(reach(mind, recipe.kitchen), () => ({ command: { verb: "prepare meal" }, aim: "prepare meal" }));
}
