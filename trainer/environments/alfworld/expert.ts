import type { Rng } from "#trainer/spec/rng.ts";
import type { Expertise } from "../environment.ts";
import { candidates, isInTarget, isTreated } from "./goal.ts";
import { canContain, treatments } from "./kinds.ts";
import { heldObject, type State } from "./world.ts";

/**
 * Returns the expert's next action from observations alone: it searches likely receptacles in order, takes an object,
 * treats it and puts it down. The expert never uses the contents of a receptacle that it has not inspected.
 */
export function advise(state: State, rng?: Rng): Expertise {
  const { goal, objects } = state.world;
  const inHand = heldObject(state);
  const held = objects[inHand];
  if (held && held.kind !== goal.object) return dropSomewhere(state, inHand);
  if (goal.type === "look") return held ? underLamp(state) : fetch(state, rng);
  if (!held) return fetch(state, rng);
  if (goal.type !== "pick" && goal.type !== "pick2" && !isTreated(state, inHand))
    return treat(state, inHand, goal.type);
  return putAway(state, inHand);
}

/** Returns the action towards taking an object of the goal's kind. If no such object is known, searches for one. */
function fetch(state: State, rng?: Rng): Expertise {
  const { world, places } = state;
  const home = world.goal.type === "pick2" ? targetOfTwo(state) : undefined;
  const wanted = candidates(state).filter((object) => {
    const receptacle = places[object] ?? -1;
    if (state.isInspected[receptacle] !== true) return false;
    if (world.goal.type === "pick2") return receptacle !== home;
    return world.goal.type === "look" || !(isInTarget(state, object) && isTreated(state, object));
  });
  const near = wanted.find((object) => isHere(state, places[object] ?? -1)) ?? wanted[0];
  const thought = `find ${world.goal.object}`;
  if (near === undefined) return search(state, { kind: world.goal.object, thought }, rng);
  const receptacle = places[near] ?? -1;
  const action = `take ${nameOf(state, near)} from ${world.receptacles[receptacle]?.name ?? ""}`;
  return reach(state, receptacle, { thought, action });
}

/** Returns the action towards switching on the lamp at the held object. If no lamp is known, searches for one. */
function underLamp(state: State): Expertise {
  const { world, places, isInspected } = state;
  const thought = `have ${world.goal.object} find ${world.goal.target}`;
  const lamp = world.objects.findIndex(
    ({ kind }, i) => kind === world.goal.target && isInspected[places[i] ?? -1] === true,
  );
  if (lamp === -1) return search(state, { kind: world.goal.target, thought });
  const receptacle = places[lamp] ?? -1;
  if (!isHere(state, receptacle)) return goTo(state, receptacle, thought);
  return { thought, action: `use ${nameOf(state, lamp)}` };
}

function treat(state: State, object: number, verb: "clean" | "heat" | "cool"): Expertise {
  const { receptacles } = state.world;
  const thought = `have ${state.world.goal.object} ${verb} it`;
  const where = receptacles.findIndex(({ kind }) => kind === treatments[verb].at);
  if (!isHere(state, where)) return goTo(state, where, thought);
  return { thought, action: `${verb} ${nameOf(state, object)} with ${receptacles[where]?.name ?? ""}` };
}

/** Returns the action towards putting the object into its target. Two objects of a goal share a receptacle. */
function putAway(state: State, object: number): Expertise {
  const { world } = state;
  const targets = [...world.receptacles.keys()].filter((i) => world.receptacles[i]?.kind === world.goal.target);
  const chosen =
    world.goal.type === "pick2" ? targetOfTwo(state) : (targets.find((i) => isHere(state, i)) ?? targets[0]);
  const receptacle = chosen ?? -1;
  const thought = `put ${world.goal.object} in ${world.goal.target}`;
  const action = `move ${nameOf(state, object)} to ${world.receptacles[receptacle]?.name ?? ""}`;
  return reach(state, receptacle, { thought, action });
}

/** Returns the target receptacle that already contains one of the goal's two objects, or else the first target. */
function targetOfTwo(state: State): number | undefined {
  const { world, places, isInspected } = state;
  const targets = [...world.receptacles.keys()].filter((i) => world.receptacles[i]?.kind === world.goal.target);
  const numThere = (receptacle: number): number =>
    isInspected[receptacle] === true ? candidates(state).filter((object) => places[object] === receptacle).length : 0;
  return targets.reduce<number | undefined>(
    (best, i) => (best === undefined || numThere(i) > numThere(best) ? i : best),
    undefined,
  );
}

/** Returns the action towards putting down a held object that is not needed: here if possible, otherwise elsewhere. */
function dropSomewhere(state: State, object: number): Expertise {
  const { receptacles, objects } = state.world;
  const kind = objects[object]?.kind ?? "";
  const fitting = [...receptacles.keys()].filter(
    (i) => canContain[receptacles[i]?.kind ?? ""]?.includes(kind) === true,
  );
  const receptacle =
    fitting.find((i) => isHere(state, i)) ?? fitting.find((i) => state.isOpen[i] === true) ?? fitting[0] ?? -1;
  const action = `move ${nameOf(state, object)} to ${receptacles[receptacle]?.name ?? ""}`;
  return reach(state, receptacle, { thought: `put ${kind} in ${receptacles[receptacle]?.kind ?? ""}`, action });
}

/** Returns the action towards an uninspected receptacle: fitting ones first, then doorless ones, then the one here. */
function search(state: State, { kind, thought }: { kind: string; thought: string }, rng?: Rng): Expertise {
  const { receptacles } = state.world;
  const unseen = [...receptacles.keys()].filter((i) => state.isInspected[i] !== true);
  const rank = (i: number): number => {
    const { kind: receptacle = "", isOpenable = false } = receptacles[i] ?? {};
    const suits = canContain[receptacle]?.includes(kind) === true || kind.endsWith("lamp");
    return (isHere(state, i) ? 0 : 1) + (suits ? 0 : 4) + (isOpenable ? 2 : 0);
  };
  const lowest = Math.min(...unseen.map(rank));
  const likely = unseen.filter((i) => rank(i) === lowest);
  const next = likely[rng === undefined ? 0 : rng.int(likely.length)];
  return next === undefined ? { thought, action: "look" } : reach(state, next, { thought, action: "look" });
}

/** Returns the action towards a receptacle (go there, open it), or `expertise` once the receptacle is accessible. */
function reach(state: State, receptacle: number, expertise: Expertise): Expertise {
  if (!isHere(state, receptacle)) return goTo(state, receptacle, expertise.thought);
  if (state.isOpen[receptacle] === true) {
    // Several receptacles may share a location, so one at the player's location may not have been examined yet.
    const isSeen = state.isInspected[receptacle] === true || expertise.action !== "look";
    return isSeen ? expertise : { ...expertise, action: `examine ${state.world.receptacles[receptacle]?.name ?? ""}` };
  }
  return { ...expertise, action: `open ${state.world.receptacles[receptacle]?.name ?? ""}` };
}

function goTo(state: State, receptacle: number, thought: string): Expertise {
  return { thought, action: `go to ${state.world.receptacles[receptacle]?.name ?? ""}` };
}

function isHere({ world, location }: State, receptacle: number): boolean {
  return world.receptacles[receptacle]?.location === location;
}

function nameOf({ world }: State, object: number): string {
  return world.objects[object]?.name ?? "";
}
