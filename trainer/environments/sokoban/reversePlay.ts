import { directions, offset, type Direction, type Ground, type Position } from "./room.ts";

export type ReversePlay = {
  /** Hardest position that the search found. The boxes are in the order of their original targets. */
  position: Position;
  /** Pulls that lead from the solved room to `position`. In reverse order, as pushes, they solve the room. */
  pulls: readonly Direction[];
  /** Sum of the boxes' Manhattan distances to their original targets; 0 if nothing better than the start was found. */
  displacement: number;
  /** Value of the objective that the search maximizes: (number of changes of the pulled box) × displacement. */
  score: number;
};

export type Difficulty = {
  /** Number of levels of the depth-first search over pulls, the solved room included. */
  searchDepth: number;
  /** True if only positions are accepted in which neither a box nor the player is on a target. */
  uncoversAll: boolean;
  /**
   * True to search exactly as gym-sokoban, which never updates the box that it remembers as pulled last. After the
   * four pulls the player also walks away from boxes in each direction, and every pull counts as a change.
   */
  isOriginal?: boolean;
};

const maxStates = 300_000;

/**
 * Plays Sokoban backwards: depth-first over pulls from boxes on their targets. The search maximizes (number of changes
 * of the pulled box) × displacement. Of positions with equal score, the first is kept. The rules are those of
 * gym-sokoban with RAGEN's fix: two pulls of one box in a row count as one change.
 */
export function playReverse(ground: Ground, player: number, difficulty: Difficulty): ReversePlay {
  const { searchDepth, uncoversAll, isOriginal = false } = difficulty;
  const start: Position = { player, boxes: ground.targets };
  let best: ReversePlay = { position: start, pulls: [], displacement: 0, score: 0 };
  let bestScore = uncoversAll ? 0 : -1;
  const explored = new Set<number>();
  const pulls: Direction[] = [];
  const boxes = [...ground.targets];
  // True for each box that was pulled: in gym-sokoban, a box that returned differs from one that never left.
  const moved = boxes.map(() => false);

  const visit = (player: number, lastPulled: number, changes: number): void => {
    if (pulls.length + 1 >= searchDepth || explored.size >= maxStates) return;
    const key = toKey(player, boxes, moved);
    if (explored.has(key)) return;
    explored.add(key);
    const displacement = toDisplacement(ground, boxes);
    const score = uncoversAll && !isUncovered(ground, player, boxes) ? 0 : changes * displacement;
    if (score > bestScore) {
      bestScore = score;
      best = { position: { player, boxes: [...boxes] }, pulls: [...pulls], displacement, score };
    }
    for (const takesAlong of isOriginal ? [true, false] : [true]) {
      for (const direction of directions) {
        const by = offset(ground, direction);
        const next = player + by;
        if (ground.cells[next] === "wall" || boxes.includes(next)) continue;
        const pulled = takesAlong ? boxes.indexOf(player - by) : -1;
        const wasMoved = moved[pulled] ?? false;
        if (pulled !== -1) {
          boxes[pulled] = player;
          moved[pulled] = true;
        }
        pulls.push(direction);
        const isChange = pulled !== -1 && (isOriginal || pulled !== lastPulled);
        visit(next, pulled === -1 ? lastPulled : pulled, changes + (isChange ? 1 : 0));
        pulls.pop();
        if (pulled !== -1) {
          boxes[pulled] = player - by;
          moved[pulled] = wasMoved;
        }
      }
    }
  };
  visit(player, -1, 0);
  return best;
}

function toDisplacement({ size, targets }: Ground, boxes: readonly number[]): number {
  let sum = 0;
  for (const [i, target] of targets.entries()) {
    const box = boxes[i] ?? target;
    sum += Math.abs(Math.floor(box / size) - Math.floor(target / size)) + Math.abs((box % size) - (target % size));
  }
  return sum;
}

function isUncovered({ targets }: Ground, player: number, boxes: readonly number[]): boolean {
  return !targets.some((target) => target === player || boxes.includes(target));
}

/** Encodes player, interchangeable boxes and their flags as one number: 8 bits each, below 2^53 for five boxes. */
function toKey(player: number, boxes: readonly number[], moved: readonly boolean[]): number {
  const codes = boxes.map((box, i) => box * 2 + (moved[i] === true ? 1 : 0)).sort((a, b) => a - b);
  let key = player;
  for (const code of codes) key = key * 256 + code;
  return key;
}
