import { fraction, type Metric } from "./entry.ts";

/** Effect on a batch of the correction for a sampler that differs from the learning policy. */
export const correctionMetrics = {
  "correction/effectiveFraction": fraction(
    "Effective sample share of the correction",
    "up",
    "(Σω)² / (n·Σω²) of the correction weights of all response tokens.",
  ),
  "correction/rejectedTokenFraction": fraction(
    "Tokens rejected",
    "down",
    "Share of response tokens that the correction leaves out of the policy loss.",
  ),
  "correction/rejectedRowFraction": fraction(
    "Rows rejected",
    "down",
    "Share of rows of which the correction leaves nothing in the policy loss.",
  ),
  "correction/stepScale": fraction(
    "Step scale",
    "up",
    "Factor on the learning rate of a minibatch for its effective sample size, mean over minibatches.",
  ),
} as const satisfies Record<string, Metric>;
