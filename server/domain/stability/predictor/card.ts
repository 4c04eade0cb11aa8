import { z } from "zod";

/** Minimum number of labelled runs of each kind; with fewer, a test cannot confirm anything. */
export const minimum = { collapsed: 20, healthy: 20 } as const;

const Scores = z.strictObject({
  examples: z.int(),
  /** Fraction of examples that collapsed within the horizon. */
  baseRate: z.number(),
  brier: z.number(),
  /** Brier skill against the base rate. */
  skill: z.number(),
  rocArea: z.number(),
});
export type Scores = z.infer<typeof Scores>;

const Bin = z.strictObject({
  low: z.number(),
  high: z.number(),
  count: z.int(),
  meanProbability: z.number(),
  rate: z.number(),
});

const Runs = z.strictObject({ runs: z.int(), collapsed: z.int(), examples: z.int() });

/** Description of a predictor, stored beside its model file. */
export const PredictorCard = z.strictObject({
  v: z.literal(1),
  /** Hash of the model file: its version. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  horizon: z.int().min(1),
  detector: z.string(),
  features: z.array(z.string()),
  trainedOn: z.strictObject({ groups: z.array(z.string()), madeUp: Runs, real: Runs }),
  /** On mechanisms that neither the model nor its calibration used. */
  heldOut: z.strictObject({
    groups: z.array(z.string()),
    predictor: Scores,
    /** The rules as probabilities: collapse rate by detector status on the training runs. */
    rules: Scores,
    reliability: z.array(Bin),
    reliabilityOfRules: z.array(Bin),
  }),
  /** True if its Brier score on held-out mechanisms is better than the rules': only then is it shown by default. */
  beatsRules: z.boolean(),
});
export type PredictorCard = z.infer<typeof PredictorCard>;
