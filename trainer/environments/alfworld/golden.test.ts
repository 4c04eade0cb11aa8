import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replayAlfworld } from "./replay.ts";

const folder = process.env.ARLARENA_GOLDEN ?? "../shared/golden";
const files = ["alfworld_11.jsonl", "alfworld_12.jsonl"].map((name) => path.join(folder, name));

describe.skipIf(!files.every((file) => existsSync(file)))("recorded games of ALFWorld", () => {
  it.each(files)("%s: the same observations, admissible actions and endings at every step", (file) => {
    const records = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const { numChecks, numMatched, firstDifference } = replayAlfworld(records);
    console.log(`${path.basename(file)}: matched ${numMatched} of ${numChecks} checks`);
    expect(firstDifference).toBeUndefined();
    expect(numChecks).toBeGreaterThan(500);
    expect(numMatched).toBe(numChecks);
  });
});
