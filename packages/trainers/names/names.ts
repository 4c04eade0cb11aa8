import { z } from "zod";
import { isMetricKey } from "#trainer/spec/metric.ts";

/** A catalogue metric, or one of its open groups with part of the trainer's name. */
const Target = z
  .string()
  .refine((key) => isMetricKey(key) || /^(taskSuccess\/|evaluation\/passAt)/.test(key), "no metric of the catalogue");

/**
 * Catalogue meaning of a trainer's name. A pair has the multiplier to the catalogue's unit and sign (1000: from seconds).
 * `each`: the meaning if several names of a run would all be `is`. Null: similar to a catalogue name, but another quantity.
 */
const Meaning = z.union([
  Target,
  z.tuple([Target, z.number()]).readonly(),
  z.strictObject({ is: Target, each: Target }),
  z.null(),
]);
export type Meaning = z.infer<typeof Meaning>;

/**
 * Metric names of one trainer, a JSON file beside this one. `{part}` matches text without a slash, `{part/}` any text; a
 * meaning may repeat it. The first matching name counts. If a run has several names of one meaning, the first one in the
 * file gets it. `notes` says what a name's meaning rests on.
 */
export const NamesFile = z.strictObject({
  title: z.string(),
  names: z.record(z.string(), Meaning),
  notes: z.record(z.string(), z.string()).optional(),
});
