import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { addSeeds, takeBackSeeds } from "#server/db/plan/addSeeds.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { readAskedChecks, saveCheck } from "#server/db/fleet/nodeChecks.ts";
import { saveNotices } from "#server/db/fleet/alerts.ts";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import type { CheckItem } from "#server/domain/fleet/nodes/check.ts";
import { testNotice } from "#server/domain/fleet/alerts/message.ts";
import { Node, thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { readChanges } from "#server/db/people/changes.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import { createShareLink } from "#server/db/publish/links.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { connect } from "./client/connect.ts";
import { exportStudy } from "#server/engine/studies/exportStudy.ts";
import { importRecorded } from "./trainers/importRecorded.ts";
import { importRuns } from "./trainers/importRuns.ts";
import { answer } from "./program.ts";
import { listRuns } from "./runs/runs.ts";
import { listSweeps } from "./plan/sweeps.ts";
import { cancel } from "./fleet/cancel.ts";
import { deleteSweep } from "./runs/delete.ts";
import { retry } from "./fleet/retry.ts";
import { createFromYaml, runSweep, watchToTheEnd } from "./client/runSweep.ts";
import { signIn } from "./people/signIn.ts";
import { printTable } from "./publish/table.ts";
import { verifyByHash } from "./publish/table.ts";
import { watch } from "./client/watch.ts";

const database = await makeTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "arlarena-cli-"));
afterAll(async () => void (await Promise.all([database.close(), rm(folder, { recursive: true })])));
beforeEach(async () => void (await database.prisma.sweep.deleteMany()));

/** A state folder without trainers.yaml. */
const noHome = folder;
const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
const yaml = `name: From a file
methods: [grpo, gspo]
environments: [{id: sokoban}]
base: {budget: {iterations: 100}}
seeds: [0, 1]
`;

async function storeEvaluation(runId: string, value: number, key = "evaluation/successRate"): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const name = { key };
  const metric = await database.prisma.metricName.upsert({ where: name, create: name, update: {} });
  const row = {
    attemptId,
    seq: 0,
    iteration: 100,
    optimizerStep: 100,
    atMs: 0,
    metricIds: [metric.id],
    values: [value],
  };
  await database.prisma.metricRow.create({ data: row });
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 1, lastSeq: 0 } });
  await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", latestIteration: 100 } });
}

test("a sweep made from a file appears in the lists, can be watched to its end and printed as a table", async () => {
  const { id, numRuns } = await createFromYaml({ database, home: noHome }, yaml);
  expect(numRuns).toBe(4);
  expect((await listSweeps(database, screen)).text).toMatch(new RegExp(`^${id}  From a file  pending +0/4 +0`, "m"));
  for (const [index, value] of [0.25, 0.75, 0.5, 0.5].entries()) {
    await storeEvaluation(`${id}-c${index >> 1}-s${index % 2}`, value);
  }
  const seen = await watch(database, id, { show: () => {}, signal: new AbortController().signal, everyMs: 10 });
  expect(seen.sweep.counts.finished).toBe(4);
  const events: object[] = [];
  const over = await watchToTheEnd(database, { id, json: {}, screen, writeEvent: (event) => void events.push(event) });
  expect([over.exitCode, events.length]).toEqual([0, 4]);
  expect(events[0]).toEqual({
    event: "run",
    run: `${id}-c0-s0`,
    method: "GRPO",
    label: "",
    seed: 0,
    status: "finished",
    reason: null,
    iteration: 100,
    alarm: { word: "not judged", iteration: null },
  });
  expect((await listRuns(database, id, screen)).text).toMatch(
    /-c1-s1 +GSPO .* 1 +finished +100\/100 +Not judged +Not judged$/m,
  );
  const metric = "evaluation/successRate";
  const table = { kind: "final", format: "markdown", metric } as const;
  expect((await printTable(database, ["From a file"], table)).text).toMatch(/\| GRPO .*50\.0\*\* \|/);
  expect((await printTable(database, ["From a file"], { ...table, format: "latex" })).text).toContain("\\toprule");
  const stability = await printTable(database, ["From a file"], { ...table, kind: "stability" });
  expect(stability.text).toMatch(/\| GRPO \| 2 \| \*\*50\.0\*\* \| – \| – \| 0\/0 \| – \| – \|/);
  expect(stability.text).toContain("A run counts as collapsed if it loses at least 50 %");
  expect(JSON.parse((await printTable(database, ["From a file"], { ...table, format: "json" })).text)).toMatchObject({
    rows: [{}, {}],
  });
  const misspelt = printTable(database, ["From a file"], { ...table, metric: "evaluation/succesRate" });
  await expect(misspelt).rejects.toThrow("did you mean evaluation/successRate");
});

test("a table of runs that logged success in training alone is of that, unless another metric is asked for", async () => {
  const { id } = await createFromYaml({ database, home: noHome }, yaml);
  for (const index of [0, 1, 2, 3]) {
    await storeEvaluation(`${id}-c${index >> 1}-s${index % 2}`, index / 4, "rollout/successRate");
  }
  const table = { kind: "final", format: "markdown" } as const;
  expect((await printTable(database, [id], table)).text).toMatch(/\| GRPO .*12\.5 \|/);
  const asked = await printTable(database, [id], { ...table, metric: "evaluation/successRate" });
  expect(asked.text).not.toContain("12.5");
});

test("a table of finished runs is verified by its hash until a number behind it changes", async () => {
  const { id } = await createFromYaml({ database, home: noHome }, yaml);
  const metric = "evaluation/successRate";
  const print = () => printTable(database, [id], { kind: "final", format: "latex", metric });
  const proofIn = (text: string) => /table verify ([0-9a-f]{32})/.exec(text)?.[1] ?? "";
  for (const [index, value] of [0.25, 0.75, 0.5].entries()) {
    await storeEvaluation(`${id}-c${index >> 1}-s${index % 2}`, value);
  }
  expect(proofIn((await print()).text)).toBe("");
  await storeEvaluation(`${id}-c1-s1`, 0.5);
  const hash = proofIn((await print()).text);
  expect(hash).toHaveLength(32);
  expect(await verifyByHash(database, hash)).toMatchObject({ exitCode: 0, json: { isSame: true } });
  expect((await verifyByHash(database, hash.slice(0, 10))).text).toContain("the same numbers from the same runs");

  await database.prisma.metricRow.updateMany({ where: { values: { equals: [0.25] } }, data: { values: [0.26] } });
  const different = await verifyByHash(database, hash);
  expect(different).toMatchObject({ exitCode: 1, json: { isSame: false } });
  expect(different.text).toContain("DIFFERENT today (final of");
  await expect(verifyByHash(database, "0123456789")).rejects.toThrow("no table with the hash 0123456789");
  await expect(verifyByHash(database, "me")).rejects.toThrow('"me" is not the hash of a table');
});

test("a wrong file is refused with field, line and nothing stored", async () => {
  const refused = createFromYaml({ database, home: noHome }, yaml.replace("seeds: [0, 1]", "seeds: [-1]"));
  await expect(refused).rejects.toMatchObject({ code: "bad_input", issues: [{ line: 5 }] });
  expect(await database.prisma.sweep.count()).toBe(0);
});

test("seeds that were added and cancelled leave list, counts, duration and table as they were", async () => {
  const { id } = await createFromYaml({ database, home: noHome }, yaml);
  for (const index of [0, 1, 2, 3]) await storeEvaluation(`${id}-c${index >> 1}-s${index % 2}`, index / 4);
  const [startedAt, endedAt] = [new Date(0), new Date(60_000)];
  await database.prisma.run.updateMany({ data: { startedAt, endedAt } });
  await database.prisma.attempt.updateMany({ data: { endedAt: new Date() } });
  const table = { kind: "final", format: "csv", metric: "evaluation/successRate" } as const;
  const look = async () => ({
    runs: (await listRuns(database, id, screen)).text,
    sweeps: (await listSweeps(database, screen)).text,
    table: (await printTable(database, [id], table)).text,
    summary: await readSweep(database, id),
  });
  const before = await look();
  expect(await addSeeds(database, id, 1)).toBe(2);
  expect((await look()).summary.numRuns).toBe(6);
  await storeEvaluation(`${id}-c0-s2`, 1);
  const cancelled = { status: "cancelled", reason: "cancelled_by_user", startedAt: new Date(), endedAt: new Date() };
  await database.prisma.run.updateMany({ where: { seed: 2 }, data: cancelled });
  expect(await look()).toEqual(before);
});

test("added seeds are taken back while they wait or run, and go on where they were stopped when added again", async () => {
  const { id } = await createFromYaml({ database, home: noHome }, yaml);
  await database.prisma.run.updateMany({ data: { status: "finished", reason: "completed" } });
  await expect(takeBackSeeds(database, id)).rejects.toThrow("no added run of this sweep");
  await addSeeds(database, id, 1);
  await insertAttempt(database, `${id}-c0-s2`, 1);
  expect(await takeBackSeeds(database, id)).toBe(2);
  await expect(takeBackSeeds(database, id)).rejects.toThrow("no added run of this sweep");
  const wanted = async () =>
    (await database.prisma.run.findMany({ where: { sweepId: id }, orderBy: { id: "asc" } })).map(
      ({ seed, intent, maxAttempts }) => `${seed} ${intent} ${maxAttempts}`,
    );
  expect(await wanted()).toEqual(["0 run 1", "1 run 1", "2 cancel 1", "0 run 1", "1 run 1", "2 cancel 1"]);
  const cancelled = { status: "cancelled", reason: "cancelled_by_user" };
  await database.prisma.run.updateMany({ where: { seed: 2 }, data: cancelled });
  await expect(retry(database, id)).rejects.toThrow("no run of this sweep failed or was cancelled");
  await database.prisma.sweep.update({ where: { id }, data: { intent: "cancel" } });
  expect(await addSeeds(database, id, 1), "the sweep is through: it opens again").toBe(2);
  expect(await wanted()).toEqual(["0 run 1", "1 run 1", "2 run 2", "0 run 1", "1 run 1", "2 run 1"]);
  expect(await readSweep(database, id)).toMatchObject({ intent: "run", counts: { finished: 4, pending: 2 } });
});

test("sweep run answers with the sweep's page; its runs are cancelled and retried by name", async () => {
  const file = join(folder, "sweep.yaml");
  await writeFile(file, yaml);
  const studio = { home: folder, database, address: "http://127.0.0.1:1" };
  const { text, exitCode } = await runSweep({ file, name: "Renamed" }, studio, screen);
  expect(exitCode).toBe(0);
  expect(text).toMatch(
    /^Sweep (renamed-\w{5}): 4 runs of 2 cells\n {2}2 seeds can only show .*\nhttp:\/\/127\.0\.0\.1:1\/sweeps\/\1$/,
  );
  await expect(cancel(database, "Renamde")).rejects.toMatchObject({ code: "not_found" });
  expect((await cancel(database, "Renamed")).text).toContain("is being cancelled");
  await database.prisma.run.updateMany({ data: { status: "cancelled" } });
  expect((await retry(database, "renamed")).json).toMatchObject({ numRuns: 4 });
  expect((await deleteSweep(database, "renamed")).text).toContain("is deleted");
  expect(await database.prisma.sweep.count()).toBe(0);
});

test("sign-in prints an address whose token is stored as a hash only", async () => {
  const { text } = await signIn({ home: folder, database, address: "http://127.0.0.1:7331" });
  expect(text).toMatch(/^http:\/\/127\.0\.0\.1:7331\/sign-in\?token=[\w-]{43}\n/);
  expect(await database.prisma.signInToken.count()).toBe(1);
  await expect(signIn({ home: folder, database, address: undefined })).rejects.toMatchObject({ code: "unavailable" });
});

const config = {
  host: "127.0.0.1",
  port: 1,
  home: noHome,
  secret: undefined,
  trainerBundle: undefined,
  playMemoryBytes: 4e9,
  graceMs: 30_000,
  tickMs: 500,
};

test("without a running studio, one line says how to start it", async () => {
  await expect(connect({ ...config, databaseUrl: undefined })).rejects.toThrow("start it with `npm start`");
  const dead = { ...config, databaseUrl: "postgresql://x:y@127.0.0.1:1/z" };
  await expect(connect(dead)).rejects.toThrow("the database at 127.0.0.1:1 does not answer");
});

test("a command of an older version refuses the database of a newer one", async () => {
  const columns = "id, checksum, migration_name, finished_at";
  await database.pool.query(`INSERT INTO _prisma_migrations (${columns}) VALUES ('n', '', '99990101_later', now())`);
  try {
    await expect(connect({ ...config, databaseUrl: database.url })).rejects.toThrow(
      `the database at ${new URL(database.url).host} cannot be used: a newer version of the studio has changed it (migration 99990101_later)`,
    );
  } finally {
    await database.pool.query("DELETE FROM _prisma_migrations WHERE id = 'n'");
  }
  const studio = await connect({ ...config, databaseUrl: database.url });
  await studio.database.close();
});

test("runs of another trainer are imported from files, once", async () => {
  const studio = { database, address: undefined, home: folder };
  const file = join(folder, "grpo_sokoban_seed3.jsonl");
  await writeFile(file, '{"step": 1, "data": {"episode/success_rate": 0.5}}\n');
  const options = { method: undefined, environment: undefined, seed: undefined };
  const request = { files: [file], name: "From elsewhere", options };
  const { text } = await importRuns(request, studio);
  expect(text).toMatch(/^Sweep from-elsewhere-\w+: 1 imported run of 1 cell$/);
  expect((await listRuns(database, "From elsewhere", screen)).text).toMatch(/-c0-s3 +GRPO .* finished/);
  await expect(importRuns(request, studio)).rejects.toThrow("was imported before");
});

test("several recorded studies are imported at once", async () => {
  const paths = [];
  for (const name of ["one", "two"]) {
    const { id } = await createFromYaml({ database, home: noHome }, yaml.replace("From a file", name));
    await database.prisma.run.updateMany({ where: { sweepId: id }, data: { status: "cancelled" } });
    const path = join(folder, `${name}.arlarena`);
    await exportStudy(database, { sweepIds: [id], path, hasSamples: false });
    paths.push(path);
  }
  await database.prisma.sweep.deleteMany();
  const { text, exitCode } = await importRecorded(paths, { database, address: undefined, home: folder });
  expect([exitCode, text.split("\n")]).toEqual([
    0,
    [expect.stringMatching(/^Sweep one-\w+: one, 4 recorded runs$/), expect.stringMatching(/: two, 4 recorded runs$/)],
  ]);
});

test("a folder is imported with all logs in it: runs are named after their folders, snapshots are one run", async () => {
  const top = join(folder, "many");
  const write = async (path: string, text: string) => {
    await mkdir(join(top, path, ".."), { recursive: true });
    await writeFile(join(top, path), text);
  };
  const state = (count: number) =>
    JSON.stringify({ log_history: Array.from({ length: count }, (_, i) => ({ step: i + 1, loss: 0.1, reward: i })) });
  await write("gspo_s2/checkpoint-5/trainer_state.json", state(5));
  await write("gspo_s2/checkpoint-9/trainer_state.json", state(9));
  await write("grpo_s1/logs/metrics.jsonl", '{"step": 1, "episode/success_rate": 0.5}\n');
  await write("grpo_s1/requirements.txt", "torch\n");
  await write("grpo_s1/model.bin", "\0");
  const studio = { database, address: undefined, home: folder };
  const options = { method: undefined, environment: undefined, seed: undefined };
  const imported = await importRuns({ files: [top], name: "Many", options }, studio);
  expect(imported.text).toMatch(/2 imported runs of 2 cells$/);
  expect(imported.remarks).toContainEqual(expect.stringMatching(/^left out: .*requirements\.txt: no measurements/));
  const { text } = await listRuns(database, "Many", screen);
  expect(text).toMatch(/-s1 +GRPO .* 1\/1/);
  expect(text).toMatch(/-s2 +GSPO .* 9\/9/);
  await mkdir(join(folder, "empty"));
  const none = importRuns({ files: [join(folder, "empty")], name: "None", options }, studio);
  await expect(none).rejects.toThrow("no log found");
});

test("a check of a node prints for each thing that it is fine or what to do, and exits with 1 unless all is fine", async () => {
  const node = Node.parse({ kind: "local", name: "here", slots: { per: "core", count: 1 } });
  await saveNodes(database, [{ node, lastContactAtMs: null, problem: null, gpus: null, disk: null }]);
  process.env["DATABASE_URL"] = database.url;
  const python = { name: "Python (python3)", found: "3.11.2", todo: null };
  const verl = { name: "Trainer verl", found: "no verl", todo: "pip install verl there" };
  /** Checks the node as a running orchestrator does. */
  async function checkWith(items: CheckItem[]) {
    const asked = answer(["nodes", "check", "here"], screen);
    while ((await readAskedChecks(database)).length === 0) await sleep(20);
    await saveCheck(database, "here", { atMs: Date.now() + 1, items, versions: {} });
    return asked;
  }
  try {
    expect(await answer(["nodes", "check", "there"], screen)).toMatchObject({
      text: expect.stringContaining("there is no node there") as string,
      exitCode: 1,
    });
    expect(await checkWith([python, verl])).toMatchObject({
      exitCode: 1,
      text: "here\n  fine   Python (python3): 3.11.2\n  to do  Trainer verl: no verl\n         pip install verl there",
    });
    await sleep(20);
    expect((await checkWith([python])).exitCode).toBe(0);
  } finally {
    delete process.env["DATABASE_URL"];
    await database.prisma.nodeSighting.deleteMany();
  }
});

test("a change that a command makes stands in the log of changes, a look or a failure does not", async () => {
  const { id } = await createFromYaml({ database, home: noHome }, yaml);
  process.env["DATABASE_URL"] = database.url;
  try {
    const asked = [
      ["pause", id],
      ["pause", "gone"],
      ["runs", id],
      ["token", "--list"],
      ["resume", id],
    ];
    const codes: number[] = [];
    for (const words of asked) codes.push((await answer(words, screen)).exitCode);
    expect(codes).toEqual([0, 1, 0, 0, 0]);
  } finally {
    delete process.env["DATABASE_URL"];
  }
  const entries = await readChanges(database.pool, { words: [], before: undefined, limit: 10 });
  expect(entries.map(({ who, action, subject }) => [who, action, subject])).toEqual([
    ["command line", "arlarena resume", id],
    ["command line", "arlarena pause", id],
  ]);
});

test("queue, changes, alerts and shared links are listed", async () => {
  const { id } = await createFromYaml({ database, home: noHome }, yaml);
  await saveNodes(database, [{ node: thisMachine(2), lastContactAtMs: 1, problem: null, gpus: null, disk: null }]);
  await database.prisma.sweep.update({ where: { id }, data: { slotsPerRun: 3, priorityMinutes: 120 } });
  const subject = { kind: "sweep", sweepId: id } as const;
  const expiresAt = new Date(Date.now() + 1e9);
  await createShareLink(database, { shared: subject, createdBy: "Ada", expiresAt });
  const notice = { ...testNotice("chat", "1"), title: "GRPO collapsed" };
  await inTransaction(database.pool, (client) =>
    saveNotices(client, [{ ...notice, routes: [{ channel: "chat", firstMs: 0 }] }]),
  );
  process.env["DATABASE_URL"] = database.url;
  try {
    await answer(["pause", id], screen);
    await answer(["resume", "gone"], screen);
    const say = async (...words: string[]) => (await answer(words, screen)).text;
    expect(await say("queue")).toMatch(
      new RegExp(`^${id} +From a file +0 +4 +\\+2 h +it needs 3 slots of one node, but the largest node has 2$`, "m"),
    );
    expect(await say("changes", "pause")).toMatch(new RegExp(`command line +arlarena pause +${id}$`, "m"));
    expect(await say("changes", "nobody")).toBe("No changes");
    expect(await say("alerts")).toMatch(/ chat +waiting +GRPO collapsed$/m);
    expect(await say("links")).toMatch(new RegExp(`^sweep ${id} +Ada +\\d{4}-\\d\\d-\\d\\d +never +\\d{4}`, "m"));
  } finally {
    delete process.env["DATABASE_URL"];
  }
});

test("rules of an imported sweep act once a script states the number of runs", async () => {
  const search = `search: { sampler: { kind: random, seed: 1 }, space: { optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 } },
    objective: { metric: rollout/successRate, goal: maximize }, trials: 5, parallel: 1 }`;
  const { id } = await createFromYaml({ database, home: noHome }, `${yaml}${search}\n`);
  process.env["DATABASE_URL"] = database.url;
  try {
    expect((await answer(["rules", id], screen)).text).toContain("has no resting rules");
    await database.prisma.sweep.update({ where: { id }, data: { importedAt: new Date() } });
    const asked = await answer(["rules", id], screen);
    expect([asked.exitCode, asked.text]).toEqual([1, expect.stringContaining("confirm the number with numRuns: 16")]);
    const { exitCode, text } = await answer(["rules", id, "--num-runs", "16"], screen);
    expect([exitCode, text]).toEqual([
      0,
      `The rules of sweep ${id} act from now on: 16 runs\n  search: up to 16 runs of 8 trials, within its budget and its rules`,
    ]);
  } finally {
    delete process.env["DATABASE_URL"];
  }
  expect(await readSweep(database, id)).toMatchObject({ importedAt: null });
  const [change] = await readChanges(database.pool, { words: ["rules"], before: undefined, limit: 1 });
  expect(change).toMatchObject({ action: "arlarena rules", subject: id });
});

test("who says their name by --as has it in the log of changes and at what they launch; a name that nobody has is refused", async () => {
  const file = join(folder, "of-ada.yaml");
  await writeFile(file, yaml);
  await database.prisma.person.create({ data: { name: "Ada L.", nameKey: "ada l.", role: "editor" } });
  process.env["DATABASE_URL"] = database.url;
  try {
    const run = (name: string) => answer(["--as", name, "sweep", "run", file, "--name", "Of Ada"], screen);
    expect((await run("ada l.")).exitCode).toBe(0);
    expect(await run("Eve")).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('nobody named "Eve"') as string,
    });
  } finally {
    delete process.env["DATABASE_URL"];
  }
  const launched = await database.prisma.sweep.findMany({ where: { name: "Of Ada" } });
  expect(launched.map(({ launchedBy }) => launchedBy)).toEqual(["Ada L."]);
  const [entry] = await readChanges(database.pool, { words: [], before: undefined, limit: 1 });
  expect(entry).toMatchObject({ who: "Ada L., command line", action: "arlarena sweep run" });
});
