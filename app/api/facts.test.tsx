import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createCaller } from "#server/api/root.ts";
import { exportRuns } from "#server/api/runs/exportRuns.ts";
import { answerRest } from "#server/api/rest/answerRest.ts";
import { printTable } from "#server/cli/publish/table.ts";
import { listRuns } from "#server/cli/runs/runs.ts";
import { listSweeps } from "#server/cli/plan/sweeps.ts";
import { answer } from "#server/cli/program.ts";
import { toProgress } from "#server/cli/views/progressView.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeAnalystHere } from "#server/api/testing/analystHere.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import type { RunStatus } from "#server/domain/runs/runStatus.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { countOver, countRuns, formatCounts, formatProgress, progressOf } from "#server/domain/runs/progress.ts";
import { partsOf, type SpreadParts, spreadOf, type Spread } from "#packages/statistics";
import { toHtml } from "#packages/tables";
import { toLatex } from "#packages/tables/latex.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { renderShared } from "#server/api/publish/reports/renderReport.ts";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import { TableView } from "#app/_components/table/TableView.tsx";
import { SpreadText } from "#app/_ui/SpreadText.tsx";

/** Facts as stated in one place, such as a page or an export: text of each fact, by the fact's name. */
type Facts = Readonly<Record<string, string>>;
type Place = { place: string; read: () => Facts | Promise<Facts> };

const metric = "evaluation/successRate";
const rate = { unit: "fraction" };
const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
const database = await makeTestDatabase();
const notifications = makeNotifications(database.url);
const context = {
  database,
  notifications,
  analyst: makeAnalystHere(database),
  caller: { kind: "session" as const, isSameOrigin: true, person: null },
};
const caller = createCaller(context);
const home = await mkdtemp(join(tmpdir(), "arlarena-facts-"));
const studied = { id: "", name: "", runIds: [""], cells: [{ id: 0, method: "" }], longCsv: "" };
const live = { id: "", name: "Under way" };

beforeAll(async () => {
  const file = fileURLToPath(new URL("../../studies/table3-sokoban.arlarena", import.meta.url));
  const [sweep] = (await importStudy(database, home, file)).sweeps;
  [studied.id, studied.name] = [sweep?.id ?? "", sweep?.name ?? ""];
  while (await replayWaiting(database.pool, 100));
  live.id = await launchSmall();
  while (await summariseRuns(database.pool, 100));
  const { cells, runs } = await caller.run.grid({ sweepIds: [studied.id] });
  studied.cells = cells.map(({ id, method }) => ({ id, method }));
  studied.runIds = runs.map(({ id }) => id);
  studied.longCsv = (await caller.table.final({ sweepIds: [studied.id], metric })).longCsv;
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

/** Launches two methods with three seeds: one run in each state, four of them with measurements. */
async function launchSmall(): Promise<string> {
  const plan = checkPlan({
    name: "Under way",
    methods: ["grpo", "sampo"],
    environments: [{ id: "sokoban" }],
    seeds: [0, 1, 2],
    base: { budget: { iterations: 20 } },
  });
  const id = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const states: RunStatus[] = ["finished", "running", "cancelled", "failed", "starting", "pending"];
  const ids = await makeMetricIds(database.pool)([metric, "rollout/successRate"]);
  const metricIds = [ids.get(metric) ?? 0, ids.get("rollout/successRate") ?? 0];
  const runs = await database.prisma.run.findMany({ where: { sweepId: id }, orderBy: { id: "asc" } });
  for (const [i, run] of runs.entries()) {
    const status = states[i] ?? "pending";
    const length = [21, 11, 6, 3, 0, 0][i] ?? 0;
    if (status !== "pending") {
      const attemptId = await insertAttempt(database, run.id, 1);
      const lines = Array.from({ length }, (_, iteration) => {
        const level = 0.2 + 0.05 * i + 0.01 * iteration;
        return {
          attemptId,
          seq: iteration,
          iteration,
          optimizerStep: iteration,
          atMs: iteration,
          metricIds,
          values: [level, level],
        };
      });
      await inTransaction(database.pool, (client) => appendPoints(client, lines));
      const data = { numMetricLines: length, lastSeq: length - 1, live: i === 1 || i === 4 };
      await database.prisma.attempt.update({ where: { id: attemptId }, data });
    }
    const startedAt = status === "pending" ? null : new Date(1_000_000);
    const endedAt = i === 0 || i === 2 || i === 3 ? new Date(1_090_000) : null;
    const data = { status, startedAt, endedAt, latestIteration: Math.max(0, length - 1) };
    await database.prisma.run.update({ where: { id: run.id }, data });
  }
  return id;
}

function nameOf(id: string): string {
  return id === live.id ? live.name : studied.name;
}

async function rest(
  path: string,
  query: Readonly<Record<string, string>> | undefined,
  body?: unknown,
): Promise<unknown> {
  const sent = {
    path,
    method: body === undefined ? "GET" : "POST",
    search: new URLSearchParams(query),
    body: JSON.stringify(body ?? {}),
  };
  const answered = await answerRest(context, sent, null);
  expect(answered.status, JSON.stringify(answered.body)).toBe(200);
  return answered.body;
}

describe("one fact, one answer", () => {
  it("what each configuration came to: success, spread and number of seeds", async () => {
    const ofTable = async () => (await caller.table.final({ sweepIds: [studied.id], metric })).final;
    const columns = ["method", `final.${metric}`];
    const places: Place[] = [
      {
        place: "sweep page, rows",
        read: async () => {
          const { cells } = await caller.sweep.headline({ id: studied.id });
          return toFacts((id) => {
            const cell = cells.find(({ cellId }) => cellId === id);
            return [cell?.figure ?? "", cell?.n];
          });
        },
      },
      {
        place: "sweep page and report, sentence (leader)",
        read: async () => {
          const { sentence } = await caller.sweep.headline({ id: studied.id });
          const [, name = "", figure = "", n] =
            /^(.+?) (?:leads|is ahead) in .*? with (.+?) \((\d+) seeds?\)/.exec(sentence) ?? [];
          return factsOf(name, figure, Number(n));
        },
      },
      {
        place: "sweep page, final table",
        read: async () => fromHtml(renderToStaticMarkup(<TableView table={await ofTable()} />)),
      },
      {
        place: "REST sweep/headline",
        read: async () => {
          const Headline = z.object({
            cells: z.array(z.object({ cellId: z.number(), figure: z.string(), n: z.number() })),
          });
          const { cells } = Headline.parse(await rest("sweep/headline", { id: studied.id }));
          return toFacts((id) => {
            const cell = cells.find(({ cellId }) => cellId === id);
            return [cell?.figure ?? "", cell?.n];
          });
        },
      },
      {
        place: "compare page",
        read: async () => {
          const cellIds = studied.cells.map(({ id }) => id);
          const finals = await caller.comparison.finals({ runIds: [], cellIds, metric });
          return toFacts((id) => {
            const value = finals.find(({ cellId }) => cellId === id);
            return [value ? textOf(renderToStaticMarkup(<SpreadText parts={partsOf(value, rate)} />)) : "", value?.n];
          });
        },
      },
      {
        place: "runs page, grouped by method",
        read: async () => {
          const asked = { filter: `sweep:"${studied.name}"`, columns, order: [], groupBy: ["method"] };
          const { groups } = await caller.runTable.groups(asked);
          return merge(
            groups.map(({ keys, cells: [, cell] }) => (cell?.kind === "mean" ? fromSpread(keys[0] ?? "", cell) : {})),
          );
        },
      },
      {
        place: "tables page",
        read: async () =>
          fromHtml(
            renderToStaticMarkup(
              <TableView
                table={(await caller.table.built({ sweepIds: [studied.id], options: {}, wording: {} })).table}
              />,
            ),
          ),
      },
      { place: "file: HTML", read: async () => fromHtml(toHtml(await ofTable())) },
      { place: "file: LaTeX", read: async () => fromLatex(toLatex(await ofTable())) },
      {
        place: "file: Markdown, arlarena table",
        read: async () =>
          fromMarkdown((await printTable(database, [studied.id], { kind: "final", format: "markdown", metric })).text),
      },
      {
        place: "file: CSV, arlarena table --format csv",
        read: async () =>
          fromCsv((await printTable(database, [studied.id], { kind: "final", format: "csv", metric })).text),
      },
      {
        place: "shared link of the sweep",
        read: async () => fromHtml((await renderShared(database, { kind: "sweep", sweepId: studied.id })).html),
      },
      {
        place: "written report",
        read: async () => {
          const { id } = await caller.report.createOfSweep({ sweepId: studied.id });
          return fromHtml((await caller.report.shown({ id })).html);
        },
      },
      {
        place: "arlarena stats over the exported runs",
        read: async () => {
          const file = join(home, "long.csv");
          await writeFile(file, studied.longCsv);
          const { json } = await answer(["stats", file, "--metric", metric, "--resamples", "100", "--json"], screen);
          const Methods = z.object({
            panels: z.array(
              z.object({
                methods: z.array(
                  z.object({
                    method: z.string(),
                    mean: z.number(),
                    n: z.number(),
                    interval: z.object({ low: z.number(), high: z.number() }),
                  }),
                ),
              }),
            ),
          });
          const { panels } = Methods.parse(json);
          return merge((panels[0]?.methods ?? []).map((one) => fromSpread(one.method, one)));
        },
      },
    ];
    const told = await tell("Configuration", places);
    // Each configuration occurs in every place except the sentence, which names only one configuration.
    for (const { place, facts } of told) {
      const expected = place.includes("sentence") ? 3 : 3 * studied.cells.length;
      expect(Object.keys(facts).length, place).toBe(expected);
    }
  });

  it("where each run stands: state, duration, alarm and what happened", async () => {
    const columns = ["state", "alarm", "hindsight", "duration", `final.${metric}`];
    const scope = { filter: `sweep:"${studied.name}"`, columns, order: [] };
    const Standing = z.object({
      runId: z.string(),
      alarm: z.object({ word: z.string() }),
      hindsight: z.object({ word: z.string() }),
    });
    const toStandings = (all: readonly z.infer<typeof Standing>[]) =>
      merge(
        all.map(({ runId, alarm, hindsight }) => ({
          [`${runId} alarm`]: alarm.word,
          [`${runId} hindsight`]: hindsight.word,
        })),
      );
    const toTimes = (runs: readonly { id: string; status: string; startedAt: Date | null; endedAt: Date | null }[]) =>
      merge(
        runs.map(({ id, status, startedAt, endedAt }) => ({
          [`${id} state`]: status,
          ...(startedAt &&
            endedAt && { [`${id} duration`]: toSeconds((endedAt.getTime() - startedAt.getTime()) / 1000) }),
        })),
      );
    const places: Place[] = [
      {
        place: "sweep page, rows of runs",
        read: async () => toStandings(await caller.stability.standings({ sweepId: studied.id })),
      },
      {
        place: "stability page",
        read: async () => toStandings((await caller.stability.runs({ sweepIds: [studied.id] })).runs),
      },
      {
        place: "REST stability/standings",
        read: async () =>
          toStandings(z.array(Standing).parse(await rest("stability/standings", { sweepId: studied.id }))),
      },
      {
        place: "run pages",
        read: async () => toTimes(await Promise.all(studied.runIds.map((id) => caller.run.byId({ id })))),
      },
      {
        place: "sweep page, grid",
        read: async () => toTimes((await caller.run.grid({ sweepIds: [studied.id] })).runs),
      },
      {
        place: "runs page",
        read: async () => {
          const { rows } = await caller.runTable.rows({ ...scope, offset: 0, limit: 200 });
          return merge(rows.map(({ id, values }) => ofValues(id, values)));
        },
      },
      {
        place: "file: runs as CSV",
        read: async () => {
          const parts: Uint8Array[] = [];
          for await (const part of await exportRuns(database, { ids: studied.runIds, columns, format: "csv" }))
            parts.push(part);
          const [, ...lines] = Buffer.concat(parts).toString("utf8").trim().split(/\r?\n/);
          return merge(lines.map((line) => line.split(",")).map(([id = "", , , , ...values]) => ofValues(id, values)));
        },
      },
      {
        place: "arlarena runs --json",
        read: async () => {
          const Runs = z.object({
            runs: z.array(
              z.object({
                id: z.string(),
                status: z.string(),
                startedAt: z.date().nullable(),
                endedAt: z.date().nullable(),
                alarm: z.object({ word: z.string() }),
                hindsight: z.object({ word: z.string() }),
              }),
            ),
          });
          const { runs } = Runs.parse((await listRuns(database, studied.id, screen)).json);
          return { ...toTimes(runs), ...toStandings(runs.map((run) => ({ ...run, runId: run.id }))) };
        },
      },
    ];
    const told = await tell("Run", places);
    for (const { place, facts } of told)
      expect(Object.keys(facts).length, place).toBeGreaterThanOrEqual(2 * studied.runIds.length);
    // No finished run is "not judged yet".
    for (const { place, facts } of told) expect(Object.values(facts), place).not.toContain("not judged yet");
  });

  it("how many runs there are, how many are over, and how much is done", async () => {
    const ids = [studied.id, live.id];
    const ofCounts = (id: string, counts: Parameters<typeof countOver>[0]) => {
      const numRuns = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return {
        [`${id} runs`]: String(numRuns),
        [`${id} over`]: String(countOver(counts)),
        [`${id} counts`]: formatCounts(counts),
      };
    };
    const ofSweep = (sweep: Awaited<ReturnType<typeof caller.sweep.byId>>) => ({
      ...ofCounts(sweep.id, sweep.counts),
      [`${sweep.id} progress`]: formatProgress(progressOf(sweep, sweep.counts)),
    });
    const each = async (read: (id: string) => Promise<Facts>) => merge(await Promise.all(ids.map(read)));
    const places: Place[] = [
      { place: "sweep page", read: () => each(async (id) => ofSweep(await caller.sweep.byId({ id }))) },
      {
        place: "sweep page, grid",
        read: () => each(async (id) => ofCounts(id, countRuns((await caller.run.grid({ sweepIds: [id] })).runs))),
      },
      {
        place: "sweeps page",
        read: async () =>
          merge(
            (await caller.sweep.list()).map((sweep) => ({
              ...ofCounts(sweep.id, sweep.counts),
              [`${sweep.id} progress`]: formatProgress(progressOf(sweep, sweep.counts)),
            })),
          ),
      },
      {
        place: "REST sweep/byId",
        read: () =>
          each(async (id) => {
            const Counts = z.object({
              pending: z.number(),
              starting: z.number(),
              running: z.number(),
              unknown: z.number(),
              finished: z.number(),
              failed: z.number(),
              cancelled: z.number(),
            });
            const { counts } = z.object({ counts: Counts }).parse(await rest("sweep/byId", { id }));
            return ofCounts(id, counts);
          }),
      },
      {
        place: "runs page, by state",
        read: () =>
          each(async (id) => {
            const { groups } = await caller.runTable.groups({
              filter: `sweep:"${nameOf(id)}"`,
              columns: [],
              order: [],
              groupBy: ["state"],
            });
            const counts = groups.flatMap(({ keys, count }) =>
              Array.from({ length: count }, () => ({ status: toStatus(keys[0]) })),
            );
            return ofCounts(id, countRuns(counts));
          }),
      },
      {
        place: "arlarena sweeps",
        read: async () => {
          const { text } = await listSweeps(database, screen);
          return merge(
            ids.map((id): Facts => {
              const [, over = "", runs = ""] =
                / (\d+)\/(\d+) /.exec(text.split("\n").find((line) => line.startsWith(`${id} `)) ?? "") ?? [];
              return { [`${id} runs`]: runs, [`${id} over`]: over };
            }),
          );
        },
      },
      {
        place: "arlarena watch",
        read: () =>
          each(async (id) => {
            const [sweep, { cells, runs }] = await Promise.all([
              caller.sweep.byId({ id }),
              caller.run.grid({ sweepIds: [id] }),
            ]);
            const [total = ""] = toProgress(
              { sweep, cells, runs, alarms: new Map(), isAttended: true, numUntaught: 0 },
              { width: 200, height: 40, hasColour: false },
            );
            const [, progress = "", counts = ""] = / (\d+ %) {2}(.*)$/.exec(total) ?? [];
            return { [`${id} progress`]: progress, [`${id} counts`]: counts };
          }),
      },
    ];
    await tell("Sweep", places);
    const { counts, ...trained } = await caller.sweep.byId({ id: live.id });
    expect(formatCounts(counts)).toBe("1 pending, 1 starting, 1 running, 1 finished, 1 failed, 1 cancelled");
    // The iterations 20 + 10 + 5 + 2 are done, and 10 + 20 + 20 must still be trained.
    expect(formatProgress(progressOf(trained, counts))).toBe("42 %");
  });

  it("what the charts end at, as the table of runs has it", async () => {
    const options = { aggregate: "interval", seeds: false, range: null } as const;
    await tell("Configuration", [
      {
        place: "charts, end of each mean",
        read: async () => {
          const { charts } = await caller.series.charts({
            scope: { sweepIds: [studied.id] },
            keys: [metric],
            ...options,
          });
          return merge(
            (charts[0]?.bands ?? []).map((band) => {
              const [mean, low, high, n] = [band.values, band.lows, band.highs, band.counts].map((all) => all.at(-1));
              const interval = low == null || high == null ? null : { low, high };
              const method = studied.cells.find(({ id }) => id === band.cellId)?.method ?? "";
              return fromSpread(method, { mean: mean ?? NaN, n: n ?? 0, interval });
            }),
          );
        },
      },
      {
        place: "runs page, last values by method",
        read: async () => {
          const { rows } = await caller.runTable.rows({
            filter: `sweep:"${studied.name}"`,
            columns: ["method", `last.${metric}`],
            order: [],
            offset: 0,
            limit: 200,
          });
          return merge(
            studied.cells.map(({ method }) => {
              const values = rows.flatMap(({ values: [of, value] }) => (of === method ? [Number(value)] : []));
              return fromSpread(method, spreadOf(values, rate));
            }),
          );
        },
      },
    ]);
  });

  it("how many runs have an alarm", async () => {
    const isAlarm = (word: unknown) => word === "unstable" || word === "collapsed";
    const count = (words: readonly unknown[]) => ({ alarms: String(words.filter(isAlarm).length) });
    const told = await tell("Sweep", [
      {
        place: "sweep page, runs",
        read: async () =>
          count((await caller.stability.standings({ sweepId: studied.id })).map(({ alarm }) => alarm.word)),
      },
      {
        place: "stability page",
        read: async () =>
          count((await caller.stability.runs({ sweepIds: [studied.id] })).runs.map(({ alarm }) => alarm.word)),
      },
      {
        place: "alerts: runs in the list of alarms",
        read: async () => {
          const events = await caller.stability.events({ sweepIds: [studied.id] });
          return { alarms: String(new Set(events.flatMap((e) => (isAlarm(e.severity) ? [e.runId] : []))).size) };
        },
      },
      {
        place: "runs page, grouped",
        read: async () => count(await listGroupedWords("alarm")),
      },
      {
        place: "arlarena runs --json",
        read: async () => {
          const { runs } = z
            .object({ runs: z.array(z.object({ alarm: z.object({ word: z.string() }) })) })
            .parse((await listRuns(database, studied.id, screen)).json);
          return count(runs.map(({ alarm }) => alarm.word));
        },
      },
    ]);
    expect(told[0]?.facts["alarms"]).not.toBe("0");
  });

  it("how many runs collapsed", async () => {
    const count = (words: readonly string[]) => ({
      collapsed: String(words.filter((word) => word.startsWith("collapsed")).length),
    });
    await tell("Sweep", [
      {
        place: "sweep page, sentence",
        read: async () => {
          const { sentence } = await caller.sweep.headline({ id: studied.id });
          const [, collapsed = "0"] = /(\d+) of \d+ (?:judged )?runs collapsed/.exec(sentence) ?? [];
          return { collapsed };
        },
      },
      {
        place: "sweep page, marks",
        read: async () => ({ collapsed: String((await caller.sweep.headline({ id: studied.id })).collapsed.length) }),
      },
      {
        place: "sweep page, runs",
        read: async () =>
          count((await caller.stability.standings({ sweepId: studied.id })).map(({ hindsight }) => hindsight.word)),
      },
      {
        place: "stability page",
        read: async () =>
          count((await caller.stability.runs({ sweepIds: [studied.id] })).runs.map(({ hindsight }) => hindsight.word)),
      },
      {
        place: "runs page, grouped",
        read: async () => count(await listGroupedWords("hindsight")),
      },
      {
        place: "hyperparameters page",
        read: async () => {
          const asked = { scope: { sweepIds: [studied.id] }, columns: [] };
          const { parameters, outcomes, runs } = await caller.runTable.study(asked);
          const at = [...parameters, ...outcomes].findIndex(({ key }) => key === "hindsight");
          return count(runs.map(({ values }) => String(values[at])));
        },
      },
      {
        place: "survival page",
        read: async () => {
          const { groups } = await caller.analysis.survival({ sweepIds: [studied.id], by: "method" });
          return { collapsed: String(groups.reduce((sum, { numCollapsed }) => sum + numCollapsed, 0)) };
        },
      },
      {
        place: "arlarena table --kind stability",
        read: async () => {
          const { text } = await printTable(database, [studied.id], { kind: "stability", format: "markdown", metric });
          const k = [...text.matchAll(/\| (\d+)\/\d+ \|/g)].reduce((sum, [, found]) => sum + Number(found), 0);
          return { collapsed: String(k) };
        },
      },
      {
        place: "tables page, Coll.",
        read: async () => {
          const { table } = await caller.table.built({ sweepIds: [studied.id], options: {}, wording: {} });
          const k = table.rows
            .flatMap(({ cells }) => cells.flatMap((cell) => (cell.kind === "share" ? [cell.k] : [])))
            .reduce((sum, x) => sum + x, 0);
          return { collapsed: String(k) };
        },
      },
    ]);
  });
});

/** Reads each place, prints the table of facts × places, and fails if two places disagree about a fact. */
async function tell(subject: string, places: readonly Place[]) {
  const told = await Promise.all(places.map(async ({ place, read }) => ({ place, facts: await read() })));
  const keys = [...new Set(told.flatMap(({ facts }) => Object.keys(facts)))].sort();
  const kinds = [...new Set(keys.map((key) => key.slice(key.lastIndexOf(" ") + 1)))];
  const width = Math.max(...places.map(({ place }) => place.length));
  const first = (key: string) => told.find(({ facts }) => facts[key] !== undefined)?.facts[key];
  const lines = told.map(({ place, facts }) => {
    const cells = kinds.map((kind) => {
      const asked = keys.filter((key) => key.slice(key.lastIndexOf(" ") + 1) === kind && facts[key] !== undefined);
      const same = asked.filter((key) => facts[key] === first(key)).length;
      return (asked.length === 0 ? "–" : `${same}/${asked.length}`).padStart(Math.max(9, kind.length));
    });
    return [place.padEnd(width), ...cells].join("  ");
  });
  console.log([[subject.padEnd(width), ...kinds.map((kind) => kind.padStart(9))].join("  "), ...lines].join("\n"));
  for (const key of keys) {
    const said = told.flatMap(({ place, facts }) => (facts[key] === undefined ? [] : [`${facts[key]} · ${place}`]));
    const texts = new Set(said.map((one) => one.slice(0, one.indexOf(" · "))));
    expect([...texts], `${key}: ${said.join("; ")}`).toHaveLength(1);
  }
  return told;
}

function merge(all: readonly Facts[]): Facts {
  return Object.assign({}, ...all) as Facts;
}

/** Splits "64.8 [43, 86] %"; the unit may be in the table's head. */
function factsOf(method: string, figure: string, n: number | undefined): Facts {
  const [, success, interval = ""] = /(-?\d+\.\d)(?: (\[[^\]]+\]))?/.exec(figure) ?? [];
  if (success === undefined) return {};
  return {
    [`${method} success`]: success,
    [`${method} spread`]: interval,
    ...(n !== undefined && { [`${method} n`]: String(n) }),
  };
}

function fromSpread(method: string, spread: { mean: number; n: number; interval: Spread["interval"] }): Facts {
  const { mean, interval }: SpreadParts = partsOf(spread, rate);
  return factsOf(method, `${mean} ${interval}`, spread.n);
}

function toFacts(read: (cellId: number) => readonly [string, number | undefined]): Facts {
  return merge(studied.cells.map(({ id, method }) => factsOf(method, ...read(id))));
}

function textOf(html: string): string {
  return html
    .replaceAll(/<sup.*?<\/sup>|<[^>]*>/g, "")
    .replaceAll("−", "-")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Reads the first row of numbers of each method; in a whole document, those of its results table. */
function fromHtml(html: string): Facts {
  const table = html.slice(Math.max(0, html.indexOf('<figure id="tab-')));
  const rows = [...table.matchAll(/<tr\b.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[dh]\b.*?<\/t[dh]>/gs)].map(([cell]) => textOf(cell)),
  );
  return fromRows(rows);
}

function fromRows(rows: readonly (readonly string[])[]): Facts {
  return merge(
    studied.cells.map(({ method }) => {
      const row = rows.find(
        ([name = "", n = "", ...cells]) =>
          name.replace(/ours$/, "") === method && /^\d+†?$/.test(n) && cells.some((cell) => /^\d+\.\d/.test(cell)),
      );
      const figure = row?.slice(2).find((cell) => /^\d+\.\d/.test(cell)) ?? "";
      return factsOf(method, figure, Number.parseInt(row?.[1] ?? "", 10));
    }),
  );
}

function fromMarkdown(text: string): Facts {
  const plain = text.replaceAll(/<sup>.*?<\/sup>|<\/?u>|\*\*|\\/g, "");
  return fromRows(
    plain.split("\n").map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  );
}

function fromLatex(text: string): Facts {
  const plain = text
    .replaceAll(/\$\^\{.*?\}\$|\\(?:textbf|underline)(?=\{)|\\scriptsize|\\\\|[{}]/g, "")
    .replaceAll(/\$_\\mathrm(\w+)\$/g, "_$1")
    .replaceAll("\\_", "_");
  return fromRows(
    plain.split("\n").map((line) => line.split(" & ").map((cell) => cell.replaceAll(/\s+/g, " ").trim())),
  );
}

/** Reads numbers in full precision, and rounds them as on every page. */
function fromCsv(text: string): Facts {
  const [header = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(","));
  const at = (ending: string) => header.findIndex((name) => name.endsWith(ending));
  const [mean, low, high] = [at(" mean"), at(" ci_lo"), at(" ci_hi")];
  return merge(
    rows.map((row) => {
      const interval = row[low] === "" ? null : { low: Number(row[low]), high: Number(row[high]) };
      return fromSpread(row[0] ?? "", { mean: Number(row[mean]), n: Number(row[at(" n")]), interval });
    }),
  );
}

function ofValues(id: string, [state, alarm, hindsight, duration]: readonly unknown[]): Facts {
  return {
    [`${id} state`]: String(state).toLowerCase(),
    [`${id} alarm`]: String(alarm).toLowerCase(),
    [`${id} hindsight`]: String(hindsight).toLowerCase(),
    ...(duration !== null && duration !== "" && { [`${id} duration`]: toSeconds(Number(duration)) }),
  };
}

function toSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

function toStatus(text: string | null | undefined): RunStatus {
  return z
    .enum(["pending", "starting", "running", "unknown", "finished", "failed", "cancelled"])
    .parse(text?.toLowerCase());
}

/** Returns the word for each run of the studied sweep, as the table of runs groups them. */
async function listGroupedWords(field: "alarm" | "hindsight"): Promise<string[]> {
  const filter = `sweep:"${studied.name}"`;
  const { groups } = await caller.runTable.groups({ filter, columns: [], order: [], groupBy: [field] });
  return groups.flatMap(({ keys, count }) => Array.from({ length: count }, () => keys[0] ?? ""));
}
