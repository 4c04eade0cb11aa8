import { z } from "zod";

/** Sizes of the built-in transformer, from 0.1 M parameters up. Their dimensions are in `trainer/policy`. */
export const PolicySize = z.enum(["nano", "micro", "mini", "small"]);
export type PolicySize = z.infer<typeof PolicySize>;

/** Encoding of a token's position. */
export const PositionKind = z.enum(["learned", "rotary"]);
export type PositionKind = z.infer<typeof PositionKind>;

/** Matrices of a layer that have adapters. */
const LoraTargets = z.enum(["all", "attention", "query-value"]);
export type LoraTargets = z.infer<typeof LoraTargets>;

/**
 * A path that is absolute (from a root, a drive or a network share) or begins with a dot. No hub's model name has this
 * form.
 */
const folderPattern = /^(?:\/|[A-Za-z]:[\\/]|\\\\|\.{1,2}[\\/])/;
/** A folder, or a hub's model as owner/name or owner/name@revision. */
const pretrainedPattern =
  /^(?:\/|[A-Za-z]:[\\/]|\\\\|\.{1,2}[\\/]|(?!.*\.\.)[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}(?:@[A-Za-z0-9][\w./-]{0,199})?$)/;

export const PolicySpec = z.strictObject({
  size: PolicySize.meta({
    title: "Policy size",
    description: "nano 0.1 M, micro 0.8 M, mini 3 M, small 10 M parameters.",
  }).default("nano"),
  positions: PositionKind.meta({
    title: "Positions",
    description:
      "learned: an embedding for every position of the context; rotary: attention by distance; null: learned for windows, rotary for transcripts.",
  })
    .nullable()
    .default(null),
  /** Pretrained model. If absent, as in older specifications, a built-in size is trained from scratch. */
  pretrained: z
    .string()
    .min(2)
    .max(1000)
    .regex(pretrainedPattern, {
      error:
        "names no model: write a folder, as /models/Qwen3-0.6B or ./Qwen3-0.6B, or a model of a hub, as Qwen/Qwen3-0.6B@main",
    })
    .meta({
      title: "Pretrained model",
      description:
        "A language model of the Llama, Qwen2 or Qwen3 family, which reads and writes the environments’ own text: a folder on the node as transformers writes it (/… or ./…), or a model of the Hugging Face hub (owner/name, or owner/name@revision). The size is then the model’s.",
    })
    .optional(),
  contextTokens: z
    .int()
    .min(64)
    .max(131_072)
    .meta({
      title: "Context (tokens)",
      description:
        "Max tokens of prompt and response together, of a pretrained model. Empty: 4,096, or what the model has.",
    })
    .optional(),
  loraRank: z
    .int()
    .min(1)
    .max(512)
    .meta({
      title: "LoRA rank",
      description:
        "Rank of the adapters that learn beside a pretrained model, whose own weights stay as they are. Empty: every weight learns.",
    })
    .optional(),
  loraAlpha: z
    .number()
    .min(0.01)
    .max(10_000)
    .meta({
      title: "LoRA α",
      description: "The adapters' output is multiplied by α divided by the rank. Empty: α equals the rank.",
    })
    .optional(),
  loraTargets: LoraTargets.meta({
    title: "LoRA targets",
    description:
      "Which matrices of every layer get adapters: all, those of attention, or those of queries and values. Empty: all.",
  }).optional(),
});
export type PolicySpec = z.infer<typeof PolicySpec>;

/** Parsed form of the field `policy.pretrained`. */
export type Pretrained =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "hub"; readonly name: string; readonly revision: string };

function splitRevision(text: string): { name: string; revision: string } {
  const [name = "", ...revision] = text.split("@");
  return { name, revision: revision.length === 0 ? "main" : revision.join("@") };
}

/** Parses `policy.pretrained`, which the schema has already accepted. */
export function readPretrained(text: string): Pretrained {
  return folderPattern.test(text) ? { kind: "folder", path: text } : { kind: "hub", ...splitRevision(text) };
}
