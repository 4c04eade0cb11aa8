import { meanOf, type Scale } from "./baseline.ts";
import { groupRelative, type Samples } from "./groupRelative.ts";
import { episodesOf, groupsOf, type Row } from "./row.ts";

type Empg = { scale: Scale; samples: Samples; k: number; kFuture: number; zeta: number };

/**
 * Entropy-modulated advantages (EMPG, arXiv:2509.09265): A = A_GRPO·g(h) + ζ·f(h of the episode's next turn), then
 * centred over the batch. g gives confident turns more weight, f rewards a turn that leads to a certain next turn. The
 * last turn of an episode gets no bonus.
 * @param scores (B,)
 * @returns (B,); sums to 0
 */
export function empg(rows: readonly Row[], scores: Float64Array, options: Empg): Float64Array<ArrayBuffer> {
  const { scale, samples, k, kFuture, zeta } = options;
  const entropies = unitEntropies(rows);
  const confidence = gradientScale(entropies, k);
  const advantages = groupRelative(rows, scores, { scale, samples }).map((x, i) => x * (confidence[i] ?? 0));
  for (const [i, next] of nextTurns(rows)) {
    advantages[i] = (advantages[i] ?? 0) + zeta * Math.exp(-kFuture * (entropies[next] ?? 0));
  }
  const mean = meanOf([...advantages]);
  return advantages.map((x) => x - mean);
}

/** g = e^(−k·h̃) divided by its mean, so that the batch's gradient keeps its size. */
export function gradientScale(entropies: readonly number[], k: number): number[] {
  const weights = entropies.map((h) => Math.exp(-k * h));
  const mean = meanOf(weights);
  return weights.map((x) => x / (mean + 1e-8));
}

/** h̃: row entropies scaled to [0, 1] over the whole batch. */
export function unitEntropies(rows: readonly Row[]): number[] {
  const entropies = rows.map((row) => row.entropy);
  const low = entropies.reduce((a, b) => Math.min(a, b), Infinity);
  const high = entropies.reduce((a, b) => Math.max(a, b), -Infinity);
  return entropies.map((h) => (h - low) / (high - low + 1e-8));
}

/** Pairs of row indices: a turn and the next turn of the same episode. */
function nextTurns(rows: readonly Row[]): [number, number][] {
  return groupsOf(rows)
    .flatMap(episodesOf)
    .flatMap((episode) =>
      episode.slice(1).map(([next], position): [number, number] => [episode[position]?.[0] ?? 0, next]),
    );
}
