import { fraction, type Metric } from "./entry.ts";

/** Metrics of how strongly responses depend on their prompts (template collapse, RAGEN-2). */
export const templateMetrics = {
  "template/mutualInformation": {
    title: "Mutual information of prompts and responses",
    unit: "nats",
    better: "up",
    meaning:
      "Mean of log π(z|x) − log p(z), where p(z) is the mean probability of response z over all sampled prompts (RAGEN-2). 0: responses do not depend on prompts. Maximum: the logarithm of the number of prompts.",
  },
  "template/mutualInformationPerToken": {
    title: "Mutual information of prompts and responses, per token",
    unit: "nats/token",
    better: "up",
    meaning:
      "Mutual information of prompts and responses, computed from mean log-probabilities per token, so that long responses do not dominate.",
  },
  "template/conditionalEntropy": {
    title: "Entropy of responses, prompt known",
    unit: "nats",
    min: 0,
    better: "none",
    meaning: "Mean of −log π(z|x), where z is a whole response and x its own prompt.",
  },
  "template/marginalEntropy": {
    title: "Entropy of responses, prompt unknown",
    unit: "nats",
    min: 0,
    better: "none",
    meaning: "Mean of −log p(z), where p(z) is the mean probability of response z over all sampled prompts.",
  },
  "template/retrievalAccuracy": fraction(
    "Prompt retrieved from response",
    "up",
    "Share of responses that are at least as likely under their own prompt as under any other sampled prompt. Chance level: 1 divided by the number of prompts.",
  ),
  "template/zScore": {
    title: "Mutual information over its spread",
    unit: "",
    better: "up",
    meaning:
      "Mutual information divided by the standard deviation of log p(z), where p(z) is the mean probability of response z over all sampled prompts.",
  },
} as const satisfies Record<string, Metric>;
