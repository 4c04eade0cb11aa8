import { splitOf, type Split } from "#trainer/spec/environment.ts";
import type { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { remember } from "../remember.ts";
import { candidates, makeGoal, progressOf } from "./goal.ts";
import { canContain, lamps, openable, treatments } from "./kinds.ts";
import { lampPlaces, rooms, type Room } from "./rooms.ts";
import { beginState, makeWorld, type TaskType, type World } from "./world.ts";

/** Types of the original's 3,553 training games. */
const frequencies: Readonly<Record<TaskType, number>> = {
  pick: 790,
  look: 308,
  clean: 650,
  heat: 459,
  cool: 533,
  pick2: 813,
};

/** Layouts of each type of room; the first ones are never trained on (ALFRED numbers its rooms so). */
const [numLayouts, numHeldOutLayouts] = [30, 6];
const heldOutPairs = 0.15;
const maxAttempts = 200;

type Placed = { kind: string; number: number; on: number };
type Place = { kind: string; number: number; location: number };

/** The task of a seed: a room of a layout that its split allows, things in it, and something to do with them. */
export function generateWorld(spec: AlfworldSpec, seed: number): World {
  const rng = split(seed, "alfworld");
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const world = attemptWorld(spec, splitOf(seed), rng);
    if (world) return world;
  }
  throw new Error(`alfworld: no task for seed ${seed} in ${maxAttempts} attempts`);
}

function attemptWorld(spec: AlfworldSpec, kind: Split, rng: Rng): World | undefined {
  const type = drawType(spec.taskTypes, rng);
  const room = pick(
    rooms.filter(({ tasks }) => tasks.includes(type)),
    rng,
  );
  const isUnseen = kind === "unseen";
  const layout = isUnseen ? rng.int(numHeldOutLayouts) : numHeldOutLayouts + rng.int(numLayouts - numHeldOutLayouts);
  const places = layOut(room, layout, spec.numReceptacles);
  const goal = drawGoal(room, places, { type, isUnseen }, rng);
  if (!goal) return undefined;
  const objects = furnish(room, places, { ...goal, type, spec }, rng);
  if (!objects) return undefined;
  const world = makeWorld({
    receptacles: places,
    objects,
    goal: makeGoal({ ...goal, type }, rng.int(2) === 0 ? 0 : 1),
  });
  return isWorthwhile(world) ? world : undefined;
}

/** Nothing is where it belongs yet, and there is enough of it. */
function isWorthwhile(world: World): boolean {
  const state = beginState(world);
  const needed = world.goal.type === "pick2" ? 2 : 1;
  return progressOf(state) === 0 && candidates(state).length >= needed;
}

function drawType(types: readonly TaskType[], rng: Rng): TaskType {
  const total = types.reduce((sum, type) => sum + frequencies[type], 0);
  let left = rng.next() * total;
  for (const type of types) {
    left -= frequencies[type];
    if (left < 0) return type;
  }
  return types[0] ?? "pick";
}

/** Receptacles of one layout: the same whatever the task. */
function layOut(room: Room, layout: number, count: number): readonly Place[] {
  const key = `${room.name} ${layout} ${count}`;
  const places = layouts.get(key) ?? drawLayout(room, layout, count);
  layouts.set(key, places);
  return places;
}

/** Made once each: every task of a room of this layout has the same ones. */
const layouts = new Map<string, readonly Place[]>();

function drawLayout(room: Room, layout: number, count: number): Place[] {
  const rng = split(0, "alfworld layout", room.name, layout, count);
  const kinds: string[] = [...room.required];
  const numbers = new Map<string, number>();
  const rest = room.receptacles.flatMap(([kind, presence, most]) =>
    rng.next() * 30 < presence ? Array.from({ length: 1 + rng.int(most) }, () => kind) : [],
  );
  while (kinds.length < count && rest.length > 0) kinds.push(...rest.splice(rng.int(rest.length), 1));
  while (kinds.length < count) kinds.push(pick(room.receptacles, rng)[0]);
  return kinds.slice(0, count).map((kind, location) => {
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    return { kind, number, location };
  });
}

type Pair = { object: string; target: string };

/** What is to be brought where. Pairs held out are those of unseen tasks, as far as the room has any. */
function drawGoal(
  room: Room,
  places: readonly Place[],
  { type, isUnseen }: { type: TaskType; isUnseen: boolean },
  rng: Rng,
): Pair | undefined {
  const kinds = [...new Set(places.map(({ kind }) => kind))];
  const things = room.objects.map(([kind]) => kind);
  const suits = (object: string): boolean =>
    type === "clean" || type === "heat" || type === "cool" ? treatments[type].kinds.has(object) : true;
  const targets = type === "look" ? ["desklamp", "floorlamp"] : kinds;
  const pairs = things
    .filter(suits)
    .flatMap((object) =>
      targets
        .filter((target) => type === "look" || isTarget(target, object, type))
        .map((target): Pair => ({ object, target })),
    );
  const allowed = pairs.filter((pair) => isHeldOut(pair) === isUnseen);
  if (allowed.length > 0) return pick(allowed, rng);
  return isUnseen && pairs.length > 0 ? pick(pairs, rng) : undefined;
}

/** An object can be put there, and is not just where it was treated. */
function isTarget(receptacle: string, object: string, type: TaskType): boolean {
  const isWhereTreated = (type === "clean" || type === "heat") && treatments[type].at === receptacle;
  return !isWhereTreated && canContain[receptacle]?.includes(object) === true;
}

export function isHeldOut({ object, target }: Pair): boolean {
  return isPairHeldOut(`${object} ${target}`);
}

const isPairHeldOut = remember((pair) => split(0, "alfworld pairs", pair).next() < heldOutPairs);

/** Things in their places: those of the goal first, then others of the room. */
function furnish(
  room: Room,
  places: readonly Place[],
  { object, target, type, spec }: Pair & { type: TaskType; spec: AlfworldSpec },
  rng: Rng,
): Placed[] | undefined {
  const numbers = new Map<string, number>();
  const placed: Placed[] = [];
  const put = (kind: string, on: number): void => {
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    placed.push({ kind, number, on });
  };
  const spots = (kind: string): number[] =>
    [...places.keys()].filter((i) => canContain[places[i]?.kind ?? ""]?.includes(kind) === true);
  const away = spots(object).filter((i) => places[i]?.kind !== target);
  const wantsClosed = rng.int(100) < spec.closedPercent;
  const fitting = away.filter((i) => openable.has(places[i]?.kind ?? "") === wantsClosed);
  const chosen = fitting.length > 0 ? fitting : away;
  if (chosen.length === 0) return undefined;
  const needed = type === "pick2" ? 2 : 1 + rng.int(2);
  for (let i = 0; i < needed; i++) put(object, pick(chosen, rng));
  if (type === "look") {
    const stand = lampPlaces.flatMap((kind) => [...places.keys()].filter((i) => places[i]?.kind === kind));
    const spot = target === "floorlamp" ? [...places.keys()] : stand;
    if (spot.length === 0) return undefined;
    put(target, pick(spot, rng));
  }
  const others = room.objects.filter(([kind]) => kind !== object);
  for (let tries = 0; placed.length < spec.numObjects && tries < 20 * spec.numObjects; tries++) {
    const [kind, presence] = pick(others, rng);
    const where = spots(kind);
    const isCommon = rng.next() * 30 < presence && (numbers.get(kind) ?? 0) < 3 && !lamps.has(kind);
    if (isCommon && where.length > 0) put(kind, pick(where, rng));
  }
  return placed;
}

function pick<Item>(items: readonly Item[], rng: Rng): Item {
  const item = items[rng.int(items.length)];
  if (item === undefined) throw new RangeError("nothing to choose from");
  return item;
}
