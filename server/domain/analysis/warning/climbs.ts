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
  type BareTable,
  type Column,
  type CsvValue,
  intervalCell,
  numberColumn,
  plainFormat,
  type Row,
  shareColumn,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import { bothWaysSentence, findLeaving, type Leaving, rangeSentence } from "../stability/hazards.ts";
import { type ClimbSignal, climbSignals } from "./signals.ts";

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
  /** When each signal left its range, by its key. */
  leavings: ReadonlyMap<string, Leaving>;
};

type Signals = readonly ClimbSignal[];

/** Determines when each signal left its normal range; undefined for a run that was not judged. */
export function measureClimbs(
  { runId, setting, label, lag, curves }: ClimbRun,
  signals: Signals = climbSignals,
): RunClimbs | undefined {
  if (!isJudged(label)) return undefined;
  const half = isCollapse(label) ? label.collapseStep : undefined;
  const fall = half === undefined ? undefined : { onset: label.onsetStep ?? half, half };
  const leave = (signal: ClimbSignal): Leaving => {
    const curve = curves.get(signal.metric);
    const span = { from: signal.isOfLag === true ? 1 + lag : 1, until: fall?.onset ?? Infinity };
    return curve ? findLeaving(curve, signal, span) : unknown;
  };
  const leavings = new Map(signals.map((signal) => [signal.key, leave(signal)]));
  return { runId, setting, ...(fall && { fall }), isUnclear: label.kind === "ambiguous", leavings };
}

const unknown: Leaving = { kind: "unknown" };

/** k of n runs as a fraction, with Wilson's 95 % interval. */
export type Share = { k: number; n: number; interval: Interval };

export type SignalClimbs = {
  /** Key of the signal, or `all`. */
  signal: string;
  title: string;
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
  /** Runs (at most three, each with an early signal) with most early signals, then the longest lead times. */
  examples: readonly string[];
};

/** Signals that rise before a collapse in the papers' figures, with alternatives in order of preference. */
const trio = [["mismatch", "klOld"], ["gradientNorm"], ["lostSample"]] as const;
const together = { key: "all", title: "All of k3 (or KL), gradient norm and 1 − share" };

/** Reports all settings together, and each setting with a collapse. */
export function reportClimbs(runs: readonly RunClimbs[], of: Signals = climbSignals): Climbs {
  const groups = [...groupBy(runs, ({ setting }) => setting)].map(([setting, members]) =>
    summarise(setting, members, of),
  );
  return { all: summarise("All settings", runs, of), settings: groups.filter(({ collapsed }) => collapsed.k > 0) };
}

function summarise(setting: string, runs: readonly RunClimbs[], of: Signals): SettingClimbs {
  const signals = [...of, together]
    .map((signal) => summariseSignal(signal, runs))
    .filter(({ before, control }) => before.n + control.n > 0);
  const fallen = runs.filter(({ fall }) => fall !== undefined);
  const clearest = fallen
    .map((run) => ({ runId: run.runId, ...countEarly(run) }))
    .filter(({ numEarly }) => numEarly > 0)
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
  const leads = [...run.leavings.keys()].flatMap((key) => (isBefore(run, key) ? (leadOf(run, key) ?? []) : []));
  return { numEarly: leads.length, lead: Math.max(-Infinity, ...leads) };
}

function summariseSignal(
  { key: signal, title }: Pick<ClimbSignal, "key" | "title">,
  runs: readonly RunClimbs[],
): SignalClimbs {
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
    title,
    before: toShare(fallen.filter(({ run }) => isBefore(run, signal)).length, fallen.length),
    lead: { median: median(leads), interval, numRuns: leads.length },
    control: toShare(well.filter(({ leaving }) => leaving.kind === "left").length, well.length),
  };
}

function isBefore(run: RunClimbs, signal: string): boolean {
  const leaving = leavingOf(run, signal);
  return leaving.kind === "left" && leaving.iteration < (run.fall?.onset ?? -Infinity);
}

/** Returns when a signal left its range; "all" leaves when the last of `trio` does. */
function leavingOf({ leavings }: RunClimbs, signal: string): Leaving {
  if (signal !== together.key) return leavings.get(signal) ?? unknown;
  const parts = trio.map((keys) => keys.map((key) => leavings.get(key) ?? unknown).find(isKnown) ?? unknown);
  if (!parts.every(isKnown)) return { kind: "unknown" };
  const iterations = parts.flatMap((part) => (part.kind === "left" ? [part.iteration] : []));
  return iterations.length < parts.length ? { kind: "never" } : { kind: "left", iteration: Math.max(...iterations) };
}

function isKnown({ kind }: Leaving): boolean {
  return kind !== "unknown";
}

/** Returns the iterations from leaving the range to the loss of half of the success. */
function leadOf(run: RunClimbs, signal: string): number | undefined {
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

export function toClimbsTable({ all, settings }: Climbs): BareTable {
  const shown = settings.length > 1 ? [all, ...settings] : settings;
  return {
    caption: "Signals that leave their normal range before success falls, by setting; 95 % intervals",
    columns,
    rows: shown.flatMap(toRows),
    notes: [
      rangeSentence,
      ...(all.signals.some(({ signal }) => signal === "entropy") ? [bothWaysSentence] : []),
      "“Before success fell” means: while success was at least 85 % of its best value. Shares are over the collapsed runs with a known normal range, with Wilson intervals. " +
        "The lead is the number of iterations from leaving the range until half of the success is lost, over the runs in which the signal left its range. A negative lead means that the signal left its range later. The interval of the lead is a bootstrap over runs. " +
        "A signal predicts collapses only if it leaves its range more often before collapses than in runs without a collapse.",
      collapseSentence,
      unclearSentence,
    ],
    isUnmarked: true,
    isWide: true,
  };
}

/** Names the signal that leaves its range before more collapses than without, and if 95 % intervals part the shares. */
export function summariseClimbs({ all }: Pick<Climbs, "all">): string {
  const rateOf = ({ k, n }: Share) => (n === 0 ? 0 : k / n);
  const [best] = all.signals
    .filter(({ before }) => before.n > 0)
    .toSorted((a, b) => rateOf(b.before) - rateOf(b.control) - (rateOf(a.before) - rateOf(a.control)));
  if (!best) {
    const { k } = all.collapsed;
    return k === 0
      ? ""
      : `No signal had enough values for a normal range before success fell (${formatCount(k, "collapsed run")}).`;
  }
  const { title, before, control, lead } = best;
  const time = before.k > 0 && Number.isFinite(lead.median) ? `, ${formatLead(lead.median)} in the median` : "";
  const without = control.n > 0 ? `, and in ${control.k} of ${formatCount(control.n, "run")} without one` : "";
  const isApart = before.interval.low > control.interval.high;
  return `${title} left its normal range before ${before.k} of ${formatCount(before.n, "collapse")}${time}${without}${control.n > 0 && !isApart ? "; so few runs do not tell these shares apart" : ""}.`;
}

function formatLead(lead: number): string {
  return lead < 0 ? `${formatCount(-lead, "iteration")} late` : `${formatCount(lead, "iteration")} early`;
}

function toRows({ setting, runIds, collapsed, numUnclear, signals }: SettingClimbs): Row[] {
  const count = { numJudged: collapsed.n, numCollapsed: collapsed.k, numUnclear };
  return signals.map(({ title, before, lead, control }) => ({
    heading: `${setting}: ${writeCollapses(count, "run")}`,
    runIds: [...runIds],
    cells: [
      textCell(title),
      { kind: "number", value: before.n },
      intervalCell(before.k / before.n, before.n, before.interval),
      intervalCell(lead.median, lead.numRuns, lead.interval),
      intervalCell(control.k / control.n, control.n, control.interval),
    ],
  }));
}

/** Lists "never" for a signal that did not leave, and an empty field for one that was not logged. */
export function toClimbsCsv(runs: readonly RunClimbs[], signals: Signals = climbSignals): string {
  const lines = runs.map(({ runId, setting, fall, leavings }): CsvValue[] => [
    runId,
    setting,
    fall?.onset ?? null,
    fall?.half ?? null,
    ...signals.map(({ key }) => {
      const leaving = leavings.get(key) ?? unknown;
      return leaving.kind === "left" ? leaving.iteration : leaving.kind === "never" ? "never" : null;
    }),
  ]);
  return toCsvText([["run", "setting", "onset", "half_gone", ...signals.map(({ metric }) => metric)], ...lines]);
}
