/** `numEntered` configurations start at the first rung, and the best 1/factor of those at a rung are promoted. */
type Halving = { rungs: readonly number[]; factor: number; numEntered: number };

/**
 * Lists the iterations or seeds of a configuration at each rung; the last is `most`, the full budget. For example,
 * `least` 5, `factor` 3 and `most` 60 give rungs at 5, 15, 45 and 60.
 */
export function listRungs({ least, most, factor }: { least: number; most: number; factor: number }): number[] {
  const rungs: number[] = [];
  for (let rung = least; rung < most; rung = Math.ceil(rung * factor)) rungs.push(rung);
  return [...rungs, most];
}

/** A configuration and its losses at the rungs it has reached; smaller is better. Infinity marks a collapse. */
export type RungTrial = { number: number; losses: readonly number[]; isRunning: boolean; isStopped?: boolean };

type Step =
  | { do: "promote"; number: number; rung: number; reason: string }
  | { do: "enter" }
  | { do: "wait" }
  | { do: "end" };

/**
 * Decides the next step of asynchronous successive halving (Li et al., arXiv:1810.05934, algorithm 2) when a worker is
 * free. It looks from the top rung down for a candidate among the best 1/factor so far. Without a candidate, a new
 * configuration starts.
 */
export function decideStep({ rungs, factor, numEntered }: Halving, trials: readonly RungTrial[]): Step {
  for (let rung = rungs.length - 2; rung >= 0; rung--) {
    const there = trials.filter(({ losses }) => losses.length > rung);
    // Configurations that diverged or have no measurement rank last.
    const lossOf = ({ losses }: RungTrial) => (Number.isNaN(losses[rung]) ? Infinity : (losses[rung] ?? Infinity));
    const best = there.toSorted((a, b) => compare(lossOf(a), lossOf(b)) || a.number - b.number);
    const candidates = best.slice(0, Math.floor(there.length / factor));
    const rank = candidates.findIndex(
      (one) => one.losses.length === rung + 1 && !one.isRunning && !one.isStopped && lossOf(one) < Infinity,
    );
    const found = candidates[rank];
    if (found === undefined) continue;
    const reason = `${rank + 1} of ${there.length} at rung ${rung + 1} (${rungs[rung]})`;
    return { do: "promote", number: found.number, rung: rung + 1, reason };
  }
  if (trials.length < numEntered) return { do: "enter" };
  return { do: trials.some(({ isRunning }) => isRunning) ? "wait" : "end" };
}

/** Compares numbers, of which both may be infinite. */
export function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
