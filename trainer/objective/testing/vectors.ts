import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Aggregation, Clipping } from "#trainer/spec/dimensions.ts";
import { methods, type Method } from "#trainer/spec/method.ts";

const Matrix = z.array(z.array(z.number()));
const Numbers = z.array(z.number());

const Vectors = z.object({
  inputs: z.object({ mask: Matrix, old: Matrix, new: Matrix, adv_seq: Numbers }),
  cases: z.array(
    z.object({
      name: z.string(),
      agg: z.string(),
      params: z.object({ lo: z.number().optional(), hi: z.number().optional() }),
      loss: z.number(),
      grad: Matrix,
      info: z.object({
        clipfrac: z.number().optional(),
        clipfrac_lower: z.number().optional(),
        ppo_kl: z.number().optional(),
        s: Numbers.optional(),
      }),
      seq_mask_delta: z.number().optional(),
      dropped_rows: Numbers.optional(),
    }),
  ),
  advantages: z.object({
    uid: z.array(z.string()),
    traj: z.array(z.string()),
    anchor_obs: z.array(z.string()),
    step_reward: Numbers,
    valid: Numbers,
    invalid_penalty: z.number(),
    gamma: z.number(),
    omega: z.number(),
    row_score: Numbers,
    grpo_cross_steps: Numbers,
    grpo_no_std: Numbers,
    grpo_per_trajectory: Numbers,
    rloo_rows: Numbers,
    step_return: Numbers,
    gigpo_mean_std_norm: Numbers,
    gigpo_mean_norm: Numbers,
    turn_entropy: Numbers,
    empg_g: Numbers,
    empg_adv: Numbers,
  }),
  gae: z.object({ r: Numbers, V: Numbers, g1_l1: Numbers, g99_l95: Numbers }),
  kl: z.object({ ref: Matrix, k1: z.number(), k2: z.number(), k3: z.number() }),
});
export type Vectors = z.infer<typeof Vectors>;

/** Reads golden vectors of advantages and losses from an independent NumPy implementation. */
export function readVectors(): Vectors {
  return Vectors.parse(JSON.parse(readFileSync(join(import.meta.dirname, "vectors.golden.json"), "utf8")));
}

type Case = Vectors["cases"][number];

/** Returns the method of a golden loss. */
export function methodOfCase({ name, agg, params, seq_mask_delta }: Case): Method {
  const sequenceMask = seq_mask_delta === undefined ? null : { delta: seq_mask_delta };
  const aggregation = aggregations[agg];
  if (!aggregation) throw new Error(`no aggregation is called ${agg}`);
  return { ...methods.grpo, aggregation, clipping: clippingOf(name, params, sequenceMask) };
}

function clippingOf(name: string, { lo, hi }: Case["params"], sequenceMask: { delta: number } | null): Clipping {
  if (name.startsWith("CISPO")) return { ...methods.cispo.clipping, sequenceMask };
  if (name.startsWith("SAPO")) return { ...methods.sapo.clipping, sequenceMask };
  if (name.startsWith("GSPO")) return { kind: "sequence", low: lo ?? 3e-3, high: hi ?? 4e-3, credit: "row" };
  return { kind: "token", low: lo ?? 0.2, high: hi ?? 0.2, dual: 3, sequenceMask };
}

const aggregations: Record<string, Aggregation> = {
  "token-mean": "tokenMean",
  "seq-mean-token-mean": "seqMeanTokenMean",
  "seq-mean-token-sum": "seqMeanTokenSum",
  "seq-mean-token-sum-norm": "seqMeanTokenSumNorm",
};
