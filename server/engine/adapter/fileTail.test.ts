import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeLineCutter, tailTrainerState } from "./fileTail.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-tail-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("reads what a trainer logs after it restarted from an earlier checkpoint", async () => {
  const path = join(folder, "trainer_state.json");
  const read: string[] = [];
  const tail = tailTrainerState(path, (entry) => {
    read.push(typeof entry === "string" ? entry : `${entry.step}: ${entry.values["loss"]}`);
  });
  const look = async (losses: readonly number[]) => {
    read.length = 0;
    const history = losses.map((loss, i) => ({ step: i + 1, loss }));
    await writeFile(path, JSON.stringify({ log_history: history }));
    await tail.look();
    return [...read];
  };
  expect(await look([0.5, 0.41, 0.32, 0.23])).toEqual(["1: 0.5", "2: 0.41", "3: 0.32", "4: 0.23"]);
  expect(await look([0.5, 0.41])).toEqual([]);
  expect(await look([0.5, 0.41, 0.38])).toEqual(["3: 0.38"]);
  expect(await look([0.5, 0.41, 0.38, 0.2])).toEqual(["4: 0.2"]);
  // Between two looks, the trainer restarted and logged more than before.
  expect(await look([0.5, 0.6, 0.7, 0.8, 0.9])).toEqual(["2: 0.6", "3: 0.7", "4: 0.8", "5: 0.9"]);
});

it.each([
  ["\n", 3],
  ["\r\n", 3],
  ["\r", 2],
])("drops a line that is too long to its end, and says so, with %j", (lineEnd, numberAfter) => {
  const lines: [string, number][] = [];
  const long: string[] = [];
  const cutter = makeLineCutter({
    onLine: (line, number) => lines.push([line, number]),
    onLong: (text) => long.push(text),
  });
  const push = (text: string) => cutter.push(Buffer.from(text));
  push("first\n");
  for (let i = 0; i < 5; i++) push("x".repeat(1 << 19));
  push(`rest of it${lineEnd}`);
  push("next\n");
  cutter.end();
  expect(lines).toEqual([
    ["first", 1],
    ["next", numberAfter],
  ]);
  expect(long).toEqual([`${"x".repeat(80)}… (a line may have 1,048,576 characters)`]);
});
