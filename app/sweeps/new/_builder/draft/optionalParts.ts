import { fieldAt } from "./fields.ts";

/** An optional object of a specification: the form shows a switch and, while it is on, its fields. */
export type OptionalPart = {
  title: string;
  hint: string;
  /** Initial values of its fields. */
  start: Readonly<Record<string, string>>;
};

/** By the last part of its path. */
const parts: Readonly<Record<string, OptionalPart>> = {
  split: {
    title: "One budget for demonstrations and training",
    hint: "In place of the iterations and the number of demonstrations; compares splits at equal cost.",
    start: { units: "10000", demonstrationShare: "0.25", demonstrationCost: "10" },
  },
  sequenceMask: {
    title: "Sequence mask",
    hint: "Drops failing turns the policy has already moved away from.",
    start: { delta: "3e-3" },
  },
  lag: {
    title: "Lag",
    hint: "Episodes are written by the policy of some iterations ago, as asynchronous trainers have it.",
    start: { kind: "constant", k: "1" },
  },
  samplerNoise: {
    title: "Noise",
    hint: "On the logits that the sampler reads: a control for kernels that are not deterministic.",
    start: { sigma: "0.01" },
  },
  turns: {
    title: "Turns first (bi-level)",
    hint: "Discounted over turns, then over the tokens of each.",
    start: { gamma: "0.95", lambda: "1" },
  },
};

export function optionalPartAt(path: string): OptionalPart {
  const name = path.split(".").at(-1) ?? path;
  return parts[name] ?? { title: name, hint: "", start: {} };
}

/** Meaning of an empty field that has no printable default. */
const emptyMeans: Readonly<Record<string, string>> = {
  klTarget: "off: fixed coefficient",
  truncatedImportance: "off: no correction",
  denominatorRows: "off: whole minibatch",
  criticLearningRate: "10 × the policy’s",
  similarity: "off: equal states only",
  dual: "off: no dual clip",
  discardBeyond: "keep all ages",
  pretrained: "owner/name, or /a/folder",
  contextTokens: "4,096, or what the model has",
  loraRank: "none: every weight learns",
  loraAlpha: "as the rank",
};

export function formatEmpty(path: string): string {
  return emptyMeans[path.split(".").at(-1) ?? ""] ?? (fieldAt(path)?.isNullable ? "off" : "");
}
