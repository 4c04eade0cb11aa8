import { type Curve, beforeTraining, mean, std } from "#packages/statistics";

/** Success rate of a run before training, and its mean and standard deviation at the end; NaN if not logged. */
export type Ending = { before: number; final: number; spread: number };

/** Maximum standard deviation of a settled run's late success rates: about 1.4 standard errors over 128 tasks. */
export const settled = 0.06;

export const rule =
  `The first setting (published ones first) whose success has a standard deviation of at most ${settled} over the last fifth of its evaluations (at least 3) ` +
  "and ends no lower than before training; if there is none, the setting with the highest final success. The paper does not publish its threshold. The second condition is ours, because a policy that never succeeds has no spread.";

/** Reads a run's ending from its success rates; the end is the last fifth of training, at least three evaluations. */
export function readEnding(curve: Curve): Ending {
  const points = Array.from(curve.values, (value, i) => ({ value, iteration: curve.iterations[i] ?? 0 }));
  const trained = points.filter(({ iteration, value }) => iteration > 0 && Number.isFinite(value));
  const from = 0.8 * (trained.at(-1)?.iteration ?? 0);
  const numLate = trained.filter(({ iteration }) => iteration > from).length;
  const late = trained.slice(-Math.max(3, numLate)).map(({ value }) => value);
  return { before: beforeTraining(curve), final: mean(late), spread: std(late) };
}

/** Returns the index of the setting that the selection rule (`rule`) chooses; undefined if no run logged success. */
export function chooseSetting(endings: readonly Ending[]): number | undefined {
  const isSettled = ({ before, final, spread }: Ending) => spread <= settled && !(final < before);
  const first = endings.findIndex(isSettled);
  if (first >= 0) return first;
  const highest = Math.max(...endings.map(({ final }) => final).filter(Number.isFinite));
  const best = endings.findIndex(({ final }) => final === highest);
  return best >= 0 ? best : undefined;
}
