import { bootstrap } from "#server/domain/statistics/bootstrap.ts";
import { groupBy } from "#server/domain/groupBy.ts";
import { wilsonInterval, type Interval } from "#server/domain/statistics/rates.ts";
import { median } from "#server/domain/statistics/summary.ts";
import type { Curve } from "#server/domain/series/series.ts";
import type { Hindsight } from "../label/hindsight.ts";
import { isClear, isCollapse } from "../label/label.ts";
import { findLeaving, type Leaving } from "./leaving.ts";
import { climbSignals, type ClimbSignal, type SignalKey } from "./signals.ts";

/** A finished run: its label by effects alone, and its curves by metric. */
export type ClimbRun = {
  runId: string;
  setting: string;
  label: Hindsight["label"];
  /** Most iterations by which its sampler may be late. */
  lag: number;
  curves: ReadonlyMap<string, Curve>;
};

/**
 * When each signal left its range, and when success fell (absent where it did not): the first iterations at which less than
 * 85 % and less than half of the best was there.
 */
export type RunClimbs = {
  runId: string;
  setting: string;
  fall?: { onset: number; half: number };
  leavings: Readonly<Record<SignalKey, Leaving>>;
};

/** A run that is neither healthy nor fallen tells nothing. */
export function measureClimbs({ runId, setting, label, lag, curves }: ClimbRun): RunClimbs | undefined {
  if (!isClear(label)) return undefined;
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
  return { runId, setting, ...(fall && { fall }), leavings };
}

/** A share of runs with Wilson's interval, 95 %. */
export type Share = { k: number; n: number; interval: Interval };

export type SignalClimbs = {
  signal: SignalKey | "all";
  /** Of collapsed runs in which its range is known: it left while nearly all of the success was still there. */
  before: Share;
  /**
   * Iterations from leaving to half of the success gone, positive where it left earlier, over the collapsed runs in which
   * it left at all; NaN where it never did. Interval by bootstrap over runs, 95 %.
   */
  lead: { median: number; interval: Interval; numRuns: number };
  /** The same of runs that did not collapse, at any time: what leaving its range says by itself. */
  control: Share;
};

export type SettingClimbs = {
  setting: string;
  runIds: readonly string[];
  collapsed: Share;
  signals: readonly SignalClimbs[];
  /** At most three runs that fell, those first in which most signals had left before, and for longest. */
  examples: readonly string[];
};

/** What the papers' figures show climbing before a collapse; k3 of sampler and trainer where it is logged. */
const trio = [["mismatch", "klOld"], ["gradientNorm"], ["lostSample"]] as const satisfies SignalKey[][];

/** By setting, in order of first appearance, those in which no run collapsed left out; and all settings together. */
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

/** Whether it left while nearly all of the success was still there. */
function isBefore(run: RunClimbs, signal: SignalClimbs["signal"]): boolean {
  const leaving = leavingOf(run, signal);
  return leaving.kind === "left" && leaving.iteration < (run.fall?.onset ?? -Infinity);
}

/** All of the trio have left when the last of them has; unknown where one of them was not logged. */
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

/** Undefined where it never left, or the run did not fall. */
function leadOf(run: RunClimbs, signal: SignalClimbs["signal"]): number | undefined {
  const leaving = leavingOf(run, signal);
  return run.fall && leaving.kind === "left" ? run.fall.half - leaving.iteration : undefined;
}

function toShare(k: number, n: number): Share {
  return { k, n, interval: wilsonInterval(k, n) };
}
