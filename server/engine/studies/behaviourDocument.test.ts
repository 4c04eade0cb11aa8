import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { mean } from "#packages/statistics";
import { formatOf, type TableCell } from "#packages/tables";
import { divisions } from "#server/domain/analysis/behaviour/groupEpisodes.ts";
import { answer } from "#server/api/publish/answers.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { printResult } from "#server/cli/publish/papers/printResult.ts";
import type { SignalSet } from "#server/domain/analysis/warning/signals.ts";
import { findPaperItem, findRecipe } from "#server/domain/publish/papers/papers.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-behaviour-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

/** Text of the document, with its breaks of lines as spaces. */
const readDocument = async () => (await readFile(join("docs", "behaviour.md"), "utf8")).replaceAll(/\s+/g, " ");

it("docs/behaviour.md quotes the sentences and the transitions of the recorded study", async () => {
  const { sweeps } = await importStudy(database, home, join("studies", "behaviour", "webshop.arlarena"));
  const sweepIds = sweeps.map(({ id }) => id);
  const text = await readDocument();
  for (const by of divisions) {
    const { sentence = "", table } = await answer(database, "behaviour", { sweepIds, by, depth: 8, threshold: 0.03 });
    expect(text).toContain(sentence);
    for (const note of table.notes.slice(0, 2)) expect(text).toContain(note);
  }
  const failing = ["figureS3", "figureS5"];
  for (const id of ["figureS2", "figureS3", "figureS4", "figureS5"]) {
    const { text: csv, patterns } = await printFlow(id, sweepIds);
    expect(csv.includes(",Success,")).toBe(!failing.includes(id));
    expect(text).toContain(patterns);
  }
});

it("docs/behaviour.md quotes the study in ALFWorld", async () => {
  const { sweeps } = await importStudy(database, home, join("studies", "behaviour", "alfworld.arlarena"));
  const sweepIds = sweeps.map(({ id }) => id);
  const text = await readDocument();
  const asked = { sweepIds, by: "training", depth: 8, threshold: 0.03 } as const;
  const { sentence, table } = await answer(database, "behaviour", asked);
  const failed = await answer(database, "behaviour", { ...asked, only: "failure" });
  for (const told of [sentence, ...table.notes.slice(0, 2), ...failed.table.notes.slice(2, 4)]) {
    expect(text).toContain(told);
  }
  const { text: csv, patterns } = await printFlow("figureS6", sweepIds);
  expect(csv).not.toContain(",Success,");
  expect(text).toContain(patterns);
});

it("docs/behaviour.md quotes the signals of the study of early signs, and judges them", { tags: "soak" }, async () => {
  const { signals, find } = await readSigns("early-sign", "behaviour");
  const told = signals.slice(0, 6).filter(({ share, isApart }) => share >= 0.5 && isApart);
  const isLonger = told.some(({ lead }) => lead > find("KL old → new").lead);
  const ends = find("Early ends").share;
  const isMore = ["Repeated actions", "Revisited states"].every((title) => find(title).share > ends);
  await expectVerdicts({ B1: told.length > 0, B2: isLonger, B3: isMore });
});

it(
  "docs/behaviour.md quotes the signals of the study of control tokens, and judges them",
  { tags: "soak" },
  async () => {
    const { find, sweepIds } = await readSigns("control-tokens", "tokens");
    const { share, isApart, lead } = find("Control-token mass");
    const { runs } = await database.prisma.sweep.findFirstOrThrow({
      where: { id: { in: sweepIds } },
      select: { runs: { select: { id: true } } },
    });
    const runIds = runs.map(({ id }) => id);
    const facts = await readStabilityFacts(database.pool, { runIds });
    const collapsed = facts.filter(({ hindsight }) => hindsight.word.startsWith("collapsed"));
    const series = await readSeries(database.pool, { runIds: collapsed.map(({ runId }) => runId), keys: [mass] });
    const levels = series.map(({ values }) => [mean([...values].slice(0, 10)), mean([...values].slice(-10))] as const);
    const gains = levels.map(([before, after]) => after - before);
    const numRisen = gains.filter((gain) => gain > 0).length;
    await expectVerdicts({ C1: share >= 0.5 && isApart, C3: numRisen >= 0.75 * collapsed.length });
    const [first, last] = [0, 1].map((end) => (100 * mean(levels.map((level) => level[end] ?? NaN))).toFixed(1));
    expect(await readDocument()).toContain(
      `in ${numRisen} of ${collapsed.length} collapses, from ${first} to ${last} % in the mean`,
    );
    // By the letter, a signal that comes late leads another that comes later.
    const behindKl = find("KL old → new").lead;
    await expectVerdicts({ C2: lead > behindKl });
    expect(Math.max(lead, behindKl)).toBeLessThan(0);
  },
);

const mass = "policy/controlMass";

/** Imports the studies of early signs whose names begin with `prefix`, and compares their table with the document. */
async function readSigns(prefix: string, signalSet: SignalSet) {
  const folder = join("studies", "behaviour");
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).toSorted();
  const sweepIds: string[] = [];
  for (const name of names) {
    const { sweeps } = await importStudy(database, home, join(folder, name));
    sweepIds.push(...sweeps.map(({ id }) => id));
  }
  while (await replayWaiting(database.pool, 100));
  const { sentence = "", table } = await answer(database, "climbs", { sweepIds, signals: signalSet });
  const plain = (text: string) => text.replaceAll(/[\\*_]/g, "").replaceAll(/\s+/g, " ");
  const text = plain(await readDocument());
  expect(text).toContain(plain(sentence));
  const [all] = table.rows.map(({ heading }) => heading);
  const rows = table.rows.filter(({ heading }) => heading === all);
  for (const line of formatOf.markdown.print({ ...table, rows }).split("\n")) {
    if (/^\|(?! [:-])/.test(line)) expect(text).toContain(plain(line));
  }
  const signals = rows.map(({ cells: [title, , before, lead, without] }) => {
    const rate = (cell: TableCell | undefined) => (cell?.kind === "estimate" ? cell : undefined);
    const [early, control] = [rate(before), rate(without)];
    const isApart = (early?.interval?.low ?? NaN) > (control?.interval?.high ?? NaN);
    return { title: toText(title), share: early?.mean ?? NaN, lead: rate(lead)?.mean ?? NaN, isApart };
  });
  const none = { title: "", share: NaN, lead: NaN, isApart: false };
  const find = (title: string) => signals.find((signal) => signal.title === title) ?? none;
  return { sweepIds, signals, find };
}

async function expectVerdicts(verdicts: Readonly<Record<string, boolean>>): Promise<void> {
  const text = await readDocument();
  for (const [name, holds] of Object.entries(verdicts)) expect(text).toContain(`${name} ${holds ? "holds" : "fails"}`);
}

const toText = (cell: TableCell | undefined): string => (cell?.kind === "text" ? cell.text : "");

/** Prints a figure of the paper of these sweeps. Its remarks are the counts, the patterns, and the page that draws it. */
async function printFlow(id: string, sweeps: readonly string[]) {
  const recipe = findRecipe(findPaperItem(id), "embedded");
  const studio = { database, address: "http://127.0.0.1:1" };
  const { text, remarks = [] } = await printResult(studio, { id, recipe }, { sweeps, format: "csv" });
  expect(remarks[2]).toContain("/analysis/behaviour?sweep=");
  return { text, patterns: remarks[1] ?? "" };
}
