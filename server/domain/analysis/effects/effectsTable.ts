import { formatCount, tellP } from "#packages/base";
import { describeMetric } from "#trainer/spec/metric.ts";
import {
  type BareTable,
  intervalCell,
  numberCell,
  numberColumn,
  pColumn,
  type Row,
  shareColumn,
  type TableCell,
  textCell,
  textColumn,
} from "#packages/tables";
import { titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import type { FactorName, StudiedRun } from "../claims/studiedRun.ts";
import type { EffectsReport, LevelEffect } from "./report.ts";

/** Tabulates the mean of each level of each dimension, with the dimension's test and its share of the variance. */
export function toEffectsTable(
  { effects, unit, shares, numRuns, aliased }: EffectsReport,
  { metric, runs }: { metric: string; runs: readonly StudiedRun[] },
): BareTable {
  const { title, unit: measured } = describeMetric(metric);
  const isShare = unit === "metric" && measured === "fraction";
  const values = isShare ? shareColumn("mean", title) : numberColumn("mean", unit === "z" ? `${title}, z` : title, 2);
  return {
    caption: `${title} by dimension: mean [95 % CI] of each level, averaged over the levels of the other dimensions.`,
    columns: [
      textColumn("dimension", "Dimension"),
      textColumn("level", "Level"),
      numberColumn("runs", "Runs"),
      { ...values, format: { ...values.format, decimals: isShare ? 1 : 2 } },
      pColumn("p", "p (permutation)"),
      shareColumn("variance", "Variance explained"),
    ],
    rows: effects.flatMap(({ factor, levels, permutationP }) => {
      const share = shares?.terms.find(({ term }) => term === factor)?.share ?? NaN;
      return levels.map((level, i): Row => {
        const [p, variance] = i === 0 ? [permutationP, share] : [NaN, NaN];
        return {
          cells: [textCell(factor), ...toCells(factor, level), numberCell(p), numberCell(variance)],
          runIds: runs.filter((run) => run.levels[factor] === level.level).map(({ runId }) => runId),
          heading: factor,
        };
      });
    }),
    notes: [
      `${numRuns} finished runs.`,
      ...(unit === "z" ? ["Values are z-scores within each environment."] : []),
      ...(aliased.length > 0
        ? [`Not estimable, because it varies only together with others: ${aliased.join(", ")}.`]
        : []),
    ],
    isUnmarked: true,
  };
}

function toCells(factor: FactorName, { level, numRuns, estimate }: LevelEffect): TableCell[] {
  return [
    { kind: "text", text: titleOfLevel(factor, level), key: level },
    { kind: "number", value: numRuns },
    estimate.kind === "estimate" ? intervalCell(estimate.value, numRuns, estimate.interval) : { kind: "missing" },
  ];
}

type Told = Pick<EffectsReport, "shares" | "numRuns"> & {
  effects: readonly Pick<EffectsReport["effects"][number], "factor" | "permutationP">[];
};

/** Says how much of the variance the dimensions with a shown effect explain, and how much is between seeds. */
export function summariseEffects({ effects, shares, numRuns }: Told): string {
  if (effects.length === 0) return "";
  const shareOf = (factor: FactorName) => shares?.terms.find(({ term }) => term === factor)?.share ?? NaN;
  const shown = effects
    .filter(({ permutationP }) => permutationP < 0.05)
    .toSorted((a, b) => shareOf(b.factor) - shareOf(a.factor));
  const rest = effects.filter((one) => !shown.includes(one)).map(({ factor }) => factor);
  const write = (share: number) => `${Math.round(100 * share)} %`;
  const explained = shown.map(({ factor, permutationP }, i) => {
    const tested = `(${tellP(permutationP)})`;
    return i === 0
      ? `${factor} explains ${write(shareOf(factor))} of the variance ${tested}`
      : `${factor} ${write(shareOf(factor))} ${tested}`;
  });
  const seeds = shares?.hasSeedNoise
    ? [
        shown.length > 0
          ? `seeds ${write(shares.seedNoise)}`
          : `seeds explain ${write(shares.seedNoise)} of the variance`,
      ]
    : [];
  const none = rest.length > 0 ? [`no effect is shown for ${new Intl.ListFormat("en-GB").format(rest)}`] : [];
  const found = [[...explained, ...seeds].join(", "), ...none].filter(Boolean).join("; ");
  return `Over ${formatCount(numRuns, "run")}, ${found}.`;
}
