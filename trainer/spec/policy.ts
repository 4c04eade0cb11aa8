import { z } from "zod";
import { count, real } from "./setting.ts";

/** Schema of the built-in transformer's size, from 0.1 M parameters up. The dimensions are in `trainer/policy`. */
export const PolicySize = z.enum(["nano", "micro", "mini", "small"]);
export type PolicySize = z.infer<typeof PolicySize>;

/** Schema of the position encoding: learned embeddings, or rotary embeddings (RoPE). */
export const PositionKind = z.enum(["learned", "rotary"]);
export type PositionKind = z.infer<typeof PositionKind>;

/** Schema of the choice of weight matrices in a layer that have LoRA adapters. */
const LoraTargets = z.enum(["all", "attention", "query-value"]);
export type LoraTargets = z.infer<typeof LoraTargets>;

/** Matches a path that is absolute or begins with a dot, unlike the names of Hugging Face models. */
const folderPattern = /^(?:\/|[A-Za-z]:[\\/]|\\\\|\.{1,2}[\\/])/;
/** Matches a folder, or a Hugging Face model as owner/name or owner/name@revision. */
const pretrainedPattern =
  /^(?:\/|[A-Za-z]:[\\/]|\\\\|\.{1,2}[\\/]|(?!.*\.\.)[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}(?:@[A-Za-z0-9][\w./-]{0,199})?$)/;

export const PolicySpec = z.strictObject({
  size: PolicySize.meta({
    title: "Policy size",
    description: "Number of parameters: nano 0.1 M, micro 0.8 M, mini 3 M, small 10 M.",
  }).default("nano"),
  positions: PositionKind.meta({
    title: "Positions",
    description:
      "learned: an embedding for every position of the context; rotary: attention by distance; null: learned for windows, rotary for transcripts.",
  })
    .nullable()
    .default(null),
  /** Pretrained model. If absent, as in older specifications, a built-in transformer is trained from scratch. */
  pretrained: z
    .string()
    .min(2)
    .max(1000)
    .regex(pretrainedPattern, {
      error:
        "must be a folder such as /models/Qwen3-0.6B or ./Qwen3-0.6B, or a model of the hub such as Qwen/Qwen3-0.6B@main",
    })
    .meta({
      title: "Pretrained model",
      description:
        "Language model of the Llama, Qwen2 or Qwen3 family, which reads and writes the environments’ own text. Give a folder on the node in the format of transformers (/… or ./…), or a model of the Hugging Face hub (owner/name, or owner/name@revision). The model replaces the built-in policy of the chosen size.",
    })
    .optional(),
  contextTokens: count(
    [64, 131_072],
    "Context (tokens)",
    "Maximum number of tokens of prompt and response together, for a pretrained model. Empty: 4,096, or the model's maximum if lower.",
  ).optional(),
  loraRank: count(
    [1, 512],
    "LoRA rank",
    "Rank of the trained LoRA adapters; the pretrained weights stay fixed. Empty: all weights are trained.",
  ).optional(),
  loraAlpha: real(
    [0.01, 10_000],
    "LoRA α",
    "The adapters' output is multiplied by α divided by the rank. Empty: α equals the rank.",
  ).optional(),
  loraTargets: LoraTargets.meta({
    title: "LoRA targets",
    description:
      "Matrices of every layer that get adapters: all, those of attention, or those of queries and values. Empty: all.",
  }).optional(),
});
export type PolicySpec = z.infer<typeof PolicySpec>;

/** Parsed form of the field `policy.pretrained`: a local folder, or a model of the Hugging Face hub. */
export type Pretrained =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "hub"; readonly name: string; readonly revision: string };

function splitRevision(text: string): { name: string; revision: string } {
  const [name = "", ...revision] = text.split("@");
  return { name, revision: revision.length === 0 ? "main" : revision.join("@") };
}

export function readPretrained(text: string): Pretrained {
  return folderPattern.test(text) ? { kind: "folder", path: text } : { kind: "hub", ...splitRevision(text) };
}
