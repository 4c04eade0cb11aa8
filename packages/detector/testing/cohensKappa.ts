/** Cohen's κ of two raters: 1 for full agreement, 0 for chance level, NaN if both give all runs the same rating. */
export function cohensKappa(pairs: readonly (readonly [boolean, boolean])[]): number {
  const n = pairs.length;
  const agreed = pairs.filter(([a, b]) => a === b).length / n;
  const first = pairs.filter(([a]) => a).length / n;
  const second = pairs.filter(([, b]) => b).length / n;
  const chance = first * second + (1 - first) * (1 - second);
  return (agreed - chance) / (1 - chance);
}
