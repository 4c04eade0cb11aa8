import type { Selection } from "#server/db/runs/points.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { Answered, Answering } from "#server/domain/analysis/answer.ts";
import { type Facts, statusesOf } from "#server/domain/analysis/facts.ts";
import { type Asked, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { type Question, type QuestionId, questionIds, questions } from "#server/domain/analysis/questions.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { parseQuery } from "#server/domain/publish/tables/query.ts";
import { provenanceOf, type Table } from "#packages/tables";
import { tellProgress } from "../progress.ts";
import { proveTable } from "./proofs.ts";
import { readCurves, readFacts, type Scoped } from "./readFacts.ts";

/** Order of runs, version and counting of a stored table that is computed again; absent for a new question. */
export type Again = Omit<Scoped, "sweepIds">;

type Proved<Found extends Answered> = Omit<Found, keyof Answered | "leftOut"> & {
  sentence?: string;
  table: Table;
  longCsv: string;
  leftOut: LeftOut | null;
};

type Ask<Id extends QuestionId, Found extends Answered> = (
  database: Database,
  asked: Asked<Id> & Again,
) => Promise<Proved<Found>>;

/** Returns, by question, the function that reads the facts, computes the answer, and proves the table. */
export function makeAsks<Given extends { [Id in QuestionId]?: Answering<Id> }>(given: Given) {
  const asks = questionIds
    .filter((id) => id in given)
    .map((id) => {
      const question: unknown = given[id];
      const answering = { id, ...(question as object) } as AnyAnswering;
      return [id, (database: Database, asked: Options) => answerAny(database, answering, asked)] as const;
    });
  type Found<Id> = Id extends keyof Given
    ? Given[Id] extends { answer(...asked: never[]): infer Of }
      ? Of
      : never
    : never;
  return Object.fromEntries(asks) as unknown as {
    [Id in keyof Given & QuestionId]: Ask<Id, Found<Id> & Answered>;
  };
}

/** A question whose types of options and facts are not known; `readFacts` reads what its row of the list needs. */
type AnyAnswering = {
  id: QuestionId;
  curves?: (facts: Facts, options: Options) => readonly Selection[];
  answer: (facts: Facts, options: Options) => Answered;
};
type Options = Scoped & { metric?: string };

async function answerAny(database: Database, { id, curves, answer }: AnyAnswering, asked: Options) {
  const { needs, countsAll }: Question = questions[id];
  const { shape } = questionOptions[id];
  const options = {
    ...asked,
    isOfMethods: true,
    ...(!("dependent" in shape) && { dependent: "every" as const }),
    ...(countsAll && { equal: "counted" as const }),
    ...("metric" in shape && { metric: asked.metric ?? (await readUsualMetric(database, asked.sweepIds)) }),
  };
  const before = await readFacts(database, options, needs);
  const facts = { ...before, curvesOf: await readCurves(database, curves?.(before, options) ?? []) };
  tellProgress("Computing");
  const { proved = {}, isFinal = true, table: bare, leftOut = facts.leftOut, ...found } = answer(facts, options);
  const table = { ...bare, provenance: provenanceOf(facts.sweeps) };
  const isOfToday = !facts.isFormer && !facts.isOfStoredOrder;
  const provable = { table, statuses: statusesOf(facts), isFinal: isFinal && isOfToday, leftOut };
  const query = parseQuery({ kind: id, sweepIds: options.sweepIds, ...proved });
  return { ...found, leftOut, table: await proveTable(database, query, provable) };
}

/** Returns the metric that is shown by default for some sweeps. */
export async function readUsualMetric(database: Database, sweepIds: readonly string[]): Promise<string> {
  return (await readFacts(database, { sweepIds }, ["configurations", "metrics"])).metrics.usual;
}
