import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readTable } from "#server/api/publish/tables.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readCells } from "#server/db/runs/runs.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { toCatalogueUnit, makeTranslate, readLogHistory } from "#packages/trainers";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

/** A Python that has `trl`, `accelerate` and `mlflow`. */
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

type Job = { id: string; runId: string; method: string; folder: string; number: number };
const Config = z.record(z.string(), z.unknown());
const title =
  "a sweep of TRL's own runs (skipped unless ARLARENA_TRL_PYTHON names a Python that has trl, accelerate and mlflow)";

describe.skipIf(!python)(title, () => {
  let studio: HeadlessStudio;
  let sweepId = "";
  /** The last attempt of each run. */
  let jobs: Job[] = [];
  let killed: Job;
  beforeAll(async () => {
    studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "2" }, () => ({ iterations: 1, everyMs: 1 }));
    const launcher = `${join(dirname(python ?? ""), "accelerate")} launch --cpu --num_processes 1`;
    const template = {
      kind: "trl",
      python: launcher,
      script,
      arguments: ["--use_cpu", "--per_device_eval_batch_size", "4"],
    };
    await writeFile(join(studio.home, "trainers.yaml"), JSON.stringify({ trainers: { trl: template } }));
    const translate = makeTranslate(() => readTrainers(studio.home));
    sweepId = await createSweep(studio.database, { plan, expansion: expandPlan(plan, translate) });
    studio.startOrchestrator();
    killed = await killAfterCheckpoint(1_200_000);
    await studio.untilFinished(4, 1_200_000);
    jobs = await listJobs();
  }, 2_500_000);
  afterAll(() => studio.close());

  const listJobs = async (): Promise<Job[]> => {
    const sql =
      `SELECT DISTINCT ON (a.run_id) a.id, a.run_id AS "runId", a.number, c.method, a.folder FROM attempt a ` +
      `JOIN run r ON r.id = a.run_id JOIN cell c ON c.id = r.cell_id ORDER BY a.run_id, a.number DESC`;
    return (await studio.database.pool.query<Job>(sql)).rows;
  };

  /** kill -9 of a job's whole tree of processes, as soon as a run has a checkpoint to go on from. */
  const killAfterCheckpoint = async (withinMs: number): Promise<Job> => {
    const endMs = Date.now() + withinMs;
    while (Date.now() < endMs) {
      const job = (await listJobs()).find(({ folder }) =>
        existsSync(join(folder, "output/checkpoint-6/trainer_state.json")),
      );
      const [started] = job ? logOf(job) : [];
      if (job && started?.type === "started") {
        for (const pid of treeOf(started.pid)) process.kill(pid, "SIGKILL");
        return job;
      }
      await sleep(50);
    }
    throw new Error("no run wrote a checkpoint");
  };

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
    for (const { folder, method, number } of jobs) {
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
      const isResumed = number > 1;
      // Training: as many groups as an iteration has. Evaluation: one completion per task.
      const numTrained = isResumed ? iterations / 2 : iterations;
      expect(calls.filter((groups) => groups[0] === 4)).toEqual(Array.from({ length: numTrained }, () => [4, 4]));
      expect(new Set(calls.filter((groups) => groups[0] !== 4).flat())).toEqual(new Set([1]));
      const checkpoints = readdirSync(output).filter((name) => name.startsWith("checkpoint-"));
      expect(checkpoints.toSorted()).toEqual(isResumed ? ["checkpoint-12"] : ["checkpoint-12", "checkpoint-6"]);
    }
  });

  it("resumes the run that was killed from its checkpoint, and no other run was tried twice", () => {
    const resumed = jobs.filter(({ number }) => number > 1);
    expect(resumed.map(({ runId, number }) => [runId, number])).toEqual([[killed.runId, 2]]);
    for (const job of resumed) {
      const [started] = logOf(job);
      expect(started).toMatchObject({ type: "started", firstIteration: 7 });
      const isTrained = (keys: string[]) => keys.includes("update/gradientNorm");
      const steps = logOf(job).flatMap((event) =>
        event.type === "metrics" && isTrained(Object.keys(event.values)) ? [event.iteration] : [],
      );
      expect(steps.toSorted((a, b) => a - b)).toEqual([7, 8, 9, 10, 11, 12]);
    }
  });

  it("is as long as its steps, of which an iteration has several", async () => {
    const cells = await readCells(studio.database, { sweepIds: [sweepId] });
    expect(cells.map((cell) => cell.iterations)).toEqual([12, 12]);
  });

  it("fills the table with evaluations, as often as planned", async () => {
    const keys = ["evaluation/successRate", "evaluation/returnMean"];
    const series = await readSeries(studio.database.pool, { runIds: jobs.map(({ runId }) => runId), keys });
    expect(series.map(({ iterations: at }) => [...at])).toEqual(
      // TRL evaluates at its start, that of a resumption too.
      jobs.flatMap(({ number }) => keys.map(() => (number > 1 ? [0, 4, 6, 8, 12] : [0, 4, 8, 12]))),
    );
    const table = await readTable(studio.database, {
      kind: "final",
      sweepIds: [sweepId],
      metric: "evaluation/successRate",
    });
    expect(JSON.stringify(table)).toContain("GSPO");
    expect(table.rows).toHaveLength(2);
  });
});

/** A process and all that descend from it. */
function treeOf(root: number): number[] {
  const children = readdirSync("/proc").flatMap((name) => {
    const stat =
      /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`) ? readFileSync(`/proc/${name}/stat`, "utf8") : "";
    const [, parent = ""] = /^.*\) \S (\d+) /.exec(stat) ?? [];
    return Number(parent) === root ? [Number(name)] : [];
  });
  return [root, ...children.flatMap(treeOf)];
}
