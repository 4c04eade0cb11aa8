import { directions, isSolved, move, offset, type Direction, type Ground, type Position } from "./room.ts";

/** Maximum number of positions in the exact search. Beyond it, any good solution is accepted. */
const maxPositions = 50_000;

/**
 * Returns the moves of a shortest solution, always the same one, or undefined if the room has no solution. The search
 * is A* over the positions of player and boxes. In rooms too large for exact search, the heuristic is weighted, so
 * that solutions are short but not always shortest.
 */
export function solve(ground: Ground, position: Position): readonly Direction[] | undefined {
  const estimate = makeEstimate(ground);
  const exact = search(ground, position, { estimate });
  return toMoves(exact === "exhausted" ? search(ground, position, { estimate: (at) => 5 * estimate(at) }) : exact);
}

/** Returns a shortest solution of at most `maxMoves` moves, or `exhausted` if the room is too large to decide. */
export function solveWithin(
  ground: Ground,
  position: Position,
  maxMoves: number,
): readonly Direction[] | "unsolvable" | "exhausted" {
  const outcome = search(ground, position, { estimate: makeEstimate(ground), maxMoves });
  return typeof outcome === "string" ? outcome : (toMoves(outcome) ?? []);
}

type Node = { position: Position; cost: number; move?: Direction; parent?: Node };
type Outcome = Node | "unsolvable" | "exhausted";
type Estimate = (position: Position) => number;

function search(
  ground: Ground,
  start: Position,
  { estimate, maxMoves = Infinity }: { estimate: Estimate; maxMoves?: number },
): Outcome {
  const costs = new Map<number, number>();
  const queue = makeQueue<Node>();
  const open = (node: Node): void => {
    const key = toKey(node.position);
    if (node.cost >= (costs.get(key) ?? Infinity)) return;
    const remaining = estimate(node.position);
    if (remaining === Infinity || node.cost + remaining > maxMoves) return;
    costs.set(key, node.cost);
    queue.push(node.cost + remaining, node);
  };
  open({ position: start, cost: 0 });
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (isSolved(ground, node.position)) return node;
    if (costs.size > maxPositions) return "exhausted";
    if (node.cost > (costs.get(toKey(node.position)) ?? Infinity)) continue;
    for (const direction of directions) {
      const position = move(ground, node.position, direction);
      if (position !== node.position) open({ position, cost: node.cost + 1, move: direction, parent: node });
    }
  }
  return "unsolvable";
}

function toMoves(outcome: Outcome): readonly Direction[] | undefined {
  if (outcome === "unsolvable" || outcome === "exhausted") return undefined;
  const moves: Direction[] = [];
  for (let node: Node | undefined = outcome; node?.move !== undefined; node = node.parent) moves.push(node.move);
  return moves.reverse();
}

/** Makes a priority queue by smallest integer total. Among equal totals, the newest item comes first. */
function makeQueue<Item>(): { push(total: number, item: Item): void; pop(): Item | undefined } {
  const buckets: Item[][] = [];
  let lowest = 0;
  return {
    push(total, item) {
      (buckets[total] ??= []).push(item);
      lowest = Math.min(lowest, total);
    },
    pop() {
      while (lowest < buckets.length && !buckets[lowest]?.length) lowest++;
      return buckets[lowest]?.pop();
    },
  };
}

/**
 * Makes an admissible heuristic for A*: a lower bound on the remaining moves. It adds the walk to the nearest box and
 * the pushes of the cheapest matching of boxes to targets, each box taken alone. Infinity if a box cannot reach any
 * target.
 */
function makeEstimate(ground: Ground): Estimate {
  const { size, targets } = ground;
  const pushes = targets.map((target) => toPushDistances(ground, target));
  const cheapestPairing = (boxes: readonly number[], free: readonly (readonly number[])[]): number => {
    const box = boxes[0];
    if (box === undefined) return 0;
    let cheapest = Infinity;
    for (const [i, distances] of free.entries()) {
      const distance = distances[box] ?? Infinity;
      if (distance < cheapest) {
        cheapest = Math.min(cheapest, distance + cheapestPairing(boxes.slice(1), free.toSpliced(i, 1)));
      }
    }
    return cheapest;
  };
  return ({ player, boxes }) => {
    const remaining = cheapestPairing(boxes, pushes);
    if (remaining === 0 || remaining === Infinity) return remaining;
    return remaining + Math.min(...boxes.map((box) => manhattan(size, player, box) - 1));
  };
}

/** Returns the number of pushes that move a lone box from each cell to the target, computed by pulling it away. */
function toPushDistances(ground: Ground, target: number): readonly number[] {
  const distances = ground.cells.map(() => Infinity);
  distances[target] = 0;
  const queue = [target];
  for (const box of queue) {
    for (const direction of directions) {
      const by = offset(ground, direction);
      const pulledTo = box + by;
      const hasRoom = ground.cells[pulledTo] !== "wall" && ground.cells[pulledTo + by] !== "wall";
      if (!hasRoom || distances[pulledTo] !== Infinity) continue;
      distances[pulledTo] = (distances[box] ?? 0) + 1;
      queue.push(pulledTo);
    }
  }
  return distances;
}

function manhattan(size: number, a: number, b: number): number {
  return Math.abs(Math.floor(a / size) - Math.floor(b / size)) + Math.abs((a % size) - (b % size));
}

/** Encodes the cells of player and boxes as one number, below 2^53. Boxes are interchangeable. */
export function toKey({ player, boxes }: Position): number {
  let key = player;
  for (const box of boxes.toSorted((a, b) => a - b)) key = key * 128 + box;
  return key;
}
