import type { Metric } from "./entry.ts";

/** Terms of the minimised loss. */
export const lossMetrics = {
  "advantage/absMean": {
    title: "|Advantage|",
    unit: "",
    better: "none",
    meaning: "Mean absolute advantage over rows.",
  },
  "advantage/rowGradientNorm": {
    title: "Gradient norm of a row",
    unit: "",
    better: "none",
    meaning: "Mean over rows of ‖∇log π‖ of the whole response, which VCPO's baseline weighs rows by.",
  },
  "loss/total": {
    title: "Loss",
    unit: "",
    better: "none",
    meaning: "Policy loss + KL penalty − entropy bonus, mean over minibatches.",
  },
  "loss/policy": {
    title: "Policy loss",
    unit: "",
    better: "none",
    meaning: "The clipped surrogate as aggregated by the method.",
  },
  "loss/kl": {
    title: "KL penalty",
    unit: "",
    better: "down",
    meaning: "KL coefficient × aggregated KL estimate to the reference policy; 0 when the KL is in the reward.",
  },
  "loss/entropy": {
    title: "Entropy bonus",
    unit: "",
    better: "none",
    meaning: "Entropy coefficient × aggregated token entropy; subtracted from the loss.",
  },
} as const satisfies Record<string, Metric>;
