import { move, type Ground, type Position } from "./room.ts";
import { solve, solveWithin, toKey } from "./solver.ts";

/** Potential of an unsolvable room, and of a room more than 40 moves from its solution. */
export const worstPotential = -10;
/** Potential per move of the shortest solution. A power of two, so that sums over an episode have no rounding error. */
const perMove = -0.25;
const maxMoves = worstPotential / perMove;

/**
 * Potential of a room: 0 when solved, 0.25 less for every move of its shortest solution, −10 when unsolvable. A
 * function of the room alone, cached for the lifetime of the ground.
 */
export function makePotential(): (ground: Ground, position: Position) => number {
  const grounds = new WeakMap<Ground, Map<number, number>>();
  return (ground, position) => {
    const known = grounds.get(ground) ?? new Map<number, number>();
    grounds.set(ground, known);
    const key = toKey(position);
    if (!known.has(key)) measure(ground, position, known);
    const numMoves = known.get(key) ?? maxMoves;
    // Returns 0 instead of −0.
    return numMoves === 0 ? 0 : perMove * numMoves;
  };
}

/** Caches the remaining moves of a position and of all positions on its solution. */
function measure(ground: Ground, start: Position, known: Map<number, number>): void {
  // Sorted, because boxes are interchangeable. A good solution that is not the shortest could depend on their order.
  const sorted = { ...start, boxes: start.boxes.toSorted((a, b) => a - b) };
  const moves = solveWithin(ground, sorted, maxMoves);
  if (typeof moves === "string") {
    const found = moves === "exhausted" ? solve(ground, sorted)?.length : undefined;
    known.set(toKey(start), Math.min(found ?? maxMoves, maxMoves));
    return;
  }
  let position = start;
  known.set(toKey(start), moves.length);
  for (const [i, direction] of moves.entries()) {
    position = move(ground, position, direction);
    known.set(toKey(position), moves.length - 1 - i);
  }
}
