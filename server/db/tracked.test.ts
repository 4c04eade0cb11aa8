import { afterAll, expect, it } from "vitest";
import { usualSampling } from "#server/domain/import/usualSampling.ts";
import { makeTestDatabase } from "./testing/testDatabase.ts";
import { createTrackedRun, type NewRun } from "./tracked.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

it("stores nothing of a run whose folder finds no room", async () => {
  const plan = { id: "e", name: "Experiment", origin: "tracking", plan: {}, planHash: "" };
  await database.prisma.sweep.create({ data: plan });
  const environment = "sokoban";
  const spec = { environment: { id: environment }, method: "GRPO", sampling: usualSampling, budget: { iterations: 0 } };
  const run: NewRun = {
    sweepId: "e",
    identity: { method: "GRPO", environment, seed: 0 },
    label: "",
    spec: { kind: "imported", ...spec },
    makeFolder: () => Promise.reject(new Error("ENOSPC: no space left on device")),
    startedAtMs: 0,
    values: [{ kind: "tag", key: "mlflow.runName", value: "first" }],
  };
  await expect(createTrackedRun(database, run)).rejects.toThrow("ENOSPC");
  expect([await database.prisma.run.count(), await database.prisma.cell.count()]).toEqual([0, 0]);
  expect(await createTrackedRun(database, { ...run, makeFolder: (id) => Promise.resolve(id) })).toBe("e-c0-s0");
});
