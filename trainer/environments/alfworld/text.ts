import { containers } from "./kinds.ts";
import { contentsOf, heldObject, middle, receptaclesHere, type State, type World } from "./world.ts";

export const nothingHappens = "Nothing happens.";

/** Joins names as ALFWorld does: `a X, a Y, and a Z`, or `nothing`. Even two names have a comma before "and". */
export function listOf(names: readonly string[], article = "a "): string {
  const items = names.map((name) => `${article}${name}`);
  const last = items.pop();
  if (last === undefined) return "nothing";
  return items.length === 0 ? last : `${items.join(", ")}, and ${last}`;
}

export function welcome(world: World): string {
  const names = world.receptacleOrder.map((i) => world.receptacles[i]?.name ?? "");
  return [
    "-= Welcome to TextWorld, ALFRED! =-",
    `You are in the middle of a room. Looking quickly around you, you see ${listOf(names)}.`,
    `Your task is to: ${world.goal.text}.`,
  ].join("\n\n");
}

export function examineReceptacle(state: State, receptacle: number): string {
  const { name = "", isOpenable = false } = state.world.receptacles[receptacle] ?? {};
  const names = contentsOf(state, receptacle).map((i) => nameOf(state, i));
  if (!isOpenable) return `On the ${name}, you see ${listOf(names)}.`;
  if (state.isOpen[receptacle] !== true) return `The ${name} is closed.`;
  return `The ${name} is open. In it, you see ${listOf(names)}.`;
}

/** Returns the description of a held object: containers are described as empty, others by their state. */
export function examineHeld(state: State, object: number): string {
  const { kind = "", name = "" } = state.world.objects[object] ?? {};
  if (containers.has(kind)) return `This is a normal ${name}. In it, you see nothing.`;
  const temperature = state.temperatures[object];
  const [isClean, isSliced] = [state.isClean[object] === true, state.isSliced[object] === true];
  const words = describe({ temperature, isClean, isSliced });
  return words === "" ? `There's nothing special about ${name}.` : `This is a ${words} ${name}.`;
}

function describe(it: { temperature: "hot" | "cool" | undefined; isClean: boolean; isSliced: boolean }): string {
  const { temperature, isClean, isSliced } = it;
  if (isSliced) {
    if (temperature !== undefined) return isClean ? `${temperature} and clean sliced` : `${temperature} sliced`;
    return isClean ? "clean sliced" : "sliced";
  }
  if (isClean) return temperature === undefined ? "clean" : `${temperature} and clean`;
  return temperature === "cool" ? "cold" : (temperature ?? "");
}

export function look(state: State): string {
  if (state.location === middle) {
    return "You are in the middle of a room. Looking quickly around you, you see nothing.";
  }
  const names = receptaclesHere(state).map((i) => state.world.receptacles[i]?.name ?? "");
  return `You are facing the ${listOf(names, "")}. Next to it, you see nothing.`;
}

export function inventory(state: State): string {
  const object = heldObject(state);
  return object === -1 ? "You are not carrying anything." : `You are carrying: a ${nameOf(state, object)}.`;
}

function nameOf({ world }: State, object: number): string {
  return world.objects[object]?.name ?? "";
}

const commands = [
  ["look", "look around your current location"],
  ["inventory", "check your current inventory"],
  ["go to (receptacle)", "move to a receptacle"],
  ["open (receptacle)", "open a receptacle"],
  ["close (receptacle)", "close a receptacle"],
  ["take (object) from (receptacle)", "take an object from a receptacle"],
  ["move (object) to (receptacle)", "place an object in or on a receptacle"],
  ["examine (something)", "examine a receptacle or an object"],
  ["use (object)", "use an object"],
  ["heat (object) with (receptacle)", "heat an object using a receptacle"],
  ["clean (object) with (receptacle)", "clean an object using a receptacle"],
  ["cool (object) with (receptacle)", "cool an object using a receptacle"],
  ["slice (object) with (object)", "slice an object using a sharp object"],
] as const;

/** Response to the `help` command. As in ALFWorld, all explanations except that of `move` are aligned. */
export const help = [
  "Available commands:",
  ...commands.map(([command, meaning]) => {
    const width = command.startsWith("move") ? 0 : 34;
    return `  ${`${command}:`.padEnd(width)}${width === 0 ? "  " : ""}${meaning}`;
  }),
  "",
].join("\n");
