import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import { median } from "#packages/statistics";
import { findSkips, nextZClip, warmZClip, zClipDefaults, type ZClipState } from "../blocks/blocks.ts";
import { firstOf, isRate, lossKeys, valueOf, type Point } from "../signals/point.ts";
import { rangeOf } from "../signals/rewardRange.ts";
import { noiseOf } from "../signals/robust.ts";

/** An alarm rule. `alarms` tells for each point of a run if the alarm is on. */
export type Rule = { title: string; alarms: (points: readonly Point[]) => boolean[] };

const successKeys = [...trainingSuccess, ...heldOutSuccess];

/** Alarm if success lost 30 % of its best, or a reward 30 % of its rise, by a running median and without a test. */
const drawdown: Rule = {
  title: "drawdown of 30 %, median of 7",
  alarms: (points) => {
    let [peak, range, lowest] = [-Infinity, 0, Infinity];
    let isBounded = true;
    const last: number[] = [];
    return points.map(({ values }) => {
      const found = firstOf(values, successKeys);
      if (found && Number.isFinite(found.value)) {
        last.push(found.value);
        isBounded = isRate(found.key);
      }
      if (last.length >= 3) lowest = Math.min(lowest, median(last.slice(-3)));
      if (last.length < 5) return false;
      const now = median(last.slice(-7));
      if (now > peak) {
        peak = now;
        range = isBounded ? peak : rangeOf(peak - lowest, noiseOf(last.slice(-30)));
      }
      return range > 0 && (peak - now) / range >= 0.3;
    });
  },
};

/**
 * Baseline: alarm at steps that OLMo-core's SkipStepOptimizer would skip, by loss or gradient norm
 * (github.com/allenai/OLMo-core, optim/skip_step_optimizer.py). It skips NaN, +∞, and every step whose window
 * contains one of them, because mean and deviation are then NaN.
 */
function olmo(window: number): Rule {
  return {
    title: `OLMo 6σ, window ${window}`,
    alarms: (points) => {
      const skips = [lossKeys, ["update/gradientNorm"]].map((keys) =>
        alongSteps(points, keys, (values) => findSkips(values, { window, sigmas: 6 })),
      );
      return points.map((_, t) => skips.some((skipped) => skipped[t] === true));
    },
  };
}

/**
 * ZClip's clipping as an alarm (github.com/bluorion-com/ZClip). A norm of +∞ is clipped to the mean. NaN is not above
 * the limit, so it enters the running mean and variance. Both then stay NaN, and the rule never fires again.
 */
const zClip: Rule = {
  title: "ZClip z > 2.5 as an alarm",
  alarms: (points) => {
    const first: number[] = [];
    let state: ZClipState | undefined;
    return alongSteps(points, ["update/gradientNorm"], (norms) =>
      norms.map((norm) => {
        if (state === undefined) {
          first.push(norm);
          if (first.length === zClipDefaults.warmup) state = warmZClip(first);
          return false;
        }
        const next = nextZClip(state, norm);
        state = next.state;
        return next.z > zClipDefaults.limit;
      }),
    );
  },
};

/**
 * rlwatch's defaults, re-implemented without its dip test and its advantages (github.com/varun1724/rlwatch,
 * detectors.py): entropy, KL, gradient norm, reward variance, loss. A loss of NaN or ±∞ is an immediate alarm. In the
 * other rules, NaN exceeds no limit. NaN disables the KL rule while it is in the rolling window. NaN among the first
 * 100 gradient norms (a frozen window) disables that rule for good, as does NaN among the first 20 reward variances.
 * +∞, except of the entropy, is an alarm and then acts like NaN.
 */
const rlwatch: Rule = {
  title: "rlwatch defaults",
  alarms: (points) => {
    const isOn = [
      alongSteps(points, lossKeys, (losses) => losses.map((x) => !Number.isFinite(x))),
      alongSteps(points, ["policy/entropy"], findLowEntropy),
      alongSteps(points, ["policy/klReference"], (kls) =>
        kls.map((x, t) => t >= 19 && isAbove(x, momentsOf(kls, Math.max(0, t - 99), t))),
      ),
      alongSteps(points, ["update/gradientNorm"], (norms) => {
        const frozen = momentsOf(norms, 0, Math.min(100, norms.length));
        return norms.map((x, t) => t >= 19 && isAbove(x, t < 99 ? momentsOf(norms, 0, t) : frozen));
      }),
      alongSteps(points, ["group/returnStd"], (spreads) => {
        const first = spreads.slice(0, 20);
        const base = first.reduce((sum, x) => sum + (x * x) / first.length, 0);
        return spreads.map((x, t) => t >= 49 && (x * x) / Math.max(base, 1e-8) > 3);
      }),
    ];
    return points.map((_, t) => isOn.some((alarms) => alarms[t] === true));
  },
};

/** Alarm after 50 consecutive steps with an entropy below 1 nat, counted from the 20th value. */
function findLowEntropy(entropies: readonly number[]): boolean[] {
  let low = 0;
  return entropies.map((x, t) => {
    low = t >= 19 && x < 1 ? low + 1 : 0;
    return low >= 50;
  });
}

/**
 * Baseline: RAGEN's early stops (github.com/RAGEN-AI/RAGEN, agent_trainer.py). One stop: the within-group standard
 * deviation of rewards is below a tenth of its mean over the first ten values, ten times in a row. The other: success
 * is below 1 %, five times in a row. NaN resets the count. NaN among the first ten deviations disables their stop for
 * good.
 */
const ragen: Rule = {
  title: "RAGEN early stops",
  alarms: (points) => {
    const flat = alongSteps(points, ["group/returnStd"], (spreads) => {
      const base = spreads.slice(0, 10).reduce((sum, x) => sum + x / 10, 0);
      return inARow(
        spreads.map((x) => x < 0.1 * base),
        10,
      );
    });
    const rates = successKeys.filter(isRate);
    const failed = alongSteps(points, rates, (successes) =>
      inARow(
        successes.map((x) => x < 0.01),
        5,
      ),
    );
    return points.map((_, t) => flat[t] === true || failed[t] === true);
  },
};

/** A drawdown and published rules, which treat non-finite values as their authors' code does. */
export const baselines: readonly Rule[] = [drawdown, olmo(64), olmo(128), zClip, rlwatch, ragen];

/** Applies a rule to consecutive values, even non-finite ones. Steps without one keep the last alarm. (N,) → (N,) */
function alongSteps(
  points: readonly Point[],
  keys: readonly string[],
  rule: (values: readonly number[]) => readonly boolean[],
): boolean[] {
  const logged = points.map(({ values }) => valueOf(values, keys));
  const answers = rule(logged.filter((value) => value !== undefined));
  let at = -1;
  return logged.map((value) => {
    if (value !== undefined) at += 1;
    return answers[at] === true;
  });
}

function inARow(flags: readonly boolean[], least: number): boolean[] {
  let length = 0;
  return flags.map((flag) => (length = flag ? length + 1 : 0) >= least);
}

type Moments = { mean: number; std: number };

/** Mean and standard deviation of the values with indices in [from, to). */
function momentsOf(values: readonly number[], from: number, to: number): Moments {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] ?? NaN;
  const mean = sum / (to - from);
  let squares = 0;
  for (let i = from; i < to; i++) squares += ((values[i] ?? NaN) - mean) ** 2;
  return { mean, std: Math.sqrt(squares / (to - from)) };
}

function isAbove(x: number, { mean, std }: Moments): boolean {
  return (x - mean) / Math.max(std, 1e-8) > 3;
}
