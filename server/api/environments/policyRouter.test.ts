import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CellSpec } from "#trainer/spec/run.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
const folder = realpathSync(mkdtempSync(join(tmpdir(), "arlarena-policy-")));

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  await insertSweep(database, "s", ["training", "gone", "torn"]);
  await insertModelRuns();
  await insertAttempt(database, "training", 1);
  for (const [id, where] of [
    ["gone", join(folder, "no-such-folder")],
    ["torn", folder],
  ] as const) {
    await insertAttempt(database, id, 1);
    await database.prisma.attempt.updateMany({ where: { runId: id }, data: { folder: where } });
    await database.prisma.run.update({ where: { id }, data: { status: "finished" } });
  }
  await database.prisma.attempt.updateMany({ where: { runId: "training" }, data: { folder: join(folder, "empty") } });
  writeFileSync(join(folder, "policy.onnx"), "");
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

/** Inserts language models' runs: one still training, one without local files, one with its weights on the node. */
async function insertModelRuns(): Promise<void> {
  await insertSweep(database, "models", ["learning", "absent", "partial"]);
  const cells = await database.prisma.cell.findMany({ where: { sweepId: "models" } });
  for (const { id, spec } of cells) {
    const own = CellSpec.parse(spec);
    const changed = { ...own, policy: { ...own.policy, pretrained: "/models/small" } };
    await database.prisma.cell.update({ where: { id }, data: { spec: JSON.parse(JSON.stringify(changed)) } });
  }
  for (const id of ["learning", "absent", "partial"]) {
    await insertAttempt(database, id, 1);
    await database.prisma.attempt.updateMany({ where: { runId: id }, data: { folder: join(folder, id) } });
    if (id !== "learning") await database.prisma.run.update({ where: { id }, data: { status: "finished" } });
  }
  mkdirSync(join(folder, "partial/model"), { recursive: true });
  writeFileSync(join(folder, "partial/model/config.json"), "{}");
}

it.each([
  ["learning", /has no model yet: the folder model is written when its training ends/],
  ["absent", `there is no folder model in ${join(folder, "absent")}`],
  [
    "partial",
    /files of 64 MB and more stay on the node .* `npx arlarena fetch partial` .* into .*partial\/model by hand/,
  ],
  ["training", /has no policy yet: policy\.onnx is written when its training ends/],
  ["gone", `there is no policy.onnx in ${join(folder, "no-such-folder")}`],
  ["torn", `vocabulary.json is missing beside ${join(folder, "policy.onnx")}`],
])("a policy that cannot be played is refused with what is missing, and where: %s", async (runId, message) => {
  const caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  const asked = { runId, seed: 0, replies: [], temperature: 1, draw: 0 };
  await expect(caller.policy.propose(asked)).rejects.toThrow(message);
  await expect(caller.policy.propose(asked)).rejects.toMatchObject({ code: "CONFLICT" });
});
