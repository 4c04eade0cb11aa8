import { z } from "zod";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { makeReplayLog, type Check, type ReplayReport } from "../../testing/replayLog.ts";
import { playReverse } from "../reversePlay.ts";
import { directions, withTargets, type Ground, type Position } from "../room.ts";
import { makeSokoban } from "../sokoban.ts";
import { solve } from "../solver.ts";

const Grid = z.array(z.array(z.int().min(0).max(5)));
type Grid = z.infer<typeof Grid>;
const Room = z.object({
  search_depth: z.int(),
  dim: z.tuple([z.int(), z.int()]).optional(),
  boxes: z.int().optional(),
  placed: Grid,
  best: Grid,
  displacement: z.number(),
  pull_sequence: z.array(z.int()),
  optimal: z.array(z.int()).optional(),
  trace: z.array(z.object({ a: z.int(), r: z.number(), done: z.boolean(), state: Grid })).optional(),
});
type Room = z.infer<typeof Room>;
/** Schema of a recorded room from gym-sokoban's own generator, which searches 300 levels deep. */
const OriginalRoom = z.object({ placed: Grid, best: Grid, score: z.number() });

/** Replays recorded rooms of gym-sokoban, one per record: reverse play, a shortest solution, rewards and states. */
export function replaySokoban(records: readonly unknown[]): ReplayReport {
  const log = makeReplayLog();
  const usualDepth = findUsualDepths(records);
  for (const [i, record] of records.entries()) {
    const where = `room ${i + 1}`;
    const original = OriginalRoom.safeParse(record);
    if (original.success) {
      replayOriginal(original.data, log.at(where));
      continue;
    }
    const room = Room.parse(record);
    checkSettings(room, { check: log.at(where), usualDepth });
    replayReversePlay(room, log.at(where));
    if (room.trace)
      replayTrace({ ...room, trace: room.trace }, (step) =>
        log.at(step === undefined ? where : `${where}, step ${step}`),
      );
  }
  return log.report();
}

type Settings = { check: Check; usualDepth: ReadonlyMap<string, number> };

/**
 * Compares the recorded size and number of boxes with the room's grid. Compares the search depth with the most
 * frequent one of rooms of this size and number of boxes, since several depths can give one room.
 */
function checkSettings(room: Room, { check, usualDepth }: Settings): void {
  const { placed, dim, boxes } = room;
  if (dim) check("size", dim, [placed.length, placed[0]?.length]);
  if (boxes !== undefined) check("boxes", boxes, readPlaced(placed).ground.targets.length);
  check("search depth", room.search_depth, usualDepth.get(kindOf(room)));
}

/** Returns the search depth that is recorded for the largest number of rooms, by room size and number of boxes. */
function findUsualDepths(records: readonly unknown[]): ReadonlyMap<string, number> {
  const rooms = records.flatMap((record) => Room.safeParse(record).data ?? []);
  const depths = new Map<string, number[]>();
  for (const room of rooms) depths.set(kindOf(room), [...(depths.get(kindOf(room)) ?? []), room.search_depth]);
  return new Map([...depths].map(([kind, all]) => [kind, mostFrequent(all)]));
}

function mostFrequent(values: readonly number[]): number {
  const count = (value: number) => values.filter((one) => one === value).length;
  return values.reduce((best, value) => (count(value) > count(best) ? value : best), values[0] ?? 0);
}

function kindOf({ placed }: Pick<Room, "placed">): string {
  return `${placed.length} ${readPlaced(placed).ground.targets.length}`;
}

function replayReversePlay(room: Room, check: Check): void {
  const { ground, player } = readPlaced(room.placed);
  const plan = { searchDepth: room.search_depth, uncoversAll: true };
  const { position, pulls, displacement } = playReverse(ground, player, plan);
  check("reverse play", withoutCover(room.best), toGrid(ground, position));
  check("displacement", room.displacement, displacement);
  const ours = pulls.map((pull) => directions.indexOf(pull));
  check("pulls", room.pull_sequence, ours);
}

function replayOriginal({ placed, best, score }: z.infer<typeof OriginalRoom>, check: Check): void {
  const { ground, player } = readPlaced(placed);
  const found = playReverse(ground, player, { searchDepth: 300, uncoversAll: true, isOriginal: true });
  check("original generator", withoutCover(best), toGrid(ground, found.position));
  check("original score", score, found.score);
}

/** Replaces the code of a box on a target by the code of a plain box. */
function withoutCover(grid: Grid): Grid {
  return grid.map((row) => row.map((code) => (code === codes.boxOnTarget ? codes.box : code)));
}

function replayTrace(
  { placed, best, optimal, trace }: Room & { trace: NonNullable<Room["trace"]> },
  checkAt: (step?: number) => Check,
) {
  const { ground } = readPlaced(placed);
  const position = readPosition(best);
  checkAt()("shortest solution", optimal?.length, solve(ground, position)?.length);
  const sokoban = makeSokoban(SokobanSpec.parse({ id: "sokoban", size: ground.size, maxTurns: 15 }));
  let state = { ground, position, turns: 0, steps: 0 };
  for (const [i, { a, r, done, state: recorded }] of trace.entries()) {
    const turn = sokoban.step(state, directions[a - 1] ?? "still");
    const check = checkAt(i + 1);
    // Rewards are multiples of a tenth; rounding removes their floating-point errors before the comparison.
    check("reward", round(r), round(turn.reward));
    check("done", done, turn.ending !== "ongoing");
    check("state", recorded, toGrid(ground, turn.state.position, codes.boxOnTarget));
    state = turn.state;
  }
}

function round(x: number): number {
  return Math.round(x * 1e9) / 1e9;
}

/** Integer codes that gym-sokoban uses for cells. */
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
