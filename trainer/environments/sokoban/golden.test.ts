import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replaySokoban } from "./replay.ts";

const goldenFile = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "sokoban.jsonl");

describe.skipIf(!existsSync(goldenFile))("rooms recorded from the original program", () => {
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
