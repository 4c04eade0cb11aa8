import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { onlyKnown } from "./earlier.ts";
import { knownIteration } from "./submit.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "arlarena-earlier-"));
  mkdirSync(join(folder, "1/checkpoints"), { recursive: true });
  for (const name of ["iteration-00000005", "iteration-00000010", "reference"]) {
    writeFileSync(join(folder, "1/checkpoints", `${name}.safetensors`), name);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  [4, undefined],
  [5, ["iteration-00000005.safetensors", "reference.safetensors"]],
  [10, ["iteration-00000005.safetensors", "iteration-00000010.safetensors", "reference.safetensors"]],
])("an attempt goes on from no checkpoint later than iteration %i, the last that is known", (known, names) => {
  const found = onlyKnown({ path: join(folder, "1"), into: join(folder, "2/earlier/0"), known });
  expect(found && readdirSync(join(found, "checkpoints")).toSorted()).toEqual(names);
  if (found) expect(readFileSync(join(found, "checkpoints/reference.safetensors"), "utf8")).toBe("reference");
});

it("what is known of an attempt is the last iteration that its log here has whole", async () => {
  expect(await knownIteration(join(folder, "1"))).toBe(0);
  const head = { v: 1, seq: 0, atMs: 1 };
  const line = (iteration: number) =>
    JSON.stringify({ ...head, type: "metrics", iteration, optimizerStep: iteration, values: { "policy/entropy": 1 } });
  const note = JSON.stringify({ ...head, type: "note", level: "warning", text: "late" });
  writeFileSync(join(folder, "1/events.jsonl"), `${line(6)}\n${line(7)}\n${note}\n${line(8).slice(0, -4)}`);
  expect(await knownIteration(join(folder, "1"))).toBe(7);
});
