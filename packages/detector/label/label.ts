import { median } from "#packages/statistics";
import { arcsineError, noiseOf, toArcsine } from "../signals/robust.ts";
import { drawdownOf, type Measure, type Source } from "../signals/drawdown.ts";
import { lowestSoFar, rangeOf, rewardNoise, rewardNoises } from "../signals/rewardRange.ts";

/** All constants of the labelling rule. A step is one logged iteration. */
export const labelRule = {
  lostShare: 0.5,
  dipShare: 0.3,
  standardErrors: 4,
  /** Width of the centred running median; steps that a loss must last, in general and at the end of a run. */
  window: 11,
  hold: 15,
  holdAtEnd: 5,
  /** `sparse`: window and hold in values, if values are sparse. `short`: the same for fewer than `below` values. */
  sparse: { window: 3, hold: 2 },
  short: { below: 60, window: 5, hold: 5 },
  /** The loss begins after the last step with `onsetShare` of the peak; a run has recovered at `recoveredShare`. */
  onsetShare: 0.85,
  recoveredShare: 0.8,
  nonFiniteInARow: 10,
  /** Minimum range of a reward, in noise standard deviations; losses are measured relative to the range. */
  rewardNoises,
  /** Minimum number of initial values from which the noise of a reward is estimated. */
  minForNoise: 20,
} as const;

/** Success (a rate or a reward) by step, and steps with non-finite numbers: effects of instability, not causes. */
export type LabelInput = {
  /** Success by step; steps ascend and values are finite. */
  success: readonly { step: number; value: number }[];
  measure: Source;
  /** True if the first value is a rate before training, which is a peak of its own and is not smoothed. */
  isFirstBeforeTraining?: boolean;
  /** Steps with a logged loss or gradient norm. */
  finite: readonly { step: number; isFinite: boolean }[];
  /** Reward by step, if `success` is not itself the reward. */
  reward?: readonly { step: number; value: number }[];
};

/** Label of a run. `notJudged`: success was not measured, or too rarely to show a lasting loss. */
export type RunLabel = {
  kind: "notJudged" | "healthy" | "dip" | "ambiguous" | "collapseTerminal" | "collapseRecovered" | "nonFinite";
  /** `collapseStep`: half of the peak was lost; `onsetStep`: the loss began. */
  collapseStep?: number;
  onsetStep?: number;
  recoveredStep?: number;
  /** Smoothed best value before a collapse, and smoothed value at the collapse. */
  fall?: { from: number; to: number; metric?: string };
  tags: readonly ("hack" | "stalled")[];
};

export function isCollapse({ kind }: Pick<RunLabel, "kind">): boolean {
  return kind === "collapseTerminal" || kind === "collapseRecovered" || kind === "nonFinite";
}

/** True for every label of a run's success. Unclear runs count as not collapsed. */
export function isJudged({ kind }: Pick<RunLabel, "kind">): boolean {
  return kind !== "notJudged";
}

/** True if the label is unambiguous. Benchmarks of alarm rules and former tables exclude all other runs. */
export function isClear({ kind }: Pick<RunLabel, "kind">): boolean {
  return kind !== "ambiguous" && kind !== "notJudged";
}

/**
 * Labels a finished run; smoothing reads later values on purpose. A collapse is a lasting loss that `findLoss` finds,
 * or ten consecutive steps of non-finite numbers. KL, gradients and entropy are causes and not read: otherwise a
 * detector that reads them could not be tested against the label.
 */
export function labelRun(input: LabelInput): RunLabel {
  const trend = smooth(input);
  const found = [findNonFinite(input), findLossOf(trend)].filter((label) => label !== undefined);
  const [first] = found.toSorted((a, b) => (a.collapseStep ?? Infinity) - (b.collapseStep ?? Infinity));
  const isTooShort = trend.points.length <= trend.holdAtEnd;
  const label = first ?? { kind: isTooShort ? "notJudged" : findLesser(trend), tags: [] };
  return { ...label, tags: tagsOf(label, input, trend) };
}

/** Finds a lasting, significant loss: half of the peak, or a gain since the start. Undefined if there is none. */
export function findLoss(input: LabelInput): RunLabel | undefined {
  return findLossOf(smooth(input));
}

/** `hack`: success collapsed while the reward did not fall. `stalled`: a healthy run did not improve. */
function tagsOf(label: RunLabel, input: LabelInput, trend: Trend): RunLabel["tags"] {
  if (lostSuccess(label)) return isHack(label, input) ? ["hack"] : [];
  return label.kind === "healthy" && isStalled(input, trend) ? ["stalled"] : [];
}

function lostSuccess({ kind }: RunLabel): boolean {
  return kind === "collapseTerminal" || kind === "collapseRecovered";
}

/** Returns the earliest collapse, or else the worst label; tagged as hacking if any collapsed metric is. */
export function worstLabel(labels: readonly RunLabel[]): RunLabel {
  const order = ["collapseTerminal", "ambiguous", "dip", "healthy", "notJudged"];
  const rank = ({ kind }: RunLabel) => Math.max(0, order.indexOf(kind));
  const sorted = labels.toSorted(
    (a, b) => rank(a) - rank(b) || (a.collapseStep ?? Infinity) - (b.collapseStep ?? Infinity),
  );
  const [worst] = sorted;
  if (!worst) return { kind: "notJudged", tags: [] };
  const isHacked = lostSuccess(worst) && labels.some(({ tags }) => tags.includes("hack"));
  return isHacked ? { ...worst, tags: ["hack"] } : worst;
}

/** Labels a run with ten consecutive steps of non-finite numbers as collapsed; undefined if there are none. */
export function findNonFinite({ finite }: Pick<LabelInput, "finite">): RunLabel | undefined {
  let since: number[] = [];
  for (const { step, isFinite } of finite) {
    since = isFinite ? [] : [...since, step];
    const [first] = since;
    if (first === undefined || since.length < labelRule.nonFiniteInARow) continue;
    return { kind: "nonFinite", collapseStep: first, onsetStep: first, tags: [] };
  }
  return undefined;
}

function findLossOf({ hold, holdAtEnd, points }: Trend): RunLabel | undefined {
  const isBad = points.map(({ relative, z, isBelowStart }) => {
    const isHalf = relative >= labelRule.lostShare && z >= labelRule.standardErrors;
    return isHalf || isBelowStart;
  });
  const start = findStretch(isBad, { hold, holdAtEnd });
  const at = start === undefined ? undefined : points[start];
  if (start === undefined || at === undefined) return undefined;
  let onset = start;
  while (onset > 0 && !isKept(points[onset - 1]?.now ?? Infinity, at, labelRule.onsetShare)) onset--;
  const back = points.slice(start + 1).find(({ now }) => isKept(now, at, labelRule.recoveredShare));
  const fall = { from: at.peak, to: at.now };
  const steps = { collapseStep: at.step, onsetStep: points[onset]?.step ?? at.step, fall };
  return back
    ? { kind: "collapseRecovered", ...steps, recoveredStep: back.step, tags: [] }
    : { kind: "collapseTerminal", ...steps, tags: [] };
}

/** True if success is at `share` of its peak, or a reward has lost at most 1 − share of its range. */
function isKept(now: number, { peak, range }: Pick<TrendPoint, "peak" | "range">, share: number): boolean {
  return range === undefined ? now >= share * peak : peak - now <= (1 - share) * range;
}

/** Classifies lesser losses: a dip is large but recovers, an ambiguous loss lasts but is less than half. */
function findLesser({ hold, holdAtEnd, points }: Trend): RunLabel["kind"] {
  const isDown = points.map(({ relative, z }) => relative >= labelRule.dipShare && z >= labelRule.standardErrors);
  if (!isDown.includes(true)) return "healthy";
  return findStretch(isDown, { hold, holdAtEnd }) === undefined ? "dip" : "ambiguous";
}

/** True if success at the end does not differ from its first value, with room for improvement. */
function isStalled({ measure, success }: LabelInput, { points, window }: Trend): boolean {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || first === last || last.z >= labelRule.standardErrors) return false;
  if (measure.kind === "reward") {
    const noise = noiseOf(success.map(({ value }) => value));
    return Math.abs(last.now - first.now) < (2 * Math.SQRT2 * noise) / Math.sqrt(window);
  }
  const change = Math.abs(toArcsine(last.now) - toArcsine(first.now));
  return change < 2 * Math.SQRT2 * arcsineError(measure.numEffective, window) && last.now < 0.95;
}

/** True if the reward did not fall with success, a sign of reward hacking. */
function isHack(label: RunLabel, { reward = [], success }: LabelInput): boolean {
  const { collapseStep = 0, onsetStep = 0, recoveredStep = Infinity } = label;
  const within = (from: number, to: number) =>
    reward.filter(({ step }) => step >= from && step <= to).map(({ value }) => value);
  // The onset is known only to within an evaluation interval, so more steps are read if evaluations are sparse.
  const numBefore = Math.max(labelRule.window, labelRule.sparse.window * cadenceOf(success));
  const before = within(onsetStep - numBefore, onsetStep);
  const after = within(collapseStep, Math.min(collapseStep + 30, recoveredStep));
  if (before.length < 3 || after.length < 3) return false;
  const centre = median(before);
  const spread = median(before.map((x) => Math.abs(x - centre))) * 1.4826;
  return median(after) >= centre - (1.2533 * spread) / Math.sqrt(before.length);
}

type TrendPoint = {
  step: number;
  now: number;
  peak: number;
  /** Range of a reward up to its peak; undefined for rates. */
  range: number | undefined;
  relative: number;
  z: number;
  isBelowStart: boolean;
};

type Trend = { window: number; hold: number; holdAtEnd: number; points: TrendPoint[] };

function smooth({ success, measure: source, isFirstBeforeTraining = false }: LabelInput): Trend {
  const rule = cadenceRule(success);
  const values = success.map(({ value }) => value);
  const half = rule.window >> 1;
  const measureAt = makeMeasure(source, values, half);
  const begin = isFirstBeforeTraining && source.kind === "rate" ? values[0] : undefined;
  const start = begin ?? median(values.slice(0, half + 1));
  const { window } = rule;
  let peak = -Infinity;
  let measure = measureAt(0, peak);
  const points = success.map(({ step }, i) => {
    const isBegin = begin !== undefined && i === 0;
    const earliest = begin === undefined || isBegin ? 0 : 1;
    const now = isBegin ? begin : median(values.slice(Math.max(earliest, i - half), i + half + 1));
    if (!isBegin && now > peak) {
      peak = now;
      measure = measureAt(i, peak);
    }
    const hasGained = drawdownOf(measure, { peak, now: start, window }).z >= 3;
    const isBelowStart = hasGained && drawdownOf(measure, { peak: start, now, window }).z >= 3;
    const fromPeak = isBegin ? { relative: 0, z: 0 } : drawdownOf(measure, { peak, now, window });
    const fromBegin = begin === undefined ? fromPeak : drawdownOf(measure, { peak: begin, peakWindow: 1, now, window });
    const isFromBegin = fromBegin.relative > fromPeak.relative && fromBegin.z >= labelRule.standardErrors;
    const loss = isFromBegin ? fromBegin : fromPeak;
    const range = measure.kind === "reward" ? measure.range : undefined;
    const { relative, z } = loss;
    return { step, now, peak: isFromBegin ? (begin ?? peak) : peak, range, relative, z, isBelowStart };
  });
  return { ...rule, points };
}

/** A reward's range depends on its noise up to the peak; a larger noise of the whole curve lowers the significance. */
function makeMeasure(source: Source, values: readonly number[], half: number): (at: number, peak: number) => Measure {
  if (source.kind === "rate") {
    const measure = widen(source, values);
    return () => measure;
  }
  const lowest = lowestSoFar(values);
  const whole = rewardNoise(values);
  return (at, peak) => {
    const well = rewardNoise(values.slice(0, Math.max(at + half + 1, labelRule.minForNoise)));
    const range = rangeOf(peak - (lowest[at] ?? peak), well);
    const noise = Math.max(whole, well);
    return { kind: "reward", noise: () => noise, range };
  };
}

/** Without the noise observed over 30 values, a curve shuffled over time would be labelled as collapsed. */
function widen(measure: Extract<Source, { kind: "rate" }>, values: readonly number[]): Measure {
  if (values.length < 30) return measure;
  const seen = noiseOf(values.map((value) => toArcsine(value)));
  return { kind: "rate", numEffective: Math.min(measure.numEffective, 1 / (4 * seen ** 2)) };
}

function cadenceRule(success: LabelInput["success"]): { window: number; hold: number; holdAtEnd: number } {
  const { window, hold, holdAtEnd, sparse, short } = labelRule;
  const cadence = cadenceOf(success);
  if (cadence < 2.5) return success.length < short.below ? { ...short, holdAtEnd } : { window, hold, holdAtEnd };
  return { ...sparse, hold: Math.max(sparse.hold, Math.ceil(hold / cadence)), holdAtEnd: sparse.hold };
}

/** Mean number of steps between two logged values of success. */
function cadenceOf(success: LabelInput["success"]): number {
  const [first] = success;
  const last = success.at(-1);
  return first && last && success.length > 1 ? (last.step - first.step) / (success.length - 1) : 1;
}

/** Start of the first stretch of true flags of at least `hold`, or of `holdAtEnd` at the end of the list. */
function findStretch(flags: readonly boolean[], { hold, holdAtEnd }: { hold: number; holdAtEnd: number }) {
  let length = 0;
  for (const [i, flag] of flags.entries()) {
    length = flag ? length + 1 : 0;
    if (length >= hold || (i === flags.length - 1 && length >= holdAtEnd)) return i - length + 1;
  }
  return undefined;
}
