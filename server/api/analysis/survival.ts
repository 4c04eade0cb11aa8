import type { Database } from "#server/db/storage/client.ts";
import { readUndetected } from "#server/db/analysis/detections.ts";
import { readCellSettings } from "#server/db/plan/cells.ts";
import { readFinals } from "#server/db/runs/runSummaries.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isOfBootstrap, tableCode } from "#server/domain/publish/tables/proof.ts";
import type { RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Grouping } from "#server/domain/analysis/stability/grouping.ts";
import { reportSurvival, type SurvivalReport, type WatchedRun } from "#server/domain/analysis/stability/survival.ts";
import { tellProgress } from "../progress.ts";
import {
  durationOf,
  groupOf,
  titleOfGroup,
  hoursOf,
  isOfOneSetting,
  keepCounted,
  needsSpec,
  readStudyRuns,
  readWatchedRuns,
  type ScopedMethods,
} from "./studyRuns.ts";

const maxAwaited = 100_000;

export type Asked = ScopedMethods & { by: Grouping; baseline?: string | undefined };

export type Survival = SurvivalReport & {
  titles: Readonly<Record<string, string>>;
  runs: readonly WatchedRun[];
  statuses: ReadonlyMap<string, RunStatus>;
  leftOut: LeftOut | null;
};

/** Reports the time to collapse by group of runs. An unknown baseline is replaced by the first group. */
export async function readSurvival(database: Database, asked: Asked): Promise<Survival> {
  const grouped = await readGroupedRuns(database, asked);
  tellProgress("Comparing groups");
  const isFormer = isOfBootstrap(asked.code ?? tableCode);
  const report = reportSurvival(grouped.runs, asked.baseline, { isFormer, numAwaited: grouped.numAwaited });
  const titles = Object.fromEntries(report.groups.map(({ group }) => [group, titleOfGroup(group, asked.by)]));
  return { ...report, titles, ...grouped };
}

type GroupedRuns = {
  runs: readonly WatchedRun[];
  statuses: ReadonlyMap<string, RunStatus>;
  /** Runs of the sweeps that lack a label. */
  numAwaited: number;
  leftOut: LeftOut | null;
};

/** Returns the runs whose time to collapse is known, with their groups, and the status of every run of the sweeps. */
export async function readGroupedRuns(database: Database, asked: Asked): Promise<GroupedRuns> {
  const { sweepIds, by } = asked;
  const nowMs = Date.now();
  const [chosen, settings, successes, awaited] = await Promise.all([
    needsSpec(by) ? readStudyRuns(database, asked) : readWatchedRuns(database, asked),
    readCellSettings(database.pool, sweepIds),
    readFinals(database.pool, sweepIds, "evaluation/successRate"),
    readUndetected(database.pool, maxAwaited, sweepIds),
  ]);
  const { all, leftOut } = await keepCounted(database, chosen, asked);
  const counted = new Set(all.map(({ run }) => run.id));
  const runs = all.flatMap((one): WatchedRun[] => {
    const [group, duration] = [groupOf(one, by), durationOf(one)];
    if (group === undefined || duration === undefined) return [];
    const watched = one.detection?.iteration ?? 0;
    const { id: runId, seed } = one.run;
    const stratum = isOfOneSetting(by) ? "" : (settings.get(one.cell.id) ?? "");
    const success = successes.get(runId) ?? null;
    const isUnclear = one.detection?.hindsight?.label.kind === "ambiguous";
    const hours = hoursOf(one, nowMs);
    return [{ runId, group, stratum, seed, duration, isUnclear, success, watched, hours }];
  });
  const numAwaited = awaited.filter((id) => counted.has(id)).length;
  return { runs, statuses: new Map(all.map(({ run }) => [run.id, run.status])), numAwaited, leftOut };
}
