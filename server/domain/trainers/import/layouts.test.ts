import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { couldBeLog } from "./nameFile.ts";
import { planImport } from "./planImport.ts";
import { readForeignFile } from "./readForeignFile.ts";

const cases = join(process.env["ARLARENA_CASES"] ?? "../shared/cases", "logs4");

/** Reads the files that an import of the folder would take, under their whole paths. */
function readFolder(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && couldBeLog(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((fileName) => ({ fileName, file: readForeignFile(fileName, readFileSync(fileName)) }));
}

/** Plans an import and returns a line for each run: method, environment, seed, last step and last value. */
function planOf(files: Parameters<typeof planImport>[0], metric = "rollout/successRate"): string[] {
  const { cells, runs } = planImport(files);
  return runs
    .map(({ cellIndex, seed, run: { points } }) => {
      const { method, spec } = cells[cellIndex] ?? {};
      const last = points.at(-1);
      const value = Number(last?.values[metric]?.toFixed(4));
      return `${method} on ${spec?.environment.id}, seed ${seed}: ${value} at step ${last?.iteration}`;
    })
    .sort();
}

describe.skipIf(!existsSync(cases))("folders of users (needs the folder of cases)", () => {
  it.each([
    [
      "percent-siblings",
      [
        "GRPO on webshop, seed 0: 0.34 at step 10",
        "GRPO on webshop, seed 1: 0.31 at step 10",
        "GRPO on webshop, seed 2: 0.008 at step 10",
      ],
    ],
    [
      "zero-seeds",
      [
        "GRPO on sokoban, seed 0: 0 at step 10",
        "GRPO on sokoban, seed 1: 0 at step 10",
        "GRPO on sokoban, seed 2: 0 at step 10",
        "GRPO on sokoban, seed 3: 0.93 at step 10",
        "GRPO on sokoban, seed 4: 0.94 at step 10",
      ],
    ],
  ])("%s", (folder, wanted) => expect(planOf(readFolder(join(cases, folder)))).toEqual(wanted));

  it.each([
    ["trl-two-nodes", 8, 0.28, undefined],
    ["trl-requeued", 16, 0.516, 0.509],
  ])("%s", (folder, numSteps, last, ninth) => {
    const [run] = planImport(readFolder(join(cases, folder))).runs;
    const points = run?.run.points ?? [];
    expect(points.map(({ iteration }) => iteration)).toEqual(Array.from({ length: numSteps }, (_, i) => i + 1));
    expect(points.at(-1)?.values["rollout/returnMean"]).toBe(last);
    expect(points[8]?.values["rollout/returnMean"]).toBe(ninth);
  });
});
