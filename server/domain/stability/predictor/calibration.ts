import { mean } from "#server/domain/statistics/summary.ts";

/** A probability and the outcome. */
export type Forecast = { probability: number; happened: boolean };

/** Mean squared difference of probability and outcome: 0 is perfect, the variance of the outcome means no skill. */
export function brierScore(forecasts: readonly Forecast[]): number {
  return mean(forecasts.map(({ probability, happened }) => (probability - Number(happened)) ** 2));
}

/** Skill score, 1 − Brier score over that of the base rate: 1 is perfect, 0 no skill, negative worse. */
export function brierSkill(forecasts: readonly Forecast[]): number {
  const rate = mean(forecasts.map(({ happened }) => Number(happened)));
  return 1 - brierScore(forecasts) / (rate * (1 - rate));
}

/** Area under the ROC curve: probability that a step before a collapse gets the higher value; ties count half. */
export function rocArea(forecasts: readonly Forecast[]): number {
  const sorted = forecasts.toSorted((a, b) => a.probability - b.probability);
  let [rankSum, numHappened] = [0, 0];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (to < sorted.length && sorted[to]?.probability === sorted[from]?.probability) to++;
    const tied = sorted.slice(from, to).filter(({ happened }) => happened).length;
    rankSum += (tied * (from + 1 + to)) / 2;
    numHappened += tied;
    from = to;
  }
  const numOther = sorted.length - numHappened;
  return (rankSum - (numHappened * (numHappened + 1)) / 2) / (numHappened * numOther);
}

/** One bin of a reliability diagram. */
export type ReliabilityBin = { low: number; high: number; count: number; meanProbability: number; rate: number };

/** Forecasts in bins of equal width: mean predicted probability and observed rate. Empty bins are left out. */
export function reliabilityBins(forecasts: readonly Forecast[], numBins = 10): ReliabilityBin[] {
  const bins = Array.from({ length: numBins }, (): Forecast[] => []);
  for (const forecast of forecasts)
    bins[Math.min(numBins - 1, Math.floor(forecast.probability * numBins))]?.push(forecast);
  return bins.flatMap((bin, i) =>
    bin.length === 0
      ? []
      : [
          {
            low: i / numBins,
            high: (i + 1) / numBins,
            count: bin.length,
            meanProbability: mean(bin.map(({ probability }) => probability)),
            rate: mean(bin.map(({ happened }) => Number(happened))),
          },
        ],
  );
}

export type PlattScale = { slope: number; offset: number };

/**
 * Platt scaling: slope and offset of a logit by maximum likelihood (Newton's method, with his smoothed targets), which
 * calibrates a model's outputs on data it was not fitted to.
 */
export function fitPlatt(scores: readonly { logit: number; happened: boolean }[]): PlattScale {
  const numHappened = scores.filter(({ happened }) => happened).length;
  const targets = {
    yes: (numHappened + 1) / (numHappened + 2),
    no: 1 / (scores.length - numHappened + 2),
  };
  const targetOf = (happened: boolean) => (happened ? targets.yes : targets.no);
  const lossOf = ({ slope, offset }: PlattScale): number =>
    scores.reduce((sum, { logit, happened }) => {
      const x = slope * logit + offset;
      return sum + softplus(x) - targetOf(happened) * x;
    }, 0);
  // Starts from the base rate only, where the curvature is known; with slope 1 huge logits would have none.
  let scale: PlattScale = { slope: 0, offset: Math.log((numHappened + 1) / (scores.length - numHappened + 1)) };
  let loss = lossOf(scale);
  for (let round = 0; round < 100; round++) {
    let [gs, go, hss, hso, hoo] = [0, 0, 1e-9, 0, 1e-9];
    for (const { logit, happened } of scores) {
      const p = sigmoid(scale.slope * logit + scale.offset);
      const error = p - targetOf(happened);
      const weight = p * (1 - p);
      gs += error * logit;
      go += error;
      hss += weight * logit * logit;
      hso += weight * logit;
      hoo += weight;
    }
    const determinant = hss * hoo - hso * hso;
    const slopeStep = (hoo * gs - hso * go) / determinant;
    const offsetStep = (hss * go - hso * gs) / determinant;
    // A full step may overshoot for large logits: it is halved until the likelihood rises.
    let share = 1;
    const after = () => ({ slope: scale.slope - share * slopeStep, offset: scale.offset - share * offsetStep });
    while (share > 1e-6 && !(lossOf(after()) <= loss)) share /= 2;
    if (share <= 1e-6) break;
    const next = after();
    const gain = loss - lossOf(next);
    [scale, loss] = [next, loss - gain];
    if (gain < 1e-9 * scores.length) break;
  }
  return scale;
}

/** ln(1 + eˣ) without overflow. */
function softplus(x: number): number {
  return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
