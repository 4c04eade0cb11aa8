import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { readEvaluations } from "#server/db/runs/evaluations.ts";
import { askForEvaluations } from "#server/api/runs/evaluations.ts";
import { parseElsewhere } from "#server/domain/plan/sweep/elsewhereFile.ts";
import { evaluateRuns } from "#server/cli/runs/evaluate.ts";
import { evaluateStored } from "./evaluateStored.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-evaluating-"));
const stop = new AbortController();
let ended: Promise<void>;

/** Stands in for the trainer: it answers by the room's size, as the real one does in `trainer/run/elsewhere.test.ts`. */
const script = `
const { readFileSync } = await import("node:fs");
const [option, path] = process.argv.slice(2);
const { spec, evaluation, iteration, folders } = JSON.parse(readFileSync(path, "utf8"));
const { size } = evaluation.environment;
if (option !== "--evaluate" || folders.length !== 1) throw new Error("not asked as agreed");
if (size === 9) { console.error("arlarena-evaluated: the policy has no words for a ninth row"); process.exit(1); }
const result = { successRate: size / 10 + spec.seed / 100, turns: 3, iteration: iteration ?? 48, policySha256: "ab".repeat(32) };
console.log("arlarena-evaluated: " + JSON.stringify(result));
`;

beforeAll(async () => {
  await insertSweep(database, "rooms", ["r0", "r1"]);
  for (const id of ["r0", "r1"]) await insertAttempt(database, id, 1);
  await database.prisma.run.update({ where: { id: "r0" }, data: { status: "finished" } });
  const path = join(home, "trainer.mjs");
  await writeFile(path, script);
  const trainer = { command: [process.execPath, path], environment: {}, lookEveryMs: 20 };
  ended = evaluateStored(database, trainer, stop.signal);
});
afterAll(async () => {
  stop.abort();
  await ended;
  await database.close();
  await rm(home, { recursive: true });
});

test("evaluations of a finished run are performed one after another, and kept with the policy's hash", async () => {
  const text =
    "- { name: seven, environment: { id: sokoban, size: 7 } }\n- { environment: { id: sokoban, size: 9 } }\n";
  const asked = { runIds: ["r0"], text, iterations: [null, 0] };
  const { exitCode, text: shown } = await evaluateRuns(database, asked, 20);
  expect(exitCode).toBe(1);
  expect(shown.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["RUN", "IN", "ITERATION", "SUCCESS %", "TURNS", "POLICY"],
    ["r0", "seven", "48", "70.0", "3.0", "abababababab"],
    ["r0", "seven", "0", "70.0", "3.0", "abababababab"],
    ["r0", "sokoban", "last", "the policy has no words for a ninth row"],
    ["r0", "sokoban", "0", "the policy has no words for a ninth row"],
  ]);
  const kept = await readEvaluations(database, { runIds: ["r0"] });
  expect(kept.map(({ state, askedBy }) => `${state} ${askedBy}`)).toEqual([
    "done command line",
    "done command line",
    "failed command line",
    "failed command line",
  ]);
});

test("what is done is not done again; what failed is", async () => {
  const ask = (size: number) =>
    askForEvaluations(
      database,
      { runIds: ["r0"], evaluations: parseElsewhere(`{ id: sokoban, size: ${size} }`), iterations: [null] },
      null,
    );
  const [six] = await ask(6);
  expect(await ask(6)).toEqual([six]);
  await expect
    .poll(async () => (await readEvaluations(database, { ids: [six ?? -1] }))[0]?.state, { timeout: 10_000 })
    .toBe("done");
  const [nine] = await ask(9);
  await expect
    .poll(async () => (await readEvaluations(database, { ids: [nine ?? -1] }))[0]?.state, { timeout: 10_000 })
    .toBe("failed");
  expect(await ask(9)).not.toEqual([nine]);
});

test("of a sweep all runs that are over are evaluated", async () => {
  const sweepOf = async (id: string) => (await database.prisma.run.findUniqueOrThrow({ where: { id } })).sweepId;
  const evaluations = parseElsewhere("{ id: sokoban, size: 6 }");
  const ask = (sweepIds: string[]) =>
    askForEvaluations(database, { runIds: [], sweepIds, evaluations, iterations: [null] }, null);
  const [one] = await askForEvaluations(database, { runIds: ["r0"], evaluations, iterations: [null] }, null);
  const asked = await ask([await sweepOf("r0")]);
  expect(asked).toContain(one);
  const over = await database.prisma.run.count({ where: { sweepId: await sweepOf("r0"), status: "finished" } });
  expect(asked).toHaveLength(over);
  await expect(ask(["no-such-sweep"])).rejects.toMatchObject({
    issues: [{ path: "runIds", message: "no run of no-such-sweep is over" }],
  });
});

test("a run that has not ended and a file that is no list of environments are refused", async () => {
  const ask = (runId: string, text: string) =>
    evaluateRuns(database, { runIds: [runId], text, iterations: [null] }, 20);
  await expect(ask("r1", "{ id: sokoban }")).rejects.toThrow("run r1 has not ended yet");
  await expect(ask("r0", "{ id: sokobam }")).rejects.toMatchObject({
    issues: [{ path: "[0].environment.id", message: 'unknown value "sokobam"; did you mean "sokoban"?' }],
  });
  await expect(ask("r0", "[")).rejects.toMatchObject({ code: "bad_input" });
});
