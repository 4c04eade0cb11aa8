import { taskSeeds } from "#trainer/spec/environment.ts";
import type { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { playReverse, type Difficulty } from "./reversePlay.ts";
import { directions, isSolved, offset, withTargets, type Ground, type Position } from "./room.ts";
import { carveGround, openGround } from "./topology.ts";
import { pick } from "../chance.ts";
import { NoTask } from "../environment.ts";

export type Room = { ground: Ground; position: Position };

/**
 * Generates a solvable, unsolved room. The room's ground (walls, floor, targets) and the seed determine the split,
 * because small rooms repeat: one ground in eight is held out for the seeds of validation. An attempt fails when no
 * box can be pulled away; the next attempt uses another random stream. Extreme settings have no room under
 * gym-sokoban's rules, so later attempts deepen the search, and the last ones remove the inner walls.
 */
export function generateRoom(spec: SokobanSpec, seed: number): Room {
  const wantsHeldOut = seed >= taskSeeds.seen.from;
  for (let attempt = 0; attempt < 3 * patience; attempt++) {
    const rng = split(seed, "sokoban", "room", attempt);
    const difficulty: Difficulty = {
      searchDepth: attempt < patience ? spec.searchDepth : Math.max(spec.searchDepth, 30),
      uncoversAll: attempt < 2 * patience,
    };
    for (let draw = 0; draw < maxDraws; draw++) {
      const ground = attempt < 2 * patience ? carveGround(spec.size, rng) : openGround(spec.size);
      const placed = placeBoxes(ground, spec.numBoxes, rng);
      if (placed === undefined || isHeldOut(placed.ground) !== wantsHeldOut) continue;
      const room = dress(placed, difficulty, rng);
      if (room !== undefined) return room;
      break;
    }
  }
  throw new NoTask(`no room of size ${spec.size} with ${spec.numBoxes} boxes after ${3 * patience} attempts`);
}

const patience = 40;
const maxDraws = 100;

type Placed = { ground: Ground; player: number };

function isHeldOut({ cells }: Ground): boolean {
  return split("held out", cells.map((cell) => cell[0]).join("")).int(8) === 0;
}

/** Moves the boxes off their targets by reverse play and returns the room. Undefined if that is impossible. */
function dress({ ground, player }: Placed, difficulty: Difficulty, rng: Rng): Room | undefined {
  const { position, displacement } = playReverse(ground, player, difficulty);
  if (displacement === 0 || isSolved(ground, position)) return undefined;
  return { ground, position: strollAway(ground, position, { displacement, rng }) };
}

/** Samples the cells of the player and the targets uniformly from the floor. Undefined if no free cell would remain. */
function placeBoxes(ground: Ground, numBoxes: number, rng: Rng): Placed | undefined {
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

/** Moves the player up to three steps without pushing, so that episodes begin in different places (RAGEN). */
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
