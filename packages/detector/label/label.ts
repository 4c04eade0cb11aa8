import { median } from "#packages/statistics";
import { arcsineError, noiseOf, toArcsine } from "../signals/robust.ts";
import { drawdownOf, type Measure, type Source } from "../signals/drawdown.ts";
import { lowestSoFar, rangeOf, rewardNoise, rewardNoises } from "../signals/rewardRange.ts";

/** All constants of the label. A step is one logged iteration. */
export const labelRule = {
  lostShare: 0.5,
  dipShare: 0.3,
  standardErrors: 4,
  /** Window of the centred running median, and how long a loss must last, in steps; less at the very end of a run. */
  window: 11,
  hold: 15,
  holdAtEnd: 5,
  /** Window and hold of sparse evaluations, counted in values, and of runs too short for the steps above. */
  sparse: { window: 3, hold: 2 },
  short: { below: 60, window: 5, hold: 5 },
  /** The onset is the last step with this fraction of the peak; a recovery reaches it again. */
  onsetShare: 0.85,
  recoveredShare: 0.8,
  nonFiniteInARow: 10,
  /** Minimum peak of a reward, in noise standard deviations. */
  rewardNoises,
  /** Minimum number of values from which the noise is estimated, up to the peak. */
  minForNoise: 20,
} as const;

/**
 * Success (a rate or a reward) by step, and the steps with non-finite numbers. These are effects of instability, never
 * causes.
 */
export type LabelInput = {
  /** Ascending steps, finite values. */
  success: readonly { step: number; value: number }[];
  measure: Source;
  /** True if the first value is a rate before training: it is a peak of its own and is not smoothed. */
  isFirstBeforeTraining?: boolean;
  /** Steps with a logged loss or gradient norm. The flag is true if it was finite. */
  finite: readonly { step: number; isFinite: boolean }[];
  /** Reward by step, if it is not the success itself. */
  reward?: readonly { step: number; value: number }[];
};

/** `notJudged`: success was not measured, or too rarely to show a lasting loss. */
export type RunLabel = {
  kind: "notJudged" | "healthy" | "dip" | "ambiguous" | "collapseTerminal" | "collapseRecovered" | "nonFinite";
  /** For a collapse: the step at which half of the peak was lost, and the onset before it. */
  collapseStep?: number;
  onsetStep?: number;
  /** Step at which the run was back at nearly all of the peak. */
  recoveredStep?: number;
  /** For a collapse of success: its smoothed best before, and its smoothed value at the collapse. */
  fall?: { from: number; to: number; metric?: string };
  tags: readonly ("hack" | "stalled")[];
};

export function isCollapse({ kind }: Pick<RunLabel, "kind">): boolean {
  return kind === "collapseTerminal" || kind === "collapseRecovered" || kind === "nonFinite";
}

/** True if the label is certain. Comparisons of detectors exclude all other runs. */
export function isClear({ kind }: Pick<RunLabel, "kind">): boolean {
  return kind !== "ambiguous" && kind !== "notJudged";
}

/**
 * Hindsight label of a finished run; smoothing looks ahead on purpose. A collapse is a significant, lasting loss of
 * half of the peak, or an end with non-finite numbers. KL, gradients and entropy are causes and never used: otherwise a
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

/** Finds a significant and lasting drop below half of the peak; undefined if there is none. */
export function findLoss(input: LabelInput): RunLabel | undefined {
  return findLossOf(smooth(input));
}

/** Tags of a label. Non-finite numbers are no reward hacking, and a collapsed run did not stall. */
function tagsOf(label: RunLabel, input: LabelInput, trend: Trend): RunLabel["tags"] {
  if (lostSuccess(label)) return isHack(label, input) ? ["hack"] : [];
  return label.kind === "healthy" && isStalled(input, trend) ? ["stalled"] : [];
}

function lostSuccess({ kind }: RunLabel): boolean {
  return kind === "collapseTerminal" || kind === "collapseRecovered";
}

/**
 * Combines the labels of several success metrics: the earliest collapse, else the worst label. Reward hacking may come
 * from any metric that collapsed, not only the first.
 */
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

/** Finds ten consecutive steps with non-finite numbers; undefined if there are none. */
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

/** True if a fraction of the peak remains; for a reward, all except that part of its range. */
function isKept(now: number, { peak, range }: Pick<TrendPoint, "peak" | "range">, share: number): boolean {
  return range === undefined ? now >= share * peak : peak - now <= (1 - share) * range;
}

/** Finds losses smaller than a collapse: a large one that recovers, or a lasting one of less than half. */
function findLesser({ hold, holdAtEnd, points }: Trend): RunLabel["kind"] {
  const isDown = points.map(({ relative, z }) => relative >= labelRule.dipShare && z >= labelRule.standardErrors);
  if (!isDown.includes(true)) return "healthy";
  return findStretch(isDown, { hold, holdAtEnd }) === undefined ? "dip" : "ambiguous";
}

/** True if success never moved significantly from its start, although it could have. */
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

/** True if the reward did not fall together with success. */
function isHack(label: RunLabel, { reward = [], success }: LabelInput): boolean {
  const { collapseStep = 0, onsetStep = 0, recoveredStep = Infinity } = label;
  const within = (from: number, to: number) =>
    reward.filter(({ step }) => step >= from && step <= to).map(({ value }) => value);
  // The onset is known only to within one evaluation, so with rare evaluations more earlier values are read.
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
  /** Range of a reward; undefined for rates. */
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

/**
 * Makes a function that measures the loss from a peak at an index. The reward's range uses its noise up to the peak; a
 * larger overall noise lowers the significance of the loss.
 */
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

/**
 * A rate's noise is at least its binomial error; if the observed noise is larger, it is used instead. Otherwise values
 * shuffled over time, with random peaks, would count as collapsed.
 */
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

/** Mean number of steps between values. */
function cadenceOf(success: LabelInput["success"]): number {
  const [first] = success;
  const last = success.at(-1);
  return first && last && success.length > 1 ? (last.step - first.step) / (success.length - 1) : 1;
}

/** Start index of the first sufficiently long block of true values; at the very end a shorter one suffices. */
function findStretch(flags: readonly boolean[], { hold, holdAtEnd }: { hold: number; holdAtEnd: number }) {
  let length = 0;
  for (const [i, flag] of flags.entries()) {
    length = flag ? length + 1 : 0;
    if (length >= hold || (i === flags.length - 1 && length >= holdAtEnd)) return i - length + 1;
  }
  return undefined;
}
