import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { playReverse } from "./reversePlay.ts";
import { directions, withTargets, type Ground, type Position } from "./room.ts";
import { makeSokoban } from "./sokoban.ts";
import { solve } from "./solver.ts";

const goldenFile = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "sokoban.jsonl");
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

describe.skipIf(!existsSync(goldenFile))("rooms recorded from the original program", () => {
  const rooms = existsSync(goldenFile)
    ? readFileSync(goldenFile, "utf8")
        .trim()
        .split("\n")
        .map((line) => Room.parse(JSON.parse(line)))
    : [];

  it("are there", () => expect(rooms.length).toBeGreaterThan(100));

  it("come out of reverse play as recorded: position, displacement, pulls", () => {
    for (const room of rooms) {
      const { ground, player } = readPlaced(room.placed);
      const { position, pulls, displacement } = playReverse(ground, player, {
        searchDepth: room.search_depth,
        uncoversAll: true,
      });
      expect(toGrid(ground, position)).toEqual(room.best.map((row) => row.map((cell) => (cell === 3 ? 4 : cell))));
      expect(displacement).toBe(room.displacement);
      expect(pulls.map((pull) => directions.indexOf(pull))).toEqual(room.pull_sequence);
    }
  });

  it("have the recorded shortest solutions, and play with the recorded states and rewards", () => {
    const played = rooms.filter((room) => room.trace !== undefined);
    expect(played.length).toBeGreaterThan(80);
    for (const room of played) {
      const { ground } = readPlaced(room.placed);
      const start = readPosition(room.best);
      expect(solve(ground, start)).toHaveLength(room.optimal?.length ?? -1);
      const sokoban = makeSokoban(SokobanSpec.parse({ id: "sokoban", size: ground.size, maxTurns: 15 }));
      let state = { ground, position: start, turns: 0, steps: 0 };
      for (const { a, r, done, state: recorded } of room.trace ?? []) {
        const turn = sokoban.step(state, directions[a - 1] ?? "still");
        expect(turn.reward).toBeCloseTo(r, 9);
        expect(turn.ending !== "ongoing").toBe(done);
        expect(toGrid(ground, turn.state.position, 3)).toEqual(recorded);
        state = turn.state;
      }
    }
  });
});

/** Codes of gym-sokoban: 0 wall, 1 floor, 2 target, 3 box on target, 4 box, 5 player. */
function readPlaced(grid: Grid): { ground: Ground; player: number } {
  const cells = grid.flat();
  const walled: Ground = {
    size: grid.length,
    cells: cells.map((code) => (code === 0 ? "wall" : "floor")),
    targets: [],
  };
  return { ground: withTargets(walled, indicesOf(cells, [2])), player: cells.indexOf(5) };
}

function readPosition(grid: Grid): Position {
  return { player: grid.flat().indexOf(5), boxes: indicesOf(grid.flat(), [3, 4]) };
}

function toGrid({ size, cells }: Ground, { player, boxes }: Position, boxOnTarget = 4): Grid {
  const codes = cells.map((cell, i) => {
    if (i === player) return 5;
    if (boxes.includes(i)) return cell === "target" ? boxOnTarget : 4;
    return { wall: 0, floor: 1, target: 2 }[cell];
  });
  return Array.from({ length: size }, (_, row) => codes.slice(row * size, (row + 1) * size));
}

function indicesOf(cells: readonly number[], codes: readonly number[]): number[] {
  return [...cells.keys()].filter((i) => codes.includes(cells[i] ?? -1));
}
