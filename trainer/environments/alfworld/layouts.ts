import { split, type Rng } from "#trainer/spec/rng.ts";
import type { Room } from "./rooms.ts";
import { NoTask } from "../environment.ts";

/** A receptacle in a room layout. Each receptacle has its own location. */
export type Place = { kind: string; number: number; location: number };

/** Number of layouts of each room type; the first `numHeldOut` layouts are held out of training (as in ALFRED). */
const [numLayouts, numHeldOut] = [30, 6];

export type RoomLayouts = { readonly heldOut: readonly Layout[]; readonly trained: readonly Layout[] };
export type Layout = readonly Place[];

/** Returns the layouts of a room type for a given number of receptacles. Held-out and trained layouts are disjoint. */
export function layoutsOf(room: Room, numReceptacles: number): RoomLayouts {
  const key = `${room.name} ${numReceptacles}`;
  const found = known.get(key) ?? drawLayouts(room, numReceptacles);
  known.set(key, found);
  return found;
}

const known = new Map<string, RoomLayouts>();

function drawLayouts(room: Room, numReceptacles: number): RoomLayouts {
  const rng = split(0, "alfworld layouts", room.name, numReceptacles);
  const isHeldOut = new Set<string>();
  const heldOut = Array.from({ length: numHeldOut }, () => {
    const layout = drawNew(room, numReceptacles, { rng, taken: isHeldOut });
    isHeldOut.add(keyOf(layout));
    return layout;
  });
  const trained = Array.from({ length: numLayouts - numHeldOut }, () =>
    drawNew(room, numReceptacles, { rng, taken: isHeldOut }),
  );
  return { heldOut, trained };
}

function drawNew(room: Room, numReceptacles: number, { rng, taken }: { rng: Rng; taken: ReadonlySet<string> }): Layout {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const layout = drawLayout(room, numReceptacles, rng);
    if (!taken.has(keyOf(layout))) return layout;
  }
  throw new NoTask(`alfworld: a ${room.name} with ${numReceptacles} receptacles has no layout left`);
}

/** Returns a key that is equal for room layouts with the same kinds of receptacles. */
function keyOf(layout: Layout): string {
  return layout
    .map(({ kind }) => kind)
    .sort()
    .join(" ");
}

/** Samples a room layout: the receptacles that a task requires, and other kinds as often as real rooms have them. */
function drawLayout(room: Room, numReceptacles: number, rng: Rng): Layout {
  const kinds: string[] = [...room.required];
  const numbers = new Map<string, number>();
  const rest = room.receptacles.flatMap(([kind, presence, most]) =>
    rng.next() * 30 < presence ? Array.from({ length: 1 + rng.int(most) }, () => kind) : [],
  );
  while (kinds.length < numReceptacles && rest.length > 0) kinds.push(...rest.splice(rng.int(rest.length), 1));
  // If too few receptacles were sampled, a kind that can occur several times, such as a drawer, is repeated.
  const several = room.receptacles.filter(([, , most]) => most > 1).map(([kind]) => kind);
  while (kinds.length < numReceptacles) kinds.push(several[rng.int(several.length)] ?? "drawer");
  return kinds.slice(0, numReceptacles).map((kind, location) => {
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    return { kind, number, location };
  });
}
