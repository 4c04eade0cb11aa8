import type { Rng } from "#trainer/spec/rng.ts";
import { pick } from "../chance.ts";
import type { Ground } from "./room.ts";

/** Masks of the cells that the random walk turns into floor around itself: two bars, two hooks and a block. */
const stamps = ["... ### ...", ".#. .#. .#.", "... ##. .#.", "... ##. ##.", "... .## .#."].map(toOffsets);
const headings = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/** Makes a room's floor by a random walk of 1.7·(rows + columns) steps, which turns with probability 0.35. */
export function carveGround(size: number, rng: Rng): Ground {
  const floor = new Set<number>();
  let row = 1 + rng.int(size - 1);
  let column = 1 + rng.int(size - 1);
  let heading = pick(headings, rng);
  const numSteps = Math.floor(1.7 * (size + size));
  for (let i = 0; i < numSteps; i++) {
    if (rng.next() < 0.35) heading = pick(headings, rng);
    row = clamp(row + heading[0], 1, size - 2);
    column = clamp(column + heading[1], 1, size - 2);
    for (const { down, right } of pick(stamps, rng)) floor.add((row + down) * size + column + right);
  }
  return toGround(size, (i) => floor.has(i));
}

/** Makes a room without inner walls: floor everywhere within the outer ring. */
export function openGround(size: number): Ground {
  return toGround(size, () => true);
}

function toOffsets(stamp: string): { down: number; right: number }[] {
  const cells = stamp
    .split(" ")
    .flatMap((row, i) => row.split("").map((mark, x) => ({ mark, down: i - 1, right: x - 1 })));
  return cells.filter(({ mark }) => mark === "#").map(({ down, right }) => ({ down, right }));
}

function toGround(size: number, isFloor: (i: number) => boolean): Ground {
  const cells = Array.from({ length: size * size }, (_, i) =>
    isInside(size, i) && isFloor(i) ? ("floor" as const) : ("wall" as const),
  );
  return { size, cells, targets: [] };
}

function isInside(size: number, i: number): boolean {
  const [row, column] = [Math.floor(i / size), i % size];
  return row > 0 && row < size - 1 && column > 0 && column < size - 1;
}

function clamp(x: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, x));
}
