import { move, type Ground, type Position } from "./room.ts";
import { solve, solveWithin, toKey } from "./solver.ts";

/** Of a room that cannot be solved, or only from further away than counts: 40 moves. */
export const worstPotential = -10;
/** Per move of the shortest solution. A power of two, so that the changes over an episode sum up without rounding. */
const perMove = -0.25;
const mostMoves = worstPotential / perMove;

/**
 * How near a room is to being solved: 0 when it is, a quarter less for every move of its shortest solution, −10 when
 * none is left. A function of the room alone; what was once worked out is remembered for as long as its ground is.
 */
export function makePotential(): (ground: Ground, position: Position) => number {
  const grounds = new WeakMap<Ground, Map<number, number>>();
  return (ground, position) => {
    const known = grounds.get(ground) ?? new Map<number, number>();
    grounds.set(ground, known);
    const key = toKey(position);
    if (!known.has(key)) measure(ground, position, known);
    const numMoves = known.get(key) ?? mostMoves;
    // Not −0.
    return numMoves === 0 ? 0 : perMove * numMoves;
  };
}

/** Remembers the moves that remain from a position and from all that its solution passes through. */
function measure(ground: Ground, start: Position, known: Map<number, number>): void {
  // Boxes are interchangeable; a solution that is good but not the shortest could depend on their order.
  const sorted = { ...start, boxes: start.boxes.toSorted((a, b) => a - b) };
  const moves = solveWithin(ground, sorted, mostMoves);
  if (typeof moves === "string") {
    const found = moves === "exhausted" ? solve(ground, sorted)?.length : undefined;
    known.set(toKey(start), Math.min(found ?? mostMoves, mostMoves));
    return;
  }
  let position = start;
  known.set(toKey(start), moves.length);
  for (const [i, direction] of moves.entries()) {
    position = move(ground, position, direction);
    known.set(toKey(position), moves.length - 1 - i);
  }
}
