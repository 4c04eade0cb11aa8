import { directions, type Direction } from "../game.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { pick } from "../../chance.ts";

export type Layout = { readonly numRooms: number; readonly passages: readonly Passage[] };
export type Passage = { readonly from: number; readonly direction: Direction; readonly to: number };

type Cell = readonly [number, number];
const steps: Readonly<Record<Direction, Cell>> = { north: [-1, 0], south: [1, 0], east: [0, 1], west: [0, -1] };
const keyOf = ([row, column]: Cell): string => `${row},${column}`;
const move = ([row, column]: Cell, direction: Direction): Cell => {
  const [down, right] = steps[direction];
  return [row + down, column + right];
};

/** Makes a map by a random walk on a square grid over `numRooms` rooms. Every step becomes a passage. */
export function walkLayout(numRooms: number, rng: Rng): Layout {
  const size = Math.ceil(Math.sqrt(numRooms + 1));
  let cell: Cell = [rng.int(size), rng.int(size)];
  const rooms = new Map([[keyOf(cell), 0]]);
  const passages = new Map<string, Passage>();
  while (rooms.size < numRooms) {
    const here = cell;
    const ways = directions.filter((way) => move(here, way).every((x) => x >= 0 && x < size));
    const direction = pick(ways, rng);
    const from = rooms.get(keyOf(here)) ?? 0;
    cell = move(here, direction);
    const to = rooms.get(keyOf(cell)) ?? rooms.size;
    rooms.set(keyOf(cell), to);
    const edge = [Math.min(from, to), Math.max(from, to)].join("-");
    if (!passages.has(edge)) passages.set(edge, { from, direction, to });
  }
  return { numRooms, passages: [...passages.values()] };
}

/** Makes a map: a self-avoiding chain of rooms with dead ends beside it; undefined if the chain enclosed itself. */
export function chainLayout(length: number, numRooms: number, rng: Rng): Layout | undefined {
  const cells: Cell[] = [[0, 0]];
  const taken = new Set([keyOf([0, 0])]);
  const passages: Passage[] = [];
  const grow = (from: number): boolean => {
    const here = cells[from] ?? [0, 0];
    const free = directions.filter((way) => !taken.has(keyOf(move(here, way))));
    if (free.length === 0) return false;
    const direction = pick(free, rng);
    const cell = move(here, direction);
    taken.add(keyOf(cell));
    passages.push({ from, direction, to: cells.length });
    cells.push(cell);
    return true;
  };
  for (let room = 0; room < length - 1; room++) if (!grow(room)) return undefined;
  for (let tries = 0; cells.length < numRooms && tries < 100 * numRooms; tries++) grow(rng.int(cells.length));
  return { numRooms: cells.length, passages };
}

/** Returns the rooms whose removal would disconnect other rooms. Doors are placed between two such rooms. */
export function articulationRooms({ numRooms, passages }: Layout): readonly number[] {
  const rooms = [...Array(numRooms).keys()];
  return rooms.filter((without) => {
    const [first] = rooms.filter((room) => room !== without);
    if (first === undefined) return false;
    const reached = new Set([first]);
    for (let size = 0; size < reached.size;) {
      size = reached.size;
      for (const { from, to } of passages) {
        if (from === without || to === without) continue;
        if (reached.has(from) || reached.has(to)) reached.add(from).add(to);
      }
    }
    return reached.size < numRooms - 1;
  });
}

/**
 * Makes a map of named rooms on a grid, each next to an allowed neighbour. Other adjacent pairs of allowed neighbours
 * get a passage with probability 1/2. Undefined if a room finds no place.
 * @param neighbors allowed neighbours by room name; the first room is placed first
 */
export function namedLayout(
  names: readonly string[],
  neighbors: Readonly<Record<string, readonly string[]>>,
  rng: Rng,
): Layout | undefined {
  const cells = new Map<string, Cell>([[names[0] ?? "", [0, 0]]]);
  const at = new Map<string, string>([[keyOf([0, 0]), names[0] ?? ""]]);
  const passages: Passage[] = [];
  const indexOf = (name: string): number => names.indexOf(name);
  const mayTouch = (a: string, b: string): boolean => neighbors[a]?.includes(b) ?? false;
  const placeRoom = (name: string): boolean => {
    const spots = [...cells].flatMap(([placed, cell]) =>
      mayTouch(placed, name)
        ? directions.flatMap((direction) => (at.has(keyOf(move(cell, direction))) ? [] : [{ placed, cell, direction }]))
        : [],
    );
    if (spots.length === 0) return false;
    const { placed, cell, direction } = pick(spots, rng);
    const spot = move(cell, direction);
    passages.push({ from: indexOf(placed), direction, to: indexOf(name) });
    for (const way of directions) {
      const other = at.get(keyOf(move(spot, way)));
      if (other === undefined || other === placed || !mayTouch(name, other) || rng.next() < 0.5) continue;
      passages.push({ from: indexOf(name), direction: way, to: indexOf(other) });
    }
    cells.set(name, spot);
    at.set(keyOf(spot), name);
    return true;
  };
  // A room none of whose allowed neighbours is placed yet is tried again later.
  const waiting = names.slice(1);
  for (let tries = 0; waiting.length > 0 && tries < 200; tries++) {
    const index = rng.int(waiting.length);
    if (placeRoom(waiting[index] ?? "")) waiting.splice(index, 1);
  }
  return waiting.length === 0 ? { numRooms: names.length, passages } : undefined;
}
