import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readTable } from "#server/api/reports/tables.ts";
import { readTrainers } from "#server/config/trainers.ts";
import { readSeries } from "#server/db/points.ts";
import { readCells } from "#server/db/runs.ts";
import { createSweep } from "#server/db/sweeps.ts";
import { toCatalogueUnit } from "#server/domain/external/canonical.ts";
import { makeTranslate } from "#server/domain/external/templates/translate.ts";
import { readLogHistory } from "#server/domain/external/trl.ts";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { parsePlan } from "#server/domain/sweep/plan.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

/** A Python that has `trl` and `mlflow`. */
const python = process.env["ARLARENA_TRL_PYTHON"];
const script = fileURLToPath(new URL("../adapter/testing/grpo.py", import.meta.url));

/** Eight rows per iteration in groups of four, two optimizer steps each. */
const plan = parsePlan(`
name: Two methods of TRL
methods: [grpo, gspo]
environments:
  - id: sokoban
    base:
      rollout: { numGroups: 2, groupSize: 4, maxResponseTokens: 4 }
      update: { minibatchRows: 4, klCoef: 0.01, entropyCoef: 0.001, oldLogProbs: trainer }
      optimizer: { learningRate: 0.003 }
      evaluation: { every: 2 }
      execution: { checkpointEvery: 3 }
      budget: { iterations: 6 }
base: { trainer: { name: trl, options: {} } }
seeds: [0, 1]
`);
const [stepsPerIteration, iterations] = [2, 6];

type Job = { id: string; runId: string; method: string; folder: string };
const Config = z.record(z.string(), z.unknown());
const title = "a sweep of TRL's own runs (skipped unless ARLARENA_TRL_PYTHON names a Python that has trl and mlflow)";

describe.skipIf(!python)(title, () => {
  let studio: HeadlessStudio;
  let sweepId = "";
  let jobs: Job[] = [];
  beforeAll(async () => {
    studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "2" }, () => ({ iterations: 1, everyMs: 1 }));
    const template = { kind: "trl", python, script, arguments: ["--use_cpu", "--per_device_eval_batch_size", "4"] };
    await writeFile(join(studio.home, "trainers.yaml"), JSON.stringify({ trainers: { trl: template } }));
    const translate = makeTranslate(() => readTrainers(studio.home));
    sweepId = await createSweep(studio.database, { plan, expansion: expandPlan(plan, translate) });
    studio.startOrchestrator();
    await studio.untilFinished(4, 900_000);
    const sql =
      `SELECT a.id, a.run_id AS "runId", c.method, a.folder FROM attempt a JOIN run r ON r.id = a.run_id ` +
      `JOIN cell c ON c.id = r.cell_id ORDER BY a.run_id`;
    jobs = (await studio.database.pool.query<Job>(sql)).rows;
  }, 1_500_000);
  afterAll(() => studio.close());

  const logOf = ({ folder }: Job) =>
    readFileSync(join(folder, "events.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => RunEvent.parse(JSON.parse(line)));

  it("has every number of every trainer_state.json at its step, and no other", async () => {
    let numValues = 0;
    for (const job of jobs) {
      const history = readLogHistory(readFileSync(join(job.folder, "output/trainer_state.json"), "utf8")) ?? [];
      const metrics = logOf(job).filter((event) => event.type === "metrics");
      const names = new Map(
        metrics.flatMap(({ originals = {} }) => Object.entries(originals).map(([name, own]) => [own, name])),
      );
      const expected = new Map<string, Map<number, number>>();
      for (const entry of history) {
        if (typeof entry === "string") continue;
        for (const [key, value] of Object.entries(entry.values)) {
          const name = names.get(key) ?? key;
          const points = expected.get(name) ?? new Map<number, number>();
          expected.set(name, points.set(entry.step, toCatalogueUnit(key, value)));
        }
      }
      // Timings of its own functions are sent, but not part of its state.
      const sent = metrics.flatMap(({ values }) => Object.keys(values)).filter((key) => !key.startsWith("profiling/"));
      const keys = [...new Set([...expected.keys(), ...sent])];
      const series = await readSeries(studio.database.pool, { runIds: [job.runId], keys });
      const stored = new Map(
        series.map(({ key, iterations, values }) => [key, new Map([...iterations].map((at, i) => [at, values[i]]))]),
      );
      expect(stored, job.runId).toEqual(expected);
      for (const points of stored.values()) numValues += points.size;
    }
    console.log(`${numValues} values of ${jobs.length} runs are those of trainer_state.json`);
    expect(jobs).toHaveLength(4);
    expect(numValues).toBeGreaterThan(1000);
  });

  it("samples and updates in the plan's groups, and keeps the plan's checkpoints", () => {
    for (const { folder, method } of jobs) {
      const output = join(folder, "output");
      const config = Config.parse(JSON.parse(readFileSync(join(output, "config.json"), "utf8")));
      expect(config).toMatchObject({
        num_generations: 4,
        generation_batch_size: 8,
        steps_per_generation: 2,
        max_steps: iterations * stepsPerIteration,
        learning_rate: 0.003,
        beta: 0.01,
        entropy_coef: 0.001,
        use_bias_correction_kl: false,
        importance_sampling_level: method === "GSPO" ? "sequence" : "token",
      });
      const lines = readFileSync(join(output, "groups.jsonl"), "utf8").trim().split("\n");
      const calls = lines.map((line) => z.array(z.number()).parse(JSON.parse(line)));
      // Training: as many groups as an iteration has. Evaluation: one completion per task.
      expect(calls.filter((groups) => groups[0] === 4)).toEqual(Array.from({ length: iterations }, () => [4, 4]));
      expect(new Set(calls.filter((groups) => groups[0] !== 4).flat())).toEqual(new Set([1]));
      const checkpoints = readdirSync(output).filter((name) => name.startsWith("checkpoint-"));
      expect(checkpoints.toSorted()).toEqual(["checkpoint-12", "checkpoint-6"]);
    }
  });

  it("is as long as its steps, of which an iteration has several", async () => {
    const cells = await readCells(studio.database, { sweepIds: [sweepId] });
    expect(cells.map((cell) => cell.iterations)).toEqual([12, 12]);
  });

  it("fills the table with evaluations, as often as planned", async () => {
    const keys = ["evaluation/successRate", "evaluation/returnMean"];
    const series = await readSeries(studio.database.pool, { runIds: jobs.map(({ runId }) => runId), keys });
    expect(series.map(({ iterations: at }) => [...at])).toEqual(jobs.flatMap(() => keys).map(() => [0, 4, 8, 12]));
    const table = await readTable(studio.database, {
      kind: "final",
      sweepIds: [sweepId],
      metric: "evaluation/successRate",
    });
    expect(JSON.stringify(table)).toContain("GSPO");
    expect(table.rows).toHaveLength(2);
  });
});
