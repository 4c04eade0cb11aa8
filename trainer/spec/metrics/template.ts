import { fraction, type Metric } from "./entry.ts";

/** Metrics of how strongly responses depend on their prompts (template collapse, RAGEN-2). */
export const templateMetrics = {
  "template/mutualInformation": {
    title: "Mutual information of prompts and responses",
    unit: "nats",
    better: "up",
    meaning:
      "Mean of log π(z|x) less the logarithm of its mean over all prompts x of the sample: 0 where every prompt gets the same answer, at most the logarithm of their number (RAGEN-2).",
  },
  "template/mutualInformationPerToken": {
    title: "Mutual information of prompts and responses, per token",
    unit: "nats/token",
    better: "up",
    meaning: "The same of mean log-probabilities by token, which long responses do not dominate.",
  },
  "template/conditionalEntropy": {
    title: "Entropy of responses, prompt known",
    unit: "nats",
    better: "none",
    meaning: "Mean of −log π(z|x) of whole responses under the prompts that they answered.",
  },
  "template/marginalEntropy": {
    title: "Entropy of responses, prompt unknown",
    unit: "nats",
    better: "none",
    meaning: "Mean of −log of a response’s mean probability over all prompts of the sample.",
  },
  "template/retrievalAccuracy": fraction(
    "Prompt retrieved from response",
    "up",
    "Share of responses that no prompt of the sample makes likelier than the one they answered; by chance one over their number.",
  ),
  "template/zScore": {
    title: "Mutual information over spread",
    unit: "",
    better: "up",
    meaning:
      "Mutual information divided by the standard deviation, over responses, of their log-probabilities with the prompt unknown.",
  },
} as const satisfies Record<string, Metric>;
