import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { analyse } from "./analyses.ts";
import { analysisLimits, makeAnalyst } from "./analyst.ts";

const database = await makeTestDatabase();
const site = { databaseUrl: database.url, variables: { ARLARENA_HOME: "/nowhere" } };
const analyst = makeAnalyst(database, site);
await insertProvenStudy(database);
// Answers about runs that are not over are not kept, so each request of these tests is computed.
for (const id of ["main-0-0", "other-0-0"]) {
  await database.prisma.run.update({ where: { id }, data: { status: "running" } });
}
afterAll(async () => {
  analyst.close();
  await database.close();
});

const study = { sweepIds: ["main", "other"], metric: "evaluation/successRate" };

it("comes to the same answer in a process of its own, also where something is not a number", async () => {
  for (const name of ["tables", "dimensions"] as const) {
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

it("keeps an answer that came too late for its page until the page requests it, once", async () => {
  const input = { sweepIds: ["main"] };
  const [inTime, late] = [await analyst.askAhead("overview", input, () => false), await analyst.ask("overview", input)];
  expect(late).not.toBe(inTime);
  const kept = await analyst.askAhead("overview", input, () => true);
  expect(await analyst.ask("overview", input)).toBe(kept);
  expect(await analyst.ask("overview", input)).not.toBe(kept);
  await analyst.askAhead("overview", input, () => true);
  analyst.renew();
  expect(analyst.progressOf("overview", input)).toBeNull();
  const asked = analyst.ask("overview", input);
  expect(analyst.progressOf("overview", input)).not.toBeNull();
  expect(await asked).toEqual(kept);
});

it("names the analysis, its runs, the limit and a way out where it takes too long", async () => {
  const hurried = makeAnalyst(database, site, { ...analysisLimits, cpuMs: 1, wallMs: 1 });
  try {
    await expect(hurried.ask("tables", study)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(
        /^The tables could not be computed: \d+ runs took more than 0.001 s of processor time .*\. Choose fewer sweeps/,
      ),
    });
  } finally {
    hurried.close();
  }
});

it("names the memory where it takes too much", async () => {
  const narrow = makeAnalyst(database, site, { ...analysisLimits, memoryBytes: 2 ** 27 });
  try {
    await expect(narrow.ask("tables", study)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(
        /took more than 0\.1 GiB of memory, or more than the studio's server had\. Choose/,
      ),
    });
  } finally {
    narrow.close();
  }
});

it.runIf(process.platform === "linux")("answers though its processes are killed, idle or at work", async () => {
  const before = await analyst.ask("tables", study);
  expect(killProcesses()).toBeGreaterThan(0);
  expect(await analyst.ask("tables", study)).toEqual(before);

  const asked = analyst.ask("tables", study);
  await expect.poll(() => analyst.progressOf("tables", study)?.progress?.step, { interval: 1 }).toBe("Reading");
  expect(killProcesses()).toBeGreaterThan(0);
  expect(await asked).toEqual(before);
});

/** Kills this process's analysis processes, like an administrator or the kernel; returns their number. */
function killProcesses(): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name));
  for (const pid of pids) process.kill(Number(pid), "SIGKILL");
  return pids.length;
}

function isOurs(pid: string): boolean {
  try {
    const [, parent = ""] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("analyses.mjs");
  } catch {
    return false;
  }
}

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
  await expect.poll(() => analyst.progressOf("tables", input)).toBeNull();
  expect(await analyst.ask("tables", input)).toBeDefined();
});
