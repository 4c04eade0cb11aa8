import { fraction, type Metric } from "./entry.ts";

/** Metrics of how strongly responses depend on their prompts (template collapse, RAGEN-2). */
export const templateMetrics = {
  "template/mutualInformation": {
    title: "Mutual information of prompts and responses",
    unit: "nats",
    better: "up",
    meaning:
      "Mean of log π(z|x) minus the logarithm of the mean of π(z|x) over all prompts x of the sample (RAGEN-2): 0 if every prompt gets the same response, at most the logarithm of the number of prompts.",
  },
  "template/mutualInformationPerToken": {
    title: "Mutual information of prompts and responses, per token",
    unit: "nats/token",
    better: "up",
    meaning:
      "Mutual information computed from mean log-probabilities per token, so that long responses do not dominate.",
  },
  "template/conditionalEntropy": {
    title: "Entropy of responses, prompt known",
    unit: "nats",
    better: "none",
    meaning: "Mean of −log π(z|x) of whole responses z under their own prompts x.",
  },
  "template/marginalEntropy": {
    title: "Entropy of responses, prompt unknown",
    unit: "nats",
    better: "none",
    meaning: "Mean over responses of −log of the response’s mean probability over all prompts of the sample.",
  },
  "template/retrievalAccuracy": fraction(
    "Prompt retrieved from response",
    "up",
    "Share of responses whose own prompt makes them at least as likely as any other prompt of the sample; by chance, 1 divided by the number of prompts.",
  ),
  "template/zScore": {
    title: "Mutual information over spread",
    unit: "",
    better: "up",
    meaning:
      "Mutual information divided by the standard deviation over responses of the log-probability with the prompt unknown.",
  },
} as const satisfies Record<string, Metric>;
