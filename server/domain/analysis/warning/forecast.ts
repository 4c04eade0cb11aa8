import { formatCount, groupBy } from "#packages/base";
import {
  type Interval,
  makeRocArea,
  percentileInterval,
  resample,
  type Scored,
  writeSpread,
} from "#packages/statistics";
import { collapseSentence, isCollapse, isJudged, unclearSentence, writeCollapses } from "#packages/detector";
import {
  type BareTable,
  type Column,
  type CsvValue,
  intervalCell,
  plainFormat,
  type Row,
  shareColumn,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import type { ClimbRun } from "./climbs.ts";

/** Horizon in iterations, and threshold on the effective sample share of rows. */
export const forecastRule = { within: 20, share: 0.3 } as const;

export const forecastSentence =
  `The predicted event is the loss of half of the best success within the next ${forecastRule.within} iterations. A prediction is made at every iteration at which the sampler has its full lag, at least half of the best success is left, and at least ${forecastRule.within} iterations follow. ` +
  "The area under the ROC curve is the probability that a score is higher before the event than at other times; 50 % is chance level. Intervals are a bootstrap over seeds, which keeps all iterations of a seed together and skips resamples without a collapse. " +
  `${unclearSentence} An area over several settings also reflects differences between the settings.`;

/** Scores that predict a collapse, higher if it is likelier. The others are compared with the last. */
export const forecastScores = [
  {
    key: "lowShare",
    title: `Effective sample share of rows below ${forecastRule.share}`,
    score: ({ share }: Measured) => (share < forecastRule.share ? 1 : 0),
  },
  { key: "share", title: "1 − effective sample share of rows", score: ({ share }: Measured) => 1 - share },
  { key: "k1", title: "k1 of sampler and trainer", score: ({ k1 }: Measured) => k1 },
] as const;

export const forecastMetrics = { share: "mismatch/essRow", k1: "policy/samplerKl" } as const;

type Measured = { share: number; k1: number };
type Landmark = Measured & { iteration: number; isFollowed: boolean };

export type RunForecast = {
  runId: string;
  setting: string;
  seed: number;
  hasCollapsed: boolean;
  isUnclear: boolean;
  landmarks: readonly Landmark[];
};

/** Lists iterations at which a prediction is possible and its outcome is known; undefined if none is. */
export function measureForecast({ label, lag, curves, ...run }: ClimbRun & { seed: number }): RunForecast | undefined {
  if (!isJudged(label)) return undefined;
  const [shares, k1s] = [curves.get(forecastMetrics.share), curves.get(forecastMetrics.k1)];
  if (!shares || !k1s) return undefined;
  const end = isCollapse(label) ? (label.collapseStep ?? Infinity) : Infinity;
  const last = Math.max(0, ...shares.iterations);
  const k1At = new Map(Array.from(k1s.iterations, (iteration, i) => [iteration, k1s.values[i] ?? NaN]));
  const landmarks = Array.from(shares.iterations, (iteration, i): Landmark => {
    const isFollowed = end <= iteration + forecastRule.within;
    return { iteration, share: shares.values[i] ?? NaN, k1: k1At.get(iteration) ?? NaN, isFollowed };
  }).filter(
    ({ iteration, share, k1 }) =>
      iteration > lag &&
      iteration < end &&
      iteration + forecastRule.within <= last &&
      Number.isFinite(share) &&
      Number.isFinite(k1),
  );
  const { runId, setting, seed } = run;
  if (landmarks.length === 0) return undefined;
  return { runId, setting, seed, hasCollapsed: end < Infinity, isUnclear: label.kind === "ambiguous", landmarks };
}

/** Estimate with a 95 % bootstrap interval, NaN if over 5 % of the resamples have no AUC. */
type Estimate = { value: number; interval: Interval };

type ScoreForecast = {
  key: (typeof forecastScores)[number]["key"];
  area: Estimate;
  /** Difference from the AUC of k1; absent for k1. */
  difference?: Estimate;
};

export type SettingForecast = {
  setting: string;
  runIds: readonly string[];
  numCollapsed: number;
  numUnclear: number;
  numSeeds: number;
  numLandmarks: number;
  numFollowed: number;
  scores: readonly ScoreForecast[];
};

/** Reports all settings together, then each setting with both outcomes, in order of appearance. */
export function reportForecast(runs: readonly RunForecast[]): SettingForecast[] {
  const settings = [...groupBy(runs, ({ setting }) => setting)];
  const all = settings.length > 1 ? [summarise("All settings", runs)] : [];
  return [...all, ...settings.map(([setting, some]) => summarise(setting, some))].filter(
    ({ numFollowed, numLandmarks }) => numFollowed > 0 && numFollowed < numLandmarks,
  );
}

function summarise(setting: string, runs: readonly RunForecast[]): SettingForecast {
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const landmarks = runs.flatMap((run) =>
    run.landmarks.map((landmark) => ({ ...landmark, unit: seeds.indexOf(run.seed) })),
  );
  const orders = forecastScores.map(({ score }) =>
    landmarks
      .map((landmark): Scored => ({ value: score(landmark), isEvent: landmark.isFollowed, unit: landmark.unit }))
      .toSorted((a, b) => a.value - b.value),
  );
  const estimates = estimateAreas(orders, seeds.length);
  return {
    setting,
    runIds: runs.map(({ runId }) => runId),
    numCollapsed: runs.filter(({ hasCollapsed }) => hasCollapsed).length,
    numUnclear: runs.filter(({ isUnclear }) => isUnclear).length,
    numSeeds: seeds.length,
    numLandmarks: landmarks.length,
    numFollowed: landmarks.filter(({ isFollowed }) => isFollowed).length,
    scores: forecastScores.map(({ key }, i) => {
      const [area = unknown, difference] = estimates[i] ?? [];
      return { key, area, ...(i < forecastScores.length - 1 && difference && { difference }) };
    }),
  };
}

const unknown: Estimate = { value: NaN, interval: { low: NaN, high: NaN } };

/** Estimates AUCs and differences from the last score's, over shared resamples of seeds. */
function estimateAreas(orders: readonly (readonly Scored[])[], numSeeds: number): [Estimate, Estimate][] {
  const scores = orders.map((order) => makeRocArea(order, numSeeds));
  const areasOf = (weights: Float64Array): number[] => scores.map((area) => area(weights));
  const areas = areasOf(new Float64Array(numSeeds).fill(1));
  const seeds = Array.from({ length: numSeeds }, (_, i) => i);
  const drawn: number[][] = [];
  let numDrawn = 0;
  for (const [some = []] of resample([seeds], { numResamples: 2000 }).draws) {
    const weights = new Float64Array(numSeeds);
    for (const seed of some) weights[seed] = (weights[seed] ?? 0) + 1;
    const areas = areasOf(weights);
    if (areas.every(Number.isFinite)) drawn.push(areas);
    numDrawn += 1;
  }
  const isKnown = drawn.length >= 0.95 * numDrawn;
  const last = orders.length - 1;
  const estimate = (of: (areas: readonly number[]) => number): Estimate => ({
    value: of(areas),
    interval: isKnown ? percentileInterval(drawn.map(of), 0.95) : unknown.interval,
  });
  return orders.map((_, i) => [
    estimate((some) => some[i] ?? NaN),
    estimate((some) => (some[i] ?? NaN) - (some[last] ?? NaN)),
  ]);
}

const columns: Column[] = [
  textColumn("score", "Score"),
  { key: "landmarks", header: "Iterations", better: "none", format: plainFormat },
  { key: "followed", header: "Followed by a collapse", better: "none", format: plainFormat },
  { ...shareColumn("area", "Area under the curve"), format: { shift: 2, decimals: 1 } },
  { ...shareColumn("difference", "Difference from k1"), unit: "points", format: { shift: 2, decimals: 1 } },
];

export function toForecastTable(settings: readonly SettingForecast[]): BareTable {
  return {
    caption: "Metrics that predict a collapse, by setting; 95 % intervals",
    columns,
    rows: settings.flatMap(toRows),
    notes: [forecastSentence, collapseSentence],
    isUnmarked: true,
    isWide: true,
  };
}

/** Names the score with the largest area under the curve over all settings. */
export function summariseForecast([all]: readonly SettingForecast[]): string {
  const [best] = all?.scores.toSorted((a, b) => b.area.value - a.area.value) ?? [];
  if (!best) return "";
  const { low } = best.area.interval;
  const interval = Number.isFinite(low) ? best.area.interval : null;
  const isChance = !(low > 0.5);
  return `${titleOf(best.key)} predicts collapses best, with an area under the curve of ${writeSpread({ mean: best.area.value, interval }, { unit: "fraction" })}${isChance ? ", which could be chance (50 %)" : ""}.`;
}

const titleOf = (key: string): string => forecastScores.find((one) => one.key === key)?.title ?? key;

function toRows({ setting, runIds, scores, ...counts }: SettingForecast): Row[] {
  const { numSeeds, numLandmarks, numFollowed } = counts;
  return scores.map(({ key, area, difference }) => ({
    heading: `${setting}: ${writeCollapses({ ...counts, numJudged: runIds.length }, "run")}; ${formatCount(numSeeds, "seed")}`,
    runIds: [...runIds],
    cells: [
      textCell(titleOf(key)),
      { kind: "number", value: numLandmarks },
      { kind: "number", value: numFollowed },
      intervalCell(area.value, numSeeds, area.interval),
      difference ? intervalCell(difference.value, numSeeds, difference.interval) : { kind: "missing" },
    ],
  }));
}

export function toForecastCsv(runs: readonly RunForecast[]): string {
  const lines = runs.flatMap(({ runId, setting, seed, landmarks }) =>
    landmarks.map(({ iteration, share, k1, isFollowed }): CsvValue[] => [
      runId,
      setting,
      seed,
      iteration,
      share,
      k1,
      String(isFollowed),
    ]),
  );
  return toCsvText([["run", "setting", "seed", "iteration", "ess_row", "k1", "collapse_followed"], ...lines]);
}
