import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { readBaseline } from "#server/db/baseline.ts";
import { readDetections } from "#server/db/detections.ts";
import type { Database } from "#server/db/client.ts";
import { hasSearch } from "#server/db/searches.ts";
import { AppError } from "#server/domain/errors.ts";
import { describeHeadline } from "#server/domain/headline/describe.ts";
import { describeDifferences } from "#server/domain/headline/difference.ts";
import { rankConfigurations, type Configuration } from "#server/domain/headline/rank.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import { writeSpread } from "#server/domain/spread/writeSpread.ts";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";
import { labelsThatDiffer } from "#server/domain/sweep/shownLabels.ts";
import { withShortLabels } from "#server/domain/sweep/labelTitles.ts";
import { readCollapses, readTableInput, readTableStudy, type TableStudy } from "./tableInput.ts";

export type Headline = {
  metric: string;
  /** Empty while no run has a value after training began; `describeOpen` says how many runs are not over. */
  sentence: string;
  cells: {
    cellId: number;
    /** "64.8 [43, 86] %" */
    figure: string;
    n: number;
    mean: number;
    /** From the baseline: "+4.1 [1, 7]", unpaired; absent where there is none to compare with. */
    difference?: string | undefined;
  }[];
  /** The cell that the others are compared with, and the one that is pinned for everybody. */
  baselineId: number | null;
  pinnedId: number | null;
  /** Runs that collapsed in hindsight, by their curves. */
  collapsed: string[];
};

/**
 * The result of a sweep, from the final windows that its tables show. `asked` is the cell to compare with: null for none,
 * undefined for the pinned one.
 */
export async function readHeadline(database: Database, sweepId: string, asked?: number | null): Promise<Headline> {
  const study = await readTableStudy(database, [sweepId]);
  const key = chooseMetric(study.metrics);
  const metric = describeMetric(key);
  const judgements = await readJudgements(database, sweepId, study);
  const { runs } = await readTableInput(database, study, { keys: [key], collapses: new Map() });
  const readingsOf = (index: number) =>
    runs.filter(({ cellIndex }) => cellIndex === index).map(({ readings }) => readings.get(key));
  const cells = withShortLabels(study.cells);
  const labels = cells.length > 1 ? labelsThatDiffer(cells.map(({ label }) => label)) : [];
  const configurations = cells.map(({ id, method, label, environment, isStated }, index): Configuration => ({
    cellId: id,
    // The label of a stated configuration begins with "stated": a reader must see that no file recorded its method.
    name: isStated ? `${method} (${label})` : `${method} ${labels[index] ?? ""}`.trim(),
    environment: titleOfEnvironment(environment),
    values: readingsOf(index).map((reading) => reading?.final.value ?? NaN),
    starts: readingsOf(index).map((reading) => reading?.before ?? NaN),
  }));
  const rankings = rankConfigurations(configurations, metric);
  const pinnedId = await readBaseline(database, sweepId);
  const isKnown = asked === null || configurations.some(({ cellId }) => cellId === asked);
  const baselineId = asked === undefined || !isKnown ? pinnedId : asked;
  const differences = baselineId === null ? undefined : describeDifferences(rankings, baselineId, metric);
  const collapsed = [...(judgements ?? [])].flatMap(([runId, hasCollapsed]) => (hasCollapsed ? [runId] : []));
  return {
    metric: key,
    sentence: describeHeadline({
      metric,
      rankings,
      collapses: judgements && { numJudged: judgements.size, numCollapsed: collapsed.length },
      numRuns: runs.length,
      isSearch: await hasSearch(database.pool, sweepId),
    }),
    cells: rankings.flatMap(({ ranked }) =>
      ranked.map((one) => ({
        cellId: one.cellId,
        figure: writeSpread(one, metric),
        n: one.n,
        mean: one.mean,
        difference: differences?.get(one.cellId),
      })),
    ),
    baselineId,
    pinnedId,
    collapsed,
  };
}

/** A run of 2,000 iterations takes some 30 ms to judge, and every other page waits meanwhile. */
const mostJudgedNow = 60;

/**
 * Whether each run collapsed: the label that was stored when it ended; of the others, which still train, by their curves so far. A run
 * that logged neither success nor reward is left out. Undefined where the curves are too many to be read while a page waits.
 */
async function readJudgements(
  database: Database,
  sweepId: string,
  study: TableStudy,
): Promise<Map<string, boolean> | undefined> {
  const judgements = new Map<string, boolean>();
  const labelled = new Set<string>();
  for (const { runId, numSteps, hindsight } of await readDetections(database.pool, [sweepId])) {
    if (!hindsight) continue;
    labelled.add(runId);
    if (numSteps > 0 && hindsight.label.kind !== "notJudged") judgements.set(runId, isCollapse(hindsight.label));
  }
  const open = study.runs.filter(({ id }) => !labelled.has(id));
  if (open.length === 0) return judgements;
  if (open.length > mostJudgedNow) return undefined;
  try {
    for (const [runId, { hasCollapsed }] of await readCollapses(database, { ...study, runs: open })) {
      judgements.set(runId, hasCollapsed);
    }
    return judgements;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
