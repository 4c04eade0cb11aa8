import type { Rng } from "#trainer/spec/rng.ts";
import { between, ratioBetween } from "./chance.ts";

/** Metrics whose logarithm a synthetic run's course (its expected metrics) describes. */
export const logMetrics = ["gradientNorm", "klReference", "klOld", "ratioMax", "entropy", "responseTokens"] as const;
export type LogMetric = (typeof logMetrics)[number];

/** Expected values of a run's metrics at each step, before noise. */
export type Course = {
  length: number;
  success: (t: number) => number;
  /** Natural logarithms of the expected metrics by step. */
  logs: Record<LogMetric, (t: number) => number>;
  /** Mean importance ratio minus 1. */
  ratioDrift: (t: number) => number;
  samplerKl: (t: number) => number;
  invalid: (t: number) => number;
  truncated: (t: number) => number;
  /** Correlation between the outcomes of a group's episodes; 1 means that all have the same outcome. */
  correlation: (t: number) => number;
  /** Mean reward that is paid in addition to that for success. */
  bonus: (t: number) => number;
  isBroken: (t: number) => boolean;
};

/** Expected metrics of a healthy run, which keeps its success; levels, speeds and trends are random. */
export function healthyCourse(rng: Rng, length: number): Course {
  const [p0, p1] = [between(rng, 0.05, 0.3), between(rng, 0.5, 0.92)];
  const [middle, width] = [between(rng, 0.08, 0.25) * length, between(rng, 0.03, 0.08) * length];
  const kl = { end: ratioBetween(rng, 0.005, 0.08), time: between(rng, 0.3, 1.5) * length };
  const level = {
    gradientNorm: Math.log(ratioBetween(rng, 0.05, 3)),
    klOld: Math.log(ratioBetween(rng, 2e-4, 5e-3)),
    ratioMax: Math.log(ratioBetween(rng, 1.6, 6)),
    entropy: Math.log(ratioBetween(rng, 0.15, 0.8)),
    responseTokens: Math.log(ratioBetween(rng, 30, 600)),
  };
  const trend = {
    gradientNorm: between(rng, -0.3, 0.3),
    klOld: between(rng, -0.3, 0.3),
    ratioMax: between(rng, -0.15, 0.15),
    entropy: -Math.log(ratioBetween(rng, 1, 2.5)),
    responseTokens: Math.log(ratioBetween(rng, 0.8, 1.4)),
  };
  const along = (name: keyof typeof level) => (t: number) => level[name] + (trend[name] * t) / length;
  const [invalid0, invalid1] = [between(rng, 0.03, 0.2), between(rng, 0.005, 0.04)];
  const learned = (t: number) => 1 / (1 + Math.exp(-(t - middle) / width));
  const samplerKl = ratioBetween(rng, 1e-4, 5e-3);
  return {
    length,
    success: (t) => p0 + (p1 - p0) * learned(t),
    logs: {
      gradientNorm: along("gradientNorm"),
      klReference: (t) => Math.log(1e-4 + kl.end * (1 - Math.exp(-(t + 1) / kl.time))),
      klOld: along("klOld"),
      ratioMax: along("ratioMax"),
      entropy: along("entropy"),
      responseTokens: along("responseTokens"),
    },
    ratioDrift: () => 0,
    samplerKl: () => samplerKl,
    invalid: (t) => invalid0 + (invalid1 - invalid0) * learned(t),
    truncated: () => 0.01,
    correlation: () => 0.1,
    bonus: () => 0,
    isBroken: () => false,
  };
}

type Change = Partial<Omit<Course, "logs" | "length">> & { logs?: Partial<Record<LogMetric, (t: number) => number>> };

/** Applies a family's changes: changes of logarithms are added, other fields are replaced. */
export function change(course: Course, { logs = {}, ...rest }: Change): Course {
  const add = (name: LogMetric) => {
    const [before, added] = [course.logs[name], logs[name]];
    return added ? (t: number) => before(t) + added(t) : before;
  };
  return { ...course, ...rest, logs: mapLogs(add) };
}

export function mapLogs(make: (name: LogMetric) => (t: number) => number): Course["logs"] {
  return {
    gradientNorm: make("gradientNorm"),
    klReference: make("klReference"),
    klOld: make("klOld"),
    ratioMax: make("ratioMax"),
    entropy: make("entropy"),
    responseTokens: make("responseTokens"),
  };
}

/** Returns a value that rises linearly from 0 at step `start` to 1 at `start + duration`. */
export function ramp(t: number, start: number, duration: number): number {
  return Math.min(1, Math.max(0, (t - start) / duration));
}
