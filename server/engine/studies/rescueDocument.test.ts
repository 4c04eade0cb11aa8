import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { originOf } from "#trainer/spec/origin.ts";
import { CellSpec, type RunSpec } from "#trainer/spec/run.ts";
import { StudyHead } from "./studyFile.ts";
import { StudyLines } from "./studyLines.ts";

const here = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Reads the specifications of all runs that a study's branches continue, by run. */
async function readOriginSpecs(name: string): Promise<[string, RunSpec][]> {
  const lines = new StudyLines(here(`studies/rescue/${name}.arlarena`));
  const head = StudyHead.parse(JSON.parse(await lines.next()));
  await lines.close();
  const origins = head.sweeps.flatMap(({ cells }) => cells.flatMap(({ spec }) => originOf(CellSpec.parse(spec)) ?? []));
  return origins.map(({ run, spec }) => [run, spec]);
}

it("docs/rescue.md states the setting of its runs in its first sentence", async () => {
  const all = new Map([...(await readOriginSpecs("sokoban")), ...(await readOriginSpecs("webshop"))]);
  const specs = [...all.values()];
  const isStale = ({ rollout, update }: RunSpec) =>
    rollout.lag?.kind === "constant" &&
    rollout.lag.k === 16 &&
    rollout.samplerPrecision === "fp8-e4m3" &&
    update.klCoef === 0;
  const configurations = new Set(specs.map((spec) => canonicalJson({ ...spec, seed: null })));
  const others = specs.filter((spec) => !isStale(spec));
  expect([specs.length, configurations.size, others.length]).toEqual([12, 4, 1]);
  expect(others.map(({ rollout, update }) => [rollout.lag, rollout.samplerPrecision, update.klCoef])).toEqual([
    [undefined, undefined, 0.01],
  ]);
  const [, first = ""] = readFileSync(here("docs/rescue.md"), "utf8").split("\n\n");
  expect(first).toMatch(
    /^Eleven of the twelve collapsed runs were sampled by a policy 16 versions old, rounded to fp8, and trained without a KL term;/,
  );
  expect(first).toContain("The twelve runs have four configurations");
});
