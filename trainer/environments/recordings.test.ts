import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compareRecordings } from "./testing/compareRecordings.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recordings-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

const wall = [0, 0, 0, 0, 0];
const placed = [wall, [0, 5, 1, 1, 0], [0, 2, 1, 1, 0], wall, wall];
const room = { search_depth: 0, placed, best: placed, displacement: 7, pull_sequence: [] };

it.each([
  ["line by line", `${JSON.stringify(room)}\n`],
  ["as one list", JSON.stringify([room])],
])("recordings written %s are compared, and the first difference is shown", async (_, text) => {
  const { numChecks, numMatched, firstDifference } = await compareRecordings("sokoban", [await file("a.jsonl", text)]);
  expect(numChecks).toBe(4);
  expect(numMatched).toBeLessThan(4);
  expect(firstDifference).toMatch(/room 1, .*: recorded .*, we have/);
});

it("recordings that are none are refused by line or by field", async () => {
  const broken = await file("broken.jsonl", '{"a": 1}\n{"b"');
  await expect(compareRecordings("sokoban", [broken])).rejects.toThrow("broken.jsonl, line 2: not valid JSON");
  const foreign = await file("foreign.jsonl", '{"a": 1}\n');
  await expect(compareRecordings("sokoban", [foreign])).rejects.toThrow("placed");
});
