import { z } from "zod";
import {
  type EqualChoice,
  type StoredChoice,
  storedChoices,
  type UnclearChoice,
} from "#server/domain/plan/sweep/dependence.ts";
import { type OptionsOf, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { isQuestion, type QuestionId, questionIds, questions } from "#server/domain/analysis/questions.ts";
import { TableOptions } from "./builder/options.ts";

/**
 * Query from which a table can be computed again. `dependent` is "leftOut" if branches, starts or search trials are left
 * out, "once" if of branches of one run with equal settings one counts, and `equal` is "once" if runs that are equal at every step count once; old queries lack both, and their tables
 * count every run.
 */
export type TableQuery = (QuestionQuery | { kind: "built"; sweepIds: readonly string[]; options: TableOptions }) &
  Counting;

type Counting = {
  dependent?: StoredChoice | undefined;
  equal?: EqualChoice | undefined;
  unclear?: UnclearChoice | undefined;
};

type QuestionQuery = {
  [Id in QuestionId]: { kind: Id; sweepIds: readonly string[] } & Omit<OptionsOf<Id>, "dependent"> &
    (Id extends FixedKind ? { collapses?: "hindsight" | undefined } : unknown) &
    (Id extends "transfer" ? { evaluations?: number | undefined } : unknown);
}[QuestionId];

/** Tables of final results. */
export type FixedKind = "final" | "beforeAfter" | "tasks" | "stability";

/** Fields of stored queries besides the question's options. */
const storedFields: { [Id in QuestionId]?: z.ZodRawShape } = {
  /** Source of collapses. Old proofs lack this field; their collapses were computed from curves. */
  stability: { collapses: z.literal("hindsight").exactOptional() },
  /** Last included evaluation that was requested after training; absent if none. */
  transfer: { evaluations: z.int().exactOptional() },
};

const common = {
  sweepIds: z.array(z.string()),
  dependent: z.enum(storedChoices).exactOptional(),
  equal: z.literal("once").exactOptional(),
  unclear: z.literal("counted").exactOptional(),
};
const schemas = new Map<string, z.ZodType>([
  ["built", z.strictObject({ kind: z.literal("built"), options: TableOptions, ...common })],
  ...questionIds.map((id) => {
    const fields = { ...questionOptions[id].shape, ...storedFields[id], ...common };
    return [id, z.strictObject({ kind: z.literal(id), ...fields })] as const;
  }),
]);

/** Reads a stored query; throws a `ZodError` if it is none. */
export function parseQuery(stored: unknown): TableQuery {
  const { kind } = z.object({ kind: z.enum([...schemas.keys()]) }).parse(stored);
  return (schemas.get(kind) ?? z.never()).parse(stored) as TableQuery;
}

/** True for tables with hindsight labels or alarms, which exist only after the detector processed the runs. */
export function isOfLabels(query: { kind?: unknown; collapses?: unknown }): boolean {
  return query.collapses === "hindsight" || needsOf(query).includes("labels");
}

/** True for tables with the stored final success of runs. */
export function isOfSuccess(query: { kind?: unknown }): boolean {
  return needsOf(query).includes("success");
}

function needsOf({ kind }: { kind?: unknown }): readonly string[] {
  return typeof kind === "string" && isQuestion(kind) ? questions[kind].needs : [];
}
