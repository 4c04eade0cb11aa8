/** Normal with unknown mean and variance: normal-inverse-gamma prior. */
export type NormalPrior = { mean: number; kappa: number; alpha: number; beta: number };

/** Per step, the probability of each run length 0, 1, 2, …: how many values ago the regime began. */
export type RunLengths = readonly number[];

type Hypothesis = NormalPrior & { probability: number };

/**
 * Bayesian online change-point detection (Adams & MacKay, arXiv:0710.3742), hazard 1/`expectedLength`. With a constant
 * hazard P(run length 0) is 1/`expectedLength` at every step and says nothing: read P(run length ≤ k), or the likeliest.
 * O(N) a step; improbable run lengths are dropped.
 */
export function runLengths(
  values: readonly number[],
  { expectedLength, prior }: { expectedLength: number; prior: NormalPrior },
): RunLengths[] {
  const hazard = 1 / expectedLength;
  let hypotheses: Hypothesis[] = [{ ...prior, probability: 1 }];
  return values.map((x) => {
    const weighted = hypotheses.map((hypothesis) => hypothesis.probability * predictive(hypothesis, x));
    const total = weighted.reduce((sum, w) => sum + w, 0);
    const grown = hypotheses.map((hypothesis, i) => ({
      ...update(hypothesis, x),
      probability: total > 0 ? ((1 - hazard) * (weighted[i] ?? 0)) / total : 0,
    }));
    hypotheses = [{ ...prior, probability: hazard }, ...grown];
    while (hypotheses.length > 1 && (hypotheses.at(-1)?.probability ?? 1) < 1e-9) hypotheses.pop();
    return hypotheses.map(({ probability }) => probability);
  });
}

/** The likeliest run length of each step. */
export function likeliestRunLength(probabilities: RunLengths): number {
  return probabilities.indexOf(Math.max(...probabilities));
}

/** Student's t with 2α degrees of freedom, location μ and squared scale β(κ + 1)/(ακ). */
function predictive({ mean, kappa, alpha, beta }: NormalPrior, x: number): number {
  const df = 2 * alpha;
  const scale2 = (beta * (kappa + 1)) / (alpha * kappa);
  const squared = (x - mean) ** 2 / scale2;
  const log = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(df * Math.PI * scale2) / 2;
  return Math.exp(log - ((df + 1) / 2) * Math.log1p(squared / df));
}

function update({ mean, kappa, alpha, beta }: NormalPrior, x: number): NormalPrior {
  return {
    mean: (kappa * mean + x) / (kappa + 1),
    kappa: kappa + 1,
    alpha: alpha + 0.5,
    beta: beta + (kappa * (x - mean) ** 2) / (2 * (kappa + 1)),
  };
}

/** ln Γ(x) for x > 0: Stirling's series after shifting x above 10. */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 10; z++) shift -= Math.log(z);
  const z2 = z * z;
  return (
    shift + (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + (1 / 12 - (1 / 360 - 1 / (1260 * z2)) / z2) / z
  );
}
