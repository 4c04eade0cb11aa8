import { fraction, type Metric } from "./entry.ts";

const tokens = "over response tokens, before the update (μ: sampling policy)";
const rows = "over rows, before the update (μ: sampling policy)";

const mean = (title: string, meaning: string) => ({ title, unit: "nats/token", better: "down", meaning }) as const;
const ratio = (title: string, meaning: string) => ({ title, unit: "", better: "none", meaning }) as const;

/**
 * Metrics of the distance between the sampler's policy μ and the trainer's π_old at the start of the update, with x =
 * log π_old − log μ.
 */
export const mismatchMetrics = {
  "mismatch/k3": mean("Mismatch, k3", `Mean of e^x − 1 − x with x = log π_old − log μ, ${tokens}.`),
  "mismatch/absMax": {
    title: "Mismatch, largest",
    unit: "nats",
    better: "down",
    meaning: `Largest |log π_old − log μ| ${tokens}.`,
  },
  "mismatch/probMax": fraction("Mismatch, largest in probability", "down", `Largest |π_old − μ| ${tokens}.`),
  "mismatch/multError": ratio(
    "Multiplicative error",
    `Mean of e^|x| with x = log π_old − log μ, ${tokens}: 1 if both agree.`,
  ),
  "mismatch/js": mean(
    "Mismatch, Jensen–Shannon",
    `Half the sum of the mean k3 of π_old and the mean k3 of μ to the average of the two policies, ${tokens}.`,
  ),
  "mismatch/ratioMin": ratio("π_old/μ, smallest", `Smallest ratio of a token, ${tokens}.`),
  "mismatch/ratioMax": ratio("π_old/μ, largest", `Largest ratio of a token, ${tokens}.`),
  "mismatch/rowRatioMin": ratio("π_old/μ of a row, smallest", `Smallest product of a row's token ratios, ${rows}.`),
  "mismatch/rowRatioMax": ratio("π_old/μ of a row, largest", `Largest product of a row's token ratios, ${rows}.`),
  "mismatch/geoRatioMin": ratio(
    "π_old/μ of a row, geometric, smallest",
    `Smallest geometric mean of a row's token ratios, ${rows}.`,
  ),
  "mismatch/geoRatioMax": ratio(
    "π_old/μ of a row, geometric, largest",
    `Largest geometric mean of a row's token ratios, ${rows}.`,
  ),
  "mismatch/chi2Row": {
    title: "Mismatch, χ² of rows",
    unit: "",
    better: "down",
    meaning: `Mean of ρ² − 1, with ρ the product of π_old/μ over a row's tokens, ${rows}.`,
  },
  "mismatch/essRow": fraction(
    "Normalised ESS of rows",
    "up",
    `Normalised effective sample size, (Σρ)²/(n·Σρ²), with ρ the product of π_old/μ over a row's tokens, ${rows}: 1 if both agree.`,
  ),
  "mismatch/logPplGap": {
    ...mean("Log-perplexity gap", `Mean of each row's mean of log μ − log π_old, ${rows}.`),
    better: "none",
  },
  "mismatch/logPplGapAbs": mean(
    "Log-perplexity gap, absolute",
    `Mean of the absolute value of each row's mean of log μ − log π_old, ${rows}.`,
  ),
  "mismatch/stalenessK1": mean(
    "Staleness part, k1",
    "Mean of log π_lag − log π_old, with π_lag the sampler's version in the trainer's weights: the mismatch due to staleness.",
  ),
  "mismatch/stalenessK3": mean(
    "Staleness part, k3",
    "Mean k3 between π_lag (the sampler's version in the trainer's weights) and π_old: the mismatch due to staleness.",
  ),
  "mismatch/precisionK1": mean(
    "Precision part, k1",
    "Mean of log μ − log π_lag, with π_lag the sampler's version in the trainer's weights: the mismatch due to rounding and noise.",
  ),
  "mismatch/precisionK3": mean(
    "Precision part, k3",
    "Mean k3 between μ (the sampling policy) and π_lag (its version in the trainer's weights): the mismatch due to rounding and noise.",
  ),
} as const satisfies Record<string, Metric>;
