import { z } from "zod";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { makeReplayLog, type ReplayReport } from "../replay.ts";
import { playReverse } from "./reversePlay.ts";
import { directions, withTargets, type Ground, type Position } from "./room.ts";
import { makeSokoban } from "./sokoban.ts";
import { solve } from "./solver.ts";

const Grid = z.array(z.array(z.int().min(0).max(5)));
type Grid = z.infer<typeof Grid>;
const Room = z.object({
  search_depth: z.int(),
  placed: Grid,
  best: Grid,
  displacement: z.number(),
  pull_sequence: z.array(z.int()),
  optimal: z.array(z.int()).optional(),
  trace: z.array(z.object({ a: z.int(), r: z.number(), done: z.boolean(), state: Grid })).optional(),
});
type Room = z.infer<typeof Room>;
/** Of gym-sokoban's generator, which searches 300 levels deep. */
const OriginalRoom = z.object({ placed: Grid, best: Grid, score: z.number() });
type Log = ReturnType<typeof makeReplayLog>;

/** Rooms of gym-sokoban, one a line: reverse play, shortest solution, and the rewards and states of playing it. */
export function replaySokoban(records: readonly unknown[]): ReplayReport {
  const log = makeReplayLog();
  for (const [i, record] of records.entries()) {
    const where = `room ${i + 1}`;
    const original = OriginalRoom.safeParse(record);
    if (original.success) {
      replayOriginal(log, where, original.data);
      continue;
    }
    const room = Room.parse(record);
    replayReversePlay(log, where, room);
    if (room.trace) replayTrace(log, where, { ...room, trace: room.trace });
  }
  return log.report();
}

function replayReversePlay(log: Log, where: string, room: Room): void {
  const { ground, player } = readPlaced(room.placed);
  const plan = { searchDepth: room.search_depth, uncoversAll: true };
  const { position, pulls, displacement } = playReverse(ground, player, plan);
  log.check("reverse play", where, withoutCover(room.best), toGrid(ground, position));
  log.check("displacement", where, room.displacement, displacement);
  const ours = pulls.map((pull) => directions.indexOf(pull));
  log.check("pulls", where, room.pull_sequence, ours);
}

function replayOriginal(log: Log, where: string, { placed, best, score }: z.infer<typeof OriginalRoom>): void {
  const { ground, player } = readPlaced(placed);
  const found = playReverse(ground, player, { searchDepth: 300, uncoversAll: true, isOriginal: true });
  log.check("original generator", where, withoutCover(best), toGrid(ground, found.position));
  log.check("original score", where, score, found.score);
}

/** Boxes on targets and off them alike. */
function withoutCover(grid: Grid): Grid {
  return grid.map((row) => row.map((code) => (code === codes.boxOnTarget ? codes.box : code)));
}

function replayTrace(
  log: Log,
  where: string,
  { placed, best, optimal, trace }: Room & { trace: NonNullable<Room["trace"]> },
) {
  const { ground } = readPlaced(placed);
  const position = readPosition(best);
  log.check("shortest solution", where, optimal?.length, solve(ground, position)?.length);
  const sokoban = makeSokoban(SokobanSpec.parse({ id: "sokoban", size: ground.size, maxTurns: 15 }));
  let state = { ground, position, turns: 0, steps: 0 };
  for (const [i, { a, r, done, state: recorded }] of trace.entries()) {
    const turn = sokoban.step(state, directions[a - 1] ?? "still");
    const step = `${where}, step ${i + 1}`;
    // Sums of tenths are compared as what they stand for.
    log.check("reward", step, round(r), round(turn.reward));
    log.check("done", step, done, turn.ending !== "ongoing");
    log.check("state", step, recorded, toGrid(ground, turn.state.position, codes.boxOnTarget));
    state = turn.state;
  }
}

function round(x: number): number {
  return Math.round(x * 1e9) / 1e9;
}

/** gym-sokoban's codes of cells. */
const codes = { wall: 0, floor: 1, target: 2, boxOnTarget: 3, box: 4, player: 5 } as const;

function readPlaced(grid: Grid): { ground: Ground; player: number } {
  const cells = grid.flat();
  const walled: Ground = {
    size: grid.length,
    cells: cells.map((code) => (code === codes.wall ? "wall" : "floor")),
    targets: [],
  };
  return { ground: withTargets(walled, indicesOf(cells, [codes.target])), player: cells.indexOf(codes.player) };
}

function readPosition(grid: Grid): Position {
  const cells = grid.flat();
  return { player: cells.indexOf(codes.player), boxes: indicesOf(cells, [codes.boxOnTarget, codes.box]) };
}

function toGrid({ size, cells }: Ground, { player, boxes }: Position, boxOnTarget: number = codes.box): Grid {
  const ours = cells.map((cell, i) => {
    if (i === player) return codes.player;
    if (boxes.includes(i)) return cell === "target" ? boxOnTarget : codes.box;
    return codes[cell];
  });
  return Array.from({ length: size }, (_, row) => ours.slice(row * size, (row + 1) * size));
}

function indicesOf(cells: readonly number[], wanted: readonly number[]): number[] {
  return [...cells.keys()].filter((i) => wanted.includes(cells[i] ?? -1));
}
