import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/notifications.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { createCaller } from "../root.ts";

let database: TestDatabase;
let notifications: Notifications;
const folder = realpathSync(mkdtempSync(join(tmpdir(), "arlarena-policy-")));

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  await insertSweep(database, "s", ["training", "gone", "torn"]);
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

it.each([
  ["training", /has no policy yet: policy\.onnx is written when its training ends/],
  ["gone", `there is no policy.onnx in ${join(folder, "no-such-folder")}`],
  ["torn", `vocabulary.json is missing beside ${join(folder, "policy.onnx")}`],
])("a policy that cannot be played is refused with what is missing, and where: %s", async (runId, message) => {
  const caller = createCaller({
    database,
    notifications,
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  const asked = { runId, seed: 0, replies: [], temperature: 1, draw: 0 };
  await expect(caller.policy.propose(asked)).rejects.toThrow(message);
  await expect(caller.policy.propose(asked)).rejects.toMatchObject({ code: "CONFLICT" });
});
