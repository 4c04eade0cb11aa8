import { splitOf } from "#trainer/spec/environment.ts";
import type { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { pick } from "../chance.ts";
import { remember } from "../prompt.ts";
import { candidates, makeGoal, progressOf } from "./goal.ts";
import { canContain, lamps, openable, treatments } from "./kinds.ts";
import { layoutsOf, type Layout } from "./layouts.ts";
import { lampPlaces, rooms, type Room } from "./rooms.ts";
import { beginState, makeWorld, type TaskType, type World } from "./world.ts";
import { NoTask } from "../environment.ts";

/** Number of games of each task type among ALFWorld's 3,553 training games. Tasks are sampled in these proportions. */
const frequencies = { pick: 790, look: 308, clean: 650, heat: 459, cool: 533, pick2: 813 };

/** Fraction of the (object, target receptacle) pairs that never occur as goals in training. */
const heldOutPairs = 0.15;
/** Fraction of tasks with trained goals that is kept for evaluation (split `seen`); the others are for training. */
const seenTasks = 1 / 8;
const maxAttempts = 1000;

type Placed = { kind: string; number: number; on: number };

/**
 * Generates the task of a seed: a goal and a room with objects, in a room layout of the seed's split. The contents
 * alone decide if a task with a trained goal belongs to training or to evaluation, so none belongs to both.
 */
export function generateWorld(spec: AlfworldSpec, seed: number): World {
  const rng = split(seed, "alfworld");
  const kind = splitOf(seed);
  const type = drawType(spec.taskTypes, rng);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const world = attemptWorld(spec, { type, isUnseen: kind === "unseen" }, rng);
    if (world && (kind === "unseen" || isForEvaluation(world) === (kind === "seen"))) return world;
  }
  throw new NoTask(`alfworld: no task for seed ${seed} in ${maxAttempts} attempts`);
}

type Wanted = { type: TaskType; isUnseen: boolean };

function attemptWorld(spec: AlfworldSpec, { type, isUnseen }: Wanted, rng: Rng): World | undefined {
  const room = pick(
    rooms.filter(({ tasks }) => tasks.includes(type)),
    rng,
  );
  const layouts = layoutsOf(room, spec.numReceptacles);
  const layout = pick(isUnseen ? layouts.heldOut : layouts.trained, rng);
  const goal = drawGoal({ room, layout }, { type, isUnseen }, rng);
  if (!goal) return undefined;
  const objects = furnish({ room, layout }, { ...goal, type, spec }, rng);
  if (!objects) return undefined;
  const world = makeWorld({
    receptacles: layout,
    objects,
    goal: makeGoal({ ...goal, type }, rng.int(2) === 0 ? 0 : 1),
  });
  return isWorthwhile(world) ? world : undefined;
}

/** True if a task belongs to evaluation, by a hash of its contents and goal, whatever the wording of the goal. */
function isForEvaluation({ receptacles, objects, places, goal }: World): boolean {
  const inRoom = receptacles.map(({ name }) => name).join(",");
  const things = objects.map(({ name }, i) => `${name}@${places[i]}`).join(",");
  const content = `${inRoom};${things};${goal.type},${goal.object},${goal.target}`;
  return split(0, "alfworld tasks", content).next() < seenTasks;
}

/** True if the room has enough objects for the goal and no step of the goal is completed yet. */
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

type Pair = { object: string; target: string };
type Furnished = { room: Room; layout: Layout };

/** Samples the goal's object and target (receptacle or lamp). Only tasks of the unseen split use held-out pairs. */
function drawGoal({ room, layout }: Furnished, { type, isUnseen }: Wanted, rng: Rng): Pair | undefined {
  const isFit = (object: string): boolean =>
    type === "clean" || type === "heat" || type === "cool" ? treatments[type].kinds.has(object) : true;
  const targets = type === "look" ? [...lamps] : [...new Set(layout.map(({ kind }) => kind))];
  const pairs = room.objects.flatMap(([object]) =>
    isFit(object)
      ? targets
          .filter((target) => type === "look" || canContain[target]?.includes(object) === true)
          .map((target): Pair => ({ object, target }))
      : [],
  );
  const allowed = pairs.filter((pair) => isHeldOut(pair) === isUnseen);
  return allowed.length === 0 ? undefined : pick(allowed, rng);
}

export function isHeldOut({ object, target }: Pair): boolean {
  return isPairHeldOut(`${object} ${target}`);
}

const isPairHeldOut = remember((pair: string) => split(0, "alfworld pairs", pair).next() < heldOutPairs);

/** Places the goal's objects first, then other objects that fit the room; undefined if that is impossible. */
function furnish(
  { room, layout }: Furnished,
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
  // Receptacles by kind of object are cached, because a room with many objects needs the same lists repeatedly.
  const spots = remember((kind: string) =>
    [...layout.keys()].filter((i) => canContain[layout[i]?.kind ?? ""]?.includes(kind) === true),
  );
  const away = spots(object).filter((i) => layout[i]?.kind !== target);
  const wantsClosed = rng.int(100) < spec.closedPercent;
  const fitting = away.filter((i) => openable.has(layout[i]?.kind ?? "") === wantsClosed);
  const chosen = fitting.length > 0 ? fitting : away;
  if (chosen.length === 0) return undefined;
  const needed = type === "pick2" ? 2 : 1 + rng.int(2);
  for (let i = 0; i < needed; i++) put(object, pick(chosen, rng));
  if (type === "look") {
    const stands = [...layout.keys()].filter((i) => lampPlaces.has(layout[i]?.kind ?? ""));
    if (stands.length === 0) return undefined;
    put(target, pick(stands, rng));
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
