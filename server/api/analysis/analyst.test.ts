import { afterAll, expect, it } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { analyse } from "./analyses.ts";
import { analysisLimits, makeAnalyst } from "./analyst.ts";

const database = await makeTestDatabase();
const site = { databaseUrl: database.url, home: "/nowhere" };
const analyst = makeAnalyst(database, site);
await insertProvenStudy(database);
afterAll(async () => {
  analyst.close();
  await database.close();
});

const study = { sweepIds: ["main", "other"], metric: "evaluation/successRate" };

it("comes to the same answer in a process of its own, also where something is not a number", async () => {
  for (const name of ["tables", "effects"] as const) {
    expect(await analyst.ask(name, study)).toEqual(await analyse(database, name, study));
  }
});

it("refuses with the code and the words of the process", async () => {
  await expect(analyst.ask("replay", { runId: "no such run" })).rejects.toMatchObject({ code: "not_found" });
});

it("does equal requests once while they are under way, and says how far they have come", async () => {
  const asked = [1, 2, 3].map(() => analyst.ask("survival", { sweepIds: ["main"], by: "method" }));
  expect(analyst.progressOf("survival", { by: "method", sweepIds: ["main"] })).toMatchObject({ limitSeconds: 120 });
  const [first, second, third] = await Promise.all(asked);
  expect(second).toBe(first);
  expect(third).toBe(first);
  expect(analyst.progressOf("survival", { by: "method", sweepIds: ["main"] })).toBeNull();
});

it("names the analysis, its runs, the limit and a way out where it takes too long", async () => {
  const hurried = makeAnalyst(database, site, { ...analysisLimits, cpuMs: 1, wallMs: 1 });
  try {
    await expect(hurried.ask("tables", study)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(
        /^The tables of \d+ runs took more than 0.001 s of processor time .* and was stopped\. Choose fewer sweeps/,
      ),
    });
  } finally {
    hurried.close();
  }
});

it("lets go of those who leave, and stops where nobody is left", async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const input = { sweepIds: ["main"], metric: "rollout/successRate" };
  const asked = [one, other].map(({ signal }) => analyst.ask("tables", input, signal));
  const settled = Promise.allSettled(asked);
  one.abort(new Error("left"));
  await expect(asked[0]).rejects.toThrow("left");
  expect(analyst.progressOf("tables", input)).not.toBeNull();
  other.abort(new Error("left too"));
  await settled;
  await expect.poll(() => analyst.progressOf("tables", input), { timeout: 10_000 }).toBeNull();
  expect(await analyst.ask("tables", input)).toBeDefined();
});
