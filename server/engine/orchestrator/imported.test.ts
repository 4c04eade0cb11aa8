// @module-tag soak
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { generateRun } from "#packages/detector/testing/generate.ts";
import { createFromYaml } from "#server/cli/client/runSweep.ts";
import { setTrials } from "#server/db/plan/searchLimits.ts";
import { readDecisions } from "#server/db/plan/searches.ts";
import { letRulesAct, readRestingRules } from "#server/engine/studies/restingRules.ts";
import { retryRuns } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { makeTranslate } from "#packages/trainers";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { drainFile } from "#server/engine/ingest/drainLog.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { writeFakeTrainer } from "#server/engine/launchers/testing/fakeTrainer.ts";
import { exportStudy } from "#server/engine/studies/exportStudy.ts";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import { orchestrate } from "./orchestrate.ts";
import { rescueFallen } from "./rescueFallen.ts";
import { searchOn } from "./searchOn.ts";

const recorder = await makeTestDatabase();
const importer = await makeTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "arlarena-imported-"));
afterAll(async () => {
  await recorder.close();
  await importer.close();
  await rm(folder, { recursive: true, force: true });
});

const search = (rule: string, parallel: number) =>
  `search: { sampler: { kind: random, seed: 1 }, space: { optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 } },
    objective: { metric: rollout/successRate, goal: maximize }, trials: 12, parallel: ${parallel}, ${rule} }`;

/** Rules by which a plan starts runs on its own. */
const rules = {
  rescue: "rescue: { on: collapsed, continuations: 100, budget: 100000 }",
  "rescue of alarms": "rescue: { on: unstable, before: [0, 1], arms: [kl], continuations: 2 }",
  "rescue and stopping": "rescue: { on: collapsed }\nstopping: { at: collapsed }",
  "rescue and search": `rescue: { on: unstable }\n${search("budget: { runs: 90 }", 4)}`,
  search: search("budget: { runs: 40 }", 3),
  asha: search("halving: { kind: asha, of: seeds, least: 1, factor: 2 }", 4),
  race: search("racing: { kind: friedman, leastSeeds: 2, level: 0.9 }", 4),
  retries: "stopping: { at: unstable, iterations: 2 }",
};

const points = generateRun("C_nan", 3, { length: 60 }).points;
const [alarmed, healthy] = [points, points.slice(0, 20)];

function logOf(run: typeof points): string {
  const lines = run.map(({ iteration, values }) => ({
    type: "metrics",
    iteration,
    optimizerStep: iteration,
    values: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Number.isFinite(value) ? value : "NaN"]),
    ),
  }));
  return lines.map((line, seq) => `${JSON.stringify({ v: 1, seq, atMs: 1e12 + seq, ...line })}\n`).join("");
}

/** Records a sweep: most runs collapse, one is lost with its node, and one stays open. Returns the exported file. */
async function record(name: string, rule: string): Promise<string> {
  const { database, home } = { database: recorder, home: "/nowhere" };
  const yaml = `name: ${name}\nmethods: [cispo]\nenvironments: [{ id: sokoban }]\nbase: { budget: { iterations: 60 } }\nseeds: [0, 1, 2]\n${rule}\n`;
  const { id } = await createFromYaml({ database, home }, yaml);
  const runs = await recorder.prisma.run.findMany({ where: { sweepId: id }, orderBy: { id: "asc" } });
  for (const [i, { id: runId }] of runs.slice(0, -1).entries()) {
    const attempt = { runId, number: 1, jobId: `${runId}.1`, node: "there", folder: join(folder, runId), live: false };
    const { id: attemptId } = await recorder.prisma.attempt.create({ data: attempt });
    await mkdir(attempt.folder);
    await writeFile(join(attempt.folder, "events.jsonl"), logOf(i === 1 ? healthy : alarmed));
    await drainFile(recorder, attemptId, join(attempt.folder, "events.jsonl"));
    const end = i === 1 ? { status: "failed", reason: "node_failed" } : { status: "finished", reason: "completed" };
    await recorder.prisma.run.update({ where: { id: runId }, data: end });
    await recorder.prisma.attempt.update({ where: { id: attemptId }, data: { reason: end.reason } });
  }
  const path = join(folder, `${id}.arlarena`);
  await exportStudy(recorder, { sweepIds: [id], path, hasSamples: false });
  return path;
}

/** Runs the orchestrator with its judge and its launcher until `isDone`, and at least for ten rounds. */
async function orchestrateUntil(isDone: () => Promise<boolean>): Promise<void> {
  const command = [process.execPath, await writeFakeTrainer(folder, { iterations: 2, everyMs: 1 })];
  const launcher = makeLocalLauncher({ runsFolder: join(folder, "runs"), command });
  const abort = new AbortController();
  const nodes = [{ node: thisMachine(3), launcher }];
  const running = orchestrate({ databaseUrl: importer.url, nodes, tickMs: 20, log: () => {} }, abort.signal);
  const heartbeat = async () => (await importer.prisma.orchestratorHeartbeat.findFirst())?.at.getTime();
  let numRounds = 0;
  for (let last = await heartbeat(); numRounds < 10 || !(await isDone()); await sleep(20)) {
    const now = await heartbeat();
    if (now !== last) numRounds += 1;
    last = now;
  }
  abort.abort();
  await running;
}

const count = async () => ({
  sweeps: await importer.prisma.sweep.count(),
  runs: await importer.prisma.run.count(),
  decisions: await importer.prisma.decision.count(),
  evaluations: await importer.prisma.storedEvaluation.count(),
  open: await importer.prisma.run.count({ where: { status: { notIn: ["finished", "failed", "cancelled"] } } }),
  own: await importer.prisma.attempt.count({ where: { jobState: { not: "elsewhere" } } }),
  stops: await importer.prisma.stopDecision.count(),
});

/** True if the detector has judged every imported run. */
const isJudged = async () => {
  const { rows } = await importer.pool.query<{ left: string }>(
    `SELECT count(*) AS left FROM attempt a LEFT JOIN detection d ON d.run_id = a.run_id
     WHERE a.job_state = 'elsewhere' AND d.hindsight IS NULL`,
  );
  return rows[0]?.left === "0";
};

it(
  "starts nothing of 40 imported studies with rescue rules, searches and failed runs",
  { timeout: 600_000 },
  async () => {
    const paths: string[] = [];
    for (const [name, rule] of Object.entries(rules))
      for (let i = 1; i <= 4; i += 1) paths.push(await record(`${name} ${i}`, rule));
    // The last eight studies are copies: their ids are taken.
    paths.push(...paths.slice(0, 8));
    for (const path of paths) await importStudy(importer, folder, path);
    const before = await count();
    expect(before).toMatchObject({ sweeps: 40, open: 0, own: 0, stops: 0 });

    // Where the sweeps were launched, the same rules act.
    while (await replayWaiting(recorder.pool, 50));
    await rescueFallen(recorder);
    await searchOn(recorder);
    expect(await recorder.prisma.sweep.count()).toBeGreaterThan(32);

    await orchestrateUntil(async () => (await isJudged()) || (await count()).own > 0);
    const judged = { alarm: { not: null }, hindsight: { path: ["label", "kind"], equals: "nonFinite" } };
    expect(await importer.prisma.detection.count({ where: judged })).toBeGreaterThan(40);
    await rescueFallen(importer);
    await searchOn(importer);
    expect(await count()).toEqual(before);
  },
);

it("runs what a person asks of them, and no more: the runs to retry, the trials to add", async () => {
  const named = (name: string) => importer.prisma.sweep.findFirstOrThrow({ where: { name } });
  const [rescued, searched] = [await named("rescue 4"), await named("search 4")];
  const before = await count();
  expect(await retryRuns(importer, rescued.id)).toBe(1);
  const numTrials = (await readDecisions(importer.pool, searched.id)).length;
  await setTrials(importer, searched.id, numTrials + 2);
  const isOver = async () => (await count()).open === 0 && (await count()).runs === before.runs + 6;
  await orchestrateUntil(isOver);
  const { own, runs, sweeps } = await count();
  expect({ own, runs, sweeps }).toEqual({ own: 1 + 6, runs: before.runs + 6, sweeps: before.sweeps });
});

it("acts where a person lets it: as many runs as stated, and none of other sweeps", async () => {
  const named = (name: string) => importer.prisma.sweep.findFirstOrThrow({ where: { name } });
  const translate = makeTranslate(() => ({}));
  const rescued = await named("rescue of alarms 1");
  const before = await count();
  const { numCollapsed, numBranches, numRuns } = await readRestingRules(importer, rescued.id, translate);
  // One run collapsed: two experiments (or one, if both begin at the same iteration) of two arms and continuations.
  expect([numCollapsed, numBranches % 4, numBranches > 0, numRuns]).toEqual([1, 0, true, numBranches]);
  for (const stated of [undefined, numRuns + 1])
    await expect(letRulesAct(importer, { id: rescued.id, numRuns: stated, translate })).rejects.toThrow(
      `confirm the number with numRuns: ${numRuns}`,
    );
  expect(await count()).toEqual(before);
  await letRulesAct(importer, { id: rescued.id, numRuns, translate });
  await expect(letRulesAct(importer, { id: rescued.id, numRuns, translate })).rejects.toThrow("has no resting rules");
  for (let round = 0; round < 2; round += 1) {
    await rescueFallen(importer);
    expect((await count()).runs).toBe(before.runs + numRuns);
  }
  await importer.prisma.sweep.deleteMany({ where: { name: { startsWith: "Rescue of" } } });

  const searched = await named("search 1");
  const resting = await readRestingRules(importer, searched.id, translate);
  const numBegun = (await readDecisions(importer.pool, searched.id)).length;
  expect(resting).toMatchObject({ numBranches: 0, numTrials: 12 - numBegun, numRuns: 3 * (12 - numBegun) });
  await letRulesAct(importer, { id: searched.id, numRuns: resting.numRuns, translate });
  const isOver = async () => (await count()).open === 0 && (await count()).runs === before.runs + resting.numRuns;
  await orchestrateUntil(isOver);
  await searchOn(importer);
  expect((await count()).runs).toBe(before.runs + resting.numRuns);
});
