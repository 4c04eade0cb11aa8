import { fraction, type Metric } from "./entry.ts";

const tokens = "over response tokens, before the update";
const rows = "over rows, before the update";

const mean = (title: string, meaning: string) => ({ title, unit: "nats/token", better: "down", meaning }) as const;
const ratio = (title: string, meaning: string) => ({ title, unit: "", better: "none", meaning }) as const;

/**
 * Distance between the policy μ that sampled the tokens and the trainer's π_old at the start of the update, with x =
 * log π_old − log μ. External trainers with a separate inference engine log their own metrics as `policy/sampler…`.
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
    `Mean of e^|x| with x = log π_old − log μ, ${tokens}: 1 where they agree.`,
  ),
  "mismatch/js": mean("Mismatch, Jensen–Shannon", `Mean k3 of π_old and of μ to the mean of both, halved, ${tokens}.`),
  "mismatch/ratioMin": ratio("π_old/μ, smallest", `Of one token, ${tokens}.`),
  "mismatch/ratioMax": ratio("π_old/μ, largest", `Of one token, ${tokens}.`),
  "mismatch/rowRatioMin": ratio("π_old/μ of a row, smallest", `Product over its tokens, ${rows}.`),
  "mismatch/rowRatioMax": ratio("π_old/μ of a row, largest", `Product over its tokens, ${rows}.`),
  "mismatch/geoRatioMin": ratio("π_old/μ of a row, geometric, smallest", `Geometric mean over its tokens, ${rows}.`),
  "mismatch/geoRatioMax": ratio("π_old/μ of a row, geometric, largest", `Geometric mean over its tokens, ${rows}.`),
  "mismatch/chi2Row": {
    title: "Mismatch, χ² of rows",
    unit: "",
    better: "down",
    meaning: `Mean squared product of π_old/μ of a row − 1, ${rows}.`,
  },
  "mismatch/essRow": fraction(
    "Effective sample share of rows",
    "up",
    `(Σρ)²/(n·Σρ²) of the product ρ of π_old/μ of a row, ${rows}: 1 where they agree.`,
  ),
  "mismatch/logPplGap": {
    ...mean("Log-perplexity gap", `Mean over rows of the mean of log μ − log π_old, ${rows}.`),
    better: "none",
  },
  "mismatch/logPplGapAbs": mean(
    "Log-perplexity gap, size",
    `Mean over rows of the size of the mean of log μ − log π_old, ${rows}.`,
  ),
  "mismatch/stalenessK1": mean(
    "Staleness part, k1",
    "Mean of log π_lag − log π_old: what the iterations between the sampler's version and the newest change, both with the trainer's weights.",
  ),
  "mismatch/stalenessK3": mean("Staleness part, k3", "As Staleness part, k1, by the k3 estimate."),
  "mismatch/precisionK1": mean(
    "Precision part, k1",
    "Mean of log μ − log π_lag: what rounding and noise change in the sampler's version.",
  ),
  "mismatch/precisionK3": mean("Precision part, k3", "As Precision part, k1, by the k3 estimate."),
} as const satisfies Record<string, Metric>;
