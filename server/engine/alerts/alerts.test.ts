import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { SMTPServer } from "smtp-server";
import { readAlerts } from "#server/config/yamlFile.ts";
import { findFreePorts } from "#server/config/freePort.ts";
import { readDeliveries } from "#server/db/fleet/alerts.ts";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { AlertsFile, noticeKinds } from "#server/domain/fleet/alerts/alertsFile.ts";
import type { BudgetLine } from "#server/domain/fleet/cost/budgetLine.ts";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { detectorVersion } from "#packages/detector";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { applyLog } from "#server/engine/ingest/applyLog.ts";
import { collect, deliver, tellOutside } from "./tellOutside.ts";

const database = await makeTestDatabase();
const { pool, prisma } = database;
const secret = "a secret of sixteen or more";
const runIds: string[] = [];
const posts: { body: string; signature: string | undefined }[] = [];
const letters: string[] = [];
/** Long time limit for a busy machine. */
const patience = { interval: 20 };
let status = 200;
let webhookPort = 0;
let smtpPort = 0;
let alerts: AlertsFile;

const webhook = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    if (status === 200) posts.push({ body, signature: request.headers["x-arlarena-signature"]?.toString() });
    response.writeHead(status, { "retry-after": "120" }).end("later");
  });
});
const mailServer = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  onData(stream, _session, done) {
    let letter = "";
    stream.on("data", (chunk: Buffer) => (letter += chunk.toString()));
    stream.on("end", () => {
      letters.push(letter);
      done();
    });
  },
});

beforeAll(async () => {
  [webhookPort = 0, smtpPort = 0] = await findFreePorts(2);
  alerts = AlertsFile.parse({
    address: "https://studio.example.org",
    smtp: { host: "127.0.0.1", port: smtpPort, security: "none", from: "studio@example.org" },
    allowPrivate: ["127.0.0.1"],
    channels: [
      { kind: "webhook", name: "hook", url: `http://127.0.0.1:${webhookPort}/`, secret, severity: "warning" },
      { kind: "email", name: "mail", to: ["a@example.org"] },
    ],
  });
  const plan = checkPlan({ name: "Night", methods: ["grpo"], environments: [{ id: "sokoban" }], seeds: [0, 1, 2] });
  await createSweep(database, { plan, expansion: expandPlan(plan) });
  for (const { id } of await prisma.run.findMany({ orderBy: { seed: "asc" } })) {
    const attempt = { runId: id, number: 1, jobId: `${id}.1`, node: "here", folder: "/", live: false };
    await prisma.attempt.create({ data: attempt });
    runIds.push(id);
  }
});
beforeEach(async () => {
  await prisma.alertNotice.deleteMany();
  await prisma.collapseEvent.deleteMany();
  await prisma.nodeSighting.deleteMany();
  posts.length = 0;
  letters.length = 0;
  status = 200;
});
afterAll(async () => {
  webhook.close();
  mailServer.close();
  await database.close();
});

async function say(run: number, severity: string, rest: object = {}): Promise<void> {
  const runId = runIds[run] ?? "";
  const { id: attemptId } = await prisma.attempt.findFirstOrThrow({ where: { runId } });
  const evidence = { from: 0, to: 1, groups: {}, channels: {}, performance: {}, remarks: [] };
  const event = {
    runId,
    attemptId,
    iteration: 9,
    kind: "drift",
    detectorVersion,
    message: "KL left its range",
    evidence,
  };
  await prisma.collapseEvent.create({ data: { ...event, severity, ...rest } });
}

/** Collects events as an orchestrator that has observed its nodes for ten minutes. */
const note = (channels: AlertsFile["channels"], observingMinutes = 10, spent?: BudgetLine[]) =>
  collect(pool, channels, { observingSince: new Date(Date.now() - observingMinutes * 60_000), spent });
const noticed = async () =>
  (await prisma.alertNotice.findMany({ orderBy: { id: "asc" } })).map(({ kind, severity }) => `${kind} ${severity}`);
const log = async () =>
  (await readDeliveries(pool, 100)).map(({ channel, state, attempts }) => `${channel} ${state} ${attempts}`).toSorted();
/** Makes every waiting delivery due a minute ago, so that it stays due if the clock is set back slightly. */
const letTimePass = () => pool.query("UPDATE alert_delivery SET next_at = now() - interval '1 minute'");
const told = () => posts.flatMap(({ body }) => (JSON.parse(body) as { notices: { title: string }[] }).notices);

it("records many events with few statements, each once, in their order", async () => {
  const query = vi.spyOn(Client.prototype, "query");
  const statementsFor = async (kind: string, count: number): Promise<number> => {
    for (let i = 0; i < count; i++) await say(i % 3, "warning", { iteration: i, kind, message: `${kind} ${i}` });
    query.mockClear();
    await note(alerts.channels);
    return query.mock.calls.length;
  };
  await statementsFor("guard", 1);
  const numForOne = await statementsFor("drift", 1);
  expect(await statementsFor("spike", 40)).toBe(numForOne);
  await note(alerts.channels);
  const notices = await prisma.alertNotice.findMany({ orderBy: { id: "asc" } });
  const spikes = Array.from({ length: 40 }, (_, i) => `spike ${i}`);
  expect(notices.map(({ text }) => text.split(" (")[0])).toEqual(["guard 0", "drift 0", ...spikes]);
  expect((await readDeliveries(pool, 100)).filter(({ channel }) => channel === "hook")).toHaveLength(42);
  query.mockRestore();
});

it("delivers all once through an outage of both receivers, and loses none", async () => {
  await say(0, "warning");
  await say(1, "unstable");
  await note(alerts.channels);
  await letTimePass();
  await deliver(pool, alerts);
  const [first] = await readDeliveries(pool, 1);
  expect(first?.problem).toMatch(/127\.0\.0\.1.*ECONNREFUSED/);
  expect(await log()).toEqual(["hook waiting 1", "hook waiting 1", "mail waiting 1"]);

  // A failed delivery is not tried again before its time.
  await deliver(pool, alerts);
  expect(await log()).toEqual(["hook waiting 1", "hook waiting 1", "mail waiting 1"]);

  await once(webhook.listen(webhookPort, "127.0.0.1"), "listening");
  await new Promise<void>((resolve) => void mailServer.listen(smtpPort, "127.0.0.1", resolve));
  status = 503;
  await say(2, "collapsed");
  await note(alerts.channels);
  await letTimePass();
  await deliver(pool, alerts);
  expect(await log()).toEqual(["hook waiting 1", "hook waiting 2", "hook waiting 2", "mail sent 1", "mail sent 2"]);
  const refused = (await readDeliveries(pool, 100)).find(({ channel }) => channel === "hook");
  expect(refused?.problem).toBe(`127.0.0.1:${webhookPort} answered 503: later`);
  // The receiver asked for a delay of two minutes.
  expect((refused?.nextAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(110_000);

  status = 200;
  for (let i = 0; i < 3; i++) {
    await note(alerts.channels);
    await letTimePass();
    await deliver(pool, alerts);
  }
  expect(await log()).toEqual(["hook sent 2", "hook sent 3", "hook sent 3", "mail sent 1", "mail sent 2"]);
  expect(told().map(({ title }) => title)).toEqual([
    "GRPO, seed 0, shows a warning sign",
    "GRPO, seed 1, is unstable",
    "GRPO, seed 2, collapsed",
  ]);
  const [post] = posts;
  expect(post?.signature).toBe(
    `sha256=${createHmac("sha256", secret)
      .update(post?.body ?? "")
      .digest("hex")}`,
  );
  expect(letters).toHaveLength(1);
  expect(letters[0]).toMatch(/Subject: \[ARLArena\] GRPO, seed 1, is unstable, and 1 more/);
  expect(letters[0]?.replaceAll(/=\r?\n/g, "")).toContain(`https://studio.example.org/runs/${runIds[2]}`);
});

it("tells of an event once, however often its run is read again", async () => {
  for (let i = 0; i < 3; i++) {
    await prisma.collapseEvent.deleteMany();
    await say(0, "unstable");
    await note([]);
  }
  expect(await noticed()).toEqual(["stability unstable"]);
});

it("names in an alarm the cause that the rules find in the run's log, with its evidence", async () => {
  await insertSweep(database, "stale", ["stale-run"]);
  const attemptId = await insertAttempt(database, "stale-run", 1);
  const started = { type: "started", specHash: "", code: "", host: "", pid: 1, numParameters: 1, vocabularySize: 1 };
  const metrics = Array.from({ length: 40 }, (_, i) => ({
    type: "metrics",
    iteration: i + 1,
    optimizerStep: 0,
    values: {
      "rollout/successRate": i < 30 ? 0.8 : 0.05,
      "policy/staleness": 8,
      "policy/samplerKl": i < 25 ? 0.01 : 0.4,
    },
  }));
  const lines = [{ ...started, firstIteration: 1 }, ...metrics];
  const text = lines.map((line, seq) => `${JSON.stringify({ v: 1, atMs: 1e12, seq, ...line })}\n`).join("");
  const start = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  const log = { bytes: new TextEncoder().encode(text), isFinal: false };
  await applyLog({ pool, metricIds: makeMetricIds(pool) }, start, log);
  await note([]);
  const texts = (await prisma.alertNotice.findMany()).map((notice) => notice.text);
  expect(texts).toContainEqual(
    expect.stringMatching(
      /\. Cause: stale sampler: the sampler was 8 versions old and sampler KL rose from 0\.0100 to 0\.400 at iteration \d+/,
    ),
  );
  await prisma.sweep.delete({ where: { id: "stale" } });
});

it("does not tell of remarks, of yesterday, of other rules, nor of runs that were long over", async () => {
  await say(0, "info");
  await say(0, "unstable", { createdAt: new Date(Date.now() - 25 * 3_600_000) });
  await say(0, "collapsed", { detectorVersion: "rules-0" });
  await prisma.run.update({ where: { id: runIds[1] ?? "" }, data: { endedAt: new Date(Date.now() - 3_600_000) } });
  await say(1, "unstable");
  await note([]);
  expect(await noticed()).toEqual([]);
});

it("does not tell a new channel of what was before it", async () => {
  await say(0, "unstable");
  await note([]);
  await say(2, "unstable");
  await note(alerts.channels);
  expect((await readDeliveries(pool, 10)).map(({ title }) => title)).toEqual(
    Array(2).fill("GRPO, seed 2, is unstable"),
  );
});

it("tells that a sweep is over, with what became of its runs, and again after runs were tried again", async () => {
  const id = runIds[0] ?? "";
  await prisma.run.updateMany({ data: { status: "finished", endedAt: new Date() } });
  await prisma.statusEvent.create({ data: { runId: id, source: "user", status: "finished", text: "imported" } });
  await note(alerts.channels);
  expect(await noticed()).toEqual([]);
  await prisma.statusEvent.create({ data: { runId: id, source: "orchestrator", status: "finished", text: "" } });
  await prisma.run.update({ where: { id }, data: { status: "running", endedAt: null } });
  await note(alerts.channels);
  expect(await noticed()).toEqual([]);
  await prisma.run.update({ where: { id }, data: { status: "failed", endedAt: new Date() } });
  await say(1, "collapsed");
  await note(alerts.channels);
  await note(alerts.channels);
  const over = await prisma.alertNotice.findMany({ where: { kind: "sweepOver" } });
  expect(over.map(({ title, text }) => `${title}: ${text}`)).toEqual([
    "Sweep “Night” has ended: 3 runs: 2 finished, 1 failed, 1 with a collapse alarm",
  ]);
  await prisma.run.update({ where: { id }, data: { status: "finished", endedAt: new Date(Date.now() + 5) } });
  await note(alerts.channels);
  expect(await prisma.alertNotice.count({ where: { kind: "sweepOver" } })).toBe(2);
  await prisma.run.updateMany({ data: { status: "pending", endedAt: null } });
});

it("tells a channel that asks for it of every run that ends, and again when it was tried again", async () => {
  const id = runIds[0] ?? "";
  const end = async (status: string, text: string) => {
    await prisma.statusEvent.create({ data: { runId: id, source: "orchestrator", status, text } });
    await prisma.run.update({ where: { id }, data: { status, latestIteration: 7, endedAt: new Date() } });
    await note(alerts.channels.map((channel) => ({ ...channel, tells: ["runOver"] })));
    await note(alerts.channels);
  };
  await prisma.statusEvent.deleteMany();
  await end("failed", "the disk was full");
  await prisma.run.update({ where: { id }, data: { status: "running", endedAt: null } });
  await note(alerts.channels);
  // The run ends twice before the next call of `note`: only its last end becomes a notice.
  await prisma.statusEvent.create({ data: { runId: id, source: "orchestrator", status: "failed", text: "" } });
  await end("finished", "");
  const ended = await prisma.alertNotice.findMany({ where: { kind: "runOver" }, orderBy: { id: "asc" } });
  expect(ended.map(({ severity, title, text }) => [severity, title, text])).toEqual([
    ["warning", "GRPO, seed 0: failed", "Ended at iteration 7, in sweep “Night”: the disk was full"],
    ["info", "GRPO, seed 0: finished", "Ended at iteration 7, in sweep “Night”"],
  ]);
  expect(await log()).toEqual(["hook waiting 0", "hook waiting 0", "mail waiting 0", "mail waiting 0"]);
  await prisma.run.updateMany({ data: { status: "pending", endedAt: null, latestIteration: 0 } });
  await prisma.statusEvent.deleteMany();
});

it("names the kinds of failures of a run and of a sweep, and tells once of a run without progress", async () => {
  const [first = "", second = "", ...others] = runIds;
  const set = async (id: string, status: string, reason: string, text: string) => {
    await prisma.statusEvent.create({ data: { runId: id, source: "orchestrator", status, reason, text } });
    await prisma.run.update({
      where: { id },
      data: { status, reason, endedAt: status === "running" ? null : new Date() },
    });
  };
  const told = async () => {
    const channels = alerts.channels.map((channel) => ({ ...channel, tells: [...noticeKinds] }));
    await note(channels);
    await note(channels);
    const notices = await prisma.alertNotice.findMany({ orderBy: { id: "asc" } });
    await prisma.alertDelivery.deleteMany();
    return notices.map(({ title, text }) => [title, text]);
  };
  await prisma.statusEvent.deleteMany();
  await prisma.alertNotice.deleteMany();
  await set(first, "running", "no_progress", "no new line in the log for 12 min; its iterations take 1 min");
  const silent = [
    "GRPO, seed 0: no progress",
    "At iteration 0, in sweep “Night”: no new line in the log for 12 min; its iterations take 1 min. The run may hang",
  ];
  expect(await told()).toEqual([silent]);
  await set(first, "failed", "gpu_out_of_memory", "python3 ended with exit code 1");
  for (const id of [second, ...others]) await set(id, "failed", "killed", "gone");
  const after = await told();
  expect(after).toContainEqual(["Resolved: GRPO, seed 0: no progress", "The problem no longer exists"]);
  expect(after).toContainEqual([
    "GRPO, seed 0: failed (GPU out of memory)",
    "Ended at iteration 0, in sweep “Night”: python3 ended with exit code 1",
  ]);
  const sweep = after.find(([title]) => title === "Sweep “Night” has ended");
  const rest = runIds.length - 1;
  const named = rest > 1 ? `${rest} × Killed, GPU out of memory` : "GPU out of memory, Killed";
  expect(sweep?.[1]).toBe(`${runIds.length} runs: ${runIds.length} failed (${named})`);
  await prisma.run.updateMany({ data: { status: "pending", reason: null, endedAt: null } });
  await prisma.statusEvent.deleteMany();
  await prisma.alertNotice.deleteMany();
});

it("tells once that a node is silent and a disk full, and once that it is over", async () => {
  const see = async (minutes: number, isFull: boolean, observingMinutes = 10) => {
    const disk = { freeBytes: 1e6, totalBytes: 1e9, isFull };
    const lastContactAtMs = Date.now() - minutes * 60_000;
    await saveNodes(database, [{ node: thisMachine(2), lastContactAtMs, problem: null, gpus: null, disk }]);
    await note(alerts.channels, observingMinutes);
    await note(alerts.channels, observingMinutes);
  };
  await see(1, false);
  // The studio itself was not running for most of this time.
  await see(60, false, 1);
  expect(await noticed()).toEqual([]);
  await see(6, true);
  // The studio has just restarted and has no response of the node yet, which must not end the alarm.
  await see(7, true, 1);
  expect(await noticed()).toEqual(["nodeSilent warning", "diskFull warning"]);
  await see(0, false);
  await see(6, false);
  const [last] = (await noticed()).slice(-1);
  expect(await noticed()).toHaveLength(5);
  expect(last).toBe("nodeSilent warning");
  expect((await noticed()).filter((one) => one.endsWith("recovered"))).toHaveLength(2);
});

it("tells once that a budget is spent, and that it is not any more once that is known", async () => {
  const line = { name: "Lab", key: "Ada", title: "Ada", days: 30, unit: "hours", limit: 100, used: 104 } as const;
  const see = (spent: BudgetLine[] | undefined) => note(alerts.channels, 10, spent);
  await see([line]);
  await see([{ ...line, used: 105 }]);
  await see(undefined);
  await see([line]);
  expect(await prisma.alertNotice.findMany({ select: { title: true, text: true, path: true } })).toEqual([
    {
      title: "Budget “Lab” is spent: Ada",
      text: "104 h used within 30 days, the limit is 100 h; no run is stopped",
      path: "/fleet/cost",
    },
  ]);
  await see([]);
  await see([{ ...line, key: "Ben" }]);
  expect(await noticed()).toEqual(["budgetSpent warning", "budgetSpent recovered", "budgetSpent warning"]);
});

it("gives up what is for a channel that the file has no more", async () => {
  await say(0, "unstable");
  await note(alerts.channels);
  await deliver(pool, { ...alerts, channels: [] });
  expect(await log()).toEqual(["hook failed 1", "mail failed 1"]);
});

it("goes on telling, says once what is wrong with the file, and holds a change of it without a restart", async () => {
  const home = await mkdtemp(join(tmpdir(), "arlarena-alerts-"));
  const path = join(home, "alerts.yaml");
  const logged: string[] = [];
  const stop = new AbortController();
  await writeFile(path, "channels: [{ kind: slack, name: team }]");
  const telling = tellOutside(
    pool,
    { read: () => readAlerts(home), log: (text) => logged.push(text), everyMs: 5 },
    stop.signal,
  );
  await expect
    .poll(() => logged, patience)
    .toEqual([`alerts: ${path}: channels.0.url: must be an address that begins with https:// or http://`]);
  await writeFile(
    `${path}.new`,
    JSON.stringify({ ...alerts, channels: alerts.channels.filter(({ kind }) => kind === "webhook") }),
  );
  // The renaming is needed because the studio could read the file while it is only half written.
  await rename(`${path}.new`, path);
  await say(0, "collapsed");
  await expect.poll(() => told().map(({ title }) => title), patience).toEqual(["GRPO, seed 0, collapsed"]);
  stop.abort();
  await telling;
  expect(logged).toHaveLength(1);
  await rm(home, { recursive: true });
});
