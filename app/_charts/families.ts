import { strata, turnBins, type Metric, type Stratum } from "#trainer/spec/metric.ts";
import type { Chart, DescribedChart } from "#server/domain/runs/series/chartData.ts";
import { type LegendEntry, lineDashes, type RunName } from "./names.ts";

/** A family: metrics of one run that are only meaningful together, shown in one chart with one line per metric. */
export type Family = { name: string; about: Metric; legend: readonly FamilyEntry[] };
type FamilyEntry = LegendEntry & { key: string };

const share = { unit: "fraction", better: "none" } as const;
const perToken = { unit: "nats/token", better: "none" } as const;

/** Grey of a line from dark (0) to light (1), because hue means a method. The lightest has a contrast of 3. */
const greyAt = (at: number) => `color-mix(in srgb, var(--text) ${Math.round(100 - 50 * at)}%, var(--surface))`;
const numGreys = 4;

export const families: readonly Family[] = [
  byStratum("strataTokens", {
    ...share,
    title: "Tokens by stratum",
    meaning:
      "Share of response tokens in each of eight strata (ARLArena, Fig. 4), among tokens with a non-zero advantage: sign of the advantage A, ratio r to the old policy, high or low entropy. The lines sum to 1.",
  }),
  byStratum("strataOutOfRange", {
    ...share,
    title: "Out-of-range tokens by stratum",
    meaning:
      "Share of tokens in each stratum, among tokens whose ratio left the clip range. Without such tokens, all lines are 0; otherwise they sum to 1.",
  }),
  byStratum("strataKl", {
    ...share,
    title: "KL by stratum",
    meaning: "Share of the KL to the reference policy that each stratum contributes. The lines sum to 1.",
  }),
  byTurn("turnKl", {
    ...perToken,
    title: "KL to reference by turn",
    meaning:
      "KL to the reference policy (k3 estimator), with one line per turn of the episode. From turn 9 on, several turns share a line.",
  }),
  byTurn("turnEntropy", {
    ...perToken,
    title: "Entropy by turn",
    meaning: "Mean token entropy of the policy that sampled the rollouts, with one line per turn of the episode.",
  }),
  ofMismatch(
    "mismatchRatios",
    {
      unit: "",
      better: "none",
      title: "Extremes of π_old/μ",
      meaning:
        "Smallest and largest probability ratio of the trainer's old policy to the sampler, per token and per training row (a turn or a whole episode).",
    },
    [
      ["mismatch/ratioMax", "token, largest", 0],
      ["mismatch/ratioMin", "token, smallest", 0],
      ["mismatch/rowRatioMax", "row (product), largest", 1],
      ["mismatch/rowRatioMin", "row (product), smallest", 1],
      ["mismatch/geoRatioMax", "row (geometric mean), largest", 3],
      ["mismatch/geoRatioMin", "row (geometric mean), smallest", 3],
    ],
  ),
  ofMismatch(
    "mismatchParts",
    {
      ...perToken,
      better: "down",
      title: "Mismatch by cause, k3",
      meaning:
        "Mismatch between sampler and trainer, split into a part due to staleness and a part due to precision and noise. The trainer evaluates the sampler's policy version to separate the parts.",
    },
    [
      ["mismatch/stalenessK3", "staleness", 0],
      ["mismatch/precisionK3", "precision and noise", 2],
    ],
  ),
];

export function familiesOf(keys: readonly string[]): Family[] {
  return families.filter(({ legend }) => legend.some(({ key }) => keys.includes(key)));
}

export function isInFamily(key: string): boolean {
  return families.some(({ legend }) => legend.some((entry) => entry.key === key));
}

export type FamilyChart = { chart: DescribedChart; legend: LegendEntry[]; runs: ReadonlyMap<string, RunName> };

/** Merges the charts of a family's metrics into one chart, in which each metric is treated like a configuration. */
export function joinFamily(
  { name, about, legend }: Family,
  charts: readonly Chart[],
  run: { id: string; seed: number; isOver?: boolean },
): FamilyChart {
  const logged = legend.flatMap((entry) => {
    const chart = charts.find(({ key }) => key === entry.key);
    return chart ? [{ entry, chart }] : [];
  });
  return {
    chart: {
      key: name,
      about,
      ofRun: run.id,
      bands: logged.flatMap(({ entry, chart }) => chart.bands.map((band) => ({ ...band, cellId: entry.cellId }))),
      lines: [],
      nonFinite: logged.flatMap(({ entry, chart }) => chart.nonFinite.map((mark) => ({ ...mark, runId: entry.id }))),
      numUnlisted: logged.reduce((sum, { chart }) => sum + chart.numUnlisted, 0),
    },
    legend: logged.map(({ entry }) => entry),
    runs: new Map(
      logged.map(({ entry: { id, cellId } }) => [id, { runId: id, cellId, seed: run.seed, isOver: run.isOver }]),
    ),
  };
}

/** Returns a family of sampler–trainer mismatch metrics with its legend; lines of minima are dotted. */
function ofMismatch(
  name: string,
  about: Metric,
  lines: readonly (readonly [key: string, label: string, grey: number])[],
): Family {
  const legend = lines.map(([key, label, grey], cellId): FamilyEntry => ({
    key,
    cellId,
    id: key,
    label,
    color: greyAt(grey / (numGreys - 1)),
    dash: label.endsWith("smallest") ? lineDashes[1] : undefined,
  }));
  return { name, about, legend };
}

/** Returns the family of a metric over strata. Grey: advantage sign, ratio above or below 1; dotted: low entropy. */
function byStratum(group: string, about: Metric): Family {
  const sides = ["positiveAbove", "positiveBelow", "negativeAbove", "negativeBelow"];
  const legend = strata.map((stratum, cellId): FamilyEntry => {
    return {
      key: `${group}/${stratum}`,
      cellId,
      id: stratum,
      label: formatStratum(stratum),
      color: greyAt(sides.findIndex((side) => stratum.startsWith(side)) / (numGreys - 1)),
      dash: stratum.endsWith("Low") ? lineDashes[1] : undefined,
    };
  });
  return { name: group, about, legend };
}

/** Names a stratum so briefly that the name fits beside a plot, where longer names would all be cut alike. */
function formatStratum(stratum: Stratum): string {
  const sign = stratum.startsWith("positive") ? "A+" : "A−";
  const ratio = stratum.includes("Above") ? "r≥1" : "r<1";
  return `${sign} ${ratio} ${stratum.endsWith("High") ? "high" : "low"}`;
}

/** Returns the family of a metric over turns, with greys from light to dark from the first to the last turn. */
function byTurn(group: string, about: Metric): Family {
  const legend = turnBins.map((bin, i): FamilyEntry => {
    return {
      key: `${group}/${bin}`,
      cellId: i,
      id: `turn${bin}`,
      label: `turn ${bin}`,
      color: greyAt(1 - i / (turnBins.length - 1)),
      dash: undefined,
    };
  });
  return { name: group, about, legend };
}
