import {
  inventoryOf,
  type Condition,
  type Direction,
  type Entity,
  type Exit,
  type Food,
  type Game,
  type Kind,
  type Recipe,
  type World,
} from "../game.ts";
import { compileText } from "../template.ts";

/** A named world before it is compiled to a game. Rooms, doors and things are referred to by id. */
export type Blueprint = {
  readonly rooms: readonly { readonly id: string; readonly name: string }[];
  readonly links: readonly Link[];
  readonly doors: readonly {
    readonly id: string;
    readonly name: string;
    readonly condition: Condition;
    readonly key?: string;
  }[];
  readonly things: readonly Thing[];
  readonly start: string;
};

/** An exit from one room to another, which also leads back in the opposite direction. */
export type Link = {
  readonly from: string;
  readonly direction: Direction;
  readonly to: string;
  readonly door?: string;
};

export type Thing = {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly article?: string;
  readonly isSharp?: boolean;
  readonly condition?: Condition;
  readonly key?: string;
  readonly food?: Food;
  /** Id of a room, container or supporter, or `I` for the inventory. If undefined, the thing is nowhere at first. */
  readonly holder?: string;
  /** Output of `examine`; undefined if a `Writer` describes the thing. */
  readonly description?: string;
};

export const opposite = { north: "south", south: "north", east: "west", west: "east" } as const;

/** Writer of descriptions, which contain conditionals in TextWorld's grammar. */
export type Writer = {
  readonly paragraph: string;
  describeRoom(room: { readonly name: string }, seen: Seen): string;
  describeThing(thing: { readonly name: string; readonly kind: Kind }): string;
};

export type Seen = {
  readonly furniture: readonly Thing[];
  readonly exits: readonly {
    readonly direction: Direction;
    readonly door?: { readonly id: string; readonly name: string };
  }[];
};

/** Compiles a blueprint to a game without quests. The things of one holder keep the blueprint's order. */
export function buildGame(blueprint: Blueprint, writer: Writer): Game {
  const { rooms, doors, things, links } = blueprint;
  const ids = [...rooms, ...doors, ...things].map(({ id }) => id);
  const indices = new Map(ids.map((id, i) => [id, i]));
  const inventory = ids.length;
  const indexOf = (id: string): number => (id === "I" ? inventory : (indices.get(id) ?? inventory + 1));
  const seenOf = (room: string): Seen => ({
    furniture: things.filter(({ holder, kind }) => holder === room && isFurniture(kind)),
    exits: exitsOf(room, links).map(({ direction, door }) => {
      const known = doors.find(({ id }) => id === door);
      return known === undefined ? { direction } : { direction, door: known };
    }),
  });
  const describe = (text: string, self: number): Entity["description"] => compileText(text, indexOf, self);
  const entities: readonly Entity[] = [
    ...rooms.map(({ id, name }, i): Entity => ({
      id,
      name,
      kind: "room",
      description: describe(writer.describeRoom({ name }, seenOf(id)), i),
    })),
    ...doors.map(({ id, name }): Entity => ({
      id,
      name,
      kind: "door",
      description: describe(writer.describeThing({ name, kind: "door" }), indexOf(id)),
    })),
    ...things.map(({ id, name, kind, article, isSharp, description }): Entity => ({
      id,
      name,
      kind,
      ...(article === undefined ? {} : { article }),
      ...(isSharp === undefined ? {} : { isSharp }),
      description: describe(description ?? writer.describeThing({ name, kind }), indexOf(id)),
    })),
  ];
  return {
    entities,
    exits: entities.map(({ id }): readonly Exit[] =>
      exitsOf(id, links).map(({ direction, to, door }) => ({
        direction,
        room: indexOf(to),
        ...(door === undefined ? {} : { door: indexOf(door) }),
      })),
    ),
    keys: ids.map((id) => {
      const key = [...doors, ...things].find((lock) => lock.id === id)?.key;
      return key === undefined ? undefined : indexOf(key);
    }),
    quests: [],
    maxScore: 0,
    objective: "",
    start: placeEverything(blueprint, entities, indexOf),
    paragraph: writer.paragraph,
    helps: false,
    examines: { carried: true, doors: true },
  };
}

function isFurniture(kind: Kind): boolean {
  return kind === "container" || kind === "supporter" || kind === "stove" || kind === "oven" || kind === "barbecue";
}

function exitsOf(room: string, links: readonly Link[]): readonly Link[] {
  const ways = links.flatMap((link) => {
    if (link.from === room) return [link];
    return link.to === room ? [{ ...link, from: link.to, to: link.from, direction: opposite[link.direction] }] : [];
  });
  const order = ["north", "south", "east", "west"];
  return ways.sort((a, b) => order.indexOf(a.direction) - order.indexOf(b.direction));
}

function placeEverything(
  { doors, things, start }: Blueprint,
  entities: readonly Entity[],
  indexOf: (id: string) => number,
): World {
  const inventory = inventoryOf({ entities });
  const holders = entities.map(({ id }) => {
    const holder = things.find((thing) => thing.id === id)?.holder;
    return holder === undefined ? inventory + 1 : indexOf(holder);
  });
  const contents = Array.from({ length: entities.length + 2 }, (_, holder) =>
    holder > inventory ? [] : [...holders.keys()].filter((thing) => holders[thing] === holder),
  );
  const byId = new Map([...doors, ...things].map((entity) => [entity.id, entity]));
  const foods = new Map(things.map(({ id, food }) => [id, food]));
  return {
    room: indexOf(start),
    holders,
    contents,
    conditions: entities.map(({ id }) => byId.get(id)?.condition),
    foods: entities.map(({ id }) => foods.get(id)),
  };
}

export function withRecipe(game: Game, recipe: Recipe, capacity: number | undefined): Game {
  return { ...game, recipe, ...(capacity === undefined ? {} : { capacity }) };
}
