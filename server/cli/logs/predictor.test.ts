import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { generateRun, syntheticSize } from "#server/domain/stability/synthetic/generate.ts";
import * as predictor from "./predictor.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-predictor-cli-"));
afterAll(() => rm(folder, { recursive: true }));
const size = syntheticSize;
const train = (numRuns: number, logs: readonly string[] = []) =>
  predictor.train({ folder: join(folder, "model"), numRuns, logs, size });
const apply = (file: string, model = join(folder, "model")) => predictor.apply({ file, model, size });

it("a predictor is trained, described and applied to a log", async () => {
  const trained = await train(5);
  expect(trained.exitCode).toBe(0);
  expect(trained.text).toContain("from 40 made-up runs (20 collapsed) and 0 real ones");
  expect(trained.text).toMatch(/rely on the rules|better than the rules/);

  const { points } = generateRun("C_isBlow", "cli");
  const log = join(folder, "log.jsonl");
  const lines = points.map(({ iteration, values }) => JSON.stringify({ iteration, ...values }));
  await writeFile(log, lines.join("\n"));
  const applied = await apply(log);
  expect(applied.text).toContain("COLLAPSE WITHIN 20");
  expect(applied.json).toMatchObject({ horizon: 20 });
});

it("what is missing is named", async () => {
  expect((await train(1)).text).toContain("too few to learn from: at least 20 and 20");
  expect((await train(5, [join(folder, "none")])).text).toContain("none: no such folder");
  expect(await apply("whatever", join(folder, "empty"))).toMatchObject({ exitCode: 2 });
});
