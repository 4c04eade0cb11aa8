import { z } from "zod";
import { orderParameters, Parameter } from "./space.ts";
import { Outcome } from "./trial.ts";

/** Encodes a loss as JSON: NaN (failed) and infinities (collapsed) become text. */
const Loss = z.codec(
  z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]),
  z
    .number()
    .or(z.nan())
    .or(z.literal([Infinity, -Infinity])),
  {
    decode: Number,
    encode: (loss) => (Number.isFinite(loss) ? loss : Number.isNaN(loss) ? "NaN" : loss > 0 ? "Infinity" : "-Infinity"),
  },
);

const step = z.int().min(-1);
const Numbers = z.array(z.int().min(0));
/** `arm`: index of the searched configuration. Recorded studies and the database call it so. */
const place = { arm: z.int().min(0), number: z.int().min(0) };

/** Record of all decisions of a search, with the results known at each. Reports and replays use only this record. */
export const SearchRecord = z.object({
  decisions: z.array(
    z.object({
      ...place,
      step,
      known: Numbers,
      running: Numbers,
      point: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
      reason: z.string(),
      /** Index of the cell that runs the trial; null if its settings were invalid. */
      cell: z.int().min(0).nullable(),
      outcome: Outcome.nullable(),
      outcomeStep: step.nullable(),
    }),
  ),
  rungs: z.array(
    z.object({
      ...place,
      rung: z.int().min(0),
      losses: z.array(Loss),
      step,
      verdict: z
        .object({ kind: z.enum(["promoted", "stopped", "letGoOn"]), step, known: Numbers, reason: z.string() })
        .nullable(),
    }),
  ),
  limits: z.array(
    z.object({
      arm: z.int().min(0),
      step,
      kind: z.enum(["ended", "widened"]),
      trials: z.int().min(0),
      space: z.record(z.string(), Parameter).overwrite(orderParameters).optional(),
      reason: z.string(),
    }),
  ),
});
export type SearchRecord = z.output<typeof SearchRecord>;
