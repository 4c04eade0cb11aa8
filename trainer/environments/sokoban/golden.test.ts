import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replaySokoban } from "./replay.ts";

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

describe.skipIf(!existsSync(originalFile))("rooms of the original generator, 300 levels deep", () => {
  it("are found by the same search with its rules", () => {
    const lines = readFileSync(originalFile, "utf8").trim().split("\n");
    const { numChecks, numMatched, byKind, firstDifference } = replaySokoban(
      lines.map((line): unknown => JSON.parse(line)),
    );
    console.log(`Sokoban, original generator: matched ${numMatched} of ${numChecks} checks`, byKind);
    expect(firstDifference).toBeUndefined();
    expect([numMatched, byKind["original score"]?.checks]).toEqual([24, 12]);
  });
});
