import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { partsOf } from "#packages/statistics";
import { findForeignHtml } from "#server/domain/publish/reports/blockHtml.ts";
import { reportColours } from "#server/domain/publish/reports/style.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { escapeHtml, toHtml } from "#packages/tables";
import { exportReport } from "./reports/exportReport.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;
let sweepId = "";
const success = "evaluation/successRate";

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  const plan = checkPlan({
    name: "Two <methods>",
    methods: ["grpo", "sampo"],
    environments: [{ id: "sokoban" }],
    seeds: [0, 1, 2],
  });
  sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const runs = await database.prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } });
  for (const [i, { id }] of runs.entries()) await logRun(id, 0.2 + 0.1 * i);
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

/** Logs ten iterations with success around a level. */
async function logRun(runId: string, level: number): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  await addPoints(attemptId, 0, level);
  const data = { numMetricLines: 11, lastSeq: 10, live: false };
  await database.prisma.attempt.update({ where: { id: attemptId }, data });
  await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", reason: "completed" } });
}

async function addPoints(attemptId: number, first: number, level: number): Promise<void> {
  const ids = await makeMetricIds(database.pool)([success, "time/iterationMs"]);
  const lines = Array.from({ length: 11 }, (_, i) => ({
    attemptId,
    seq: first + i,
    iteration: first + i,
    optimizerStep: first + i,
    atMs: first + i,
    metricIds: [ids.get(success) ?? 0, ids.get("time/iterationMs") ?? 0],
    // Each iteration takes one minute.
    values: [level + 0.01 * i, 60_000],
  }));
  await inTransaction(database.pool, (client) => appendPoints(client, lines));
}

const chartBlock = () => `\`\`\`chart\nsweep: ${sweepId}\nmetric: ${success}\n\`\`\`\n`;

describe("a report", () => {
  it("of a sweep has the figures of the pages they come from", async () => {
    const { id } = await caller.report.createOfSweep({ sweepId });
    expect(await caller.report.byId({ id })).toMatchObject({
      title: "Report of Two <methods>",
      revision: 1,
      frozenAt: null,
    });
    const { html, problems } = await caller.report.shown({ id });
    expect(problems).toEqual([]);
    const { sentence } = await caller.sweep.headline({ id: sweepId });
    expect(sentence).toContain("SAMPO leads");
    expect(html).toContain(`<p class="headline">${escapeHtml(sentence)}</p>`);
    const { final } = await caller.table.final({ sweepIds: [sweepId], metric: success });
    // A report shows the best row first.
    const sorted = { ...final, rows: final.rows.toReversed() };
    expect(html).toContain(toHtml(sorted).split("<tbody")[1]?.split("</tbody>")[0] ?? "no table");
    expect(html).toContain(`Proof ${final.provenance.proof}`);
    const scope = { sweepIds: [sweepId] };
    const asked = { scope, keys: [success], aggregate: "interval" as const, seeds: false, range: null };
    const [chart] = (await caller.series.charts(asked)).charts;
    expect(chart?.bands).toHaveLength(2);
    for (const { values, lows, highs, counts } of chart?.bands ?? []) {
      const [value = NaN, low = NaN, high = NaN] = [values, lows, highs].map((of) => of.at(-1) ?? NaN);
      const parts = partsOf({ mean: value, interval: { low, high } }, { unit: "fraction" });
      const texts = [`${parts.mean} %`, `${parts.interval} %`, counts.at(-1)];
      const cells = texts.map((text) => `<td class="figure">${text}</td>`);
      expect(html).toContain(cells.join(""));
    }
    expect(html.match(/<div class="drawings"/g)).toHaveLength(1);
    // Each method has a line and a band, in the drawing for wide pages and in the drawing for phones.
    expect(html.match(/class="recharts-curve"/g)).toHaveLength(8);
  });

  it("shows what is stored now while it is live, and for ever the same once it is frozen", async () => {
    const { id } = await caller.report.create({ title: "Moments", body: chartBlock() });
    const before = await caller.report.shown({ id });
    await caller.report.freeze({ id });
    const attempt = await database.prisma.attempt.findFirstOrThrow({ where: { runId: `${sweepId}-c0-s0` } });
    await addPoints(attempt.id, 11, 0.9);
    await database.prisma.attempt.update({ where: { id: attempt.id }, data: { numMetricLines: 22, lastSeq: 21 } });
    expect(await caller.report.shown({ id })).toEqual(before);
    await caller.report.save({ id, revision: 1, title: "Moments", body: `More words.\n${chartBlock()}` });
    expect((await caller.report.shown({ id })).html).toContain(before.html);
    await caller.report.save({
      id,
      revision: 2,
      title: "Moments",
      body: chartBlock().replace("```\n", "to: 5\n```\n").replace("```to", "```\nto"),
    });
    expect((await caller.report.shown({ id })).problems).toEqual([
      { line: 1, message: expect.stringContaining("not among the frozen ones") },
    ]);
    await caller.report.save({ id, revision: 3, title: "Moments", body: chartBlock() });
    await caller.report.unfreeze({ id });
    expect((await caller.report.shown({ id })).html).not.toBe(before.html);
  });

  it("has curves over what the pages' charts stand over, and says what was not logged", async () => {
    const withX = (x: string) => `\`\`\`chart\nsweep: ${sweepId}\nmetric: ${success}\nx: ${x}\nto: 10\n\`\`\`\n`;
    const { id } = await caller.report.create({ title: "Axes", body: withX("time") + withX("step") + withX("wrong") });
    const { html, problems } = await caller.report.shown({ id });
    expect(html).toContain(">Training time (min)</tspan>");
    // The tenth iteration ends after ten minutes, and the axis ends with the data.
    const [axis] = html.match(/<line [^>]*stroke="var\(--edge\)"/) ?? [];
    const right = /x2="(\d+)"/.exec(axis ?? "")?.[1];
    expect(html).toMatch(new RegExp(`<text x="${right}"[^>]*>10</text>`));
    const figure = html.slice(0, html.indexOf("</figure>"));
    expect(findForeignHtml(figure), "a frozen chart can be imported elsewhere").toBeUndefined();
    expect(html).toContain('<td class="figure">10</td>');
    expect(problems.map(({ message }) => message)).toEqual([
      'chart: x is "step": no run of these sweeps has logged its optimizer step',
      expect.stringContaining('chart: x is "wrong"'),
    ]);
  });

  it("tells who changes an older one, and keeps what the other wrote", async () => {
    const { id } = await caller.report.create({ title: "Two tabs", body: "a" });
    expect(await caller.report.save({ id, revision: 1, title: "Two tabs", body: "b" })).toEqual({ revision: 2 });
    await expect(caller.report.save({ id, revision: 1, title: "Two tabs", body: "c" })).rejects.toThrow(
      /changed elsewhere/,
    );
    expect(await caller.report.byId({ id })).toMatchObject({ body: "b", revision: 2 });
    await caller.report.delete({ id });
    await expect(caller.report.shown({ id })).rejects.toThrow(`there is no report ${id}`);
  });

  it("says at its line what cannot be shown, and shows the rest", async () => {
    const body = `one\n\`\`\`headline\nsweep: gone\n\`\`\`\n\`\`\`chart\nsweep: ${sweepId}\nmetric: no/such\n\`\`\`\n\`\`\`runs\nfilter: nofield:1\n\`\`\`\n\`\`\`episode\nrun: ${sweepId}-c0-s0\n\`\`\`\ntwo`;
    const { html, problems } = await caller.report.preview({ body });
    expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "2 headline: there is no sweep gone",
      "5 chart: no run of these sweeps has logged no/such",
      expect.stringMatching(/^9 runs: filter, character 1: there is no field nofield/),
      `12 episode: run ${sweepId}-c0-s0 has no stored episodes`,
    ]);
    expect(html).toContain("<p>two</p>");
  });

  it("lists runs by the run table's words, and a plan that launches again", async () => {
    const body = `\`\`\`runs\nfilter: method:sampo\ncolumns: method, seed, state\nsort: -seed\nlimit: 2\n\`\`\`\n\`\`\`settings\nsweep: ${sweepId}\n\`\`\``;
    const { html } = await caller.report.preview({ body });
    expect(html).toContain(
      '<tr><td>SAMPO</td><td class="figure">2</td><td>Finished</td></tr><tr><td>SAMPO</td><td class="figure">1</td>',
    );
    expect(html).toContain("2 of 3 runs: method:sampo");
    expect(html).toContain("name: Two &lt;methods&gt;");
  });

  it("a sweep's rows say their difference from the baseline that was pinned", async () => {
    const cells = await database.prisma.cell.findMany({ where: { sweepId }, orderBy: { index: "asc" } });
    const [grpo, sampo] = cells.map(({ id }) => id);
    expect((await caller.sweep.headline({ id: sweepId })).cells[0]?.difference).toBeUndefined();
    await caller.sweep.pinBaseline({ id: sweepId, cellId: grpo ?? 0 });
    const headline = await caller.sweep.headline({ id: sweepId });
    expect(headline.baselineId).toBe(grpo);
    const differenceOf = (id: number | undefined) => headline.cells.find(({ cellId }) => cellId === id)?.difference;
    expect(differenceOf(grpo)).toBe("baseline");
    expect(differenceOf(sampo)).toMatch(/^\+\d+\.\d \[−?\d+(\.\d)?, \d+(\.\d)?\]$/);
    const chosen = await caller.sweep.headline({ id: sweepId, baseline: sampo ?? 0 });
    expect(chosen, "a reader's own choice").toMatchObject({ baselineId: sampo, pinnedId: grpo });
    expect(chosen.cells.find(({ cellId }) => cellId === sampo)?.difference).toBe("baseline");
    expect(await caller.sweep.headline({ id: sweepId, baseline: null })).toMatchObject({ baselineId: null });
    expect(await caller.sweep.headline({ id: sweepId, baseline: 2 ** 30 })).toMatchObject({ baselineId: grpo });
    await expect(caller.sweep.pinBaseline({ id: sweepId, cellId: 2 ** 30 })).rejects.toThrow(/has no cell/);
    await caller.sweep.pinBaseline({ id: sweepId, cellId: null });
    expect((await caller.sweep.headline({ id: sweepId })).baselineId).toBeNull();
  });

  it("becomes one file without script or network, of the pages' colours", async () => {
    const { id } = await caller.report.createOfSweep({ sweepId });
    const { file, problems } = await exportReport(database, id);
    expect(problems).toEqual([]);
    expect(file).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=/);
    expect(file.match(/(src|href)="[^"]*"/g)).toBeNull();
    expect(file).toContain("<h1>Report of Two &lt;methods&gt;</h1>");
    const css = await readFile(join(import.meta.dirname, "../../../app/globals.css"), "utf8");
    for (const [name, value] of Object.entries(reportColours)) expect(css).toContain(`--${name}: ${value};`);
  });
});
