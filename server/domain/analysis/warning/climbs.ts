import { bootstrap, type Curve, type Interval, median, wilsonInterval } from "#packages/statistics";
import { formatCount, groupBy } from "#packages/base";
import {
  collapseSentence,
  type Hindsight,
  isCollapse,
  isJudged,
  unclearSentence,
  writeCollapses,
} from "#packages/detector";
import {
  type Column,
  type CsvValue,
  intervalCell,
  numberColumn,
  plainFormat,
  type Provenance,
  type Row,
  shareColumn,
  type Table,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import { findLeaving, type Leaving, rangeSentence } from "../stability/hazards.ts";
import { type ClimbSignal, climbSignals, type SignalKey } from "./signals.ts";

/** Run with its hindsight label, which depends on success alone, and its curves by metric. */
export type ClimbRun = {
  runId: string;
  setting: string;
  label: Hindsight["label"];
  /** Maximum staleness of the sampler, in iterations. */
  lag: number;
  curves: ReadonlyMap<string, Curve>;
};

/**
 * `fall`: iterations at which success fell below 85 % (`onset`) and below half of its best; absent without a collapse.
 */
export type RunClimbs = {
  runId: string;
  setting: string;
  fall?: { onset: number; half: number };
  isUnclear: boolean;
  leavings: Readonly<Record<SignalKey, Leaving>>;
};

/** Determines when each signal left its normal range; undefined for a run that was not judged. */
export function measureClimbs({ runId, setting, label, lag, curves }: ClimbRun): RunClimbs | undefined {
  if (!isJudged(label)) return undefined;
  const half = isCollapse(label) ? label.collapseStep : undefined;
  const fall = half === undefined ? undefined : { onset: label.onsetStep ?? half, half };
  const leave = (key: SignalKey): Leaving => {
    const signal: ClimbSignal | undefined = climbSignals.find((one) => one.key === key);
    const curve = signal && curves.get(signal.metric);
    const span = { from: signal?.isOfLag === true ? 1 + lag : 1, until: fall?.onset ?? Infinity };
    return curve ? findLeaving(curve, signal, span) : { kind: "unknown" };
  };
  const leavings = {
    mismatch: leave("mismatch"),
    klOld: leave("klOld"),
    klReference: leave("klReference"),
    gradientNorm: leave("gradientNorm"),
    lostSample: leave("lostSample"),
  };
  return { runId, setting, ...(fall && { fall }), isUnclear: label.kind === "ambiguous", leavings };
}

/** k of n runs as a fraction, with Wilson's 95 % interval. */
export type Share = { k: number; n: number; interval: Interval };

export type SignalClimbs = {
  signal: SignalKey | "all";
  /**
   * Collapsed runs in which the signal left its normal range before success fell below 85 % of its best, among runs
   * with a known range.
   */
  before: Share;
  /**
   * Iterations from leaving the range to half of the success being lost; positive means early. Median over collapsed
   * runs, NaN without any, with a 95 % bootstrap interval over runs.
   */
  lead: { median: number; interval: Interval; numRuns: number };
  /** False positives: runs without a collapse in which the signal left its range. */
  control: Share;
};

export type SettingClimbs = {
  setting: string;
  runIds: readonly string[];
  collapsed: Share;
  numUnclear: number;
  signals: readonly SignalClimbs[];
  /** Runs (at most three) with most early signals, then the longest lead times. */
  examples: readonly string[];
};

/** Signals that rise before a collapse in the papers' figures, with alternatives in order of preference. */
const trio = [["mismatch", "klOld"], ["gradientNorm"], ["lostSample"]] as const satisfies SignalKey[][];

/** Reports all settings together, and each setting with a collapse. */
export function reportClimbs(runs: readonly RunClimbs[]): { all: SettingClimbs; settings: readonly SettingClimbs[] } {
  const groups = [...groupBy(runs, ({ setting }) => setting)].map(([setting, members]) => summarise(setting, members));
  return { all: summarise("All settings", runs), settings: groups.filter(({ collapsed }) => collapsed.k > 0) };
}

function summarise(setting: string, runs: readonly RunClimbs[]): SettingClimbs {
  const keys = [...climbSignals.map(({ key }) => key), "all" as const];
  const signals = keys
    .map((key) => summariseSignal(key, runs))
    .filter(({ before, control }) => before.n + control.n > 0);
  const fallen = runs.filter(({ fall }) => fall !== undefined);
  const clearest = fallen
    .map((run) => ({ runId: run.runId, ...countEarly(run) }))
    .toSorted((a, b) => b.numEarly - a.numEarly || b.lead - a.lead);
  return {
    setting,
    runIds: runs.map(({ runId }) => runId),
    collapsed: toShare(fallen.length, runs.length),
    numUnclear: runs.filter(({ isUnclear }) => isUnclear).length,
    signals,
    examples: clearest.slice(0, 3).map(({ runId }) => runId),
  };
}

function countEarly(run: RunClimbs): { numEarly: number; lead: number } {
  const leads = climbSignals.flatMap(({ key }) => (isBefore(run, key) ? (leadOf(run, key) ?? []) : []));
  return { numEarly: leads.length, lead: Math.max(-Infinity, ...leads) };
}

function summariseSignal(signal: SignalClimbs["signal"], runs: readonly RunClimbs[]): SignalClimbs {
  const known = runs
    .map((run) => ({ run, leaving: leavingOf(run, signal) }))
    .filter(({ leaving }) => leaving.kind !== "unknown");
  const fallen = known.filter(({ run }) => run.fall !== undefined);
  const well = known.filter(({ run }) => run.fall === undefined);
  const leads = fallen.flatMap(({ run }) => leadOf(run, signal) ?? []);
  const interval =
    leads.length < 2
      ? { low: NaN, high: NaN }
      : bootstrap([leads], ([drawn = []]) => median(drawn), { numResamples: 2000 }).interval;
  return {
    signal,
    before: toShare(fallen.filter(({ run }) => isBefore(run, signal)).length, fallen.length),
    lead: { median: median(leads), interval, numRuns: leads.length },
    control: toShare(well.filter(({ leaving }) => leaving.kind === "left").length, well.length),
  };
}

function isBefore(run: RunClimbs, signal: SignalClimbs["signal"]): boolean {
  const leaving = leavingOf(run, signal);
  return leaving.kind === "left" && leaving.iteration < (run.fall?.onset ?? -Infinity);
}

/** Returns when a signal left its range; "all" leaves when the last of `trio` does. */
function leavingOf({ leavings }: RunClimbs, signal: SignalClimbs["signal"]): Leaving {
  if (signal !== "all") return leavings[signal];
  const parts = trio.map((keys): Leaving => keys.map((key) => leavings[key]).find(isKnown) ?? { kind: "unknown" });
  if (!parts.every(isKnown)) return { kind: "unknown" };
  const iterations = parts.flatMap((part) => (part.kind === "left" ? [part.iteration] : []));
  return iterations.length < parts.length ? { kind: "never" } : { kind: "left", iteration: Math.max(...iterations) };
}

function isKnown({ kind }: Leaving): boolean {
  return kind !== "unknown";
}

/** Returns the iterations from leaving the range to the loss of half of the success. */
function leadOf(run: RunClimbs, signal: SignalClimbs["signal"]): number | undefined {
  const leaving = leavingOf(run, signal);
  return run.fall && leaving.kind === "left" ? run.fall.half - leaving.iteration : undefined;
}

function toShare(k: number, n: number): Share {
  return { k, n, interval: wilsonInterval(k, n) };
}

type Climbs = { all: SettingClimbs; settings: readonly SettingClimbs[] };

const columns: Column[] = [
  textColumn("signal", "Signal"),
  { key: "numCollapsed", header: "Collapsed runs with a normal range", better: "none", format: plainFormat },
  shareColumn("before", "Left the range before success fell"),
  numberColumn("lead", "Lead, median iterations", 1),
  shareColumn("control", "Left the range without a collapse"),
];

export function toClimbsTable({ all, settings }: Climbs, provenance: Provenance): Table {
  const shown = settings.length > 1 ? [all, ...settings] : settings;
  return {
    caption: "Signals that leave their normal range before success falls, by setting; 95 % intervals",
    label: "climbs",
    columns,
    rows: shown.flatMap(toRows),
    notes: [
      rangeSentence,
      "“Before success fell” means: while success was at least 85 % of its best value. Shares are over the collapsed runs with a known normal range, with Wilson intervals. " +
        "The lead is the number of iterations from leaving the range until half of the success is lost, over the runs in which the signal left its range. A negative lead means that the signal left its range later. The interval of the lead is a bootstrap over runs. " +
        "A signal predicts collapses only if it leaves its range more often before collapses than in runs without a collapse.",
      collapseSentence,
      unclearSentence,
    ],
    isUnmarked: true,
    isWide: true,
    provenance,
  };
}

/** Names the signal that leaves its range before more collapses than without, and if 95 % intervals part the shares. */
export function summariseClimbs({ all }: Pick<Climbs, "all">): string {
  const rateOf = ({ k, n }: Share) => (n === 0 ? 0 : k / n);
  const [best] = all.signals
    .filter(({ before }) => before.n > 0)
    .toSorted((a, b) => rateOf(b.before) - rateOf(b.control) - (rateOf(a.before) - rateOf(a.control)));
  if (!best) return "";
  const { signal, before, control, lead } = best;
  const time = before.k > 0 && Number.isFinite(lead.median) ? `, ${formatLead(lead.median)} in the median` : "";
  const without = control.n > 0 ? `, and in ${control.k} of ${formatCount(control.n, "run")} without one` : "";
  const isApart = before.interval.low > control.interval.high;
  return `${titleOf(signal)} left its normal range before ${before.k} of ${formatCount(before.n, "collapse")}${time}${without}${control.n > 0 && !isApart ? "; so few runs do not tell these shares apart" : ""}.`;
}

function formatLead(lead: number): string {
  return lead < 0 ? `${formatCount(-lead, "iteration")} late` : `${formatCount(lead, "iteration")} early`;
}

function toRows({ setting, runIds, collapsed, numUnclear, signals }: SettingClimbs): Row[] {
  const count = { numJudged: collapsed.n, numCollapsed: collapsed.k, numUnclear };
  return signals.map(({ signal, before, lead, control }) => ({
    heading: `${setting}: ${writeCollapses(count, "run")}`,
    runIds: [...runIds],
    cells: [
      textCell(titleOf(signal)),
      { kind: "number", value: before.n },
      intervalCell(before.k / before.n, before.n, before.interval),
      intervalCell(lead.median, lead.numRuns, lead.interval),
      intervalCell(control.k / control.n, control.n, control.interval),
    ],
  }));
}

function titleOf(signal: SignalClimbs["signal"]): string {
  return climbSignals.find(({ key }) => key === signal)?.title ?? "All of k3 (or KL), gradient norm and 1 − share";
}

/** Lists "never" for a signal that did not leave, and an empty field for one that was not logged. */
export function toClimbsCsv(runs: readonly RunClimbs[]): string {
  const lines = runs.map(({ runId, setting, fall, leavings }): CsvValue[] => [
    runId,
    setting,
    fall?.onset ?? null,
    fall?.half ?? null,
    ...climbSignals.map(({ key }) => {
      const leaving = leavings[key];
      return leaving.kind === "left" ? leaving.iteration : leaving.kind === "never" ? "never" : null;
    }),
  ]);
  return toCsvText([["run", "setting", "onset", "half_gone", ...climbSignals.map(({ metric }) => metric)], ...lines]);
}
