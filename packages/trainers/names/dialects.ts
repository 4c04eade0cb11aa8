import { z } from "zod";
import { isMetricKey } from "#trainer/spec/metric.ts";
import areal from "./areal.json";
import art from "./art.json";
import baselines from "./baselines.json";
import nemoRl from "./nemoRl.json";
import openRlhf from "./openRlhf.json";
import plain from "./plain.json";
import primeRl from "./primeRl.json";
import ragen from "./ragen.json";
import rllib from "./rllib.json";
import rllm from "./rllm.json";
import roll from "./roll.json";
import skyRl from "./skyRl.json";
import slime from "./slime.json";
import stableBaselines3 from "./stableBaselines3.json";
import trl from "./trl.json";
import trlAsync from "./trlAsync.json";
import verl from "./verl.json";
import verlAgent from "./verlAgent.json";

/** A metric, or a prefix of an open group (such as `taskSuccess/`) with a part of the trainer's name. */
const Target = z
  .string()
  .refine((key) => isMetricKey(key) || /^(taskSuccess\/|evaluation\/passAt)/.test(key), "no metric of the catalogue");

/**
 * Catalogue meaning of a trainer's metric name. In a pair, the number is the factor to the catalogue's unit and sign
 * (1000: from seconds). `each`: meaning of each name if several names of a run would mean `is`. Null: the name means
 * a different quantity than the catalogue metric with a similar name.
 */
const Meaning = z.union([
  Target,
  z.tuple([Target, z.number()]).readonly(),
  z.strictObject({ is: Target, each: Target }),
  z.null(),
]);
export type Meaning = z.infer<typeof Meaning>;

/**
 * Schema of a JSON file beside this one with the metric names of one trainer. `{part}` matches text without a slash,
 * `{part/}` any text; a meaning may repeat it. The first name that matches is used. If a run has several names with
 * the same meaning, the first name in the file gets it. `dropped`: numbers or shares of responses or groups that were
 * not trained on. `notes` states the source of a name's meaning.
 */
const NamesFile = z.strictObject({
  title: z.string(),
  names: z.record(z.string(), Meaning),
  dropped: z.array(z.string()).optional(),
  notes: z.record(z.string(), z.string()).optional(),
});

/** Trainers whose metric names are known. If a log fits several trainers equally well, the first of them is used. */
export const dialects = {
  verl: NamesFile.parse(verl),
  verlAgent: NamesFile.parse(verlAgent),
  trl: NamesFile.parse(trl),
  trlAsync: NamesFile.parse(trlAsync),
  openRlhf: NamesFile.parse(openRlhf),
  skyRl: NamesFile.parse(skyRl),
  slime: NamesFile.parse(slime),
  nemoRl: NamesFile.parse(nemoRl),
  primeRl: NamesFile.parse(primeRl),
  roll: NamesFile.parse(roll),
  areal: NamesFile.parse(areal),
  ragen: NamesFile.parse(ragen),
  rllm: NamesFile.parse(rllm),
  art: NamesFile.parse(art),
  stableBaselines3: NamesFile.parse(stableBaselines3),
  rllib: NamesFile.parse(rllib),
  baselines: NamesFile.parse(baselines),
  plain: NamesFile.parse(plain),
};

export type Dialect = keyof typeof dialects;
