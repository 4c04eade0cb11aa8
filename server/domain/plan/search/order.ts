import { compare } from "./halving.ts";
import { frontRanks, hypervolume } from "./pareto.ts";
import type { Trial } from "./trial.ts";

/**
 * Ranks finished trials, best first, without failed trials; ties keep the order of numbers. Measured trials that
 * satisfy the constraints come first, by loss, or with several objectives by front and added hypervolume. Stopped
 * trials follow (higher rung, then loss), then collapsed trials (latest first), then trials that violate a constraint
 * (smallest violation first).
 */
export function orderTrials(trials: readonly Trial[]): Trial[] {
  const byNumber = trials.toSorted((a, b) => a.number - b.number);
  const feasible = byNumber.filter(({ outcome }) => outcome?.kind === "measured" && !isViolated(outcome.violation));
  const stopped = byNumber
    .flatMap((trial) => (trial.outcome?.kind === "stopped" ? [{ trial, ...trial.outcome }] : []))
    .toSorted((a, b) => b.iteration - a.iteration || compare(a.losses[0] ?? Infinity, b.losses[0] ?? Infinity))
    .map(({ trial }) => trial);
  const collapsed = byNumber.flatMap((trial) =>
    trial.outcome?.kind === "collapsed" ? [{ trial, key: -trial.outcome.iteration }] : [],
  );
  const violating = byNumber.flatMap((trial) =>
    trial.outcome?.kind === "measured" && isViolated(trial.outcome.violation)
      ? [{ trial, key: trial.outcome.violation ?? 0 }]
      : [],
  );
  const sorted = (list: readonly { trial: Trial; key: number }[]) =>
    list.toSorted((a, b) => a.key - b.key).map(({ trial }) => trial);
  return [...orderMeasured(feasible), ...stopped, ...sorted(collapsed), ...sorted(violating)];
}

function isViolated(violation = 0): boolean {
  return violation > 0;
}

function orderMeasured(trials: readonly Trial[]): Trial[] {
  const losses = trials.map(({ outcome }) => {
    return outcome?.kind === "measured" ? outcome.losses.map((loss) => (Number.isNaN(loss) ? Infinity : loss)) : [];
  });
  if ((losses[0]?.length ?? 0) <= 1) {
    const order = Array.from(trials.keys()).sort((a, b) => compare(losses[a]?.[0] ?? 0, losses[b]?.[0] ?? 0));
    return order.flatMap((i) => trials[i] ?? []);
  }
  const ranks = frontRanks(losses);
  const fronts = [...new Set(ranks)].toSorted((a, b) => a - b);
  return fronts.flatMap((front) => {
    const members = Array.from(trials.keys()).filter((i) => ranks[i] === front);
    return orderByVolume(members.map((i) => losses[i] ?? [])).flatMap((i) => trials[members[i] ?? -1] ?? []);
  });
}

/** Orders trials greedily: the next trial is the one that adds the most hypervolume. */
function orderByVolume(losses: readonly (readonly number[])[]): number[] {
  const reference = referenceOf(losses);
  const order: number[] = [];
  const left = new Set(losses.keys());
  while (left.size > 0) {
    const taken = order.map((i) => losses[i] ?? []);
    let [best, most] = [-1, -1];
    for (const i of left) {
      const volume = hypervolume([...taken, losses[i] ?? []], reference);
      if (volume > most) [best, most] = [i, volume];
    }
    order.push(best);
    left.delete(best);
  }
  return order;
}

/**
 * Reference point a tenth beyond the worst finite values, so that the front's extreme points contribute hypervolume.
 */
export function referenceOf(losses: readonly (readonly number[])[]): number[] {
  return (losses[0] ?? []).map((_, m) => {
    const values = losses.map((row) => row[m] ?? NaN).filter(Number.isFinite);
    const [worst, best] = [Math.max(...values), Math.min(...values)];
    return worst + (0.1 * (worst - best) || 0.1);
  });
}
