import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readTable } from "#server/api/publish/answers.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { withOrigins } from "#server/api/runs/charts.ts";
import { readLoggedPoints, readSeries } from "#server/db/runs/points.ts";
import { readOrigin } from "#server/db/plan/origins.ts";
import { readCells } from "#server/db/runs/runs.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { toCatalogueUnit, makeTranslate, readLogHistory } from "#packages/trainers";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { planBranches } from "#server/domain/plan/sweep/branchPlan.ts";
import { parsePlan, type SweepPlan, toYaml } from "#server/domain/plan/sweep/plan.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

/** Python with `trl`, `accelerate` and `mlflow`. */
const python = process.env["ARLARENA_TRL_PYTHON"];
const script = fileURLToPath(new URL("../adapter/testing/grpo.py", import.meta.url));

/** Each iteration has eight rows in groups of four, and two optimizer steps. */
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
const why = "(skipped unless ARLARENA_TRL_PYTHON names a Python that has trl, accelerate and mlflow)";

async function makeStudio(command: string): Promise<HeadlessStudio> {
  const studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "2" }, () => ({ iterations: 1, everyMs: 1 }));
  const template = {
    kind: "trl",
    python: command,
    script,
    arguments: ["--use_cpu", "--per_device_eval_batch_size", "4"],
    modelArgument: "--model_name_or_path",
  };
  await writeFile(join(studio.home, "trainers.yaml"), JSON.stringify({ trainers: { trl: template } }));
  return studio;
}

describe.skipIf(!python)(`a sweep of TRL's own runs ${why}`, () => {
  let studio: HeadlessStudio;
  let sweepId = "";
  /** Last attempt of each run. */
  let jobs: Job[] = [];
  let killed: Job;
  beforeAll(async () => {
    studio = await makeStudio(`${join(dirname(python ?? ""), "accelerate")} launch --cpu --num_processes 1`);
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

  /** Kills all processes of a job with SIGKILL, as soon as the job has a checkpoint from which it can resume. */
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
      // TRL logs timings of its own functions, which are not part of its state.
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
      // In training, a call has as many groups as an iteration. In an evaluation, it has one completion per task.
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
      // TRL evaluates at its start, also when it resumes.
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

describe.skipIf(!python)(`branches of TRL's runs ${why}`, () => {
  let studio: HeadlessStudio;
  const runs = new Map<string, { id: string; folder: string; attempts: number; reason: string | null }>();
  const [step, rate] = [6, 0.0006];
  beforeAll(async () => {
    studio = await makeStudio(python ?? "");
    const translate = makeTranslate(() => readTrainers(studio.home));
    const launch = async (made: SweepPlan): Promise<string[]> => {
      const id = await createSweep(studio.database, { plan: made, expansion: expandPlan(made, translate) });
      const rows = await studio.database.pool.query<{ id: string }>(
        `SELECT r.id FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.sweep_id = $1 ORDER BY c."index", r.seed`,
        [id],
      );
      return rows.rows.map((row) => row.id);
    };
    const [origin = ""] = await launch(parsePlan(toYaml({ ...plan, methods: plan.methods.slice(0, 1), seeds: [5] })));
    studio.startOrchestrator();
    await studio.untilFinished(1, 300_000);
    const from = await readOrigin(studio.database, origin);
    const request = { kind: "branch", iteration: step, continuations: 1, changes: {} } as const;
    const changed = { ...request, changes: { "optimizer.learningRate": [rate], "evaluation.every": [1] } };
    const [same = "", other = ""] = await launch(planBranches(from, { ...request, continuations: 2 }));
    const [lower = ""] = await launch(planBranches(from, changed));
    const [missing = ""] = await launch(planBranches(from, { ...request, iteration: 4 }));
    const [start = ""] = await launch(planBranches(from, { ...request, kind: "run" }));
    const ids = { origin, same, other, lower, missing, start };
    await studio.untilFinished(5, 300_000);
    expect(await studio.countRuns("failed")).toBe(1);
    for (const [name, id] of Object.entries(ids)) {
      const { rows } = await studio.database.pool.query<{ folder: string; attempts: number; reason: string | null }>(
        `SELECT a.folder, count(*) OVER ()::int AS attempts, r.reason FROM attempt a JOIN run r ON r.id = a.run_id WHERE r.id = $1 ORDER BY a.number DESC`,
        [id],
      );
      const [row] = rows;
      if (row) runs.set(name, { ...row, id });
    }
  }, 700_000);
  afterAll(() => studio.close());

  const named = (name: string) => runs.get(name) ?? { id: "", folder: "", attempts: 0, reason: null };
  /** Reads the trained values by step, without timings. */
  const trained = (name: string) => {
    const history = readLogHistory(readFileSync(join(named(name).folder, "output/trainer_state.json"), "utf8")) ?? [];
    return new Map(
      history.flatMap((entry) => {
        if (typeof entry === "string" || !("grad_norm" in entry.values)) return [];
        const values = Object.entries(entry.values).filter(([key]) => !/time|epoch|speed|per_second/.test(key));
        return [[entry.step, Object.fromEntries(values)] as const];
      }),
    );
  };
  const later = (all: ReturnType<typeof trained>) => [...all].filter(([at]) => at > step);

  it("equal their run where nothing is changed, and draw anew in another continuation", () => {
    expect(later(trained("same"))).toHaveLength(6);
    expect(later(trained("same"))).toEqual(later(trained("origin")));
    expect(trained("other").get(7)).not.toEqual(trained("origin").get(7));
  });

  it("train with the learning rate of the plan from the first step on, and evaluate as often as it says", () => {
    const rates = (name: string) => later(trained(name)).map(([, values]) => values["learning_rate"]);
    expect(rates("origin")).toEqual(Array(6).fill(0.003));
    expect(rates("lower")).toEqual(Array(6).fill(rate));
    // The branch's first batch equals the origin's; its update is a fifth as large.
    expect(trained("lower").get(7)?.["reward"]).toBe(trained("origin").get(7)?.["reward"]);
    expect(trained("lower").get(9)).not.toEqual(trained("origin").get(9));
  });

  it("have the origin's curve in front, on charts and for the detector", async () => {
    const [origin, lower] = ["origin", "lower"].map((name) => named(name).id);
    const { pool } = studio.database;
    const keys = ["update/gradientNorm"];
    const series = await readSeries(pool, { runIds: [origin ?? "", lower ?? ""], keys });
    const [own, branch] = [origin, lower].map((id) => series.find(({ runId }) => runId === id));
    expect([...(branch?.iterations ?? [])]).toEqual([7, 8, 9, 10, 11, 12]);
    const [joined] = await withOrigins(studio.database, branch ? [branch] : [], { runIds: [lower ?? ""], keys });
    expect([...(joined?.iterations ?? [])]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect([...(joined?.values ?? [])].slice(0, 6)).toEqual([...(own?.values ?? [])].slice(0, 6));
    const points = await readLoggedPoints(pool, lower ?? "");
    expect(points.map(({ iteration }) => iteration)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it("say in their first lines where the checkpoint is, or that there is none", () => {
    const lines = (name: string) => readFileSync(join(named(name).folder, "events.jsonl"), "utf8");
    expect(lines("lower")).toContain(
      `"origin":{"kind":"branch","run":"${named("origin").id}","iteration":6,"continuation":0}`,
    );
    expect(lines("lower")).toContain(`lr ${rate}`);
    expect(lines("missing")).toContain(`has no checkpoint of step 4`);
    expect(lines("missing")).toContain("begin after 6, 12");
    expect(lines("missing")).not.toContain('"type":"metrics"');
  });

  it("start with the policy alone where the script takes a model", () => {
    expect([...trained("start").keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const lines = readFileSync(join(named("start").folder, "events.jsonl"), "utf8");
    expect(lines).toContain(`the policy is that of ${named("origin").id} after 6`);
  });
});

/** Lists a process and all its descendants. */
function treeOf(root: number): number[] {
  const children = readdirSync("/proc").flatMap((name) => {
    const stat =
      /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`) ? readFileSync(`/proc/${name}/stat`, "utf8") : "";
    const [, parent = ""] = /^.*\) \S (\d+) /.exec(stat) ?? [];
    return Number(parent) === root ? [Number(name)] : [];
  });
  return [root, ...children.flatMap(treeOf)];
}
