export type Steps = {
  /** Median distance of two points, in iterations. */
  cadence: number;
  /** Indices of points followed by a gap: more than a usual step is missing. */
  gaps: readonly number[];
};

// Most runs of a sweep share one immutable array of iterations; the cache serves four hundred lines.
const known = new WeakMap<Int32Array, Steps>();

/** Logging cadence of a curve and its gaps. */
export function stepsOf(iterations: Int32Array): Steps {
  const before = known.get(iterations);
  if (before !== undefined) return before;
  const cadence = medianStep(iterations);
  const steps = { cadence, gaps: listGaps(iterations, cadence) };
  known.set(iterations, steps);
  return steps;
}

/**
 * Gaps: steps well above the median and above both neighbours. A run that resumes with a longer step does not have a
 * gap at each point.
 */
function listGaps(iterations: Int32Array, cadence: number): number[] {
  const stepAfter = (i: number) => (iterations[i + 1] ?? NaN) - (iterations[i] ?? NaN);
  const gaps: number[] = [];
  for (let i = 0; i < iterations.length - 1; i++) {
    const step = stepAfter(i);
    if (step <= 1.5 * cadence) continue;
    const isUsual = step <= 1.5 * stepAfter(i - 1) || step <= 1.5 * stepAfter(i + 1);
    if (!isUsual) gaps.push(i);
  }
  return gaps;
}

function medianStep(iterations: Int32Array): number {
  const steps = iterations.map((iteration, i) => iteration - (iterations[i - 1] ?? iteration)).subarray(1);
  return steps.length === 0 ? 1 : Math.max(1, steps.sort()[steps.length >> 1] ?? 1);
}
