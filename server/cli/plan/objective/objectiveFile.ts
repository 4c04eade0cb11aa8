import { z } from "zod";
import { Advantage, Sampling } from "#trainer/spec/dimensions.ts";
import { methodNames } from "#trainer/spec/method.ts";
import { Method } from "#trainer/spec/methodSchema.ts";
import { RewardSpec, UpdateSpec } from "#trainer/spec/run.ts";

const finite = z.number().min(-1e6).max(1e6);
const Matrix = z.array(z.array(finite));
const Turn = z.int().min(0).max(1e6);
const Name = z.union([z.string(), z.number()]);

const ObjectiveRow = z.strictObject({
  /** Task of this batch row; rows with the same task form a group for group-relative advantages. */
  group: Name,
  /** Id of the episode to which the batch row belongs. Default: every row is a separate episode. */
  episode: Name.optional(),
  /** Turn of the batch row within its episode. Default: an episode's rows are in the order of its turns. */
  turn: z.int().min(0).max(1e6).optional(),
  reward: finite,
  /** Return of the whole episode. Default: the sum of its rows' rewards. */
  episodeReward: finite.optional(),
  isValid: z.boolean().default(true),
  anchor: z.string().optional(),
  /** Policy entropy of the batch row. Default: the mean of its `oldEntropy`. */
  entropy: finite.min(0).optional(),
  /** Score of an episode that the greedy policy played on the same task. */
  greedyScore: finite.optional(),
  /** Gradient norm ‖∇log π‖ of the batch row's response. */
  gradientNorm: finite.min(0).optional(),
});

/** Schema of the file for `arlarena objective`: one batch of responses (docs/objective.md). Matrices are (B, T). */
export const ObjectiveFile = z.strictObject({
  method: z.union([
    z.enum(methodNames),
    Method.extend({
      advantage: Advantage.prefault({ kind: "group" }),
      sampling: Sampling.prefault({ kind: "all" }),
    }),
  ]),
  mask: z.array(z.array(z.number())).min(1),
  old: Matrix,
  new: Matrix,
  ref: Matrix.optional(),
  sampler: Matrix.optional(),
  oldEntropy: Matrix.optional(),
  newEntropy: Matrix.optional(),
  values: Matrix.optional(),
  adv_seq: z.array(finite).optional(),
  adv: Matrix.optional(),
  rows: z.array(ObjectiveRow).optional(),
  /** Turn number of each batch row; if a row is a whole episode, turn number of each of its tokens. */
  turns: z.array(z.union([Turn, z.array(Turn)])).optional(),
  /** Age in iterations of the policy that sampled each batch row, for interpolated proximal policies. */
  ages: z.array(z.int().min(0).max(1e6)).optional(),
  entropyThreshold: finite.min(0).optional(),
  maxResponseTokens: z.int().min(1).max(1e6).optional(),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(0),
  ...UpdateSpec.pick({
    klEstimator: true,
    klPlacement: true,
    entropyCoef: true,
    truncatedImportance: true,
    denominatorRows: true,
  }).shape,
  klCoef: UpdateSpec.shape.klCoef.unwrap().default(0),
  ...RewardSpec.shape,
});
export type ObjectiveFile = z.infer<typeof ObjectiveFile>;
export const matrixNames = ["old", "new", "ref", "sampler", "oldEntropy", "newEntropy", "values", "adv"] as const;
