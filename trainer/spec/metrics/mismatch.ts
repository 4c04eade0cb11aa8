import { fraction, type Metric } from "./entry.ts";

const tokens = "over response tokens before the update";
const row = "before the update. A training row is one turn, or a whole episode in a transcript";
const where = "μ is the sampling policy.";
const lagging = "π_lag is the trainer's own policy at the sampler's version, without rounding or noise.";

const positive = (title: string, meaning: string) => ({ ...mean(title, meaning), min: 0 }) as const;
const mean = (title: string, meaning: string) => ({ title, unit: "nats/token", better: "down", meaning }) as const;
const ratio = (title: string, meaning: string) => ({ title, unit: "", min: 0, better: "none", meaning }) as const;

/**
 * Metrics of the distance between the sampler's policy μ and the trainer's π_old at the start of the update, with x =
 * log π_old − log μ.
 */
export const mismatchMetrics = {
  "mismatch/k3": positive("Mismatch, k3", `Mean of e^x − 1 − x ${tokens}, where x = log π_old − log μ. ${where}`),
  "mismatch/absMax": {
    title: "Mismatch, largest",
    unit: "nats",
    min: 0,
    better: "down",
    meaning: `Largest |log π_old − log μ| ${tokens}. ${where}`,
  },
  "mismatch/probMax": fraction("Mismatch, largest in probability", "down", `Largest |π_old − μ| ${tokens}. ${where}`),
  "mismatch/multError": ratio(
    "Multiplicative error",
    `Mean of e^|x| ${tokens}, where x = log π_old − log μ. ${where} 1 if both policies agree.`,
  ),
  "mismatch/js": positive(
    "Mismatch, Jensen–Shannon",
    `Jensen–Shannon divergence of π_old and μ ${tokens}: half the k3 of each policy to the average of both, summed. ${where}`,
  ),
  "mismatch/ratioMin": ratio("π_old/μ, smallest", `Smallest π_old/μ ${tokens}. ${where}`),
  "mismatch/ratioMax": ratio("π_old/μ, largest", `Largest π_old/μ ${tokens}. ${where}`),
  "mismatch/rowRatioMin": ratio(
    "π_old/μ of a training row, smallest",
    `Smallest product of π_old/μ over the tokens of a training row, ${row}. ${where}`,
  ),
  "mismatch/rowRatioMax": ratio(
    "π_old/μ of a training row, largest",
    `Largest product of π_old/μ over the tokens of a training row, ${row}. ${where}`,
  ),
  "mismatch/geoRatioMin": ratio(
    "π_old/μ of a training row, geometric mean, smallest",
    `Smallest geometric mean of π_old/μ over the tokens of a training row, ${row}. ${where}`,
  ),
  "mismatch/geoRatioMax": ratio(
    "π_old/μ of a training row, geometric mean, largest",
    `Largest geometric mean of π_old/μ over the tokens of a training row, ${row}. ${where}`,
  ),
  "mismatch/chi2Row": {
    title: "Mismatch, χ² of training rows",
    unit: "",
    better: "down",
    meaning: `Mean of ρ² − 1 over training rows, where ρ is the product of π_old/μ over a row's tokens, ${row}. ${where}`,
  },
  "mismatch/essRow": fraction(
    "Normalised ESS of training rows",
    "up",
    `Normalised effective sample size, (Σρ)²/(n·Σρ²), where ρ is the product of π_old/μ over a row's tokens, ${row}. ${where} 1 if both policies agree.`,
  ),
  "mismatch/logPplGap": {
    ...mean(
      "Log-perplexity gap",
      `Mean of log μ − log π_old over the tokens of a training row, averaged over rows, ${row}. ${where}`,
    ),
    better: "none",
  },
  "mismatch/logPplGapAbs": positive(
    "Log-perplexity gap, absolute",
    `Absolute value of the mean of log μ − log π_old over the tokens of a training row, averaged over rows, ${row}. ${where}`,
  ),
  "mismatch/stalenessK1": mean(
    "Staleness part, k1",
    `Mismatch due to staleness: mean of log π_lag − log π_old ${tokens}. ${lagging}`,
  ),
  "mismatch/stalenessK3": positive(
    "Staleness part, k3",
    `Mismatch due to staleness: mean k3 between π_lag and π_old ${tokens}. ${lagging}`,
  ),
  "mismatch/precisionK1": mean(
    "Precision part, k1",
    `Mismatch due to rounding and noise: mean of log μ − log π_lag ${tokens}. ${where} ${lagging}`,
  ),
  "mismatch/precisionK3": positive(
    "Precision part, k3",
    `Mismatch due to rounding and noise: mean k3 between μ and π_lag ${tokens}. ${where} ${lagging}`,
  ),
} as const satisfies Record<string, Metric>;
