import { isDropped, namesOfTask } from "#packages/trainers";
import { describeMetric } from "#trainer/spec/metric.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readBranches } from "#server/db/analysis/branchRuns.ts";
import { readDetections, readStabilityFacts, readUndetected } from "#server/db/analysis/detections.ts";
import { readCellSettings } from "#server/db/plan/cells.ts";
import { readOrigins, readPlanned } from "#server/db/plan/sweeps.ts";
import { type Counting, findLeftOut } from "#server/db/runs/dependentRuns.ts";
import { readTraces } from "#server/db/runs/actionTraces.ts";
import { readEvaluations } from "#server/db/runs/evaluations.ts";
import { readMissingMetrics } from "#server/db/runs/missingMetrics.ts";
import { findUntrained, readKeys, readSeries, type Selection } from "#server/db/runs/points.ts";
import {
  countTakenBack,
  readCells,
  readCellSpecs,
  readRuns,
  type RunOrder,
  type RunRow,
} from "#server/db/runs/runs.ts";
import { countUnread } from "#server/db/runs/logs.ts";
import { readFinals, readLargest, readMetricNames } from "#server/db/runs/runSummaries.ts";
import type { Half } from "#packages/detector";
import type { Curve, Series } from "#packages/statistics";
import type { BranchFacts, Collapse, Facts, Need, Parts } from "#server/domain/analysis/facts.ts";
import { branchKeys } from "#server/domain/analysis/rescue/answer.ts";
import { groupings } from "#server/domain/analysis/stability/grouping.ts";
import { groupOf, needsSpec } from "#server/domain/analysis/stability/groups.ts";
import type { UnclearChoice } from "#server/domain/plan/sweep/dependence.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import {
  isOfBootstrap,
  isMerged,
  isUncorrected,
  isWithoutForeignDropped,
  isWithoutDropped,
  isWithoutLooks,
  isWithoutUntrained,
  tableCode,
} from "#server/domain/publish/tables/proof.ts";
import { countEnds } from "#server/domain/runs/ends.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { readCurve, type Reading } from "#server/domain/runs/table/reading.ts";
import { refusePoints } from "../runs/charts.ts";
import { tellProgress } from "../progress.ts";
import { chooseUsual } from "../runs/usualMetric.ts";
import { judgeByRules } from "./judgeByRules.ts";
import { readParameters } from "./parameters.ts";

/**
 * Sweeps whose runs are read, and the order of the runs (if absent, by content). `code`: version of an older table that
 * is computed as before. Branches, starts and search trials are left out unless the user adds them.
 */
export type Scoped = Counting & {
  sweepIds: readonly string[];
  order?: RunOrder | undefined;
  code?: string;
  unclear?: UnclearChoice | undefined;
};

/** Options of questions that decide which facts are read. */
type Asked = Scoped & {
  by?: string;
  rules?: string;
  half?: Half;
  evaluations?: number | undefined;
  collapses?: "hindsight" | undefined;
};

/** Reads all facts that a question needs about the runs of sweeps. */
export async function readFacts<Name extends Need>(
  database: Database,
  asked: Asked,
  needs: readonly Name[],
): Promise<Facts & Pick<Parts, Extract<Name, keyof Parts>>> {
  const { sweepIds, order, code = tableCode, unclear = "counted" } = asked;
  const nowMs = Date.now();
  const [sweeps, cells, chosen, detections, specs] = await Promise.all([
    readOrigins(database, sweepIds),
    readCells(database, { sweepIds }, order),
    readRuns(database, { sweepIds }, order),
    has(needs, "labels") ? readDetections(database.pool, sweepIds) : [],
    has(needs, "configurations") ? readCellSpecs(database, sweepIds) : undefined,
  ]);
  const { isLeftOut, leftOut } = await findLeftOut(
    database.pool,
    chosen.map(({ id }) => id),
    asked,
  );
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const detectionOf = new Map(detections.map((detection) => [detection.runId, detection]));
  const runs = chosen.flatMap((run) => {
    const cell = cellOf.get(run.cellId);
    const drawn = isWithoutLooks(code) ? { ...run, addedAt: null } : run;
    return cell && !isLeftOut(run.id) ? [{ run: drawn, cell, detection: detectionOf.get(run.id) }] : [];
  });
  const withRuns = new Set(runs.map(({ cell }) => cell.id));
  const withoutRuns = new Set(chosen.map(({ cellId }) => cellId).filter((id) => !withRuns.has(id)));
  const ends = isWithoutLooks(code) ? undefined : await readEnds(database, { sweepIds, cells, chosen, runs, code });
  const facts: Facts = {
    sweeps,
    runs,
    cells: cells.filter(({ id }) => !withoutRuns.has(id)),
    leftOut,
    ...(ends && { ends }),
    nowMs,
    isFormer: isOfBootstrap(code),
    isUncorrected: isUncorrected(code),
    isMerged: isMerged(code),
    isOfStoredOrder: order === "stored",
    unclear,
    curvesOf: () => none,
    readingsOf: () => none,
  };
  const configurations = new Map([...(specs ?? [])].map(([id, { spec }]) => [id, spec]));
  const read: Facts & Partial<Parts> = { ...facts, configurations };
  const parts = needs.flatMap((name: Need) => (name === "labels" || name === "configurations" ? [] : [name]));
  await Promise.all(
    parts.map(async (name) =>
      Object.assign(read, { [name]: await readers[name](database, asked, { ...facts, configurations }) }),
    ),
  );
  return read as Facts & Pick<Parts, Extract<Name, keyof Parts>>;
}

type Ended = Pick<Facts, "runs" | "cells"> & {
  sweepIds: readonly string[];
  chosen: readonly RunRow[];
  code: string;
};

/** Counts the runs that failed, were stopped or are missing, and runs that dropped episodes, groups or log lines. */
async function readEnds(database: Database, { sweepIds, cells, chosen, runs, code }: Ended) {
  const planned = await readPlanned(database, sweepIds);
  return countEnds({
    runs: runs.map(({ run }) => run),
    cells: cells.filter(({ sweepId }) => planned.has(sweepId)),
    chosen,
    numTakenBack: await countTakenBack(database, sweepIds),
    ...(await readDropped(database, { sweepIds, runIds: runs.map(({ run }) => run.id), code })),
  });
}

type Dropping = { sweepIds: readonly string[]; runIds: readonly string[]; code: string };

/** Reads what runs dropped; for tables of former code, episodes in the final window only. */
async function readDropped({ pool }: Database, { sweepIds, runIds, code }: Dropping) {
  const [discarded, filtered] = ["rollout/discardedFraction", "group/filteredFraction"] as const;
  if (isWithoutDropped(code)) {
    const finals = await readFinals(pool, sweepIds, discarded);
    const values = runIds.map((id) => finals.get(id) ?? 0);
    return { discarded: values, filtered: [], droppedElsewhere: new Map(), numUnread: 0 };
  }
  const elsewhere = isWithoutForeignDropped(code) ? [] : (await readMetricNames(pool)).filter(isDropped);
  const largest = await readLargest(pool, runIds, [discarded, filtered, ...elsewhere]);
  const valuesOf = (key: string) => (largest.get(key) ?? []).map(({ value }) => value);
  return {
    discarded: valuesOf(discarded),
    filtered: valuesOf(filtered),
    droppedElsewhere: new Map(elsewhere.map((key) => [key, valuesOf(key)])),
    numUnread: await countUnread(pool, runIds),
  };
}

const has = (needs: readonly Need[], need: Need): boolean => needs.includes(need);

type Readers = {
  [Name in Exclude<keyof Parts, "configurations">]: (
    database: Database,
    asked: Asked,
    facts: Facts & Pick<Parts, "configurations">,
  ) => Promise<Parts[Name]>;
};

const maxAwaited = 100_000;

const readers: Readers = {
  groups: async (database, { sweepIds, by }, { cells }) => {
    const grouping = groupings.find((one) => one === by) ?? "method";
    const specs = needsSpec(grouping) ? await readCellSpecs(database, sweepIds) : undefined;
    return new Map(
      cells.flatMap((cell) => {
        const group = groupOf(cell, grouping, specs?.get(cell.id)?.spec);
        return group === undefined ? [] : [[cell.id, group]];
      }),
    );
  },
  settings: ({ pool }, { sweepIds }) => readCellSettings(pool, sweepIds),
  settingsBesideSampler: ({ pool }, { sweepIds }) => readCellSettings(pool, sweepIds, { withoutSampler: true }),
  success: async ({ pool }, { sweepIds, code = tableCode }, { runs }) => {
    const finals = await readFinals(pool, sweepIds, "evaluation/successRate");
    const runIds = isWithoutUntrained(code) ? runs.map(({ run }) => run.id) : [];
    for (const id of await findUntrained(pool, runIds)) finals.delete(id);
    return finals;
  },
  awaited: async ({ pool }, { sweepIds }) => new Set(await readUndetected(pool, maxAwaited, sweepIds)),
  metrics: async ({ pool }, _, { runs, configurations }) => {
    const runIds = runs.map(({ run }) => run.id);
    const named = [...configurations.values()].flatMap((spec) =>
      isImported(spec) ? [] : namesOfTask(spec).map(([, key]) => key),
    );
    const keys = [...new Set([...(await readKeys(pool, runIds)), ...named])].toSorted();
    return { keys, usual: await chooseUsual({ pool }, runIds, keys) };
  },
  missingMetrics: ({ pool }, { sweepIds }) => readMissingMetrics(pool, { sweepIds }),
  // Stored queries without this field are of tables whose collapses were computed from curves.
  collapses: async ({ pool }, { sweepIds, collapses, code }) =>
    collapses === undefined && code !== undefined
      ? undefined
      : new Map((await readStabilityFacts(pool, { sweepIds })).flatMap(toCollapse)),
  traces: ({ pool }, _, { runs }) =>
    readTraces(
      pool,
      runs.map(({ run }) => run.id),
    ),
  hindsights: judgeByRules,
  evaluations: async (database, { evaluations: last, code }, { runs }) => {
    // Stored queries without this field included no evaluation requested after training.
    const included = last ?? (code === undefined ? Infinity : 0);
    const all = await readEvaluations(database, { runIds: runs.map(({ run }) => run.id) });
    return all.filter(({ id, state }) => state !== "done" || id <= included);
  },
  branches: (database, { sweepIds, equal }) => readBranchFacts(database, { sweepIds, equal }),
  parameters: async ({ pool }, _, { runs }) => {
    const found = await readParameters(
      pool,
      runs.map(({ run }) => run.id),
    );
    return { fields: found.parameters, runs: found.runs };
  },
};

/** Reads curves all at once. Throws `bad_input` for too many points. */
export async function readCurves(
  database: Database,
  selections: readonly Selection[],
  code?: string,
): Promise<Facts["curvesOf"]> {
  const curves = new Map<string, Map<string, Curve>>();
  for (const selection of selections.filter(({ keys, runIds }) => keys.length > 0 && runIds.length > 0)) {
    await refusePoints(database, selection);
    for (const one of asBefore(await readSeries(database.pool, selection), code)) {
      curves.set(one.runId, (curves.get(one.runId) ?? new Map<string, Curve>()).set(one.key, one));
    }
  }
  return (runId) => curves.get(runId) ?? none;
}

const none = new Map<string, never>();

/** Returns curves as an older table's code read them: the evaluation at iteration 0 was never a result. */
function asBefore(series: readonly Series[], code = tableCode): readonly Series[] {
  if (!isWithoutUntrained(code)) return series;
  return series.map(({ runId, key, iterations, values }) => ({ runId, key, iterations, values }));
}

/** Reads metrics' values. Curves of only one metric are in memory at a time. Throws `bad_input` for too many points. */
export async function readReadings(
  database: Database,
  { runs, code }: Pick<Facts, "runs"> & { code?: string | undefined },
  keys: readonly string[],
): Promise<Facts["readingsOf"]> {
  const runIds = runs.map(({ run }) => run.id);
  if (keys.length > 0) await refusePoints(database, { runIds, keys });
  const readings = new Map(runIds.map((id) => [id, new Map<string, Reading>()]));
  for (const [i, key] of keys.entries()) {
    tellProgress("Reading metrics", i + 1, keys.length);
    const metric = describeMetric(key);
    for (const series of asBefore(await readSeries(database.pool, { runIds, keys: [key] }), code)) {
      readings.get(series.runId)?.set(key, readCurve(series, metric));
    }
  }
  return (runId) => readings.get(runId) ?? none;
}

type Labelled = Awaited<ReturnType<typeof readStabilityFacts>>[number];

function toCollapse({ runId, hindsight: { word, iteration } }: Labelled): [string, Collapse][] {
  if (word.startsWith("not judged")) return [];
  const hasCollapsed = word.startsWith("collapsed");
  const fallen = hasCollapsed && iteration !== null && { iteration };
  return [[runId, { hasCollapsed, ...fallen, ...(word === "unclear" && { isUnclear: true as const }) }]];
}

/** Reads the branches of one run, or those in some sweeps. */
export async function readBranchFacts(
  database: Database,
  { equal, ...scope }: ({ runId: string } | { sweepIds: readonly string[] }) & Pick<Scoped, "equal">,
): Promise<BranchFacts> {
  const all = await readBranches(database, scope);
  const ended = all.filter(({ spec, status }) => originOf(spec) && isOver(status));
  const endedIds = ended.map(({ id }) => id);
  const { isLeftOut, leftOut } = await findLeftOut(database.pool, endedIds, { dependent: "every", equal });
  const branches = ended.filter(({ id }) => !isLeftOut(id));
  const runIds = branches.map(({ id }) => id);
  const originIds = [...new Set(branches.flatMap(({ spec }) => originOf(spec)?.run ?? []))];
  const [facts, undetected, curvesOf] = await Promise.all([
    readStabilityFacts(database.pool, { runIds: [...runIds, ...originIds] }),
    readUndetected(database.pool, maxAwaited),
    readCurves(database, [{ runIds, keys: branchKeys }]),
  ]);
  return {
    branches,
    numOpen: all.length - ended.length,
    leftOut,
    stability: new Map(facts.map((one) => [one.runId, one])),
    awaited: new Set(undetected),
    curvesOf,
  };
}
