type WarmupCosine = {
  /** Highest rate, reached at the end of the warm-up. */
  peak: number;
  numSteps: number;
  /** Fraction of the steps over which the rate rises linearly. */
  warmupFraction: number;
};

/** Learning rate of step 0 … numSteps − 1: linear from peak/numWarmup to peak, then a half cosine towards 0. */
export function warmupCosine({ peak, numSteps, warmupFraction }: WarmupCosine, step: number): number {
  const numWarmup = Math.max(1, Math.round(numSteps * warmupFraction));
  if (step < numWarmup) return (peak * (step + 1)) / numWarmup;
  const progress = Math.min(1, (step - numWarmup + 1) / Math.max(1, numSteps - numWarmup + 1));
  return (peak * (1 + Math.cos(Math.PI * progress))) / 2;
}
