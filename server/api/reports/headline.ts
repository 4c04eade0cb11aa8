import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { readBaseline } from "#server/db/baseline.ts";
import type { Database } from "#server/db/client.ts";
import { AppError } from "#server/domain/errors.ts";
import { describeHeadline, formatFigure } from "#server/domain/headline/describe.ts";
import { describeDifferences } from "#server/domain/headline/difference.ts";
import { rankConfigurations, type Configuration } from "#server/domain/headline/rank.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";
import { readCollapses, readTableInput, readTableStudy, type TableStudy } from "./tableInput.ts";

export type Headline = {
  metric: string;
  /** Empty while no run has a value after training began. */
  sentence: string;
  cells: {
    cellId: number;
    figure: string;
    n: number;
    mean: number;
    /** From the pinned baseline: "+4.1 ± 3.0"; absent where there is none to compare with. */
    difference: string | undefined;
  }[];
  /** The cell that is pinned as baseline. */
  baselineId: number | null;
  /** Runs that collapsed in hindsight, by their curves. */
  collapsed: string[];
};

/** What a sweep has come to, by the final windows that its tables show. */
export async function readHeadline(database: Database, sweepId: string): Promise<Headline> {
  const study = await readTableStudy(database, [sweepId]);
  const key = chooseMetric(study.metrics);
  const metric = describeMetric(key);
  const collapses = await readCollapsesIfFew(database, study);
  const { runs } = await readTableInput(database, study, { keys: [key], collapses: collapses ?? new Map() });
  const isLabelled = new Set(study.cells.map(({ label }) => label)).size > 1;
  const configurations = study.cells.map(({ id, method, label, environment, isStated }, index): Configuration => ({
    cellId: id,
    // The label of a stated configuration begins with "stated": a reader must see that no file recorded its method.
    name: isStated ? `${method} (${label})` : isLabelled ? `${method} ${label}`.trim() : method,
    environment: titleOfEnvironment(environment),
    values: runs.filter(({ cellIndex }) => cellIndex === index).map((run) => run.readings.get(key)?.final.value ?? NaN),
  }));
  const rankings = rankConfigurations(configurations, metric.better);
  const baselineId = await readBaseline(database, sweepId);
  const differences = baselineId === null ? undefined : describeDifferences(rankings, baselineId, metric);
  const collapsed = [...(collapses ?? [])].flatMap(([runId, collapse]) => (collapse?.hasCollapsed ? [runId] : []));
  return {
    metric: key,
    sentence: describeHeadline({
      metric,
      rankings,
      collapses: collapses && {
        numJudged: [...collapses.values()].filter((collapse) => collapse !== undefined).length,
        numCollapsed: collapsed.length,
      },
      numRuns: runs.length,
      numOver: runs.filter(({ status }) => isOver(status)).length,
    }),
    cells: rankings.flatMap(({ ranked }) =>
      ranked.map((one) => ({
        cellId: one.cellId,
        figure: formatFigure(one, metric),
        n: one.n,
        mean: one.mean,
        difference: differences?.get(one.cellId),
      })),
    ),
    baselineId,
    collapsed,
  };
}

/** Undefined where the curves that tell are too many to be read while a page waits. */
async function readCollapsesIfFew(database: Database, study: TableStudy) {
  try {
    return await readCollapses(database, study);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
