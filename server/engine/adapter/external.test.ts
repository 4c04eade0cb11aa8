import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTables } from "#server/api/publish/tables.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readRun, readRuns } from "#server/db/runs/runs.ts";
import { readStoppedRuns } from "#server/db/plan/stopping.ts";
import { cancel } from "#server/db/fleet/cancellations.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { TrainersFile } from "#packages/trainers";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { accountOf } from "#server/domain/plan/stopping/stopping.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { launchProgram } from "./testing/launchProgram.ts";
import { expectStoredEqualsLog } from "#server/engine/orchestrator/testing/expectStoredEqualsLog.ts";

const database = await makeTestDatabase();
const tools = await mkdtemp(join(tmpdir(), "arlarena-adapter-"));
const adapter = join(dirname(await bundleTools(tools)), "adapter.mjs");
afterAll(async () => {
  await database.close();
  await rm(tools, { recursive: true });
});

let folder = "";
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-external-"));
  const programs = { printing, failing, waiting, logging, streaming, collapsing };
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, `${name}.cjs`), text);
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Program of another trainer that prints its measurements. */
const printing = `
  const [seed, rate, clip = "none"] = process.argv.slice(2);
  console.log("warming up", clip);
  for (let step = 1; step <= 20; step++) {
    console.log(JSON.stringify({ step, "episode/success_rate": Math.min(1, step * rate), "actor/grad_norm": step === 3 ? null : 0.5, seed: Number(seed) }).replace("null", "NaN"));
  }
`;
const failing = `console.log('{"step": 1, "loss": 3}'); console.error("no such device"); process.exit(7);`;
const waiting = `
  const { writeFileSync } = require("node:fs");
  process.on("SIGTERM", () => { writeFileSync(process.argv[2] + "/saved", ""); process.exit(0); });
  console.log('{"step": 1, "loss": 3}');
  setInterval(() => {}, 1000);
`;
const logging = `
  const { appendFileSync } = require("node:fs");
  for (const step of [1, 2, 3]) appendFileSync(process.argv[2], JSON.stringify({ step, data: { "actor/ppo_kl": step / 10 } }) + "\\n");
`;
const streaming = `
  (async () => {
    const { MLFLOW_TRACKING_URI: url, MLFLOW_TRACKING_TOKEN: token } = process.env;
    const ask = (path, body, bearer = token) => fetch(url + "/api/2.0/mlflow/" + path, { method: "POST", headers: { authorization: "Bearer " + bearer }, body: JSON.stringify(body) });
    const { run } = await (await ask("runs/create", { experiment_id: "attempt", run_name: "x" })).json();
    const { run_id } = run.info;
    const metrics = [1, 2, 3].map((step) => ({ key: "actor/ppo_kl", value: step === 2 ? "NaN" : step / 10, step, timestamp: 1000 + step }));
    await ask("runs/log-batch", { run_id, metrics });
    await ask("runs/log-batch", { run_id, metrics });
    const refused = await ask("runs/log-batch", { run_id, metrics }, "guessed");
    await ask("runs/log-metric", { run_id, key: "refused", value: refused.status, step: 1, timestamp: 1 });
    await ask("runs/update", { run_id, status: "FINISHED" });
  })();
`;

const collapsing = `
  let step = 0;
  const timer = setInterval(() => {
    step += 1;
    const rate = step <= 40 ? 0.7 + 0.02 * (step % 5) : 0.01 * (step % 2);
    console.log(JSON.stringify({ step, "episode/success_rate": rate, "actor/grad_norm": 0.5 }));
    if (step === 100) clearInterval(timer);
  }, 5);
  // Only a signal ends it then, however long that takes.
  if (process.argv[2] === "true") setInterval(() => {}, 1000);
  process.on("SIGTERM", () => process.exit(0));
`;

const node = process.execPath;
const { trainers } = TrainersFile.parse({
  trainers: {
    printing: {
      kind: "command",
      command: [node, "{home}/printing.cjs", "{seed}", "{options.rate}", ["{method.clipping.kind}"]],
      options: { rate: { type: "number", default: 0.02 } },
    },
    failing: { kind: "command", command: [node, "{home}/failing.cjs"] },
    waiting: { kind: "command", command: [node, "{home}/waiting.cjs", "{folder}"] },
    logging: {
      kind: "command",
      command: [node, "{home}/logging.cjs", "{folder}/own.jsonl"],
      metrics: { kind: "verlFile", file: "{folder}/own.jsonl" },
    },
    streaming: { kind: "command", command: [node, "{home}/streaming.cjs"], metrics: { kind: "mlflow" } },
    collapsing: {
      kind: "command",
      command: [node, "{home}/collapsing.cjs", "{options.waits}"],
      options: { waits: { type: "flag" } },
    },
    missing: { kind: "command", command: ["/no/such/program"] },
  },
});

async function launch(name: string, change: object = {}, base: object = {}) {
  const launched = await launchProgram({ database, adapter, folder, trainers }, { name, change, base });
  stop = launched.stop;
  return launched;
}

const collapsingBase = (waits: boolean) => ({
  trainer: { name: "collapsing", options: { waits } },
  budget: { iterations: 400 },
});

async function untilOver(sweepId: string) {
  for (;;) {
    const runs = await readRuns(database, { sweepIds: [sweepId] });
    if (runs.every(({ status }) => isOver(status))) return runs;
    await sleep(50);
  }
}

describe("a program of somebody else's under a sweep", () => {
  it("is run to its end for every cell and seed, with curves and tables as any other", async () => {
    const { sweepId, launcher } = await launch(
      "printing",
      { methods: ["grpo", "sapo"], seeds: [1, 2], axes: { "trainer.options.rate": [0.02, 0.04] } },
      { trainer: { name: "printing", options: { rate: 0.02 } } },
    );
    const runs = await untilOver(sweepId);
    expect(runs.map(({ status, latestIteration }) => [status, latestIteration])).toEqual(
      Array.from({ length: 8 }, () => ["finished", 20]),
    );
    const [run] = runs;
    const keys = ["rollout/successRate", "update/gradientNorm", "seed"];
    const [success, norm, seed] = await readSeries(database.pool, { runIds: [run?.id ?? ""], keys });
    expect(success?.values[19]).toBeCloseTo(0.4);
    expect(norm?.values[2]).toBeNaN();
    expect(seed?.values[0]).toBe(1);
    const { originals, statusEvents } = await readRun(database, run?.id ?? "");
    expect(originals).toMatchObject({ "rollout/successRate": "episode/success_rate" });
    expect(statusEvents.filter(({ reason }) => reason === "reading").map(({ text }) => text)).toEqual([
      "1 line was not understood: “warming up token”",
    ]);
    expect(
      (await readTables(database, { sweepIds: [sweepId], metric: "rollout/successRate" })).final.rows,
    ).toHaveLength(4);
    await expectStoredEqualsLog(database, launcher);
    expect(await readFile(join(launcher.folderOf(`${run?.id}.1`), "stdout.log"), "utf8")).toContain("warming up token");
  });

  it("streams over the tracking protocol with the attempt's own address and token, each point once", async () => {
    const { sweepId } = await launch("streaming");
    const [run] = await untilOver(sweepId);
    const [kl, refused] = await readSeries(database.pool, {
      runIds: [run?.id ?? ""],
      keys: ["policy/klOld", "refused"],
    });
    expect([...(kl?.values ?? [])]).toEqual([0.1, NaN, 0.3]);
    expect([...(refused?.values ?? [])]).toEqual([401]);
  });

  it("may write a file of its own", async () => {
    const { sweepId } = await launch("logging");
    const [run] = await untilOver(sweepId);
    const [kl] = await readSeries(database.pool, { runIds: [run?.id ?? ""], keys: ["policy/klOld"] });
    expect([...(kl?.values ?? [])]).toEqual([0.1, 0.2, 0.3]);
  });

  it("is stopped by the sweep's cancellation: the signal reaches the program, which saves what it has", async () => {
    const { sweepId, launcher } = await launch("waiting");
    const [run] = await readRuns(database, { sweepIds: [sweepId] });
    const runId = run?.id ?? "";
    while ((await readRuns(database, { sweepIds: [sweepId] }))[0]?.latestIteration !== 1) await sleep(50);
    await cancel(database, { kind: "sweep", id: sweepId }, { by: "Ada" });
    expect((await untilOver(sweepId))[0]).toMatchObject({ status: "cancelled" });
    expect(existsSync(join(launcher.folderOf(`${runId}.1`), "saved"))).toBe(true);
    expect((await readRun(database, runId)).attempts[0]).toMatchObject({ exitCode: 75, done: { exit: "interrupted" } });
  });

  it("is stopped by the sweep's rule once it has collapsed, which is no failure", async () => {
    const stopping = { at: "collapsed", letGoOnShare: 0 };
    const { sweepId } = await launch("collapsing", { stopping }, collapsingBase(true));
    const [run] = await untilOver(sweepId);
    expect(run).toMatchObject({ status: "finished", reason: "stopped_by_rule", numAttempts: 1 });
    const [stopped] = await readStoppedRuns(database.pool, sweepId);
    expect(stopped).toMatchObject({ stopped: true, budget: 400, collapsed: null });
    const account = accountOf(stopped ? [stopped] : []);
    expect(account).toMatchObject({ numStopped: 1, numControls: 0 });
    expect(account.savedMs).toBeGreaterThan(0);
    const texts = (await readRun(database, run?.id ?? "")).statusEvents.map(({ text }) => text);
    expect(texts.some((text) => /collapsed at iteration \d+: stopped by the sweep's rule/.test(text))).toBe(true);
  });

  it("goes on in spite of the rule where its lot says so, and is judged at its end", async () => {
    const stopping = { at: "collapsed", letGoOnShare: 1 };
    const { sweepId } = await launch("collapsing", { stopping }, collapsingBase(false));
    expect((await untilOver(sweepId))[0]).toMatchObject({
      status: "finished",
      reason: "completed",
      latestIteration: 100,
    });
    const [run] = await readStoppedRuns(database.pool, sweepId);
    expect(run).toMatchObject({ stopped: false, latestIteration: 100 });
    expect(accountOf(run ? [run] : [])).toMatchObject({ numStopped: 0, numControls: 1, numFalse: 0 });
  });

  it.each([
    ["failing", "ended with exit code 7"],
    ["missing", "/no/such/program could not be started"],
    ["unlisted", 'there is no trainer "unlisted"'],
  ])("%s fails with its reason, and is not tried again", async (name, reason) => {
    const { sweepId } = await launch(name);
    const [run] = await untilOver(sweepId);
    expect(run).toMatchObject({ status: "failed", reason: "trainer_failed", numAttempts: 1 });
    expect(run?.text).toContain(reason);
  });
});
