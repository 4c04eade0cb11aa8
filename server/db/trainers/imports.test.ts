import { afterAll, expect, it } from "vitest";
import { insertRun } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";
import { findImported, finishImport } from "./imports.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const ended = { startedAtMs: null, endedAtMs: null, config: {}, hasSteps: true };
const fileOf = (hash: string) => ({ hash, name: "grpo.jsonl", format: "verl", sizeBytes: 5_000_000_000 });

it("refuses a file that another import has recorded, and finishes nothing then", async () => {
  const first = { runId: "first", attemptId: await insertRun(database, "first"), ...ended };
  const second = { runId: "second", attemptId: await insertRun(database, "second"), ...ended };
  await finishImport(database, { sweepId: "sweep-of-first", runs: [first], files: [fileOf("a")] });
  const late = finishImport(database, {
    sweepId: "sweep-of-second",
    runs: [second],
    files: [fileOf("b"), fileOf("a")],
  });
  await expect(late).rejects.toMatchObject({ code: "conflict", message: /another person is importing/ });
  expect([...(await findImported(database, ["a", "b"])).keys()]).toEqual(["a"]);
  const { status } = await database.prisma.run.findUniqueOrThrow({ where: { id: "second" } });
  expect(status).toBe("running");
});

it("does not blame another person for another error", async () => {
  const files = [fileOf("c")];
  await expect(finishImport(database, { sweepId: "deleted", runs: [], files })).rejects.toThrow(/foreign key/);
});

it("records no files if the runs cannot be finished", async () => {
  const lost = { runId: "lost", attemptId: 0, ...ended };
  const request = { sweepId: "sweep-of-first", runs: [lost], files: [fileOf("d")] };
  await expect(finishImport(database, request)).rejects.toThrow(/foreign key/);
  expect(await findImported(database, ["d"])).toEqual(new Map());
});
