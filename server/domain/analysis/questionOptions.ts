import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { detectorVersion, halves } from "#packages/detector";
import { dependentChoices } from "#server/domain/plan/sweep/dependence.ts";
import { divisions, outcomes } from "./behaviour/groupEpisodes.ts";
import { groupings } from "./stability/grouping.ts";
import { type QuestionId, questions } from "./questions.ts";
import { originGroupings } from "./rescue/groupings.ts";
import { transferMeasures } from "./transfer/transfer.ts";
import { signalSets } from "./warning/signals.ts";

const sweepIds = z.array(z.string()).min(1).max(maxSweepsTogether);

/** Option of questions about methods and alarms: branches, starts and search trials are left out by default. */
const dependent = z
  .enum(dependentChoices)
  .optional()
  .describe("branches, starts and search trials, which are left out by default");
const metric = z
  .string()
  .optional()
  .describe("metric of the answer (default: success on held-out tasks, else in training)");
const groups = {
  by: z.enum(groupings).default("method").describe("groups to compare"),
  baseline: z.string().optional().describe("group to compare the others with (default: the first)"),
  dependent,
};
const ofResults = z.strictObject({ metric, dependent });
const column = z.string().max(300).optional();

/** Options of each question, as they are written in requests, commands and reports. */
export const questionOptions = {
  final: ofResults,
  beforeAfter: ofResults,
  tasks: ofResults,
  stability: ofResults,
  compare: ofResults.extend({
    baseline: z.string().optional().describe("configuration to compare the others with (default: the first)"),
  }),
  overview: z.strictObject({}),
  survival: z.strictObject(groups),
  equivalence: z.strictObject(groups),
  hazards: z.strictObject({ dependent }),
  blind: z.strictObject({
    rules: z.string().max(40).default(detectorVersion).describe("frozen version of the rules to evaluate"),
    half: z.enum(halves).default("all").describe("all seeds, or one half"),
    dependent,
  }),
  climbs: z.strictObject({
    // Without a default, which the hashes of earlier proofs lack.
    signals: z
      .enum(signalSets)
      .optional()
      .describe("signals of the update (default), or of actions or tokens beside them"),
    dependent,
  }),
  forecast: z.strictObject({ dependent }),
  dimensions: ofResults,
  phases: z.strictObject({
    x: column.describe("setting on the horizontal axis"),
    y: column.describe("setting on the vertical axis"),
    by: column.describe("setting by which the runs are split"),
    dependent,
  }),
  transfer: z.strictObject({
    measure: z.enum(transferMeasures).default("successRate").describe("measured in each environment"),
    dependent,
  }),
  rescue: z.strictObject({
    run: z.string().max(200).optional().describe("run whose branches count (default: all runs)"),
    by: z
      .enum(originGroupings)
      // Not a default, which would enter the queries of earlier proofs.
      .optional()
      .describe(
        "groups of the continued runs: method and environment (default), or cause, the settings in which they differ",
      ),
  }),
  behaviour: z.strictObject({
    by: z.enum(divisions).default("outcome").describe("groups of episodes to compare"),
    environment: z
      .string()
      .max(100)
      .optional()
      .describe("environment of the episodes (default: the one with the most)"),
    depth: z.coerce.number().int().min(1).max(30).default(8).describe("number of turns in the flow diagram"),
    threshold: z.coerce
      .number()
      .min(0)
      .max(1)
      .default(0.03)
      .describe("share of episodes below which types of actions are joined in the flow diagram"),
    only: z.enum(outcomes).optional().describe("episodes that count (default: all)"),
    dependent,
  }),
  claims: ofResults,
} as const satisfies Record<QuestionId, z.ZodObject>;

/** Fields of an options object; none for an empty one, whose type would otherwise forbid every field. */
type Fields<Options> = string extends keyof Options ? unknown : Options;
export type OptionsOf<Id extends QuestionId> = Fields<z.output<(typeof questionOptions)[Id]>>;

type SweepIds<Id extends QuestionId, Ids> = (typeof questions)[Id] extends { isOfAll: true } ? Ids | null : Ids;

/** Question about some sweeps: its options, and sweeps. */
export type Asked<Id extends QuestionId> = OptionsOf<Id> & {
  sweepIds: SweepIds<Id, readonly string[]>;
};
type AskedInput<Id extends QuestionId> = Fields<z.input<(typeof questionOptions)[Id]>> & {
  sweepIds: SweepIds<Id, string[]>;
};

/** Returns the schema of a request that asks the question. */
export function askedSchema<Id extends QuestionId>(id: Id): z.ZodType<Asked<Id>, AskedInput<Id>> {
  const schema: z.ZodType = z.strictObject({
    sweepIds: "isOfAll" in questions[id] ? sweepIds.nullable() : sweepIds,
    ...questionOptions[id].shape,
  });
  return schema as z.ZodType<Asked<Id>, AskedInput<Id>>;
}
