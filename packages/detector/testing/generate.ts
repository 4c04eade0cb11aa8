import { split, type Rng } from "#trainer/spec/rng.ts";
import type { Point } from "../signals/point.ts";
import { beta, between, makeNoise } from "./chance.ts";
import { collapses } from "./collapses.ts";
import { healthyCourse, logMetrics, mapLogs, type Course, type LogMetric } from "./course.ts";
import { healthyFamilies } from "./healthy.ts";

export type Family = `C_${keyof typeof collapses}` | `H_${keyof typeof healthyFamilies}`;

/** Families on which the rules are tuned. The others are evaluated once, after the rules are frozen. */
export const developmentFamilies: readonly Family[] = [
  "C_isBlow",
  "C_echo",
  "C_length",
  "C_nan",
  "H_grpo",
  "H_spiky",
  "H_lowEntropy",
  "H_solved",
];
export const heldOutFamilies: readonly Family[] = [
  "C_lld",
  "C_mismatch",
  "C_hack",
  "C_silent",
  "C_transient",
  "H_gspo",
  "H_length",
  "H_referenceReset",
  "H_dip",
  "H_decay",
];

/** A synthetic run with its true collapse: `collapseStep` is the step at which the success probability is halved. */
export type SyntheticRun = { family: Family; points: Point[]; collapseStep?: number };

export const syntheticSize = { numEpisodes: 128, groupSize: 8, numHeldOut: 128 } as const;

export type SyntheticOptions = {
  /** Factor on the noise of all metrics except the sampling noise of success. */
  noise?: number;
  /** Logs success only at every n-th step, as success on held-out tasks. */
  successEvery?: number;
  /** Adds held-out success at every n-th step; all other values stay the same. */
  heldOutEvery?: number;
  /** Number of steps into which the run's whole development is compressed. */
  length?: number;
  /** Power of time with which the KL to the reference and that of an update grow; absent: they approach a limit. */
  klPower?: number;
  /** Fraction of the run after which a KL with `klPower` begins to grow; default 0. */
  klStart?: number;
};

/** Generates one synthetic run. The family determines how its metrics develop; all other properties are random. */
export function generateRun(family: Family, seed: number | string, options: SyntheticOptions = {}): SyntheticRun {
  const rng = split(seed, "synthetic", family);
  const length = [150, 200, 300, 400][rng.int(4)] ?? 200;
  const healthy = healthyCourse(rng, length);
  const whole = courseOf(family, rng, options.klPower === undefined ? healthy : growKl(healthy, options));
  const course = options.length === undefined ? whole : shorten(whole, options.length);
  const observed = observe(course, rng, options);
  const { heldOutEvery } = options;
  const points = heldOutEvery === undefined ? observed : evaluate(observed, course, { every: heldOutEvery, seed });
  const collapseStep = family.startsWith("C_") ? halvingStep(course) : undefined;
  return { family, points, ...(collapseStep !== undefined && { collapseStep }) };
}

function courseOf(family: Family, rng: Rng, course: Course): Course {
  for (const [name, make] of Object.entries(healthyFamilies)) if (family === `H_${name}`) return make(rng, course);
  // The onset is late enough for success that can be lost, and early enough for the loss to be complete before the end.
  const onset = Math.floor(Math.max(45, between(rng, 0.35, 0.65) * course.length));
  const latest = course.length - 100;
  for (const [name, make] of Object.entries(collapses)) {
    if (family === `C_${name}`) return make(rng, course, Math.min(onset, Math.max(45, latest)));
  }
  return course;
}

/** Replaces both KLs by ones that grow with a power of time, to the same values at the end. */
function growKl(course: Course, { klPower = 1, klStart = 0 }: SyntheticOptions): Course {
  const start = klStart * course.length;
  const grow = (name: "klReference" | "klOld") => {
    const end = Math.exp(course.logs[name](course.length - 1));
    return (t: number) => Math.log(1e-4 + end * ((Math.max(0, t - start) + 1) / (course.length - start)) ** klPower);
  };
  return { ...course, logs: { ...course.logs, klReference: grow("klReference"), klOld: grow("klOld") } };
}

function shorten(course: Course, length: number): Course {
  const at = (t: number) => Math.round((t * course.length) / length);
  return {
    length,
    success: (t) => course.success(at(t)),
    logs: mapLogs((name) => (t) => course.logs[name](at(t))),
    ratioDrift: (t) => course.ratioDrift(at(t)),
    samplerKl: (t) => course.samplerKl(at(t)),
    invalid: (t) => course.invalid(at(t)),
    truncated: (t) => course.truncated(at(t)),
    correlation: (t) => course.correlation(at(t)),
    bonus: (t) => course.bonus(at(t)),
    isBroken: (t) => course.isBroken(at(t)),
  };
}

/** Returns the step at which success falls to half of its best so far, or from which numbers stay non-finite. */
function halvingStep({ success, isBroken, length }: Course): number | undefined {
  let peak = 0;
  for (let t = 0; t < length; t++) {
    peak = Math.max(peak, success(t));
    if (success(t) < 0.5 * peak || (isBroken(t) && isBroken(t + 1))) return t;
  }
  return undefined;
}

/** Range from which each metric's noise is drawn for a run: standard deviations on the logarithmic scale. */
const noiseSizes: Record<LogMetric, readonly [number, number]> = {
  gradientNorm: [0.08, 0.25],
  klReference: [0.04, 0.12],
  klOld: [0.12, 0.3],
  ratioMax: [0.08, 0.25],
  entropy: [0.02, 0.06],
  responseTokens: [0.01, 0.04],
};

function observe(course: Course, rng: Rng, { noise = 1, successEvery = 1 }: SyntheticOptions): Point[] {
  const makeOwn = (low: number, high: number) => {
    const [size, next] = [
      noise * between(rng, low, high),
      makeNoise(rng, { memory: between(rng, 0, 0.6), df: 4 + rng.int(2) }),
    ];
    return () => size * next();
  };
  const noises = logMetrics.map((name) => ({ name, next: makeOwn(...noiseSizes[name]) }));
  const drift = makeOwn(0.0005, 0.002);
  const extra = makeOwn(0.05, 0.3);
  return Array.from({ length: course.length }, (_, iteration) => {
    const logs = Object.fromEntries(
      noises.map(({ name, next }) => [name, Math.exp(course.logs[name](iteration) + next())]),
    );
    const groups = playGroups(rng, course.success(iteration), course.correlation(iteration));
    const isBroken = course.isBroken(iteration);
    const values: Record<string, number> = {
      "update/gradientNorm": isBroken ? NaN : (logs["gradientNorm"] ?? NaN),
      "policy/klReference": logs["klReference"] ?? NaN,
      "policy/klOld": logs["klOld"] ?? NaN,
      "policy/ratioMax": Math.max(1, logs["ratioMax"] ?? NaN),
      "policy/ratioMean": 1 + course.ratioDrift(iteration) + drift(),
      "policy/samplerKl": course.samplerKl(iteration),
      "policy/entropy": logs["entropy"] ?? NaN,
      "rollout/responseTokens": logs["responseTokens"] ?? NaN,
      "rollout/truncatedFraction": Math.min(1, course.truncated(iteration)),
      "rollout/validActionRate": 1 - observeRate(rng, Math.min(0.98, course.invalid(iteration)), 640),
      "group/returnStd": 10 * groups.std,
      "group/zeroVarianceFraction": groups.zeroVariance,
      "rollout/returnMean": 10 * groups.success + course.bonus(iteration) + extra(),
      "loss/total": isBroken ? NaN : 0.05 * rng.normal(),
    };
    if (successEvery === 1) values["rollout/successRate"] = groups.success;
    else {
      delete values["rollout/returnMean"];
      if (iteration % successEvery === 0) {
        values["evaluation/successRate"] = observeRate(rng, course.success(iteration), syntheticSize.numHeldOut);
      }
    }
    return { iteration, values };
  });
}

/** Adds evaluations from a separate random stream, so that the training values do not change. */
function evaluate(points: readonly Point[], course: Course, { every, seed }: { every: number; seed: number | string }) {
  const rng = split(seed, "held out");
  return points.map(({ iteration, values }): Point => {
    if (iteration % every !== 0) return { iteration, values };
    const rate = observeRate(rng, course.success(iteration), syntheticSize.numHeldOut);
    return { iteration, values: { ...values, "evaluation/successRate": rate } };
  });
}

/** Samples groups whose episodes share a task and its difficulty: beta-binomial with the given correlation. */
function playGroups(rng: Rng, p: number, correlation: number) {
  const { numEpisodes, groupSize } = syntheticSize;
  const numGroups = numEpisodes / groupSize;
  const total = 1 / correlation - 1;
  let [success, std, silent] = [0, 0, 0];
  for (let group = 0; group < numGroups; group++) {
    const taskRate = p <= 0 || p >= 1 ? p : beta(rng, p * total, (1 - p) * total);
    let wins = 0;
    for (let i = 0; i < groupSize; i++) wins += Number(rng.next() < taskRate);
    const share = wins / groupSize;
    success += share / numGroups;
    std += Math.sqrt(share * (1 - share)) / numGroups;
    if (wins === 0 || wins === groupSize) silent += 1;
  }
  return { success, std, zeroVariance: silent / numGroups };
}

function observeRate(rng: Rng, p: number, n: number): number {
  let wins = 0;
  for (let i = 0; i < n; i++) wins += Number(rng.next() < p);
  return wins / n;
}
