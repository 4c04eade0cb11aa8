import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Clipping } from "#trainer/spec/dimensions.ts";
import { Correction } from "#trainer/spec/correctionSchema.ts";

const Matrix = z.array(z.array(z.number()));
const Numbers = z.array(z.number());
const Texts = z.array(z.string());

const Inputs = z.object({
  mask: Matrix,
  old: Matrix,
  new: Matrix,
  sampler: Matrix,
  ref: Matrix,
  adv_seq: Numbers,
  turn: Matrix,
  adv_tok: Matrix,
  high_entropy: Matrix,
});

/** The golden vectors contain two null bounds for raw weights, which are removed first. */
const withoutBounds = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || !("weight" in value)) return value;
  const { weight } = value;
  if (typeof weight !== "object" || weight === null || !("kind" in weight) || weight.kind !== "raw") return value;
  const { low: _low, high: _high, ...raw } = { low: null, high: null, ...weight };
  return { ...value, weight: raw };
}, Correction.nullable());

/** Schema of mismatch metrics. The results of verl's own function are removed from the golden vectors first. */
const Measures = z.preprocess(
  (value) => {
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "verl"));
  },
  z.record(z.string(), z.number()),
);

const Vectors = z.object({
  inputs: z.object({ a: Inputs, c: Inputs }),
  cases: z.array(
    z.object({
      name: z.string(),
      batch: z.enum(["a", "c"]),
      agg: z.enum(["token-mean", "seq-mean-token-mean", "seq-mean-token-sum"]),
      clipping: Clipping,
      correction: withoutBounds,
      loss: z.number(),
      grad: Matrix,
      info: z.object({
        weights: Matrix.optional(),
        kept: Matrix.optional(),
        rejected_tokens: z.number().optional(),
      }),
    }),
  ),
  advantages: z.object({
    uid: Texts,
    score: Numbers,
    length: Numbers,
    greedy_score: Numbers,
    opo: Numbers,
    remax: Numbers,
    passk_std: Numbers,
    passk: Numbers,
    gpg: Numbers,
    maxrl: Numbers,
    opob_grad_norm: Numbers,
    opob_row_weight: Numbers,
    opob: Numbers,
    hgpo_deep: z.object({
      uid: Texts,
      traj: Numbers,
      anchor_obs: Texts,
      step_return: Numbers,
      K0_std: Numbers,
      K1_std: Numbers,
      K2_std: Numbers,
      K2_mean: Numbers,
      K2_std_alpha0: Numbers,
    }),
    hgpo: z.object({ K2_std: Numbers, K2_mean: Numbers, K0_std: Numbers, K2_mean_base: Numbers }),
  }),
  kl: z.record(z.enum(["a", "c"]), z.object({ w_k3: z.number(), grad: Matrix })),
  diagnostics: z.record(z.enum(["a", "c"]), Measures),
});
export type OffPolicyVectors = z.infer<typeof Vectors>;

/** Vectors from an independent PyTorch implementation, mostly checked against the original projects' functions. */
export function readOffPolicyVectors(): OffPolicyVectors {
  return Vectors.parse(JSON.parse(readFileSync(join(import.meta.dirname, "offPolicy.golden.json"), "utf8")));
}
