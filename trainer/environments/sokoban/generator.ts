import type { SokobanSpec } from "#trainer/spec/environment.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { playReverse, type Difficulty } from "./reversePlay.ts";
import { directions, isSolved, offset, withTargets, type Ground, type Position } from "./room.ts";
import { carveGround, openGround, pick } from "./topology.ts";

export type Room = { ground: Ground; position: Position };

/**
 * A solvable, unsolved room. An attempt fails when the ground is too small or no box could be pulled away; the next
 * one draws from its own stream. Hard corners of the specification (four boxes in nine cells, a search of one level)
 * have no room by the original rules: after `patience` attempts the search is deepened, then the ground opened.
 */
export function generateRoom(spec: SokobanSpec, seed: number): Room {
  for (let attempt = 0; attempt < 3 * patience; attempt++) {
    const room = attemptRoom(spec, attempt, split(seed, "sokoban", "room", attempt));
    if (room !== undefined) return room;
  }
  throw new Error(`no room of size ${spec.size} with ${spec.numBoxes} boxes after ${3 * patience} attempts`);
}

const patience = 40;

function attemptRoom({ size, numBoxes, searchDepth }: SokobanSpec, attempt: number, rng: Rng): Room | undefined {
  const placed = place(attempt < 2 * patience ? carveGround(size, rng) : openGround(size), numBoxes, rng);
  if (placed === undefined) return undefined;
  const difficulty: Difficulty = {
    searchDepth: attempt < patience ? searchDepth : Math.max(searchDepth, 30),
    uncoversAll: attempt < 2 * patience,
  };
  const { position, displacement } = playReverse(placed.ground, placed.player, difficulty);
  if (displacement === 0 || isSolved(placed.ground, position)) return undefined;
  return { ground: placed.ground, position: strollAway(placed.ground, position, { displacement, rng }) };
}

/** The player, then the targets, each uniformly on free floor; nothing if that would leave no room to move. */
function place(ground: Ground, numBoxes: number, rng: Rng): { ground: Ground; player: number } | undefined {
  const free = [...ground.cells.entries()].filter(([, cell]) => cell === "floor").map(([i]) => i);
  if (free.length <= numBoxes + 1) return undefined;
  const takeOne = () => {
    const cell = pick(free, rng);
    free.splice(free.indexOf(cell), 1);
    return cell;
  };
  const player = takeOne();
  return { player, ground: withTargets(ground, Array.from({ length: numBoxes }, takeOne)) };
}

/** Up to three steps without pushing, so that the player does not always begin behind the box it pulled last (RAGEN). */
function strollAway(
  ground: Ground,
  { player, boxes }: Position,
  { displacement, rng }: { displacement: number; rng: Rng },
): Position {
  const visited = [player];
  let here = player;
  if (rng.next() >= (displacement === 1 ? 0.8 : 0.5)) return { player, boxes };
  for (let i = 0; i < 3; i++) {
    const free = directions
      .map((direction) => here + offset(ground, direction))
      .filter((cell) => ground.cells[cell] !== "wall" && !boxes.includes(cell) && !visited.includes(cell));
    if (free.length === 0) break;
    here = pick(free, rng);
    visited.push(here);
    if (rng.next() >= 0.5) break;
  }
  return { player: here, boxes };
}
