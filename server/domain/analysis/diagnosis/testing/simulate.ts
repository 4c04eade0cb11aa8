import type { Point } from "#packages/detector";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Cause } from "../causes.ts";

export const simulated = [
  "trainerFault",
  "rewardHacking",
  "lengthLimit",
  "repetition",
  "entropyGone",
  "formatLost",
  "none",
] as const satisfies (Cause | "none")[];
export type Simulated = (typeof simulated)[number];

const success = /^(rollout|evaluation)\/(successRate|score|returnMean|unseenSuccessRate)$/;

/**
 * Adds a fault to a healthy recorded run: its sign from a random iteration on, the loss of success 0 to 6 iterations
 * later, and valid formats lost with success, as in real collapses.
 */
export function simulate(fault: Simulated, points: readonly Point[], rng: Rng): Point[] {
  const between = (low: number, high: number) => low + (high - low) * rng.next();
  const numSteps = points.at(-1)?.iteration ?? 0;
  const begin = Math.round(between(0.35, 0.65) * numSteps);
  const lead = Math.floor(between(0, 7));
  const [width, fall] = [between(1, 8), between(1, 6)];
  const loss = between(0.65, 0.97);
  const [size, usual, sideEffect, gain] = [between(0.3, 0.8), between(0.01, 0.15), between(0, 0.3), between(0.02, 0.5)];
  const shrink = between(6, 40);
  const ramp = (t: number, from: number, over: number) => Math.min(1, Math.max(0, (t - from) / over));
  return points.map((point) => {
    const t = point.iteration;
    const [sign, lost] = [ramp(t, begin, width), ramp(t, begin + lead, fall)];
    const values: Record<string, number> = {};
    for (const [key, value] of Object.entries(point.values)) {
      values[key] = success.test(key) ? value * (1 - loss * lost) : value;
      if (/valid(Format|Action)Rate$/.test(key)) values[key] = value * (1 - sideEffect * lost);
    }
    const scale = (key: string, factor: number) => {
      if (values[key] !== undefined) values[key] *= factor;
    };
    switch (fault) {
      case "trainerFault":
        if (t > begin && t % 3 !== 0) Object.assign(values, { "loss/total": NaN, "update/gradientNorm": NaN });
        break;
      case "rewardHacking":
        for (const key of ["rollout/returnMean", "evaluation/returnMean"]) {
          const value = point.values[key];
          if (value !== undefined) values[key] = value + gain * sign * Math.max(1, Math.abs(value));
        }
        break;
      case "lengthLimit":
        values["rollout/truncatedFraction"] = Math.min(1, (values["rollout/truncatedFraction"] ?? 0) + size * sign);
        break;
      case "repetition":
        values["behaviour/repetitionRate"] = Math.min(1, usual * between(0.8, 1.2) + size * sign);
        break;
      case "entropyGone":
        scale("policy/entropy", shrink ** -sign);
        break;
      case "formatLost":
        for (const key of Object.keys(values)) if (/valid(Format|Action)Rate$/.test(key)) scale(key, 1 - size * sign);
        break;
      case "none":
    }
    return { ...point, values };
  });
}
