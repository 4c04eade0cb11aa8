import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toMetricValue } from "#trainer/spec/event.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { readDiagnoses } from "#server/db/runs/diagnoses.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { detectorVersion, type Point } from "#packages/detector";
import { generateRun } from "#packages/detector/testing/generate.ts";
import { applyLog } from "#server/engine/ingest/applyLog.ts";
import { verifyTable } from "./proofs.ts";
import { readReplay, readRunStability } from "./replay.ts";
import { answers, readTable } from "../publish/answers.ts";

let database: TestDatabase;
const sweepIds = ["study"];
const metric = "rollout/successRate";
const { points } = generateRun("H_grpo", 4);
/** Points of a policy with 50 % success before training, which it loses at once. */
const falls = Array.from({ length: 29 }, (_, iteration): Point => {
  const heldOut = iteration === 0 ? 0.5 : 0.1;
  return {
    iteration,
    values: {
      ...(iteration > 0 && { "update/gradientNorm": 1 }),
      ...(iteration % 4 === 0 && { "evaluation/successRate": heldOut }),
    },
  };
});

/** Points of a run with a lagged sampler, with its additional metrics. */
const lates = Array.from({ length: 50 }, (_, i): Point => {
  const iteration = i + 1;
  const values = {
    "rollout/successRate": iteration < 30 ? 0.8 : 0.05,
    "mismatch/essRow": iteration < 12 ? 0.9 : 0.2,
    "policy/samplerKl": 0.01,
  };
  return { iteration, values };
});

const holds = falls.map(({ iteration, values }) => ({
  iteration,
  values: { ...values, ...(iteration % 4 === 0 && { "evaluation/successRate": 0.5 }) },
}));

/** Points of a run whose gradient norm grows fivefold five iterations before success falls. */
const climbs = Array.from({ length: 50 }, (_, i): Point => {
  const iteration = i + 1;
  const values = {
    "rollout/successRate": iteration < 30 ? 0.8 : 0.05,
    "update/gradientNorm": iteration < 25 ? 1 : 5,
  };
  return { iteration, values };
});

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertSweep(database, "climbing", ["climbs"]);
  await log("climbs", "completed", climbs);
  await database.prisma.run.update({ where: { id: "climbs" }, data: { status: "finished" } });
  await insertSweep(database, "study", ["completed", "diverged", "running", "waiting", "cancelled"]);
  await insertSweep(database, "skilled", ["falls"]);
  await log("falls", "completed", falls);
  await log("completed", "completed");
  await log("diverged", "diverged");
  await log("running");
  await logPhases();
  await database.prisma.run.update({ where: { id: "cancelled" }, data: { status: "cancelled" } });
});
afterAll(() => database.close());

/** Logs runs with two learning rates and two minibatch sizes, three seeds each; runs with the larger rate collapse. */
async function logPhases(): Promise<void> {
  const cells = [1e-3, 4e-3].flatMap((learningRate) =>
    [64, 256].map((minibatchRows) => ({ learningRate, minibatchRows })),
  );
  await insertSweep(
    database,
    "phases",
    cells.flatMap((_, cell) => [0, 1, 2].map((seed) => `phase-${cell}-${seed}`)),
  );
  for (const [cell, { learningRate, minibatchRows }] of cells.entries()) {
    for (const seed of [0, 1, 2]) {
      const klCoef = cell === 3 && seed === 1 ? 0.01 : 0;
      const spec = CellSpec.parse({
        environment: { id: "sokoban" },
        method: methodOf("grpo"),
        optimizer: { learningRate },
        update: { minibatchRows, klCoef },
      });
      const id = `phase-${cell}-${seed}`;
      await database.prisma.cell.updateMany({ where: { runs: { some: { id } } }, data: { spec } });
      if (cell === 0 && seed === 2) continue;
      await log(id, "completed", learningRate > 2e-3 ? falls : holds);
    }
  }
}

/** Writes a run's whole log, with its final line if it has ended. */
async function log(runId: string, exit?: "completed" | "diverged", logged: readonly Point[] = points): Promise<void> {
  const started = { type: "started", specHash: "", code: "", host: "", pid: 1, numParameters: 1, vocabularySize: 1 };
  const lines: object[] = [
    { ...started, firstIteration: 1 },
    ...logged.map(({ iteration, values }) => ({
      type: "metrics",
      iteration,
      optimizerStep: 0,
      values: Object.fromEntries(Object.entries(values).map(([key, x]) => [key, toMetricValue(x)])),
    })),
    ...(exit ? [{ type: "done", exit, reason: "", numMetricLines: logged.length }] : []),
  ];
  const text = lines.map((line, seq) => `${JSON.stringify({ v: 1, atMs: 1e12, seq, ...line })}\n`).join("");
  const attemptId = await insertAttempt(database, runId, 1);
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  const start = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  await applyLog(storage, start, { bytes: new TextEncoder().encode(text), isFinal: exit !== undefined });
}

it("names the cause of a collapse once it has a label, and none for a run that did not collapse", async () => {
  const logged = lates.map((point) => ({
    ...point,
    values: { ...point.values, "policy/staleness": 8, "policy/samplerKl": point.iteration < 20 ? 0.01 : 0.4 },
  }));
  await insertSweep(database, "diagnosed", ["stale", "fine"]);
  await log("stale", "completed", logged);
  await log("fine", "completed");
  const found = await readDiagnoses(database.pool, ["stale", "fine"]);
  expect([...found.keys()]).toEqual(["stale"]);
  expect(found.get("stale")?.findings).toMatchObject([
    { cause: "staleSampler", metric: "policy/samplerKl", value: 0.4, usual: 0.01 },
  ]);
});

describe("a replay", () => {
  it.each(["completed", "diverged", "running"])(
    "says of the %s run in hindsight what the overview says",
    async (runId) => {
      const { runs } = await readRunStability(database, { sweepIds });
      const { label } = await readReplay(database, runId);
      expect(label).toEqual(runs.find((run) => run.runId === runId)?.label);
    },
  );

  it("knows that a run was given up without finite numbers, and says nothing of one that goes on", async () => {
    expect((await readReplay(database, "completed")).label?.kind).toBe("healthy");
    expect((await readReplay(database, "diverged")).label?.kind).toBe("nonFinite");
    expect((await readReplay(database, "running")).label).toBeNull();
  });

  it("dates a rule's alarms as its events do, before step 20 too", async () => {
    const { events, alarms } = await readReplay(database, "falls");
    const told = (severity: string) => events.find((event) => event.severity === severity)?.iteration;
    const fired = (rule: string) => alarms.find((one) => one.rule === rule)?.iterations;
    expect([told("unstable"), told("collapsed")]).toEqual([4, 12]);
    expect([fired("unstable or worse"), fired("collapsed")]).toEqual([[4], [12]]);
  });
});

describe("a study of the dimensions", () => {
  it("counts as going on what goes on: a run cancelled before it began is over", async () => {
    const counts = { numRuns: 2, numOpen: 2, numSilent: 1, numForeign: 0 };
    expect(await answers.dimensions(database, { sweepIds, metric })).toMatchObject(counts);
    expect(await answers.claims(database, { sweepIds, metric })).toMatchObject(counts);
  });
});

describe("what climbs first", () => {
  it("comes with the runs to look at, numbers run by run, and a proof that is verified", async () => {
    const { table, longCsv, examples } = await answers.climbs(database, { sweepIds: ["climbing"] });
    expect(table.rows).toMatchObject([
      {
        runIds: ["climbs"],
        cells: [{ text: "Gradient norm" }, { value: 1 }, { mean: 1, n: 1 }, { mean: 5 }, { kind: "missing" }],
      },
    ]);
    expect(longCsv).toMatch(/^climbs,.*,30,30,,,,25,$/m);
    expect(examples).toMatchObject([{ runId: "climbs", sweepId: "climbing" }]);
    const proof = table.provenance.proof ?? "";
    const verdict = await verifyTable(database, proof, (query, code) => readTable(database, query, code));
    expect(verdict).toMatchObject({ isSame: true, query: { kind: "climbs", sweepIds: ["climbing"] } });
  });
});

describe("what foretells a collapse", () => {
  it("is asked of every iteration that is known to have been followed by one or not, with a proof that is verified", async () => {
    await insertSweep(database, "late", ["late"]);
    await log("late", "completed", lates);
    await database.prisma.run.update({ where: { id: "late" }, data: { status: "finished" } });
    const { table, longCsv } = await answers.forecast(database, { sweepIds: ["late"] });
    // Half of the success is lost at iteration 30. Iterations from 10 on are within twenty iterations before it; from
    // 12 on, the fraction is low.
    expect(table.rows).toMatchObject([
      { runIds: ["late"], cells: [{}, { value: 29 }, { value: 20 }, { mean: 0.95 }, { mean: 0.95 - 0.5 }] },
      { cells: [{}, {}, {}, { mean: 0.95 }, {}] },
      { cells: [{}, {}, {}, { mean: 0.5 }, { kind: "missing" }] },
    ]);
    expect(longCsv).toMatch(/^late,.*,0,12,0\.2,0\.01,true$/m);
    const proof = table.provenance.proof ?? "";
    const verdict = await verifyTable(database, proof, (query, code) => readTable(database, query, code));
    expect(verdict).toMatchObject({ isSame: true, query: { kind: "forecast", sweepIds: ["late"] } });
  });

  it("is nothing where neither share nor divergence was logged", async () => {
    expect((await answers.forecast(database, { sweepIds: ["climbing"] })).table.rows).toEqual([]);
  });
});

describe("the blind table", () => {
  it("judges finished runs by frozen rules, says which are blind to them, and comes with a proof", async () => {
    const asked = { sweepIds: ["climbing"], rules: detectorVersion, half: "all" } as const;
    const { table, versions, groups } = await answers.blind(database, asked);
    expect(versions[0]).toBe(detectorVersion);
    expect(groups).toMatchObject([{ heading: table.rows[0]?.heading, numCollapses: 1 }]);
    expect(groups[0]?.rules[0]).toMatchObject({ rule: "unstable or worse", numTrue: 1 });
    expect(table.rows[0]).toMatchObject({
      heading: `Made before ${detectorVersion} was frozen, or at an unknown time: 1 of 1 run collapsed`,
      cells: [{ text: "unstable or worse" }, { mean: 1, n: 1 }, { n: 1 }, { kind: "missing" }, { kind: "missing" }],
    });
    const proof = table.provenance.proof ?? "";
    const verdict = await verifyTable(database, proof, (query, code) => readTable(database, query, code));
    expect(verdict).toMatchObject({ isSame: true, query: { kind: "blind", ...asked } });
    // The first and second versions of the rules agree on this run; both are computed here, the second from stored
    // data.
    const older = await answers.blind(database, { ...asked, rules: "rules-1-76477792" });
    expect(older.table.rows.map(({ cells }) => cells)).toEqual(table.rows.map(({ cells }) => cells));
    expect((await answers.blind(database, { ...asked, half: "odd" })).table.rows).toEqual([]);
    await expect(answers.blind(database, { ...asked, rules: "rules-0" })).rejects.toThrow("rules: no version");
  });
});

describe("the table of survival", () => {
  const asked = { by: "method", baseline: undefined } as const;

  it("has the page's numbers, is proved once all runs are judged and summarised, and is verified", async () => {
    await insertSweep(database, "watched", ["watched-falls", "watched-holds"]);
    await log("watched-falls", "completed", falls);
    await log("watched-holds", "completed", holds);
    await database.prisma.run.updateMany({ where: { sweepId: "watched" }, data: { status: "finished" } });
    expect(
      (await answers.survival(database, { sweepIds: ["watched"], ...asked })).table.provenance.proof,
    ).toBeUndefined();
    while (await summariseRuns(database.pool, 100));
    const { groups, table, longCsv } = await answers.survival(database, { sweepIds: ["watched"], ...asked });
    const [group] = groups;
    expect(table.rows[0]?.cells.slice(0, 3)).toMatchObject([
      { text: group?.group },
      { k: 1, n: 2 },
      { mean: group?.rate, interval: group?.rateInterval },
    ]);
    expect(table.rows[0]?.cells[8]).toMatchObject({ mean: 0.3, n: 2 });
    expect(longCsv).toMatch(/^watched-falls,.*,4,yes,28,0\.1/m);
    const proof = table.provenance.proof ?? "";
    const query = { kind: "survival", sweepIds: ["watched"], by: "method", baseline: group?.group } as const;
    expect((await readTable(database, { ...query, baseline: "" })).rows).toEqual(table.rows);
    const verify = () => verifyTable(database, proof, (again) => readTable(database, again));
    expect(await verify()).toMatchObject({ isSame: true, query });
    await database.pool.query("UPDATE detection SET hindsight = NULL WHERE run_id = 'watched-falls'");
    await expect(verify()).rejects.toThrow("not judged yet: 1 run of watched");
  });
});

describe("phases", () => {
  it("count collapses over two settings, as survival counts them, without the run that is not over", async () => {
    const choice = { x: "optimizer.learningRate", y: "update.minibatchRows" };
    const { taken, study, mixed, runs } = await answers.phases(database, { sweepIds: ["phases"], ...choice });
    expect(taken).toEqual({ ...choice, by: null });
    expect((await answers.phases(database, { sweepIds: ["phases"] })).taken).toEqual(taken);
    const cells = study?.diagrams.flatMap((diagram) => diagram.cells) ?? [];
    expect(cells.map(({ x, y, numCollapsed, runs: { length } }) => [x, y, numCollapsed, length])).toEqual([
      [0, 0, 0, 2],
      [0, 1, 0, 3],
      [1, 0, 3, 3],
      [1, 1, 3, 3],
    ]);
    expect(study?.numWithout).toBe(1);
    expect(mixed).toEqual(["KL coefficient"]);
    expect(runs).toHaveLength(12);
    expect(study?.diagrams[0]?.fit).toBeDefined();
    const survival = await answers.survival(database, {
      sweepIds: ["phases"],
      by: "environment",
      baseline: undefined,
    });
    expect(survival.groups[0]?.numCollapsed).toBe(cells.reduce((sum, { numCollapsed }) => sum + numCollapsed, 0));
  });

  it("are survival's strata, in which groups are compared with what their runs come to", async () => {
    while (await summariseRuns(database.pool, 100));
    const survival = await answers.survival(database, { sweepIds: ["phases"], by: "method", baseline: undefined });
    // Five runs stay at 0.5, six runs fall to 0.1, and one run has logged nothing.
    expect(survival.groups.map(({ numRuns }) => numRuns)).toEqual([11]);
    expect(survival.groups[0]?.success?.mean).toBeCloseTo((5 * 0.5 + 6 * 0.1) / 11, 12);
  });

  it("of another sweep are the same where only the method differs, whatever its labels say", async () => {
    await insertSweep(database, "others", ["other-0", "other-1"]);
    const [phase] = await database.prisma.cell.findMany({ where: { runs: { some: { id: "phase-1-0" } } } });
    const spec = { ...Object(phase?.spec), method: methodOf("gspo") };
    const cell = { method: "GSPO", label: "said another way" };
    await database.prisma.cell.updateMany({ where: { sweepId: "others" }, data: cell });
    await database.prisma.cell.updateMany({ where: { runs: { some: { id: "other-0" } } }, data: { spec } });
    for (const id of ["other-0", "other-1"]) await log(id, "completed", holds);
    const { groups } = await answers.survival(database, {
      sweepIds: ["phases", "others"],
      by: "method",
      baseline: "GRPO",
    });
    // The other cell of GSPO has settings that no run of GRPO has.
    const gspo = groups.find(({ group }) => group === "GSPO");
    expect(gspo).toMatchObject({ numRuns: 2, against: { numStrata: 1 } });
  });

  it("are none where fewer than two settings vary", async () => {
    expect((await answers.phases(database, { sweepIds: ["study"] })).study).toBeNull();
  });

  it("take the column that was asked for, and divide by another", async () => {
    const { taken, study } = await answers.phases(database, {
      sweepIds: ["phases"],
      x: "update.klCoef",
      by: "update.minibatchRows",
    });
    expect(taken).toEqual({ x: "update.klCoef", y: "optimizer.learningRate", by: "update.minibatchRows" });
    expect(study?.diagrams.map(({ group }) => group)).toEqual(["64", "256"]);
  });
});
