import { candidates, isTreated } from "./goal.ts";
import { lamps } from "./kinds.ts";
import { heldObject, middle, receptaclesHere, type State } from "./world.ts";

/**
 * Returns notes for a small policy's prompt: the player's location, the held object, where goal objects were seen,
 * and receptacles not yet inspected. The last turns in the prompt may not show these. Example: `at desk 1 have
 * nothing , mug 1 on shelf 2 , unseen drawer 1 drawer 2`
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

/** Maximum words of the notes: location, held object, three objects of the goal's kind, a lamp, every receptacle. */
export function maxNotesWords(numReceptacles: number): number {
  return 3 + 1 + 3 + 4 * (3 + 1 + 3) + 2 + 2 * numReceptacles;
}

/** Returns an object's name, with the state that the goal requires (such as clean) if the object has it. */
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
