import { median } from "../../statistics/summary.ts";
import { findSpikes } from "../blocks/spikes.ts";
import { nextZClip, warmZClip, zClipDefaults, type ZClipState } from "../blocks/zClip.ts";
import { firstOf, heldOutSuccess, trainingSuccess, type Point } from "../point.ts";

/** Whether a rule is on at each point of a run. */
export type Rule = { title: string; alarms: (points: readonly Point[]) => boolean[] };

const read = (points: readonly Point[], key: string) => points.map(({ values }) => values[key] ?? NaN);

/** Success has lost a share of its best: running median of seven, no statistics. */
const drawdown: Rule = {
  title: "drawdown of 30 %, median of 7",
  alarms: (points) => {
    let peak = 0;
    const last: number[] = [];
    return points.map(({ values }) => {
      const found = firstOf(values, [...trainingSuccess, ...heldOutSuccess])?.value;
      if (found !== undefined && Number.isFinite(found)) last.push(found);
      if (last.length < 5) return false;
      const now = median(last.slice(-7));
      peak = Math.max(peak, now);
      return peak > 0 && 1 - now / peak >= 0.3;
    });
  },
};

/** OLMo-core's spikes of the gradient norm. */
function olmo(window: number): Rule {
  return {
    title: `OLMo 6σ, window ${window}, gradient norm`,
    alarms: (points) => findSpikes(read(points, "update/gradientNorm"), { window, sigmas: 6, from: window / 2 }),
  };
}

/** Whether ZClip would cut the gradient: a rule for clipping, read as an alarm. */
const zClip: Rule = {
  title: "ZClip z > 2.5 as an alarm",
  alarms: (points) => {
    const first: number[] = [];
    let state: ZClipState | undefined;
    return read(points, "update/gradientNorm").map((norm) => {
      if (!Number.isFinite(norm)) return false;
      if (state === undefined) {
        first.push(norm);
        if (first.length === zClipDefaults.warmup) state = warmZClip(first);
        return false;
      }
      const next = nextZClip(state, norm);
      state = next.state;
      return next.z > zClipDefaults.limit;
    });
  },
};

/** rlwatch's defaults, re-implemented without its dip test: entropy, KL, gradient norm, reward variance, NaN. */
const rlwatch: Rule = {
  title: "rlwatch defaults",
  alarms: (points) => {
    const entropy = read(points, "policy/entropy");
    const kl = read(points, "policy/klReference");
    const gradient = read(points, "update/gradientNorm");
    const spread = read(points, "group/returnStd").map((x) => x * x);
    const loss = read(points, "loss/total");
    let low = 0;
    return points.map((_, t) => {
      low = (entropy[t] ?? NaN) < 1 ? low + 1 : 0;
      if (t < 20) return false;
      const frozen = gradient.slice(0, Math.min(t, 100));
      const isWild = isAbove(kl, t, kl.slice(Math.max(0, t - 100), t)) || isAbove(gradient, t, frozen);
      const base = spread.slice(0, 20).reduce((sum, x) => sum + x / 20, 0);
      return low >= 50 || isWild || (spread[t] ?? NaN) > 3 * base || Number.isNaN(loss[t]);
    });
  },
};

/** RAGEN's early stops: in-group spread below a tenth of its first ten values, ten times; success below 1 % five times. */
const ragen: Rule = {
  title: "RAGEN early stops",
  alarms: (points) => {
    const spread = read(points, "group/returnStd");
    const base = spread.slice(0, 10).reduce((sum, x) => sum + x / 10, 0);
    let [flat, failed] = [0, 0];
    return points.map(({ values }, t) => {
      flat = (spread[t] ?? NaN) < 0.1 * base ? flat + 1 : 0;
      const success = firstOf(values, [...trainingSuccess, ...heldOutSuccess])?.value;
      if (success !== undefined) failed = success < 0.01 ? failed + 1 : 0;
      return flat >= 10 || failed >= 5;
    });
  },
};

/** What others use, to be shown beside the detector. */
export const baselines: readonly Rule[] = [drawdown, olmo(64), olmo(128), zClip, rlwatch, ragen];

function isAbove(values: readonly number[], t: number, window: readonly number[]): boolean {
  const mean = window.reduce((sum, x) => sum + x, 0) / window.length;
  const std = Math.sqrt(window.reduce((sum, x) => sum + (x - mean) ** 2, 0) / window.length);
  return (values[t] ?? NaN) > mean + 3 * std;
}
