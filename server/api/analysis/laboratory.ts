import { maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";
import { AppError } from "#packages/base";
import { isClear } from "#packages/detector";
import { readCellSettings } from "#server/db/plan/cells.ts";
import { readOrigins } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import {
  type ClimbRun,
  measureClimbs,
  reportClimbs,
  toClimbsCsv,
  toClimbsTable,
} from "#server/domain/analysis/warning/climbs.ts";
import { reportEquivalence, toEquivalenceTable } from "#server/domain/analysis/stability/equivalence.ts";
import {
  forecastMetrics,
  measureForecast,
  reportForecast,
  toForecastCsv,
  toForecastTable,
} from "#server/domain/analysis/warning/forecast.ts";
import {
  reportHazards,
  type SampledRun,
  toHazardsCsv,
  toHazardsTable,
} from "#server/domain/analysis/stability/hazards.ts";
import { climbSignals } from "#server/domain/analysis/warning/signals.ts";
import { toDurationsCsv } from "#server/domain/analysis/stability/survivalTable.ts";
import { provenanceOf, type Table } from "#packages/tables";
import type { UnclearChoice } from "#server/domain/plan/sweep/dependence.ts";
import type { RunStatus } from "#server/domain/runs/runStatus.ts";
import { durationOf, keepCounted, readStudyRuns, type Scoped, type ScopedMethods, settingOf } from "./studyRuns.ts";
import { readGroupedRuns, type Asked } from "./survival.ts";
import { readCurves } from "../runs/charts.ts";
import { proveTable } from "./proofs.ts";

export type ClimbsReport = {
  table: Table;
  longCsv: string;
  /** Up to three collapsed runs that illustrate the table, starting with the run with the clearest early signals. */
  examples: readonly { runId: string; sweepId: string; setting: string; seed: number }[];
};

export async function readClimbs(database: Database, asked: Labelled): Promise<ClimbsReport> {
  const { sweepIds, order, unclear = "counted" } = asked;
  const keys = climbSignals.map(({ metric }) => metric);
  const { runs, statuses, leftOut } = await readClimbRuns(database, asked, keys);
  const measured = runs.flatMap((run) => measureClimbs(run) ?? []);
  const report = reportClimbs(measured);
  const bare = toClimbsTable(report, provenanceOf(await readOrigins(database, sweepIds)));
  return {
    table: await proveTable(
      database,
      { kind: "climbs", sweepIds, unclear },
      { table: bare, statuses, order, isFormer: unclear === "leftOut", leftOut },
    ),
    longCsv: toClimbsCsv(measured),
    examples: report.all.examples.flatMap((runId) => {
      const { sweepId = "", setting = "", seed = 0 } = runs.find((run) => run.runId === runId) ?? {};
      return [{ runId, sweepId, setting, seed }];
    }),
  };
}

/** Tabulates how well effective sample size (ESS) predicts a collapse, compared with k1 (estimated KL divergence). */
export async function readForecast(database: Database, asked: Labelled): Promise<{ table: Table; longCsv: string }> {
  const { sweepIds, order, unclear = "counted" } = asked;
  const { runs, statuses, leftOut } = await readClimbRuns(database, asked, Object.values(forecastMetrics));
  const measured = runs.flatMap((run) => measureForecast(run) ?? []);
  const bare = toForecastTable(reportForecast(measured), provenanceOf(await readOrigins(database, sweepIds)));
  return {
    table: await proveTable(
      database,
      { kind: "forecast", sweepIds, unclear },
      { table: bare, statuses, order, isFormer: unclear === "leftOut", leftOut },
    ),
    longCsv: toForecastCsv(measured),
  };
}

/** Tests equivalence to a baseline group (default: the first) in final success. Throws `bad_input` if it is unknown. */
export async function readEquivalence(database: Database, asked: Asked): Promise<{ table: Table; longCsv: string }> {
  const { sweepIds, by, baseline, order } = asked;
  const [{ runs, statuses, leftOut }, origins] = await Promise.all([
    readGroupedRuns(database, asked),
    readOrigins(database, sweepIds),
  ]);
  const groups = [...new Set(runs.map(({ group }) => group))];
  const base = baseline === undefined || baseline === "" ? (groups[0] ?? "") : baseline;
  if (base !== "" && !groups.includes(base)) {
    throw new AppError("bad_input", `baseline: no group "${base}"; there are ${groups.join(", ")}`);
  }
  const bare = { ...toEquivalenceTable(reportEquivalence(runs, base), base), provenance: provenanceOf(origins) };
  const query = { kind: "equivalence", sweepIds, by, baseline: base } as const;
  const table = await proveTable(database, query, { table: bare, statuses, order, leftOut });
  return { table, longCsv: toDurationsCsv(runs) };
}

/** Estimates effects of staleness, precision and their interaction on the hazard of collapse (Cox model). */
export async function readHazards(
  database: Database,
  asked: ScopedMethods,
): Promise<{ table: Table; longCsv: string }> {
  const { sweepIds, order } = asked;
  const [chosen, settings, origins] = await Promise.all([
    readStudyRuns(database, asked),
    readCellSettings(database.pool, sweepIds, { withoutSampler: true }),
    readOrigins(database, sweepIds),
  ]);
  const { all, leftOut } = await keepCounted(database, chosen, asked);
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
    table: await proveTable(database, { kind: "hazards", sweepIds }, { table: bare, statuses, order, leftOut }),
    longCsv: toHazardsCsv(runs),
  };
}

type Labelled = Scoped & { unclear?: UnclearChoice | undefined };
type LabelledRun = ClimbRun & { sweepId: string; seed: number };

/** Returns the labelled runs with their curves, and all runs' states. Throws `bad_input` for too many points. */
async function readClimbRuns(
  database: Database,
  asked: Labelled,
  keys: readonly string[],
): Promise<{ runs: LabelledRun[]; statuses: ReadonlyMap<string, RunStatus>; leftOut: LeftOut | null }> {
  const { equal, unclear } = asked;
  const chosen = await readStudyRuns(database, asked);
  const { all: watched, leftOut } = await keepCounted(database, chosen, { dependent: "added", equal });
  const curves = await readCurves(database, { runIds: watched.map(({ run }) => run.id), keys });
  const isOfSeveral = new Set(watched.map(({ cell }) => cell.environment)).size > 1;
  const runs = watched.flatMap((one): LabelledRun[] => {
    const label = one.detection?.hindsight?.label;
    if (!label || (unclear === "leftOut" && !isClear(label))) return [];
    const { id: runId, sweepId, seed } = one.run;
    const lag = isImported(one.spec) ? 0 : maxLagOf(one.spec.rollout);
    const setting = settingOf(one, { isOfSeveral });
    return [{ runId, sweepId, seed, setting, label, lag, curves: curves.get(runId) ?? new Map() }];
  });
  return { runs, statuses: new Map(watched.map(({ run }) => [run.id, run.status])), leftOut };
}
