import type { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Ending, Environment } from "../environment.ts";
import { parseResponse } from "../response.ts";
import { advise, expertWords } from "./expert.ts";
import { generateRoom } from "./generator.ts";

import { countOnTargets, directions, isSolved, move, type Direction, type Ground, type Position } from "./room.ts";
import { solveWithin, solve, toKey } from "./solver.ts";
import { fromCellWords, glyphs, toCellWords, toSquares, toText } from "./text.ts";

/** Potential (for potential-based rewards) of an unsolvable room, and of a room that needs more than 40 moves. */
export const worstPotential = -10;
/** Potential per move of the shortest solution: a power of two, so that sums have no rounding error. */
const perMove = -0.25;
const maxMoves = worstPotential / perMove;

/**
 * Makes the potential of a room: 0 when solved, 0.25 less for every move of its shortest solution, −10 when
 * unsolvable. It depends on the room alone; results are cached for the lifetime of the ground.
 */
export function makePotential(): (ground: Ground, position: Position) => number {
  const grounds = new WeakMap<Ground, Map<number, number>>();
  return (ground, position) => {
    const known = grounds.get(ground) ?? new Map<number, number>();
    grounds.set(ground, known);
    const key = toKey(position);
    if (!known.has(key)) measure(ground, position, known);
    const numMoves = known.get(key) ?? maxMoves;
    return numMoves === 0 ? 0 : perMove * numMoves;
  };
}

/** Computes and caches the number of remaining moves of a position and of all positions on its shortest solution. */
function measure(ground: Ground, start: Position, known: Map<number, number>): void {
  // Boxes are interchangeable, so they are sorted: in a large room, the solution would depend on their order.
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

export type SokobanState = {
  readonly ground: Ground;
  readonly position: Position;
  /** Number of turns so far; the episode is truncated when it reaches `maxTurns`. */
  readonly turns: number;
  /** Number of environment steps. An unparsable action or `still` adds a turn, but no step (verl-agent). */
  readonly steps: number;
};

const commands = [...directions, "still"] as const;
type Command = (typeof commands)[number];

/**
 * Makes a Sokoban environment. Native rewards are those of gym-sokoban: −0.1 a turn, ±1 as a box moves onto or off a
 * target, +10 when solved. Sparse rewards are 10 when solved, else 0, so that groups without a success give no
 * gradient. Progress rewards add the change of a potential to the sparse reward. Over an episode the changes sum to
 * final minus initial potential, so every solution of a room earns the same, and more than any failure.
 */
export function makeSokoban(spec: SokobanSpec): Environment<SokobanState> {
  const observe = ({ ground, position }: SokobanState): string => toText(ground, position);
  const rewardOf = makeReward(spec);
  return {
    reset(seed) {
      const state = { ...generateRoom(spec, seed), turns: 0, steps: 0 };
      return { state, observation: observe(state) };
    },
    step(before, action) {
      const state = act(before, action);
      return {
        state,
        reward: rewardOf(before, state),
        observation: observe(state),
        ending: toEnding(state, spec.maxTurns),
      };
    },
    project(_, response) {
      const { isFormatValid, isTagged, action } = parseResponse(response);
      const command = isTagged ? findCommand(action) : undefined;
      return { isFormatValid, isActionValid: isFormatValid && command !== undefined, action: command ?? "still" };
    },
    admissibleActions: () => directions,
    expert: ({ ground, position }, rng) => advise(ground, position, rng),
    task: () => task,
    anchor: observe,
    isSuccess: ({ ground, position }) => isSolved(ground, position),
    scene: ({ ground, position }) => ({ environment: "sokoban", rows: toSquares(ground, position) }),
    optimalLength: ({ ground, position }) => {
      // In a room too large for an exact search, the shortest length is unknown.
      const moves = solveWithin(ground, position, Infinity);
      return typeof moves === "string" ? undefined : moves.length;
    },
    toWords: toCellWords,
    fromWords: fromCellWords,
    taskTypes: [],
    instruction,
    words: [...task.split(" "), ...glyphs, ...commands, ...expertWords],
    maxWords: {
      task: task.split(" ").length,
      observation: (spec.size - 2) ** 2,
      action: 1,
      response: maxResponseWords,
      admissible: 0,
    },
    rewardRange: rewardRanges[spec.reward],
    maxTurns: spec.maxTurns,
    shape: usualShapes.sokoban,
  };
}

const solvedReward = 10;
const rewardRanges = {
  native: [-1.1, 0.9 + solvedReward],
  sparse: [0, solvedReward],
  progress: [worstPotential, solvedReward - worstPotential],
} as const;
const task = "push boxes onto targets";
/** Maximum length of a response in words: four tags, a thought of six words, and an action of one. */
const maxResponseWords = 11;
const instruction = `You are an expert agent operating in the Sokoban environment. Push every box (X) onto a target (O).
Walls are #, floor is _, you are P, you on a target are S, a box on a target is √. A box is pushed by walking into it; it cannot be pulled.`;

function act(state: SokobanState, action: string): SokobanState {
  const { ground, position } = state;
  const turns = state.turns + 1;
  if (!isDirection(action)) return { ...state, turns };
  return { ...state, position: move(ground, position, action), turns, steps: state.steps + 1 };
}

function makeReward({ reward }: SokobanSpec): (before: SokobanState, after: SokobanState) => number {
  const sparse = ({ ground, position }: SokobanState): number => (isSolved(ground, position) ? solvedReward : 0);
  switch (reward) {
    case "native":
      return (before, after) => {
        const gained = countOnTargets(after.ground, after.position) - countOnTargets(before.ground, before.position);
        return -0.1 + gained + sparse(after);
      };
    case "sparse":
      return (_, after) => sparse(after);
    case "progress": {
      const potential = makePotential();
      return (before, after) =>
        sparse(after) + potential(after.ground, after.position) - potential(before.ground, before.position);
    }
  }
}

function toEnding({ ground, position, turns }: SokobanState, maxTurns: number): Ending {
  if (isSolved(ground, position)) return "terminated";
  return turns >= maxTurns ? "truncated" : "ongoing";
}

/** Returns the first entry of `commands` that the action's text contains anywhere, so "upward" counts as `up`. */
function findCommand(text: string): Command | undefined {
  return commands.find((command) => text.includes(command));
}

function isDirection(action: string): action is Direction {
  return directions.some((direction) => direction === action);
}
