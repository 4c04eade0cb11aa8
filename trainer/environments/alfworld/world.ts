import { openable } from "./kinds.ts";

/** Kind and number of a receptacle or object, as in `mug 2`. The pair is unique. */
export type Named = { readonly kind: string; readonly number: number; readonly name: string };
/** A receptacle and its location. Several receptacles can be at one location. */
export type Receptacle = Named & { readonly location: number; readonly isOpenable: boolean };

export const taskTypes = ["pick", "look", "clean", "heat", "cool", "pick2"] as const;
export type TaskType = (typeof taskTypes)[number];

export type Goal = {
  readonly type: TaskType;
  readonly object: string;
  /** Kind of the receptacle into which the object must go; for the task type `look`, kind of the lamp. */
  readonly target: string;
  readonly text: string;
};

/** One household and its task, which stay constant during an episode. */
export type World = {
  readonly receptacles: readonly Receptacle[];
  readonly objects: readonly Named[];
  readonly goal: Goal;
  /** Initial receptacle of each object, as an index of `receptacles`. */
  readonly places: readonly number[];
  /** Indices of the receptacles in the order in which texts list them. */
  readonly receptacleOrder: readonly number[];
  readonly objectOrder: readonly number[];
  readonly receptacleOf: ReadonlyMap<string, number>;
  readonly objectOf: ReadonlyMap<string, number>;
};

/** Value of `location` for the middle of the room, at no receptacle, where the player begins. */
export const middle = -1;
/** Value in `places` for an object in the player's hands. */
export const held = -1;

export type State = {
  readonly world: World;
  /** Location of the player at receptacles, or `middle`. */
  readonly location: number;
  /** True for each receptacle that is open. Receptacles that cannot be opened count as open. */
  readonly isOpen: readonly boolean[];
  /** Position of each object: an index into `World.receptacles`, or `held`. */
  readonly places: readonly number[];
  /** Temperature of each object after heating or cooling; undefined if it never changed. */
  readonly temperatures: readonly ("hot" | "cool" | undefined)[];
  readonly isClean: readonly boolean[];
  readonly isSliced: readonly boolean[];
  readonly isLit: readonly boolean[];
  /** Location at which the player last put each object down, if it is still there; otherwise undefined. */
  readonly putDown: readonly (number | undefined)[];
  /** True for each receptacle whose contents the player has seen. */
  readonly isInspected: readonly boolean[];
  readonly turns: number;
};

export function makeWorld(given: {
  receptacles: readonly { kind: string; number: number; location: number }[];
  objects: readonly { kind: string; number: number; on: number }[];
  goal: Goal;
}): World {
  const named = <X extends { kind: string; number: number }>(one: X) => ({ ...one, name: `${one.kind} ${one.number}` });
  const receptacles = given.receptacles.map((one) => ({ ...named(one), isOpenable: openable.has(one.kind) }));
  const objects = given.objects.map(({ kind, number }) => named({ kind, number }));
  const indexOf = (all: readonly Named[]) => new Map(all.map(({ name }, i) => [name, i]));
  return {
    receptacles,
    objects,
    goal: given.goal,
    places: given.objects.map(({ on }) => on),
    receptacleOrder: listOrder(receptacles),
    objectOrder: listOrder(objects),
    receptacleOf: indexOf(receptacles),
    objectOf: indexOf(objects),
  };
}

/** Returns indices sorted by kind, then by number from high to low, which is the engine's order in lists. */
function listOrder(all: readonly Named[]): number[] {
  const by = (a: Named | undefined, b: Named | undefined): number => {
    if (!a || !b) return 0;
    return a.kind === b.kind ? b.number - a.number : a.kind < b.kind ? -1 : 1;
  };
  return [...all.keys()].sort((i, j) => by(all[i], all[j]));
}

export function beginState(world: World): State {
  const { receptacles, objects, places } = world;
  const perObject = <X>(value: X): X[] => objects.map(() => value);
  return {
    world,
    location: middle,
    isOpen: receptacles.map(({ isOpenable }) => !isOpenable),
    places,
    temperatures: perObject(undefined),
    isClean: perObject(false),
    isSliced: perObject(false),
    isLit: perObject(false),
    putDown: perObject(undefined),
    isInspected: receptacles.map(() => false),
    turns: 0,
  };
}

/** Returns the index of the object in the player's hands, or −1. */
export function heldObject({ places }: State): number {
  return places.indexOf(held);
}

/** Returns the indices of the receptacles at the player's location, in the order in which texts list them. */
export function receptaclesHere({ world, location }: State): number[] {
  return world.receptacleOrder.filter((i) => world.receptacles[i]?.location === location);
}

/** Returns the indices of the objects in a receptacle, in the order in which texts list them. */
export function contentsOf({ world, places }: State, receptacle: number): number[] {
  return world.objectOrder.filter((i) => places[i] === receptacle);
}
