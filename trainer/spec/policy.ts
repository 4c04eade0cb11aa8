import { z } from "zod";

/** Sizes of the built-in transformer, from 0.1 M parameters up; the numbers behind them live in `trainer/policy`. */
export const PolicySize = z.enum(["nano", "micro", "mini", "small"]);
export type PolicySize = z.infer<typeof PolicySize>;

/** How a policy knows where a token stands. */
export const PositionKind = z.enum(["learned", "rotary"]);
export type PositionKind = z.infer<typeof PositionKind>;

/** Which matrices of a layer get adapters. */
const LoraTargets = z.enum(["all", "attention", "query-value"]);
export type LoraTargets = z.infer<typeof LoraTargets>;

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
  /** Absent: one of the sizes, from nothing, as in specifications from before it was there. */
  pretrained: z
    .string()
    .min(2)
    .max(1000)
    .regex(/^(\/|[A-Za-z]:[\\/])/, {
      error: "a path from the root of the node's file system, as /models/Qwen3-0.6B",
    })
    .meta({
      title: "Pretrained model",
      description:
        "Folder on the node with a language model of the Llama, Qwen2 or Qwen3 family as transformers writes it; it reads and writes the environments’ own text. The size is then the model’s. Empty: a policy of our own.",
    })
    .optional(),
  contextTokens: z
    .int()
    .min(64)
    .max(131_072)
    .meta({
      title: "Context (tokens)",
      description: "Of a pretrained model: prompt and response together at most. Empty: 4,096, or what the model has.",
    })
    .optional(),
  loraRank: z
    .int()
    .min(1)
    .max(512)
    .meta({
      title: "LoRA rank",
      description:
        "Of a pretrained model: its weights stay as they are and adapters of this rank learn beside them. Empty: every weight learns.",
    })
    .optional(),
  loraAlpha: z
    .number()
    .min(0.01)
    .max(10_000)
    .meta({
      title: "LoRA α",
      description: "What adapters add is multiplied by α over the rank. Empty: as large as the rank.",
    })
    .optional(),
  loraTargets: LoraTargets.meta({
    title: "LoRA targets",
    description:
      "Which matrices of every layer get adapters: all, those of attention, or those of queries and values. Empty: all.",
  }).optional(),
});
export type PolicySpec = z.infer<typeof PolicySpec>;
