import { candidates } from "./goal.ts";
import { treatments } from "./kinds.ts";
import { middle, type State } from "./world.ts";

/** Returns the length of a shortest solution for a player who knows everything; undefined after the first turn. */
export function optimalLength(state: State): number | undefined {
  if (state.turns > 0 || state.location !== middle) return undefined;
  const { goal } = state.world;
  const objects = candidates(state);
  if (goal.type === "look") return least(objects.map((object) => lookAt(state, object)));
  const targets = [...state.world.receptacles.keys()].filter((i) => state.world.receptacles[i]?.kind === goal.target);
  return least(
    targets.flatMap((target) =>
      goal.type === "pick2"
        ? objects.flatMap((a) => objects.filter((b) => b !== a).map((b) => bringBoth(state, [a, b], target)))
        : objects.map((object) => bring(state, object, target)),
    ),
  );
}

type Walk = { turns: number; location: number; opened: ReadonlySet<number> };
type Stop = { receptacle: number; isOpened: boolean };
type Errand = { object: number; target: number };

/** Extends a planned walk to a receptacle, and opens the receptacle if its inside is needed. */
function visit({ world }: State, walk: Walk, { receptacle, isOpened }: Stop): Walk {
  const { location = middle, isOpenable = false } = world.receptacles[receptacle] ?? {};
  const isNew = isOpened && isOpenable && !walk.opened.has(receptacle);
  return {
    turns: walk.turns + (location === walk.location ? 0 : 1) + (isNew ? 1 : 0),
    location,
    opened: isNew ? new Set([...walk.opened, receptacle]) : walk.opened,
  };
}

const fromTheMiddle: Walk = { turns: 0, location: middle, opened: new Set() };

/** Extends a planned walk: takes an object, treats it if the goal requires that, and puts it into its target. */
function carry(state: State, walk: Walk, { object, target }: Errand): Walk {
  const { goal, receptacles } = state.world;
  let next = visit(state, walk, { receptacle: state.places[object] ?? -1, isOpened: true });
  next = { ...next, turns: next.turns + 1 };
  if (goal.type === "clean" || goal.type === "heat" || goal.type === "cool") {
    const { at } = treatments[goal.type];
    const receptacle = receptacles.findIndex(({ kind }) => kind === at);
    next = visit(state, next, { receptacle, isOpened: false });
    next = { ...next, turns: next.turns + 1 };
  }
  next = visit(state, next, { receptacle: target, isOpened: true });
  return { ...next, turns: next.turns + 1 };
}

function bring(state: State, object: number, target: number): number {
  return carry(state, fromTheMiddle, { object, target }).turns;
}

function bringBoth(state: State, [first, second]: readonly [number, number], target: number): number {
  return carry(state, carry(state, fromTheMiddle, { object: first, target }), { object: second, target }).turns;
}

function lookAt(state: State, object: number): number {
  const { world, places } = state;
  const lamps = [...world.objects.keys()].filter((i) => world.objects[i]?.kind === world.goal.target);
  const taken = visit(state, fromTheMiddle, { receptacle: places[object] ?? -1, isOpened: true }).turns + 1;
  const location = world.receptacles[places[object] ?? -1]?.location;
  const ways = lamps.map((lamp) => taken + (world.receptacles[places[lamp] ?? -1]?.location === location ? 0 : 1) + 1);
  return Math.min(...ways);
}

function least(lengths: readonly number[]): number | undefined {
  return lengths.length === 0 ? undefined : Math.min(...lengths);
}
