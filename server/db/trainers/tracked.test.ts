import { afterAll, describe, expect, it } from "vitest";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";
import { createTrackedRun, endTrackedRun, setTrackedStatus, type NewRun } from "./tracked.ts";

const database = await makeTestDatabase();
import { readRun } from "../runs/runs.ts";
import { insertSweep } from "../testing/insertRun.ts";
afterAll(() => database.close());

const environment = "sokoban";
const spec = { environment: { id: environment }, method: "GRPO", sampling: usualSampling, budget: { iterations: 0 } };
const run: NewRun = {
  sweepId: "e",
  identity: { method: "GRPO", environment, seed: undefined },
  label: "",
  spec: { kind: "imported", ...spec },
  makeFolder: (id) => Promise.resolve(id),
  startedAtMs: 0,
  values: [{ kind: "tag", key: "mlflow.runName", value: "first" }],
};

it("stores nothing of a run whose folder finds no room", async () => {
  const plan = { id: "e", name: "Experiment", origin: "tracking", plan: {}, planHash: "" };
  await database.prisma.sweep.create({ data: plan });
  const makeFolder = () => Promise.reject(new Error("ENOSPC: no space left on device"));
  await expect(createTrackedRun(database, { ...run, makeFolder })).rejects.toThrow("ENOSPC");
  expect([await database.prisma.run.count(), await database.prisma.cell.count()]).toEqual([0, 0]);
  expect(await createTrackedRun(database, run)).toBe("e-c0-s0");
});

describe("a run whose program is gone", () => {
  it.each([
    ["failed", "lost", "Ada", "ended by Ada"],
    ["finished", "elsewhere", "command line", "ended on the command line"],
  ] as const)("is ended as %s, at its last measurement", async (as, reason, by, text) => {
    const id = await createTrackedRun(database, run);
    const lastEventAt = new Date(60_000);
    await database.prisma.attempt.updateMany({ where: { runId: id }, data: { lastEventAt } });
    await endTrackedRun(database, id, { as, by });
    const ended = await readRun(database, id);
    expect(ended).toMatchObject({ status: as, reason, endedAt: lastEventAt });
    expect(ended.statusEvents[0]).toMatchObject({ source: "user", status: as, text });
    await expect(endTrackedRun(database, id, { as, by })).rejects.toThrow(`run ${id} is over (${as})`);
    await setTrackedStatus(database, id, { status: "running", endedAtMs: undefined });
    expect(await readRun(database, id)).toMatchObject({ status: "running", endedAt: null });
  });

  it("ends now where it measured nothing", async () => {
    const id = await createTrackedRun(database, run);
    await endTrackedRun(database, id, { as: "failed", by: "browser" });
    expect((await readRun(database, id)).endedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it("is not one that the studio trains", async () => {
    await insertSweep(database, "s", ["trained"]);
    const order = { as: "failed", by: "browser" } as const;
    await expect(endTrackedRun(database, "trained", order)).rejects.toThrow("cancel it instead");
    await expect(endTrackedRun(database, "none", order)).rejects.toThrow("there is no run none");
  });
});
