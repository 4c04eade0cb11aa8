import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replaySokoban } from "./testing/replay.ts";

const folder = process.env.ARLARENA_GOLDEN ?? "../shared/golden";
const goldenFile = path.join(folder, "sokoban.jsonl");
const originalFile = path.join(folder, "sokoban_original_gen.jsonl");

describe.skipIf(!existsSync(goldenFile))("rooms recorded from the original program (needs ../shared/golden)", () => {
  it("replay as recorded: reverse play, shortest solutions, rewards, endings and states", () => {
    const lines = readFileSync(goldenFile, "utf8").trim().split("\n");
    const { numChecks, numMatched, byKind, firstDifference } = replaySokoban(
      lines.map((line): unknown => JSON.parse(line)),
    );
    console.log(`Sokoban: matched ${numMatched} of ${numChecks} checks`, byKind);
    expect(firstDifference).toBeUndefined();
    expect(numMatched).toBe(numChecks);
    expect(byKind["reverse play"]?.checks).toBeGreaterThan(100);
    expect(byKind["shortest solution"]?.checks).toBeGreaterThan(80);
  });
});

describe("a recording that was altered", () => {
  const wall = [0, 0, 0, 0, 0, 0];
  const room = {
    dim: [6, 6],
    boxes: 1,
    search_depth: 30,
    placed: [wall, wall, wall, [0, 5, 1, 0, 0, 0], [0, 2, 1, 0, 0, 0], wall],
    best: [wall, wall, wall, [0, 5, 1, 0, 0, 0], [0, 4, 1, 0, 0, 0], wall],
    displacement: 0,
    pull_sequence: [],
  };
  const replay = (change: Partial<typeof room>) => replaySokoban([room, room, { ...room, ...change }]).firstDifference;

  it("is noticed in what the room was made with, though the room is the same", () => {
    expect(replay({})).toBeUndefined();
    expect(replay({ search_depth: 29 })).toBe("room 3, search depth: recorded 29, we have 30");
    expect(replay({ boxes: 2 })).toBe("room 3, boxes: recorded 2, we have 1");
    expect(replay({ dim: [7, 7] })).toBe("room 3, size: recorded [7,7], we have [6,6]");
  });
});

describe.skipIf(!existsSync(originalFile))(
  "rooms of the original generator, 300 levels deep (needs ../shared/golden)",
  () => {
    it("are found by the same search with its rules", () => {
      const lines = readFileSync(originalFile, "utf8").trim().split("\n");
      const { numChecks, numMatched, byKind, firstDifference } = replaySokoban(
        lines.map((line): unknown => JSON.parse(line)),
      );
      console.log(`Sokoban, original generator: matched ${numMatched} of ${numChecks} checks`, byKind);
      expect(firstDifference).toBeUndefined();
      expect([numMatched, byKind["original score"]?.checks]).toEqual([24, 12]);
    });
  },
);
