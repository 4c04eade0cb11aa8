import { z } from "zod";

/** Fewer labelled runs of either kind teach nothing that a test could confirm. */
export const minimum = { collapsed: 20, healthy: 20 } as const;

const Scores = z.strictObject({
  examples: z.int(),
  /** Share of the examples that collapsed within the horizon. */
  baseRate: z.number(),
  brier: z.number(),
  /** Against always saying the base rate. */
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

/** What there is to know about a predictor, kept beside its model file. */
export const PredictorCard = z.strictObject({
  v: z.literal(1),
  /** Hash of the model file's content: its version. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  horizon: z.int().min(1),
  detector: z.string(),
  features: z.array(z.string()),
  trainedOn: z.strictObject({ groups: z.array(z.string()), madeUp: Runs, real: Runs }),
  /** On mechanisms that neither the model nor its calibration saw. */
  heldOut: z.strictObject({
    groups: z.array(z.string()),
    predictor: Scores,
    /** The rules read as probabilities: how often a run in each status of the detector collapsed, on the training runs. */
    rules: Scores,
    reliability: z.array(Bin),
    reliabilityOfRules: z.array(Bin),
  }),
  /** Better Brier score than the rules' on held-out mechanisms: only then is it shown by default. */
  beatsRules: z.boolean(),
});
export type PredictorCard = z.infer<typeof PredictorCard>;
