import { heldObject, type Goal, type State, type TaskType } from "./world.ts";

type GoalNames = Pick<Goal, "type" | "object" | "target">;

/** Two wordings of the goal for each task type, as functions of object and receptacle. */
export const goalTemplates: Readonly<Record<TaskType, readonly [Template, Template]>> = {
  pick: [(o, r) => `put a ${o} in ${r}`, (o, r) => `put some ${o} on ${r}`],
  look: [(o, r) => `look at ${o} under the ${r}`, (o, r) => `examine the ${o} with the ${r}`],
  clean: [(o, r) => `put a clean ${o} in ${r}`, (o, r) => `clean some ${o} and put it in ${r}`],
  heat: [(o, r) => `put a hot ${o} in ${r}`, (o, r) => `heat some ${o} and put it in ${r}`],
  cool: [(o, r) => `put a cool ${o} in ${r}`, (o, r) => `cool some ${o} and put it in ${r}`],
  pick2: [(o, r) => `put two ${o} in ${r}`, (o, r) => `find two ${o} and put them in ${r}`],
};
type Template = (object: string, target: string) => string;

export function makeGoal({ type, object, target }: GoalNames, template: 0 | 1): Goal {
  return { type, object, target, text: goalTemplates[type][template](object, target) };
}

export function isWon(state: State): boolean {
  return progressOf(state) === 1;
}

/**
 * Returns the progress in [0, 1]: completed steps of the furthest object (of the two furthest for `pick2`), divided
 * by the steps of the task type. The steps are to find the object, take it, treat it, and put it in its target.
 * Equals 1 exactly when the task is won.
 */
export function progressOf(state: State): number {
  const { goal } = state.world;
  switch (goal.type) {
    case "pick":
      return best(state, (object) => (isInTarget(state, object) ? 3 : stepsTo(state, object))) / 3;
    case "clean":
    case "heat":
    case "cool":
      return best(state, (object) => stepsOfTreated(state, object)) / 4;
    case "look":
      return best(state, (object) => (isLookedAt(state, object) ? 3 : stepsTo(state, object))) / 3;
    case "pick2":
      return progressOfTwo(state) / 6;
  }
}

/** True if the object received the treatment that its task requires, or if the task requires none. */
export function isTreated({ world, isClean, temperatures }: State, object: number): boolean {
  switch (world.goal.type) {
    case "clean":
      return isClean[object] === true;
    case "heat":
      return temperatures[object] === "hot";
    case "cool":
      return temperatures[object] === "cool";
    case "pick":
    case "look":
    case "pick2":
      return true;
  }
}

/** Returns the indices of the objects of the kind that the goal names. */
export function candidates({ world }: State): number[] {
  return [...world.objects.keys()].filter((i) => world.objects[i]?.kind === world.goal.object);
}

export function isInTarget({ world, places }: State, object: number): boolean {
  return world.receptacles[places[object] ?? -1]?.kind === world.goal.target;
}

/** Returns the completed steps of one object: 0 if its position is unknown, 1 if it was found, 2 if it is held. */
function stepsTo({ places, isInspected }: State, object: number): number {
  const receptacle = places[object] ?? -1;
  if (receptacle === -1) return 2;
  return isInspected[receptacle] === true ? 1 : 0;
}

function stepsOfTreated(state: State, object: number): number {
  const treated = isTreated(state, object);
  if (treated && isInTarget(state, object)) return 4;
  return treated && state.places[object] === -1 ? 3 : stepsTo(state, object);
}

function isLookedAt(state: State, object: number): boolean {
  const { world, places, isLit, location } = state;
  if (heldObject(state) !== object) return false;
  return world.objects.some(({ kind }, i) => {
    const isHere = world.receptacles[places[i] ?? -1]?.location === location;
    return kind === world.goal.target && isLit[i] === true && isHere;
  });
}

/** Returns the completed steps of the two objects that are furthest, for the target receptacle with the largest sum. */
function progressOfTwo(state: State): number {
  const { world, places } = state;
  let most = 0;
  for (const [receptacle, { kind }] of world.receptacles.entries()) {
    if (kind !== world.goal.target) continue;
    const steps = candidates(state).map((object) => (places[object] === receptacle ? 3 : stepsTo(state, object)));
    const [first = 0, second = 0] = steps.sort((a, b) => b - a);
    most = Math.max(most, first + second);
  }
  return most;
}

function best(state: State, steps: (object: number) => number): number {
  return candidates(state).reduce((most, object) => Math.max(most, steps(object)), 0);
}
