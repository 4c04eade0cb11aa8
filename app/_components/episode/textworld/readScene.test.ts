import { expect, it } from "vitest";
import { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { thingsOnFloor, toHeader } from "#trainer/environments/textworld/describe.ts";
import { inventoryOf, isContainer, isSupporter, kindOf } from "#trainer/environments/textworld/game.ts";
import { makeTextWorld, type TextWorldState } from "#trainer/environments/textworld/textworld.ts";
import { walk } from "../testing/walk.ts";
import { readScene, type Scene } from "./readScene.ts";

const specs = {
  standard: {},
  "rich prose, many things": { prose: "rich", names: "large", rooms: 4, objects: 12, maxTurns: 30 },
  "all families, described": { family: "mixed", obsMode: "described", doors: "locked", rooms: 4, maxTurns: 30 },
  "rich cooking with full hands": {
    family: "cooking",
    prose: "rich",
    cook: true,
    cut: true,
    carryLimit: true,
    rooms: 6,
    maxTurns: 40,
  },
} as const;

it.each(Object.entries(specs))("a room is read as it is at every turn: %s", (_, knobs) => {
  const environment = makeTextWorld(TextWorldSpec.parse({ id: "textworld", ...knobs }));
  for (let seed = 0; seed < 12; seed++) {
    for (const { state, moment } of walk(environment, seed)) {
      const scene = readScene(moment);
      expect(scene && toFacts(scene)).toEqual(factsOf(state, moment.admissible.length > 0 || "obsMode" in knobs));
    }
  }
});

type Facts = { name: string; furniture: unknown[]; exits: unknown[]; floor: string[]; carried: string[] | undefined };

/** Name of a food without its cut and cooking state, which only some texts give. */
const plain = (name: string): string =>
  name.replace(/^(?:chopped |sliced |diced )?(?:raw |burned |fried |roasted |grilled )?/, "");

function toFacts({ name, furniture, exits, floor, carried }: Scene): Facts {
  return {
    name: `-= ${name} =-`,
    furniture: furniture
      .map(({ things, ...one }) => ({ ...one, things: things.map(plain).toSorted(byName) }))
      .toSorted((a, b) => byName(a.name, b.name)),
    exits: exits
      .map(({ direction, door }) => ({ direction, door: door && { ...door, condition: shutOrOpen(door.condition) } }))
      .toSorted((a, b) => byName(a.direction, b.direction)),
    floor: floor.map(plain).toSorted(byName),
    carried: carried?.map(plain).toSorted(byName),
  };
}

function factsOf({ game, play: { world } }: TextWorldState, isCarriedTold: boolean): Facts {
  const nameOf = (entity: number): string => game.entities[entity]?.name ?? "";
  const namesOf = (entities: readonly number[]): string[] => entities.map(nameOf).toSorted(byName);
  const standing = (world.contents[world.room] ?? []).filter((entity) => {
    const kind = kindOf(game, entity);
    return isContainer(kind) || isSupporter(kind);
  });
  return {
    name: toHeader(nameOf(world.room)),
    furniture: standing
      .map((entity) => {
        const condition = world.conditions[entity];
        const isShut = condition !== undefined && condition !== "open";
        return { name: nameOf(entity), condition, things: isShut ? [] : namesOf(world.contents[entity] ?? []) };
      })
      .toSorted((a, b) => byName(a.name, b.name)),
    exits: (game.exits[world.room] ?? [])
      .map(({ direction, door }) => ({
        direction,
        door: door === undefined ? undefined : { name: nameOf(door), condition: shutOrOpen(world.conditions[door]) },
      }))
      .toSorted((a, b) => byName(a.direction, b.direction)),
    floor: namesOf(thingsOnFloor(game, world)),
    carried: isCarriedTold ? namesOf(world.contents[inventoryOf(game)] ?? []) : undefined,
  };
}

/** A description calls a locked door closed. */
function shutOrOpen(condition: string | undefined): "open" | "closed" {
  return condition === "open" ? "open" : "closed";
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

it.each(["", "'Search'", "You open the box.", "-= Kitchen =-\nWell how about that, you are in a place."])(
  "other text is no room, nor is one in prose that is not ours: %j",
  (observation) => {
    expect(readScene({ observation, turns: [], admissible: [] })).toBeUndefined();
  },
);
