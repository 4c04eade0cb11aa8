import { maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";
import { AppError } from "#packages/base";
import type { Curve } from "#packages/statistics";
import { readCellSettings } from "#server/db/plan/cells.ts";
import { readOrigins } from "#server/db/plan/sweeps.ts";
import { readSeries } from "#server/db/runs/points.ts";
import type { RunOrder } from "#server/db/runs/runs.ts";
import type { Database } from "#server/db/storage/client.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import {
  type ClimbRun,
  measureClimbs,
  reportClimbs,
  toClimbsCsv,
  toClimbsTable,
} from "#server/domain/publish/laboratory/climbs.ts";
import { reportEquivalence } from "#server/domain/publish/laboratory/equivalence.ts";
import { toEquivalenceTable } from "#server/domain/publish/laboratory/equivalenceTable.ts";
import {
  forecastMetrics,
  measureForecast,
  reportForecast,
  toForecastCsv,
  toForecastTable,
} from "#server/domain/publish/laboratory/forecast.ts";
import {
  reportHazards,
  type SampledRun,
  toHazardsCsv,
  toHazardsTable,
} from "#server/domain/publish/laboratory/hazards.ts";
import { climbSignals } from "#server/domain/publish/laboratory/signals.ts";
import { provenanceOf } from "#server/domain/publish/tables/proof.ts";
import type { TableQuery } from "#server/domain/publish/tables/query.ts";
import { toDurationsCsv } from "#server/domain/publish/tables/survivalTable.ts";
import type { Table } from "#server/domain/publish/tables/table.ts";
import type { RunStatus } from "#server/domain/runs/runStatus.ts";
import { durationOf, readStudyRuns, settingOf } from "../../analysis/studyRuns.ts";
import { readGroupedRuns, type Asked } from "../../analysis/survival.ts";
import { refusePoints } from "../../runs/charts.ts";
import { proveTable } from "../proofs.ts";
import { readBlind } from "./blind.ts";

type LaboratoryQuery = Extract<TableQuery, { kind: "blind" | "climbs" | "equivalence" | "forecast" | "hazards" }>;

/**
 * Recomputes a table of a rarer analysis: blind test of the detector, early signals, equivalence, forecast or
 * hazards.
 */
export async function readLaboratory(database: Database, query: LaboratoryQuery, order?: RunOrder): Promise<Table> {
  switch (query.kind) {
    case "blind":
      return (await readBlind(database, query, order)).table;
    case "climbs":
      return (await readClimbs(database, query.sweepIds, order)).table;
    case "equivalence":
      return (await readEquivalence(database, query.sweepIds, { ...query, order })).table;
    case "forecast":
      return (await readForecast(database, query.sweepIds, order)).table;
    case "hazards":
      return (await readHazards(database, query.sweepIds, order)).table;
  }
}

export type ClimbsReport = {
  table: Table;
  longCsv: string;
  /** Up to three collapsed runs that illustrate the table, starting with the run with the clearest early signals. */
  examples: readonly { runId: string; sweepId: string; setting: string; seed: number }[];
};

/** Tabulates, by experimental setting, how early each training signal left its normal range before success fell. */
export async function readClimbs(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<ClimbsReport> {
  const keys = climbSignals.map(({ metric }) => metric);
  const { runs, statuses } = await readClimbRuns(database, { sweepIds, order }, keys);
  const measured = runs.flatMap((run) => measureClimbs(run) ?? []);
  const report = reportClimbs(measured);
  const bare = toClimbsTable(report, provenanceOf(await readOrigins(database, sweepIds)));
  return {
    table: await proveTable(database, { kind: "climbs", sweepIds }, { table: bare, statuses, order }),
    longCsv: toClimbsCsv(measured),
    examples: report.all.examples.flatMap((runId) => {
      const { sweepId = "", setting = "", seed = 0 } = runs.find((run) => run.runId === runId) ?? {};
      return [{ runId, sweepId, setting, seed }];
    }),
  };
}

/**
 * Tabulates how accurately the normalised effective sample size (ESS) predicts a collapse, compared with k1, an
 * estimate of the KL divergence from the sampling policy. Empty if neither was logged or no run collapsed.
 */
export async function readForecast(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<{ table: Table; longCsv: string }> {
  const { runs, statuses } = await readClimbRuns(database, { sweepIds, order }, Object.values(forecastMetrics));
  const measured = runs.flatMap((run) => measureForecast(run) ?? []);
  const bare = toForecastTable(reportForecast(measured), provenanceOf(await readOrigins(database, sweepIds)));
  return {
    table: await proveTable(database, { kind: "forecast", sweepIds }, { table: bare, statuses, order }),
    longCsv: toForecastCsv(measured),
  };
}

/**
 * Tests whether groups of runs are equivalent to a baseline group (default: the first group) in final success. Empty
 * if no two runs can be compared. Throws `bad_input` for an unknown baseline.
 */
export async function readEquivalence(
  database: Database,
  sweepIds: readonly string[],
  { by, baseline, order }: Asked,
): Promise<{ table: Table; longCsv: string }> {
  const [{ runs, statuses }, origins] = await Promise.all([
    readGroupedRuns(database, sweepIds, { by, order }),
    readOrigins(database, sweepIds),
  ]);
  const groups = [...new Set(runs.map(({ group }) => group))];
  const base = baseline === undefined || baseline === "" ? (groups[0] ?? "") : baseline;
  if (base !== "" && !groups.includes(base)) {
    throw new AppError("bad_input", `baseline: no group "${base}"; there are ${groups.join(", ")}`);
  }
  const bare = { ...toEquivalenceTable(reportEquivalence(runs, base), base), provenance: provenanceOf(origins) };
  const query = { kind: "equivalence", sweepIds, by, baseline: base } as const;
  return { table: await proveTable(database, query, { table: bare, statuses, order }), longCsv: toDurationsCsv(runs) };
}

/**
 * Estimates the effects of staleness, numerical precision and their interaction on the hazard of collapse (Cox
 * model). Empty unless all four combinations have runs and at least one run collapsed.
 */
export async function readHazards(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<{ table: Table; longCsv: string }> {
  const [all, settings, origins] = await Promise.all([
    readStudyRuns(database, sweepIds, order),
    readCellSettings(database.pool, sweepIds, { withoutSampler: true }),
    readOrigins(database, sweepIds),
  ]);
  const runs = all.flatMap((one): SampledRun[] => {
    const duration = durationOf(one);
    if (!duration || isImported(one.spec)) return [];
    const { rollout } = one.spec;
    const { id: runId, seed } = one.run;
    return [
      {
        runId,
        method: one.cell.method,
        setting: settings.get(one.cell.id) ?? "",
        seed,
        isStale: maxLagOf(rollout) > 0,
        isRounded: precisionOf(rollout) !== "float32",
        duration,
      },
    ];
  });
  const statuses = new Map(all.map(({ run }) => [run.id, run.status]));
  const bare = toHazardsTable(reportHazards(runs), provenanceOf(origins));
  return {
    table: await proveTable(database, { kind: "hazards", sweepIds }, { table: bare, statuses, order }),
    longCsv: toHazardsCsv(runs),
  };
}

type LabelledRun = ClimbRun & { sweepId: string; seed: number };

/**
 * Returns the runs that have a hindsight label, with their curves of these metrics, and the status of every run of
 * the sweeps. Throws `bad_input` if the curves have too many points.
 */
async function readClimbRuns(
  database: Database,
  { sweepIds, order }: { sweepIds: readonly string[]; order: RunOrder | undefined },
  keys: readonly string[],
): Promise<{ runs: LabelledRun[]; statuses: ReadonlyMap<string, RunStatus> }> {
  const watched = await readStudyRuns(database, sweepIds, order);
  const runIds = watched.map(({ run }) => run.id);
  await refusePoints(database, { runIds, keys });
  const curves = new Map(runIds.map((id) => [id, new Map<string, Curve>()]));
  for (const series of await readSeries(database.pool, { runIds, keys })) {
    curves.get(series.runId)?.set(series.key, series);
  }
  const isOfSeveral = new Set(watched.map(({ cell }) => cell.environment)).size > 1;
  const runs = watched.flatMap((one): LabelledRun[] => {
    const label = one.detection?.hindsight?.label;
    if (!label) return [];
    const { id: runId, sweepId, seed } = one.run;
    const lag = isImported(one.spec) ? 0 : maxLagOf(one.spec.rollout);
    const setting = settingOf(one, { isOfSeveral });
    return [{ runId, sweepId, seed, setting, label, lag, curves: curves.get(runId) ?? new Map() }];
  });
  return { runs, statuses: new Map(watched.map(({ run }) => [run.id, run.status])) };
}
