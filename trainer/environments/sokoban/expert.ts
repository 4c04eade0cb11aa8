import type { Rng } from "#trainer/spec/rng.ts";
import { pick } from "../chance.ts";
import type { Expertise } from "../environment.ts";
import { directions, move, type Direction, type Ground, type Position } from "./room.ts";
import { solve } from "./solver.ts";

/**
 * Returns the next move of a shortest solution with a thought of at most six words. The thought is the position of the
 * next box and its push: `box above left , push up`. In an unsolvable room the thought is `stuck`.
 */
export function advise(ground: Ground, position: Position, rng?: Rng): Expertise {
  const solution = solve(ground, position);
  if (solution?.[0] === undefined) return { thought: "stuck", action: "still" };
  const moves = rng === undefined ? solution : reroute(ground, position, { solution, rng });
  return { thought: describe(ground, position, moves), action: moves[0] ?? "still" };
}

export const expertWords = ["box", "above", "below", "left", "right", ",", "push", ...directions, "stuck"] as const;

/** Returns a solution of equal length: its first move is sampled uniformly from all moves that allow this length. */
function reroute(
  ground: Ground,
  position: Position,
  { solution, rng }: { solution: readonly Direction[]; rng: Rng },
): readonly Direction[] {
  const alternatives = directions.flatMap((direction) => {
    const next = move(ground, position, direction);
    const rest = next === position ? undefined : solve(ground, next);
    return rest?.length === solution.length - 1 ? [[direction, ...rest]] : [];
  });
  return alternatives.length === 0 ? solution : pick(alternatives, rng);
}

function describe(ground: Ground, start: Position, moves: readonly Direction[]): string {
  let position = start;
  for (const direction of moves) {
    const next = move(ground, position, direction);
    if (next.boxes !== position.boxes) return `${locate(ground.size, start.player, next.player)} , push ${direction}`;
    position = next;
  }
  return "stuck";
}

/** Returns the position of a box relative to the player, in words. */
function locate(size: number, player: number, box: number): string {
  const down = Math.floor(box / size) - Math.floor(player / size);
  const right = (box % size) - (player % size);
  const vertical = down === 0 ? [] : [down < 0 ? "above" : "below"];
  const horizontal = right === 0 ? [] : [right < 0 ? "left" : "right"];
  return ["box", ...vertical, ...horizontal].join(" ");
}
