import { afterAll, expect, it } from "vitest";
import { toYaml, parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { readPrecedents } from "#server/db/analysis/rescue.ts";
import { citePrecedents } from "#server/domain/analysis/rescue/precedents.ts";
import { createFromYaml } from "#server/cli/client/runSweep.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { rescueFallen } from "./rescueFallen.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const planOf = (rescue: string) =>
  `name: Watched\nmethods: [cispo]\nenvironments: [{ id: sokoban }]\nbase: { budget: { iterations: 40 } }\nrescue: ${rescue}\nseeds: [0, 1, 2]\n`;

/** Ends a run with an alarm and a label. */
async function fall(runId: string, { alarm, kind }: { alarm: number; kind: string }): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", latestIteration: 40 } });
  const standing = { detectorVersion: "test", status: "unstable", iteration: 40, numSteps: 40, changes: [] };
  const hindsight = { label: { kind } };
  await database.prisma.detection.create({
    data: { runId, attemptId, ...standing, alarm: "unstable", alarmAt: alarm, hindsight },
  });
}

const rescues = () =>
  database.prisma.sweep.findMany({ where: { name: { startsWith: "Rescue" } }, orderBy: { name: "asc" } });
const historyOf = async (runId: string) =>
  (await database.prisma.statusEvent.findMany({ where: { runId, source: "rescue" } })).map(({ text }) => text);

it("opens an experiment for each run that fell, once, behind the sweep's own runs", async () => {
  const yaml = planOf(
    "{ on: collapsed, before: [0, 20, 30], arms: [mask, learningRate], continuations: 2, budget: 12 }",
  );
  expect(parsePlan(toYaml(parsePlan(yaml)))).toEqual(parsePlan(yaml));
  const { id } = await createFromYaml({ database, home: "/nowhere" }, yaml);
  const [first, second, third] = [0, 1, 2].map((seed) => `${id}-c0-s${seed}`);
  await fall(first ?? "", { alarm: 12, kind: "collapseTerminal" });
  await fall(second ?? "", { alarm: 9, kind: "healthy" });
  await rescueFallen(database);

  // Both 20 and 30 iterations before the alarm are before the run's start.
  const opened = await rescues();
  expect(opened).toMatchObject(
    [0, 12].map((at) => ({ name: `Rescue of ${first} after ${at}`, priorityMinutes: -10_080 })),
  );
  const [sweep] = opened;
  const runs = await database.prisma.run.findMany({ where: { sweepId: sweep?.id ?? "" }, include: { cell: true } });
  expect(runs).toHaveLength(6);
  expect(new Set(runs.map(({ cell }) => cell.method))).toEqual(new Set(["CISPO", "CISPO, sequence mask"]));
  expect(await historyOf(first ?? "")).toEqual(["rescue experiment with 12 branches opened by the sweep's plan"]);

  await rescueFallen(database);
  expect(await rescues()).toHaveLength(2);
  // A deleted rescue experiment is not created again. An experiment that was created before a kill is not created
  // twice.
  await database.prisma.statusEvent.deleteMany({ where: { runId: first ?? "" } });
  await rescueFallen(database);
  expect(await rescues()).toHaveLength(2);
  expect(await historyOf(first ?? "")).toEqual(["rescue experiment with 12 branches opened by the sweep's plan"]);
  await database.prisma.sweep.deleteMany({ where: { id: { in: opened.map(({ id: one }) => one) } } });
  await rescueFallen(database);
  expect(await rescues()).toHaveLength(0);

  await fall(third ?? "", { alarm: 31, kind: "nonFinite" });
  await rescueFallen(database);
  expect(await rescues()).toHaveLength(0);
  expect(await historyOf(third ?? "")).toEqual([
    "no rescue experiment: 18 new branches and the 0 of this sweep exceed rescue.budget, 12",
  ]);
});

it("opens one for every alarm where the plan says so", async () => {
  const { id } = await createFromYaml(
    { database, home: "/nowhere" },
    planOf("{ on: unstable, before: [0], arms: [kl], continuations: 1 }"),
  );
  await fall(`${id}-c0-s1`, { alarm: 9, kind: "healthy" });
  await rescueFallen(database);
  expect((await rescues()).map(({ name }) => name)).toEqual([`Rescue of ${id}-c0-s1 after 9`]);
});

it("opens one experiment if an orchestrator that was suspended resumes beside its successor", async () => {
  const yaml = planOf("{ on: unstable, before: [0], arms: [kl], continuations: 1 }");
  const { id } = await createFromYaml({ database, home: "/nowhere" }, yaml);
  await fall(`${id}-c0-s0`, { alarm: 9, kind: "healthy" });
  await Promise.all([rescueFallen(database), rescueFallen(database)]);
  expect(await historyOf(`${id}-c0-s0`)).toEqual(["rescue experiment with 2 branches opened by the sweep's plan"]);
  expect((await rescues()).filter(({ name }) => name.includes(id))).toHaveLength(1);
});

it("counts branches towards the budget, and no runs that only start with the policy", async () => {
  const site = { database, home: "/nowhere" };
  const { id } = await createFromYaml(
    site,
    planOf("{ on: unstable, before: [0], arms: [kl], continuations: 1, budget: 3 }"),
  );
  const [first = "", second = ""] = [0, 1].map((seed) => `${id}-c0-s${seed}`);
  const base = `base: { initialisation: { kind: run, run: ${second}, iteration: 3 }, budget: { iterations: 40 } }`;
  await createFromYaml(
    site,
    `name: Starts\nmethods: [cispo]\nenvironments: [{ id: sokoban }]\n${base}\nseeds: [0, 1]\n`,
  );
  await fall(first, { alarm: 9, kind: "healthy" });
  await rescueFallen(database);
  expect(await historyOf(first)).toEqual(["rescue experiment with 2 branches opened by the sweep's plan"]);
  await fall(second, { alarm: 9, kind: "healthy" });
  await rescueFallen(database);
  expect(await historyOf(second)).toEqual([
    "no rescue experiment: 2 new branches and the 2 of this sweep exceed rescue.budget, 3",
  ]);
});

it("measures what alarms of similar runs cite", async () => {
  const rule = "{ on: unstable, before: [0, 8], arms: [mask, kl], continuations: 3 }";
  const { id } = await createFromYaml({ database, home: "/nowhere" }, planOf(rule).replace("cispo", "gspo"));
  const origin = `${id}-c0-s0`;
  const asked = `${id}-c0-s1`;
  expect(await readPrecedents(database.pool, asked)).toEqual([]);
  await fall(origin, { alarm: 20, kind: "collapseTerminal" });
  await rescueFallen(database);
  const runs = await database.prisma.run.findMany({
    where: { sweep: { name: { startsWith: `Rescue of ${origin}` } } },
    include: { sweep: true, cell: true },
  });
  // GSPO masks by sequence already, so the only change left is the KL term, compared with no change.
  expect(runs).toHaveLength(12);
  for (const { id: runId, sweep, seed, cell } of runs) {
    const isChanged = cell.label !== "" && !cell.label.includes("0.01");
    const isKept = isChanged && seed <= 2 && sweep.name.endsWith("after 20");
    await fall(runId, { alarm: 30, kind: isKept ? "healthy" : "collapseRecovered" });
  }
  const precedents = await readPrecedents(database.pool, asked);
  expect(precedents).toHaveLength(6);
  expect(citePrecedents(precedents)).toBe(
    "No change is shown to prevent a collapse: 1 change was tried in 6 branches of similar runs. A test needs branches of 2 more such runs, begun before its collapse.",
  );
  const citeFor = async (yaml: string) => {
    const { id: other } = await createFromYaml({ database, home: "/nowhere" }, yaml);
    return citePrecedents(await readPrecedents(database.pool, `${other}-c0-s0`));
  };
  const own = planOf(rule).replace("cispo", "gspo");
  expect(await citeFor(own.replace("iterations: 40", "iterations: 60"))).toMatch(
    / more such runs, begun before its collapse\. These runs differ from this one: iterations 40 instead of 60\.$/,
  );
  // Another method, a harder task, a sampler of low precision and another step size are not similar.
  for (const [before, after] of [
    ["gspo", "sapo"],
    ["id: sokoban", "id: sokoban, size: 8"],
    ["base: {", "base: { rollout: { samplerPrecision: fp8-e4m3 },"],
    ["base: {", "base: { optimizer: { learningRate: 0.002 },"],
  ] as const) {
    expect(await citeFor(own.replace(before, after))).toBe("");
  }
});

it("refuses what is no change, and names those that are", async () => {
  const { id } = { id: planOf("{ on: collapsed, arms: [prayer] }") };
  await expect(createFromYaml({ database, home: "/nowhere" }, id)).rejects.toThrow(/rescue\.arms.*prayer/s);
});
