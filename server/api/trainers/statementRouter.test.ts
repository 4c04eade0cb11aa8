import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { importFiles } from "#server/engine/trainers/import/importFiles.ts";
import { readImport } from "#server/engine/trainers/import/readImport.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

const metric = "evaluation/successRate";
let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;
let home: string;
beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  home = await mkdtemp(join(tmpdir(), "arlarena-state-"));
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

async function importTexts(texts: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const files = await Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const path = join(home, name);
      await writeFile(path, text);
      return { name, path, start: 0, end: Buffer.byteLength(text) };
    }),
  );
  const { sweepId } = await importFiles(database, home, { files, options: {}, read: readImport });
  while (await replayWaiting(database.pool, 100));
  return sweepId;
}

/** Makes JSON lines as verl's file logger writes them; values grow with the level. */
function verlLog(seed: number, level: number): string {
  return Array.from({ length: 40 }, (_, i) => {
    const rate = Math.min(level, 0.1 + i * 0.03) + ((i * 7 + seed * 3) % 5) * 0.01;
    const data = { "episode/success_rate": rate, "actor/grad_norm": 0.5, "val/success_rate": rate };
    return `${JSON.stringify({ step: i + 1, data })}\n`;
  }).join("");
}

const fourSeeds = [0, 1, 2, 3, 4];
const cellsOf = async (sweepId: string) => (await caller.run.grid({ sweepIds: [sweepId] })).cells;

describe("stated configurations of imported runs", async () => {
  let sweepId = "";
  beforeAll(async () => {
    sweepId = await importTexts(
      Object.fromEntries(
        fourSeeds.flatMap((seed) => [
          [`baseline_sokoban_seed${seed}.jsonl`, verlLog(seed, 0.5)],
          [`ours v2_sokoban_seed${seed}.jsonl`, verlLog(seed, 0.8)],
        ]),
      ),
    );
  });
  const groups = () => caller.statement.groups({ sweepIds: [sweepId] });
  const idsOf = async (name: string) => (await groups()).find((group) => group.name === name)?.runIds ?? [];

  it("bring runs into dimensions, findings, survival, tables and the run table, marked as stated, until taken back", async () => {
    const study = { sweepIds: [sweepId], metric };
    const before = await caller.analysis.dimensions(study);
    expect(before).toMatchObject({ numForeign: 10, numStated: 0 });
    const [baseline, ours] = [await idsOf("baseline"), await idsOf("ours v2")];
    const plain = await cellsOf(sweepId);

    const settings = { optimizer: { learningRate: 1e-6 } };
    await caller.statement.state({ ids: baseline, statement: { method: "grpo", settings } });
    await caller.statement.state({ ids: ours, statement: { method: "gigpo", settings } });

    const cells = await cellsOf(sweepId);
    expect(cells.map(({ method, label }) => `${method} · ${label}`)).toEqual(["GRPO · stated", "GiGPO · stated"]);
    expect(await caller.analysis.dimensions(study)).toMatchObject({ numForeign: 0, numStated: 10 });
    const { findings } = await caller.analysis.claims(study);
    const told = findings.filter(({ parts }) => parts.some(({ numContexts }) => numContexts > 0));
    expect(told.map(({ id }) => id)).toContain("hierarchicalAdvantage");
    const rows = await caller.runTable.rows({
      filter: "stated:* method.advantage.kind=gigpo lr<1e-5",
      columns: ["method", "stated", "optimizer.learningRate"],
      order: [],
      offset: 0,
      limit: 100,
    });
    expect(rows.total).toBe(5);
    expect(rows.rows[0]?.values).toEqual(["GiGPO", "method, settings", 1e-6]);
    const { sentence } = await caller.sweep.headline({ id: sweepId });
    expect(sentence).toMatch(/^GiGPO \(stated\) leads in .*, then GRPO \(stated\) with /);
    const { final, longCsv } = await caller.table.final(study);
    expect(JSON.stringify(final.rows)).toContain("stated");
    expect(longCsv).toMatch(/Sokoban,all,GiGPO,tokenMean,token,gigpo,all,stated,/);
    expect((await caller.sweep.list()).find(({ id }) => id === sweepId)?.methods).toEqual(["GRPO", "GiGPO"]);

    await caller.statement.withdraw({ ids: [...baseline, ...ours] });
    expect(await cellsOf(sweepId)).toEqual(plain);
    expect(await caller.analysis.dimensions(study)).toMatchObject({ numForeign: 10, numStated: 0 });
  });

  it("make seeds of runs that came under several names, and give back the seeds they came with", async () => {
    const [baseline, ours] = [await idsOf("baseline"), await idsOf("ours v2")];
    await caller.statement.state({ ids: baseline, statement: { method: "grpo" } });
    const { numReseeded } = await caller.statement.state({ ids: ours.slice(0, 2), statement: { method: "grpo" } });
    expect(numReseeded).toBe(2);
    const { runs } = await caller.run.grid({ sweepIds: [sweepId] });
    const seeds = runs
      .filter(({ id }) => ours.slice(0, 2).includes(id) || baseline.includes(id))
      .map(({ seed }) => seed);
    expect(new Set(seeds)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    expect((await groups()).map(({ stated }) => stated)).toEqual(["method GRPO", "differently"]);
    await caller.statement.withdraw({ ids: [...baseline, ...ours] });
    const after = await caller.run.grid({ sweepIds: [sweepId] });
    expect(after.runs.filter(({ id }) => ours.includes(id)).map(({ seed }) => seed)).toEqual(fourSeeds);
  });

  it("are refused with the field, the value and the limit, and change nothing then", async () => {
    const ids = await idsOf("baseline");
    const state = (statement: Parameters<typeof caller.statement.state>[0]["statement"]) =>
      caller.statement.state({ ids, statement });
    await expect(state({ settings: { optimizer: { learningRate: 2 } } })).rejects.toThrow(/learningRate.*at most 1/);
    await expect(state({})).rejects.toThrow("names no method, environment or setting");
    await expect(caller.statement.state({ ids: ["gone"], statement: { method: "grpo" } })).rejects.toThrow(
      "there is no run gone",
    );
    expect((await groups()).map(({ stated }) => stated)).toEqual([undefined, undefined]);
  });
});

it("proposes what the names and a real W&B run's configuration say", async () => {
  const bytes = await readFile("packages/trainers/logs/testing/wandbRun.wandb");
  const sweepId = await importTexts({ "run-fixture1.wandb": bytes, "cispo_webshop_seed1.jsonl": verlLog(1, 0.4) });
  const found = await caller.statement.groups({ sweepIds: [sweepId] });
  expect(found.map(({ name, proposal }) => [name, proposal])).toEqual([
    ["GRPO", { statement: { method: "grpo" }, sources: ["name"] }],
    ["CISPO", { statement: { method: "cispo" }, sources: ["name"] }],
  ]);
  const [run] = (await caller.run.grid({ sweepIds: [sweepId] })).runs;
  const { tracked } = await caller.run.byId({ id: run?.id ?? "" });
  expect(tracked).toContainEqual({ kind: "param", key: "lr", value: "0.000001" });
});
