import { formatP } from "#packages/base";
import { describeMetric } from "#trainer/spec/metric.ts";
import {
  intervalCell,
  numberCell,
  numberColumn,
  pColumn,
  type Row,
  shareColumn,
  type Table,
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
): Table {
  const { title, unit: measured } = describeMetric(metric);
  const isShare = unit === "metric" && measured === "fraction";
  const values = isShare ? shareColumn("mean", title) : numberColumn("mean", unit === "z" ? `${title}, z` : title, 2);
  return {
    caption: `${title} by dimension: mean [95 % CI] of each level, averaged over the levels of the other dimensions.`,
    label: "dimensions",
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
    provenance: { sweepName: "" },
  };
}

function toCells(factor: FactorName, { level, numRuns, estimate }: LevelEffect): TableCell[] {
  return [
    { kind: "text", text: titleOfLevel(factor, level), key: level },
    { kind: "number", value: numRuns },
    estimate.kind === "estimate" ? intervalCell(estimate.value, numRuns, estimate.interval) : { kind: "missing" },
  ];
}

/** Says which dimensions have an effect that is shown, with their shares of the variance. */
export function summariseEffects({ effects, shares }: EffectsReport): string {
  if (effects.length === 0) return "";
  const shown = effects.filter(({ permutationP }) => permutationP < 0.05);
  const rest = effects.filter((one) => !shown.includes(one));
  const listing = new Intl.ListFormat("en-GB");
  const write = (factor: FactorName, p: number) => {
    const share = shares?.terms.find(({ term }) => term === factor)?.share;
    return `${factor}${share === undefined ? "" : ` (${Math.round(100 * share)} % of the variance, p ${formatP(p).replace(/^(?=\d)/, "= ")})`}`;
  };
  const found = [
    ...(shown.length > 0
      ? [
          `${listing.format(shown.map(({ factor, permutationP }) => write(factor, permutationP)))} ${shown.length === 1 ? "has" : "have"} an effect`,
        ]
      : []),
    ...(rest.length > 0 ? [`no effect is shown for ${listing.format(rest.map(({ factor }) => factor))}`] : []),
    ...(shares?.hasSeedNoise ? [`${Math.round(100 * shares.seedNoise)} % of the variance is between seeds`] : []),
  ].join("; ");
  return `${found.charAt(0).toUpperCase()}${found.slice(1)}.`;
}
