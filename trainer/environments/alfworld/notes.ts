import { candidates, isTreated } from "./goal.ts";
import { lamps } from "./kinds.ts";
import { heldObject, middle, receptaclesHere, type State } from "./world.ts";

/**
 * What an observer of all turns knows and the last turns may not tell: where the player is, what is in its hands, where
 * things of the goal were seen, and which receptacles were not looked into.
 * `at desk 1 have nothing , mug 1 on shelf 2 , unseen drawer 1 drawer 2`
 */
export function takeNotes(state: State): string {
  const { world, isInspected, places, location } = state;
  const { receptacles, goal } = world;
  const here = location === middle ? "middle" : (receptacles[receptaclesHere(state)[0] ?? -1]?.name ?? "");
  const isWanted = (object: number): boolean => {
    const kind = world.objects[object]?.kind;
    return kind === goal.object || (kind === goal.target && lamps.has(kind));
  };
  const seen = world.objectOrder
    .filter((object) => isWanted(object) && isInspected[places[object] ?? -1] === true)
    .map((object) => `, ${describe(state, object)} on ${receptacles[places[object] ?? -1]?.name ?? ""}`);
  const unseen = world.receptacleOrder.filter((i) => isInspected[i] !== true).map((i) => receptacles[i]?.name ?? "");
  const inHand = heldObject(state);
  return [
    `at ${here} have ${inHand === -1 ? "nothing" : describe(state, inHand)}`,
    ...seen,
    ...(unseen.length === 0 ? [] : [", unseen", ...unseen]),
  ].join(" ");
}

/** Upper bound of words: location and hands, three things of the goal and a lamp, every receptacle. */
export function maxNotesWords(numReceptacles: number): number {
  return 3 + 1 + 3 + 4 * (3 + 1 + 3) + 2 + 2 * numReceptacles;
}

/** With the state that the goal asks for, where it has it. */
function describe(state: State, object: number): string {
  const { objects, goal } = state.world;
  const name = objects[object]?.name ?? "";
  const isDone = adjectives[goal.type] !== undefined && candidates(state).includes(object) && isTreated(state, object);
  return isDone ? `${adjectives[goal.type]} ${name}` : name;
}

const adjectives: Readonly<Partial<Record<State["world"]["goal"]["type"], string>>> = {
  clean: "clean",
  heat: "hot",
  cool: "cool",
};

export const notesWords = ["at", "middle", "have", "nothing", ",", "on", "unseen", "clean", "hot", "cool"] as const;
