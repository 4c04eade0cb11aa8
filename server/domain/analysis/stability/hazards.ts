import { groupBy } from "#packages/base";
import { collapseSentence, noiseOf } from "#packages/detector";
import { type CoxTerm, type Curve, type Duration, fitCox, median } from "#packages/statistics";
import {
  type BareTable,
  type CsvValue,
  intervalCell,
  numberColumn,
  pColumn,
  type Row,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import type { ClimbSignal } from "../warning/signals.ts";

export type SampledRun = {
  runId: string;
  method: string;
  /** Key of task and settings without method, staleness and precision; runs are compared within one. */
  setting: string;
  seed: number;
  isStale: boolean;
  isRounded: boolean;
  duration: Duration;
};

/** Combinations of staleness and precision (rounding), in an order in which staleness varies fastest. */
export const samplerCells = [
  { title: "neither", isStale: false, isRounded: false },
  { title: "stale", isStale: true, isRounded: false },
  { title: "rounded", isStale: false, isRounded: true },
  { title: "both", isStale: true, isRounded: true },
] as const;

export const hazardTerms = ["staleness", "precision", "staleness × precision"] as const;

export type HazardGroup = {
  title: string;
  runIds: readonly string[];
  /** Counts in the order of `samplerCells`. */
  cells: readonly { numRuns: number; numCollapsed: number }[];
  /** Log hazard ratios in the order of `hazardTerms`; undefined if not estimable. */
  terms: readonly CoxTerm[] | undefined;
};

/**
 * Fits a Cox model of collapse. Each method has its own baseline hazard per setting, and is included if all four
 * combinations have runs. Groups: all methods together (if several), then each that collapsed.
 */
export function reportHazards(runs: readonly SampledRun[]): HazardGroup[] {
  const whole = [...groupBy(runs, stratumOf).values()].filter(hasAllCells).flat();
  const methods = [...groupBy(whole, ({ method }) => method)];
  const all = methods.length > 1 ? [reportGroup(`${methods.length} methods, each with its own baseline`, whole)] : [];
  return [...all, ...methods.map(([method, some]) => reportGroup(method, some))].filter(({ cells }) =>
    cells.some(({ numCollapsed }) => numCollapsed > 0),
  );
}

function stratumOf({ method, setting }: SampledRun): string {
  return JSON.stringify([method, setting]);
}

function hasAllCells(runs: readonly SampledRun[]): boolean {
  return samplerCells.every((cell) => runs.some((run) => isIn(run, cell)));
}

function isIn(run: SampledRun, cell: Pick<SampledRun, "isStale" | "isRounded">): boolean {
  return run.isStale === cell.isStale && run.isRounded === cell.isRounded;
}

function reportGroup(title: string, runs: readonly SampledRun[]): HazardGroup {
  const units = runs.map((run) => {
    const [stale, rounded] = [Number(run.isStale), Number(run.isRounded)];
    return { duration: run.duration, stratum: stratumOf(run), x: [stale, rounded, stale * rounded] };
  });
  return {
    title,
    runIds: runs.map(({ runId }) => runId),
    cells: samplerCells.map((cell) => {
      const some = runs.filter((run) => isIn(run, cell));
      return { numRuns: some.length, numCollapsed: some.filter(({ duration }) => duration.isEvent).length };
    }),
    terms: fitCox(units),
  };
}

/** Range from the first iterations; a signal leaves it with `inARow` consecutive values outside. */
const rangeRule = { values: 10, fewest: 5, noises: 3.5, inARow: 3 } as const;

export const rangeSentence =
  `A signal's normal range is computed from its first ${rangeRule.values} training iterations. At least ${rangeRule.fewest} of these iterations must be before success falls. If a run samples with an older policy (lag k), signals that compare sampler and trainer are used only from iteration 1 + k. ` +
  `The range ends above the median of these values by the larger of ${rangeRule.noises} × their noise (robust standard deviation) and the smallest change that matters. This change is × 2.5 for KL old → new and k3, × 1.8 for KL to the ` +
  `reference, × 2 for the gradient norm, and .25 on the arcsine scale for 1 − normalised ESS and the control-token mass. A signal leaves its range at the first of ${rangeRule.inARow} consecutive values above the range.`;

/** Sentence about the signals of actions, which count in both directions. */
export const bothWaysSentence =
  "Metrics of actions and the entropy leave their range upwards or downwards. A change matters from .25 on the arcsine scale for shares of turns or episodes, × 1.5 for the entropy of transitions, and × 1.5 upwards or × 2.5 downwards for the policy’s entropy. Metrics of actions have a value per evaluation.";

/** Time in hindsight; `unknown` if too few values define the range. */
export type Leaving = { kind: "left"; iteration: number } | { kind: "never" } | { kind: "unknown" };

/**
 * @param curve values in ascending order of iterations
 * @param span `from`: first iteration considered. `until`: first iteration that the range excludes; in a collapsed run,
 * where success began to fall
 */
export function findLeaving(curve: Curve, signal: ClimbSignal, { from = 1, until = Infinity } = {}): Leaving {
  const values = Array.from(curve.values, (value, i) => ({ iteration: curve.iterations[i] ?? 0, value })).filter(
    ({ iteration }) => iteration >= from,
  );
  const first = values
    .slice(0, rangeRule.values)
    .filter(({ iteration, value }) => iteration < until && Number.isFinite(value))
    .map(({ value }) => signal.transform(value));
  if (first.length < rangeRule.fewest) return { kind: "unknown" };
  const noise = Math.max(signal.floor, noiseOf(first));
  const center = median(first);
  const width = (change: number) => Math.max(change, rangeRule.noises * noise);
  const range = { low: center - width(signal.fall ?? Infinity), high: center + width(signal.rise) };
  let since: number | undefined;
  let numOutside = 0;
  for (const { iteration, value } of values) {
    const x = signal.transform(value);
    // NaN results from an overflow, outside every range.
    const isOutside = !(x >= range.low && x <= range.high);
    numOutside = isOutside ? numOutside + 1 : 0;
    since = isOutside ? (since ?? iteration) : undefined;
    if (since !== undefined && numOutside >= rangeRule.inARow) return { kind: "left", iteration: since };
  }
  return { kind: "never" };
}

const columns = [
  textColumn("term", "Term"),
  numberColumn("logHazard", "Log-hazard ratio", 2),
  numberColumn("hazard", "Hazard ratio", 2),
  pColumn("p", "p"),
];

const sentence =
  "Cox regression with Efron's ties and Firth's penalty. The penalty keeps estimates finite if a combination has no collapse; such estimates have wide intervals. Intervals and p are from the profile of the penalised likelihood. " +
  "Staleness means that the sampler lags, and precision that the sampler is rounded. Their interaction is 0 if the two effects add up on the log-hazard. Each method and setting has its own baseline hazard, and is included if all four combinations of staleness and precision have runs. Runs with the same seed share their tasks; this dependence is not modelled.";

export function toHazardsTable(groups: readonly HazardGroup[]): BareTable {
  return {
    caption: "Hazard of collapse by staleness and precision of the sampler; 95 % intervals",
    columns,
    rows: groups.flatMap(toRows),
    notes: [sentence, collapseSentence],
    isUnmarked: true,
    isWide: true,
  };
}

/** Names the shown effects on the hazard of collapse over all methods. */
export function summariseHazards([all]: readonly HazardGroup[]): string {
  const terms = all?.terms?.map((term, i) => ({ ...term, name: hazardTerms[i] ?? "" })) ?? [];
  if (terms.length === 0) return "";
  const shown = terms.filter(({ p }) => p < 0.05);
  const write = ({ name, coefficient, interval: { low, high } }: (typeof terms)[number]) =>
    `${name} × ${writeRatio(coefficient)} [${writeRatio(low)}, ${writeRatio(high)}]`;
  const listed = new Intl.ListFormat("en-GB").format(shown.map(write));
  return shown.length > 0
    ? `Hazard ratio of collapse: ${listed}${shown.length < terms.length ? "; no effect is shown for the rest" : ""}.`
    : `No effect of ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(terms.map(({ name }) => name))} on the hazard of collapse is shown.`;
}

const writeRatio = (logRatio: number): string => Math.exp(logRatio).toPrecision(2);

function toRows({ title, runIds, cells, terms }: HazardGroup): Row[] {
  const counts = samplerCells.map(({ title }, i) => `${title} ${cells[i]?.numCollapsed}/${cells[i]?.numRuns}`);
  return hazardTerms.map((term, i) => {
    const { coefficient, interval, p } = terms?.[i] ?? unknown;
    const ratio = { low: Math.exp(interval.low), high: Math.exp(interval.high) };
    return {
      heading: `${title}. Collapsed: ${counts.join(", ")}`,
      runIds: [...runIds],
      cells: [
        textCell(term),
        intervalCell(coefficient, runIds.length, interval),
        intervalCell(Math.exp(coefficient), runIds.length, ratio),
        Number.isFinite(p) ? { kind: "number", value: p } : { kind: "missing" },
      ],
    };
  });
}

const unknown = { coefficient: NaN, interval: { low: NaN, high: NaN }, p: NaN };

export function toHazardsCsv(runs: readonly SampledRun[]): string {
  const lines = runs.map(({ runId, method, setting, seed, isStale, isRounded, duration }): CsvValue[] => [
    runId,
    method,
    setting,
    seed,
    String(isStale),
    String(isRounded),
    duration.time,
    String(duration.isEvent),
  ]);
  return toCsvText([["run", "method", "setting", "seed", "stale", "rounded", "time", "collapsed"], ...lines]);
}
