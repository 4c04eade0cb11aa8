import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { readBaseline } from "#server/db/plan/cells.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import type { Database } from "#server/db/storage/client.ts";
import { hasSearch } from "#server/db/plan/searches.ts";
import { describeHeadline, nameLeader } from "#server/domain/runs/headline/describe.ts";
import { describeDifferences, rankConfigurations, type Configuration } from "#server/domain/runs/headline/rank.ts";
import { writeSpread, chooseMetric } from "#packages/statistics";
import { labelsThatDiffer } from "#server/domain/plan/sweep/labels.ts";
import { withoutTitle, withShortLabels } from "#server/domain/plan/sweep/labelTitles.ts";
import { readTableInput, readTableStudy, type TableStudy } from "./tableInput.ts";

export type Headline = {
  metric: string;
  /** Sentence about the sweep's result so far; empty while no run has a value after iteration 0. */
  sentence: string;
  /** Best method in each environment in a few words, such as "SAMPO leads: 68.3 [49, 87] %". */
  leaders: string[];
  cells: {
    cellId: number;
    /** Mean final value with its interval, such as "64.8 [43, 86] %". */
    figure: string;
    n: number;
    mean: number;
    /**
     * Unpaired difference from the baseline cell with its interval, such as "+4.1 [1, 7]"; absent if there is no
     * baseline.
     */
    difference?: string | undefined;
  }[];
  /** Ids of the baseline cell used here, and of the baseline that is stored for all readers. */
  baselineId: number | null;
  pinnedId: number | null;
  /** Ids of the runs whose hindsight label is a collapse. */
  collapsed: string[];
};

/** Summarises a sweep as in its tables. `asked`: baseline cell; null: none; undefined: the stored one. */
export async function readHeadline(database: Database, sweepId: string, asked?: number | null): Promise<Headline> {
  const study = await readTableStudy(database, { sweepIds: [sweepId] });
  const key = chooseMetric(study.metrics);
  const metric = describeMetric(key);
  const { collapsed, counts } = await readCollapses(database, sweepId, study);
  const { runs } = await readTableInput(database, study, { keys: [key], collapses: new Map() });
  const readingsOf = (index: number) =>
    runs.filter(({ cellIndex }) => cellIndex === index).map(({ readings }) => readings.get(key));
  const cells = withShortLabels(study.cells);
  const labels = cells.length > 1 ? labelsThatDiffer(cells.map(({ label }) => label)) : [];
  const configurations = cells.map(({ id, method, label, environment, isStated }, index): Configuration => ({
    cellId: id,
    // The label of a method that a user entered begins with "stated", because no file recorded the method.
    name: isStated
      ? `${method} (${label})`
      : `${method} ${withoutTitle(labels[index] ?? "", titleOfEnvironment(environment))}`.trim(),
    environment: titleOfEnvironment(environment),
    values: readingsOf(index).map((reading) => reading?.final.value ?? NaN),
    starts: readingsOf(index).map((reading) => reading?.before ?? NaN),
  }));
  const rankings = rankConfigurations(configurations, metric);
  const pinnedId = await readBaseline(database, sweepId);
  const isKnown = asked === null || configurations.some(({ cellId }) => cellId === asked);
  const baselineId = asked === undefined || !isKnown ? pinnedId : asked;
  const differences = baselineId === null ? undefined : describeDifferences(rankings, baselineId, metric);
  return {
    metric: key,
    sentence: describeHeadline({
      metric,
      rankings,
      collapses: counts,
      isSearch: await hasSearch(database.pool, sweepId),
    }),
    leaders: rankings.map((ranking) => {
      const leader = nameLeader(ranking, metric);
      return rankings.length > 1 ? `${ranking.environment}: ${leader}` : leader;
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

/** Counts runs by alarm and hindsight label, as on every page of the studio. Archived runs are excluded. */
async function readCollapses(database: Database, sweepId: string, { runs }: TableStudy) {
  const counted = new Set(runs.map(({ id }) => id));
  const facts = (await readStabilityFacts(database.pool, { sweepIds: [sweepId] })).filter(({ runId }) =>
    counted.has(runId),
  );
  const collapsed = facts.filter(({ hindsight }) => hindsight.word.startsWith("collapsed"));
  const awaited = facts.filter(({ hindsight }) => hindsight.word === "not judged yet");
  return {
    collapsed: collapsed.map(({ runId }) => runId).sort(),
    counts: {
      numRuns: facts.length,
      numJudged: facts.filter(({ hindsight }) => !hindsight.word.startsWith("not judged")).length,
      numCollapsed: collapsed.length,
      numAwaited: awaited.length,
      numAlarmed: awaited.filter(({ alarm }) => alarm.word === "unstable" || alarm.word === "collapsed").length,
    },
  };
}
