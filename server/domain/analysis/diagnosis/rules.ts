import type { Point } from "#packages/detector";
import type { Cause, Finding } from "./causes.ts";
import {
  compareAround,
  describeLead,
  describeMove,
  findBeyond,
  medianBefore,
  nameMetric,
  readValues,
  usualOf,
  write,
} from "./evidence.ts";

/** Facts that the rules read. `onset`: success began to fall; `end`: half of it was lost. Later values are not read. */
export type DiagnosedRun = {
  points: readonly Point[];
  onset: number;
  end: number;
  /** True in a run without a label: `onset` is its alarm, and success need not have fallen. */
  isAlarm: boolean;
  /** Iteration that a branch continues from; 0 for other runs. */
  start: number;
  /** True if success collapsed while the reward did not fall. */
  isHack: boolean;
  /**
   * Sampler of the settings; undefined for a trainer whose sampler is not known. `isInRatio`: the ratio is to the
   * sampler, so that the KL of an update includes the mismatch. `isNoisy`: its logits have noise.
   */
  sampler: { lag: number; isRounded: boolean; isNoisy: boolean; isInRatio: boolean } | undefined;
};

/** Limits of the rules, chosen on runs with known faults (docs/diagnosis.md). */
export const limits = {
  /** Mismatch between sampler and policy, in nats per token. */
  staleness: 0.02,
  precision: 0.1,
  /** Median KL of an iteration's updates, and the clip fraction below which a clip has no effect. */
  klOld: 0.015,
  clipFraction: 0.002,
  /** Largest success after the fall, relative to success before it, in a run that gained reward. */
  lostSuccess: 0.85,
  keptReward: 0.95,
  /** Relative and absolute fall of entropy. */
  entropyShare: 0.25,
  entropy: 0.05,
  /** Changes of shares since the first iterations. */
  format: 0.15,
  truncated: 0.2,
  repetition: 0.2,
  /** Iterations by which noise in success may delay the first sign. */
  delay: 2,
  /** Iterations after a change of the data, in which a fall is due to it. */
  dataWindow: 5,
} as const;

const finiteKeys = ["loss/total", "loss/policy", "update/gradientNorm"];
const successKeys = ["rollout/successRate", "rollout/score", "evaluation/successRate"];

type Rule = (run: DiagnosedRun) => Finding | undefined;

function fault(run: DiagnosedRun): Finding | undefined {
  const { points, end } = run;
  for (const { iteration, values } of points.filter((point) => point.iteration <= end)) {
    for (const metric of finiteKeys) {
      const value = values[metric];
      if (value === undefined || Number.isFinite(value)) continue;
      const sentence = `${nameMetric(metric)} was not finite at iteration ${iteration}, ${describeLead(iteration, run)}`;
      return { cause: "trainerFault", metric, iteration, value, usual: null, sentence };
    }
  }
  return undefined;
}

function change(run: DiagnosedRun): Finding | undefined {
  const { points, onset, end } = run;
  const at = points.findLast(
    ({ iteration, annotations }) =>
      (annotations?.includes("data") ?? false) && iteration <= end && iteration >= onset - limits.dataWindow,
  );
  if (!at) return undefined;
  const { iteration } = at;
  const sentence = `the data or the task changed at iteration ${iteration}, ${describeLead(iteration, run)}`;
  return { cause: "dataChange", metric: "rollout/successRate", iteration, value: iteration, usual: null, sentence };
}

const sinceStart = ({ points, start }: DiagnosedRun) => points.filter(({ iteration }) => iteration > start);

const mismatch = ["mismatch/k3", "policy/samplerKl"];

function stale(run: DiagnosedRun): Finding | undefined {
  const { points, onset, end, sampler } = run;
  // A branch with a fresh sampler has the staleness of its origin among its points.
  const logged = readValues(sinceStart(run), ["policy/staleness"], end);
  const age = logged ? Math.max(...logged.points.map(({ value }) => value)) : (sampler?.lag ?? 0);
  if (age < 1) return undefined;
  const keys = sampler?.isRounded === false ? mismatch : ["mismatch/stalenessK3", ...(sampler ? [] : mismatch)];
  const values = readValues(points, keys, end);
  const found = values && findBeyond(values, { limit: limits.staleness, onset });
  if (!found) return undefined;
  const [usual, metric] = [usualOf(values, onset), values.key];
  const sentence = `the sampler was ${Number(age.toPrecision(2))} versions old and ${lower(describeMove({ key: metric, usual }, found, run))}`;
  return { cause: "staleSampler", metric, ...pick(found), usual, sentence };
}

function rounded(run: DiagnosedRun): Finding | undefined {
  const { points, onset, end, sampler } = run;
  if (!sampler?.isRounded) return undefined;
  const values = readValues(points, ["mismatch/precisionK3", ...(sampler.lag === 0 ? mismatch : [])], end);
  const found = values && findBeyond(values, { limit: limits.precision, onset });
  if (!found) return undefined;
  const [usual, metric] = [usualOf(values, onset), values.key];
  const why = sampler.isNoisy
    ? "the sampler's logits had noise"
    : "the sampler's precision was lower than the trainer's";
  const sentence = `${why} and ${lower(describeMove({ key: metric, usual }, found, run))}`;
  return { cause: "precision", metric, ...pick(found), usual, sentence };
}

/** Updates that moved the policy far in each iteration; with or without a clip that acts. */
function step(run: DiagnosedRun): Finding | undefined {
  const { onset, end, isAlarm, sampler } = run;
  // A branch may have another learning rate than its origin.
  const points = sinceStart(run);
  const values = sampler?.isInRatio ? undefined : readValues(points, ["policy/klOld"], end);
  if (!values) return undefined;
  const value = medianBefore(values, onset);
  if (value < limits.klOld) return undefined;
  const clipped = readValues(points, ["policy/clipFraction"], end);
  const share = clipped && medianBefore(clipped, onset);
  const isInactive = share !== undefined && share < limits.clipFraction;
  const moved = `the updates of an iteration moved the policy by a KL of ${write("policy/klOld", value)} (median up to iteration ${onset}, ${isAlarm ? "the alarm" : "when success began to fall"})`;
  const sentence = isInactive
    ? `the clip acted on ${write("policy/clipFraction", share)} of the tokens while ${moved}`
    : moved;
  const cause = isInactive ? "clipInactive" : "stepTooLarge";
  return { cause, metric: "policy/klOld", iteration: onset, value, usual: usualOf(values, onset), sentence };
}

/** Reward and success of the same episodes, before the fall and after it. */
function hack(run: DiagnosedRun): Finding | undefined {
  const { points, onset, end, isHack } = run;
  const success = readValues(points, successKeys, end + 1);
  const group = success?.key.split("/")[0];
  const reward = isHack ? readValues(points, [`${group}/returnMean`], end + 1) : undefined;
  if (!success || !reward) return undefined;
  const [before, after] = compareAround(success, onset);
  const [usual, value] = compareAround(reward, onset);
  const last = reward.points.at(-1);
  const least = Math.max(usual, usualOf(reward, onset) ?? usual);
  // Without values after the fall, the medians are NaN.
  if (!last || !(after <= limits.lostSuccess * before)) return undefined;
  if (value < least - (1 - limits.keptReward) * Math.abs(least)) return undefined;
  const sentence = `${lower(nameMetric(success.key))} fell from ${write(success.key, before)} to ${write(success.key, after)} while ${lower(describeMove({ key: reward.key, usual }, { ...last, value }, run))}`;
  return { cause: "rewardHacking", metric: reward.key, ...last, value, usual, sentence };
}

type Shift = { cause: Cause; keys: readonly string[]; by: number; least?: number; delay?: number };

/** Metrics that move with the answers: amount since the run's first iterations, or share of it down to `least`. */
const shifts: readonly Shift[] = [
  { cause: "lengthLimit", keys: ["rollout/truncatedFraction"], by: limits.truncated },
  { cause: "repetition", keys: ["behaviour/repetitionRate"], by: limits.repetition },
  { cause: "repetition", keys: ["behaviour/loopRate"], by: limits.repetition },
  { cause: "entropyGone", keys: ["policy/entropy"], by: limits.entropyShare, least: limits.entropy },
  {
    cause: "formatLost",
    keys: ["rollout/validFormatRate", "evaluation/validFormatRate"],
    by: -limits.format,
    delay: limits.delay,
  },
  {
    cause: "formatLost",
    keys: ["rollout/validActionRate", "evaluation/validActionRate"],
    by: -limits.format,
    delay: limits.delay,
  },
];

function findShift(run: DiagnosedRun, { cause, keys, by, least, delay = Infinity }: Shift) {
  const { points, onset, end } = run;
  const values = readValues(points, keys, end);
  const usual = values ? usualOf(values, onset) : null;
  if (!values || usual === null) return undefined;
  const limit = least === undefined ? usual + by : Math.min(by * usual, least);
  const found = findBeyond(values, { limit, isBelow: by < 0 || least !== undefined, onset });
  if (!found || found.first > onset + delay) return undefined;
  const sentence = lower(describeMove({ key: values.key, usual }, found, run));
  return { cause, metric: values.key, ...pick(found), usual, sentence };
}

const roots: readonly Rule[] = [fault, change, stale, rounded, step, hack];

/**
 * Applies the rules; names at most two causes. Changed answers follow many collapses, so they are a cause only if no
 * rule about the trainer, the data, the sampler, the updates or the reward found one. Lost formats are the last resort.
 */
export function findCauses(run: DiagnosedRun): Finding[] {
  const found = roots.flatMap((rule) => rule(run) ?? []);
  if (found.length > 0) return found.slice(0, 2);
  const moved = shifts.flatMap((shift) => findShift(run, shift) ?? []);
  const others = moved.filter(
    ({ cause }, i) => cause !== "formatLost" && moved.findIndex((one) => one.cause === cause) === i,
  );
  return others.length > 0 ? others.slice(0, 2) : moved.slice(0, 1);
}

function pick({ iteration, value }: { iteration: number; value: number }) {
  return { iteration, value };
}

function lower(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

/** Metrics that the rules read. */
export const diagnosedKeys: readonly string[] = [
  ...finiteKeys,
  "policy/staleness",
  "mismatch/stalenessK3",
  "mismatch/precisionK3",
  ...mismatch,
  "policy/klOld",
  "policy/clipFraction",
  ...successKeys,
  "rollout/returnMean",
  "evaluation/returnMean",
  ...shifts.flatMap(({ keys }) => keys),
];
