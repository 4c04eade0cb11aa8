import type { Database } from "#server/db/storage/client.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { refuseMissing } from "#server/engine/trainers/originCheckpoints.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { readVersions } from "#server/db/fleet/nodeChecks.ts";
import { fillVersions } from "#server/domain/fleet/nodes/check.ts";
import { fillOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { fetchPlanned } from "#server/engine/wheels/fetchPackages.ts";
import { badInput, formatCount } from "#packages/base";
import { makeTranslate } from "#packages/trainers";
import { makeModelCheck } from "#server/engine/models/describeModel.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { listDoubts } from "#server/domain/plan/sweep/doubts.ts";
import { expandPlan, type Expansion } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan, parsePlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { toPlain } from "../views/columns.ts";
import type { Outcome, Screen, Studio } from "../command.ts";
import { readInputFile } from "../inputFile.ts";
import { makeEventView, makeProgressView, sayRun } from "../views/progressView.ts";
import { watch } from "./watch.ts";

type StudioState = Pick<Studio, "database" | "home" | "person">;
type RunOptions = { file: string; name?: string | undefined; watch?: boolean | undefined };

/** Creates a sweep. With --watch, waits for its end; the exit code is then 1 unless all runs finished. */
export async function runSweep(
  { file, name, watch: isWatched }: RunOptions,
  studio: Studio,
  screen: Screen,
): Promise<Outcome> {
  const created = sayCreated(await createFromYaml(studio, await readInputFile(file), name), studio);
  if (!isWatched) return created;
  screen.write(`${created.text}\n`);
  const { sweep } = created.json;
  return await watchToTheEnd(studio.database, { id: sweep.id, json: { sweep }, screen });
}

/** Describes a created sweep: its id, size, notes and page. */
export function sayCreated(created: Awaited<ReturnType<typeof createChecked>>, { address }: Studio) {
  const page = address === undefined ? undefined : `${address}${sweepPage(created.id)}`;
  const size = `${formatCount(created.numRuns, "run")} of ${formatCount(created.numCells, "cell")}`;
  const notes = created.notes.map((note) => `  ${toPlain(note)}`);
  const text = [`Sweep ${created.id}: ${size}`, ...notes, ...(page ? [page] : [])].join("\n");
  return { text, json: { sweep: { ...created, page } }, exitCode: 0 } satisfies Outcome;
}

type Checked = { plan: SweepPlan; expansion: Expansion };

export async function createFromYaml(studio: StudioState, yaml: string, name?: string) {
  const found = await readVersions(studio.database);
  const { plan } = checkYaml(studio.home, yaml, { name, found });
  return await createFromPlan(studio, await fillOrigin(studio.database, plan));
}

export async function createFromPlan(studio: StudioState, plan: SweepPlan) {
  return await createChecked(studio, await checkPlanned(studio, plan));
}

/** Translates plans to commands of the configured trainers, in the versions installed on the compute nodes. */
export async function readTranslate({ database, home }: StudioState): Promise<ReturnType<typeof makeTranslate>> {
  const found = await readVersions(database);
  return makeTranslate(() => fillVersions(readTrainers(home), found));
}

/** Checks a sweep plan, including the trainers that it uses. Throws `bad_input`; stores nothing. */
export async function checkPlanned({ database, home }: StudioState, plan: SweepPlan): Promise<Checked> {
  const checked = expandFor(home, plan, await readVersions(database));
  await refuseMissing(database, checked.expansion.cells);
  return checked;
}

/** Checks a sweep file, including the trainers that it uses. Throws `bad_input`; stores nothing. */
export function checkYaml(
  home: string,
  yaml: string,
  { name, found = [] }: { name?: string | undefined; found?: Awaited<ReturnType<typeof readVersions>> } = {},
): Checked {
  const written = parsePlan(yaml);
  return expandFor(home, name === undefined ? written : checkPlan({ ...written, name }), found);
}

function expandFor(home: string, plan: SweepPlan, found: Awaited<ReturnType<typeof readVersions>>): Checked {
  const expansion = expandPlan(
    plan,
    makeTranslate(() => fillVersions(readTrainers(home), found)),
    makeModelCheck(),
  );
  if (expansion.runs.length === 0) throw badInput([{ path: "seeds", message: "the plan has no runs" }]);
  return { plan, expansion };
}

export async function createChecked({ database, home, person }: StudioState, { plan, expansion }: Checked) {
  await fetchPlanned(home, plan.environments);
  const id = await createSweep(database, { plan, expansion, launchedBy: person });
  const { cells, runs, notes } = expansion;
  const texts = [...listDoubts({ ...plan, cells }), ...notes].map(({ text }) => text);
  return { id, name: plan.name, numCells: cells.length, numRuns: runs.length, notes: texts };
}

type Watching = {
  id: string;
  json: Record<string, unknown>;
  screen: Screen;
  /** Receives each change as an event, for programs that read JSON. */
  writeEvent?: Screen["writeJson"] | undefined;
};

/** Shows a sweep's progress until all its runs have ended, or until Ctrl-C. Exit code 1 unless all runs finished. */
export async function watchToTheEnd(database: Database, watching: Watching): Promise<Outcome> {
  const { id, json, screen, writeEvent } = watching;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  const show = writeEvent ? makeEventView(writeEvent) : makeProgressView(screen);
  const { sweep, runs } = await watch(database, id, { show, signal: stop.signal });
  process.off("SIGINT", interrupt);
  const unfinished = runs.filter(({ status }) => status !== "finished");
  const exitCode = unfinished.length === 0 ? 0 : 1;
  const result = {
    ...json,
    counts: sweep.counts,
    unfinished: unfinished.map(({ id, status, reason, text }) => ({ id, status, reason, text })),
  };
  if (runs.some(({ status }) => !isOver(status))) {
    const text = `Stopped watching; the sweep continues (npx arlarena runs ${id}, npx arlarena cancel ${id})`;
    return { text, json: result, exitCode };
  }
  const failures = unfinished.slice(0, 20).map((run) => `  ${sayRun(run)}`);
  const more = unfinished.length > 20 ? [`  … and ${unfinished.length - 20} more (npx arlarena runs ${id})`] : [];
  const summary =
    exitCode === 0
      ? `${formatCount(runs.length, "run")}, all finished`
      : `${unfinished.length} of ${formatCount(runs.length, "run")} did not finish:`;
  return { text: [summary, ...failures, ...more].join("\n"), json: result, exitCode };
}
