import type { FactorName } from "#server/domain/analysis/claims/studiedRun.ts";
import { dimensionFactors } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import type { EffectsReport, LevelEffect, ParetoMethod } from "#server/domain/analysis/effects/report.ts";
import type { VarianceShares } from "#server/domain/analysis/effects/shares.ts";
import { withinRates, type Interval } from "#packages/statistics";
import { formatCount, shorten } from "#app/_charts/format.ts";
import { titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { linearTicks } from "#server/domain/runs/series/ticks.ts";

export const factorTitles: Record<FactorName, string> = {
  aggregation: "Loss aggregation",
  clipping: "Clipping",
  advantage: "Advantage",
  sampling: "Sampling",
};

/** Unit of the values on this page: rates are shown in per cent, z-scores and other metrics as they are. */
export function unitOf(isRate: boolean): { unit: string } {
  return { unit: isRate ? "fraction" : "" };
}

function titleOf(term: string): string {
  if (term === "environment") return "Environment";
  return Object.entries(factorTitles).find(([factor]) => factor === term)?.[1] ?? term;
}

type ShareBar = { name: string; share: number; interval: string; isNoise: boolean; isShown: boolean };

/**
 * Returns the variance share of each source, largest first, and if a dimension's effect is shown by its test. Negative
 * shares, from an unbalanced design, become 0.
 */
export function prepareShares(
  { terms, notModelled, seedNoise, hasSeedNoise }: VarianceShares,
  effects: readonly Pick<EffectsReport["effects"][number], "factor" | "permutationP">[],
): ShareBar[] {
  const percent = (x: number) => (100 * Math.max(0, x)).toFixed(0);
  return [
    ...terms
      .toSorted((a, b) => b.share - a.share)
      .map(({ term, share, interval }) => ({
        name: titleOf(term),
        share: Math.max(0, share),
        interval: interval ? `${percent(interval.low)}–${percent(interval.high)}` : "",
        isNoise: false,
        isShown: !effects.some(({ factor, permutationP }) => factor === term && permutationP >= 0.05),
      })),
    {
      name: "Interactions (not explained by main effects)",
      share: notModelled,
      interval: "",
      isNoise: false,
      isShown: true,
    },
    {
      name: hasSeedNoise ? "Noise of seeds" : "Noise of seeds: unknown with one seed per cell",
      share: seedNoise,
      interval: "",
      isNoise: true,
      isShown: true,
    },
  ];
}

/** Joins the titles of levels: "Turn clip · Group in group". */
export function nameLevels(levels: Readonly<Record<string, string>>): string {
  return Object.entries(levels)
    .map(([factor, level]) => nameLevel(factor, level))
    .join(" · ");
}

/** Returns the title of a dimension's level; the level of another factor, such as an environment, keeps its name. */
export function nameLevel(factor: string, level: string): string {
  const dimension = dimensionFactors.find((one) => one === factor);
  return dimension ? titleOfLevel(dimension, level) : level;
}

/** Sorts the effects as their shares of the variance are shown, largest first. */
export function sortEffects({ effects, shares }: Pick<EffectsReport, "effects" | "shares">): EffectsReport["effects"] {
  const shareOf = new Map<string, number>(shares?.terms.map(({ term, share }) => [term, share]));
  return effects.toSorted((a, b) => (shareOf.get(b.factor) ?? 0) - (shareOf.get(a.factor) ?? 0));
}

/** Clips the levels' intervals to 0–1 if the metric is a rate, because a t interval may extend beyond. */
export function boundEffects(effects: EffectsReport["effects"], isRate: boolean): EffectsReport["effects"] {
  if (!isRate) return effects;
  return effects.map((effect) => ({
    ...effect,
    levels: effect.levels.map((level) =>
      level.estimate.kind === "estimate"
        ? { ...level, estimate: { ...level.estimate, interval: withinRates(level.estimate.interval) } }
        : level,
    ),
  }));
}

/** Describes how the intervals of an effect were computed, or why there are none. */
export function formatIntervals(levels: readonly LevelEffect[]): string {
  const estimates = levels.flatMap(({ estimate }) => (estimate.kind === "estimate" ? [estimate] : []));
  const drawn = estimates.filter(({ interval }) => Number.isFinite(interval.high - interval.low));
  if (drawn.length === 0) return "no intervals: no degrees of freedom are left to estimate the noise";
  const isDrawn = drawn.some(({ method }) => method === "bootstrap");
  return `95 % intervals (${isDrawn ? "bootstrap of seeds within cells" : "t, pooled error"})`;
}

/** Returns the 95 % interval of a method's performance, clipped to 0–1 for a rate; undefined with too few runs. */
export function performanceBar({ interval }: ParetoMethod, isRate: boolean): Interval | undefined {
  if (interval === null) return undefined;
  return isRate ? withinRates(interval) : interval;
}

/** Returns the axis domain that covers the value of every run and the interval of every level. */
export function effectDomain(levels: readonly LevelEffect[]): [number, number] {
  const ends = levels.flatMap(({ values, estimate }) => [
    ...values,
    ...(estimate.kind === "estimate" ? [estimate.interval.low, estimate.interval.high] : []),
  ]);
  const finite = ends.filter(Number.isFinite);
  const ticks = linearTicks(Math.min(...finite), Math.max(...finite));
  return [ticks[0] ?? 0, ticks.at(-1) ?? 1];
}

/** Returns the axis title: the metric's title, shortened, or "z" if environments are standardised. */
export function shortUnit(unit: EffectsReport["unit"], title: string): string {
  return unit === "z" ? "z" : shorten(title, 30);
}

export function whyNoDesign({ levels, numRuns }: Pick<EffectsReport, "levels" | "numRuns">): string {
  const isVaried = levels.some((one) => one.levels.length > 1);
  return isVaried
    ? `Too few runs to estimate effects: ${formatCount(numRuns, "finished run")} with this metric, but at least three are needed.`
    : "No dimension varies in these runs, so there is nothing to compare.";
}

/** Returns the axis domain that covers every method with its error bar, and zero unless values are z-scores. */
export function paretoDomain(
  methods: readonly ParetoMethod[],
  { unit, isRate }: { unit: EffectsReport["unit"]; isRate: boolean },
): [number, number] {
  const ends = methods.flatMap((method) => {
    const { low, high } = performanceBar(method, isRate) ?? { low: method.performance, high: method.performance };
    return [low, high];
  });
  const finite = ends.filter(Number.isFinite);
  const ticks = linearTicks(Math.min(...finite, ...(unit === "z" ? [] : [0])), Math.max(...finite));
  return [ticks[0] ?? 0, ticks.at(-1) ?? 1];
}
