import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { previewSweep } from "#server/cli/client/previewSweep.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { NodesFile } from "#server/domain/fleet/nodes/node.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { exportReport } from "./publish/reports/exportReport.ts";
import { renderShared } from "./publish/reports/renderReport.ts";
import { exportStudy } from "#server/engine/studies/exportStudy.ts";
import { readPlain } from "#server/engine/studies/testing/readPlain.ts";
import { appRouter, createCaller } from "./root.ts";
import { makeAnalystHere } from "./testing/analystHere.ts";
import { exampleFor } from "./testing/hostile.ts";

/** A secret is planted in every text that people enter, then searched for in all responses and the database. */
const planted = "planted-9f3a61c2e8";
const plan = `name: Planted
methods: [grpo]
environments: [{ id: sokoban }]
base:
  trainer: { name: mine, secrets: [WANDB_API_KEY] }
  optimizer: { learningRate: 0.00001 }
seeds: [0]
`;

let database: TestDatabase;
let notifications: Notifications;
let home = "";
let sweepId = "";
let runId = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-planted-"));
  vi.stubEnv("ARLARENA_HOME", home);
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  const template = { kind: "command", command: ["train", `--note=${planted}`] };
  const environment = { WANDB_API_KEY: planted, PLAIN: "plain" };
  const trainers = { mine: { ...template, environment, secrets: ["HF_TOKEN"] } };
  await writeFile(join(home, "trainers.yaml"), JSON.stringify({ trainers }));
  await writeFile(join(home, "secrets.env"), `HF_TOKEN=${planted}\n`, { mode: 0o600 });
  await writeFile(join(home, "plan.yaml"), plan);
  const slots = { per: "job", count: 1 };
  const settings = { setup: [`export MY_TOKEN=${planted}`], environment: { MY_KEY: planted }, secrets: ["HF_TOKEN"] };
  const { nodes } = NodesFile.parse({
    nodes: [
      { kind: "slurm", name: "cluster", folder: "/shared", slots, ...settings },
      {
        kind: "ray",
        name: "ray",
        address: "http://head:8265",
        slots,
        headers: { Authorization: planted },
        ...settings,
      },
    ],
  });
  const news = { lastContactAtMs: 1, problem: null, gpus: null, disk: null };
  await saveNodes(
    database,
    nodes.map((node) => ({ node, ...news })),
  );
  sweepId = (await makeCaller().sweep.create(parsePlan(plan))).id;
  runId = `${sweepId}-c0-s0`;
  await insertAttempt(database, runId, 1);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await notifications.close();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

function makeCaller() {
  const caller = { kind: "session" as const, isSameOrigin: true, person: null };
  return createCaller({ database, notifications, analyst: makeAnalystHere(database), caller });
}

type Definition = { _def: { type: string; inputs: readonly unknown[] } };
const flat: unknown = appRouter._def.procedures;
const queries = Object.entries(flat as Record<string, Definition>).filter(
  ([path, { _def }]) => _def.type === "query" && !path.startsWith("environment."),
);

/** Returns an input of a procedure that concerns the planted sweep and run. */
function inputFor(schema: unknown): unknown {
  if (!(schema instanceof z.ZodType)) return undefined;
  const text = JSON.stringify(exampleFor(schema), (key, value: unknown) => {
    if (key === "runId") return runId;
    if (key === "sweepId" || key === "id") return typeof value === "string" ? sweepId : value;
    return key === "sweepIds" ? [sweepId] : value;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

test.each(queries)("%s answers without it", async (path, { _def }) => {
  const caller: unknown = makeCaller();
  const procedure = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], caller);
  const ask = procedure as (input: unknown) => Promise<unknown>;
  const answer = await ask(inputFor(_def.inputs[0])).catch((error: unknown) => String(error));
  expect(JSON.stringify(answer) ?? "").not.toContain(planted);
});

test("previews hide it, on the page and in the terminal, and name it", async () => {
  const [cell] = (await makeCaller().sweep.preview(parsePlan(plan))).cells;
  expect(cell?.command).toBe("WANDB_API_KEY=*** PLAIN=plain train '--note=***'");
  const { text, json } = await previewSweep({ file: join(home, "plan.yaml"), cell: undefined }, home);
  expect(text).toContain("WANDB_API_KEY=***");
  expect(`${text}${JSON.stringify(json)}`).not.toContain(planted);
});

test("reports, shared pages, the study's file and events have none", async () => {
  const caller = makeCaller();
  const { id } = await caller.report.createOfSweep({ sweepId });
  const report = await exportReport(database, id);
  const shared = await renderShared(database, { kind: "sweep", sweepId });
  expect(JSON.stringify(report)).toContain("Planted");
  expect(shared.html).toContain("Planted");
  const path = join(home, "planted.arlarena");
  await exportStudy(database, { sweepIds: [sweepId], path, hasSamples: true });
  const study = await readPlain(path);
  expect(study).toContain("WANDB_API_KEY");
  const events = [];
  for await (const event of await caller.sweep.onChange({ sweepId })) {
    events.push(event);
    break;
  }
  expect(events).toHaveLength(1);
  expect(JSON.stringify([report, shared, study, events])).not.toContain(planted);
});

test("no row of the database has it, and the plan has its name", async () => {
  const Tables = z.array(z.object({ name: z.string() }));
  const names = await database.pool.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  const tables = Tables.parse(names.rows);
  expect(tables.length).toBeGreaterThan(20);
  const rows = await Promise.all(
    tables.map(
      async ({ name }) => (await database.pool.query(`SELECT row_to_json(t)::text AS row FROM "${name}" t`)).rows,
    ),
  );
  const dump = JSON.stringify(rows);
  expect(dump).toContain("WANDB_API_KEY");
  expect(dump).not.toContain(planted);
});
