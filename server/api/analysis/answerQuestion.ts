import type { Selection } from "#server/db/runs/points.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { Answered, Answering } from "#server/domain/analysis/answer.ts";
import { type Facts, type Parts, statusesOf } from "#server/domain/analysis/facts.ts";
import { type Asked, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { type Question, type QuestionId, questionIds, questions } from "#server/domain/analysis/questions.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { tableCode } from "#server/domain/publish/tables/proof.ts";
import { parseQuery } from "#server/domain/publish/tables/query.ts";
import { tellLooks } from "#server/domain/runs/looks.ts";
import { provenanceOf, type Table } from "#packages/tables";
import { tellProgress } from "../progress.ts";
import { proveTable } from "./proofs.ts";
import { readCurves, readFacts, readReadings, type Scoped } from "./readFacts.ts";

/** Order of runs, version and counting of a stored table that is computed again; absent for a new question. */
export type Again = Omit<Scoped, "sweepIds">;

type Proved<Found extends Answered> = Omit<Found, keyof Answered | "leftOut"> & {
  sentence?: string;
  table: Table;
  longCsv: string;
  leftOut: LeftOut | null;
  /** Metric of the answer, if the question has one. */
  metric?: string;
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
  readings?: (facts: Facts, options: Options) => readonly string[];
  answer: (facts: Facts, options: Options) => Answered;
};
type Options = Scoped & { metric?: string };

async function answerAny(database: Database, question: AnyAnswering, asked: Options) {
  return proveAnswer(database, question, await readAsked(database, question, asked));
}

/** Answers questions with the same needs, from facts that are read once for the first of them. */
export async function answerTogether<Id extends QuestionId>(
  database: Database,
  given: Readonly<Record<Id, object>>,
  asked: Options,
): Promise<Record<Id, Proved<Answered>>> {
  const all = Object.entries<object>(given).map(([id, answering]) => ({ id, ...answering }) as AnyAnswering);
  const read = all[0] && (await readAsked(database, all[0], asked));
  const answers: [string, Proved<Answered>][] = [];
  for (const one of all) if (read) answers.push([one.id, await proveAnswer(database, one, read)]);
  return Object.fromEntries(answers) as Record<Id, Proved<Answered>>;
}

type Read = { facts: Facts; options: Options };

/** Reads the facts for the answers to a question, and completes its options: the usual metric if none was chosen. */
async function readAsked(
  database: Database,
  { id, curves, readings }: Omit<AnyAnswering, "answer">,
  asked: Options,
): Promise<Read> {
  const { needs, isOfMethods = true }: Question = questions[id];
  const { shape } = questionOptions[id];
  const isWithoutMetric = "metric" in shape && asked.metric === undefined;
  const counted = {
    ...asked,
    isOfMethods,
    ...(!("dependent" in shape) && { dependent: "every" as const }),
  };
  const needed = isWithoutMetric ? [...new Set([...needs, "configurations", "metrics"] as const)] : needs;
  const before: Facts & Partial<Parts> = await readFacts(database, counted, needed);
  const options = isWithoutMetric && before.metrics ? { ...counted, metric: before.metrics.usual } : counted;
  const [curvesOf, readingsOf] = [
    await readCurves(database, curves?.(before, options) ?? [], asked.code),
    await readReadings(database, { ...before, code: asked.code }, readings?.(before, options) ?? []),
  ];
  return { facts: { ...before, curvesOf, readingsOf }, options };
}

/** Computes an answer and proves its table. */
async function proveAnswer(
  database: Database,
  { id, answer }: Pick<AnyAnswering, "id" | "answer">,
  { facts, options }: Read,
) {
  tellProgress("Computing");
  const { proved = {}, isFinal = true, table: bare, leftOut = facts.leftOut, ...found } = answer(facts, options);
  const { looks }: Question = questions[id];
  const told = tellLooks(
    facts.runs.map(({ run }) => run),
    looks,
  );
  const table = { label: id, provenance: provenanceOf(facts.sweeps), ...bare, notes: [...bare.notes, ...told] };
  const isOfToday = (options.code ?? tableCode) === tableCode;
  const provable = { table, statuses: statusesOf(facts), isFinal: isFinal && isOfToday, leftOut, ends: facts.ends };
  const query = parseQuery({ kind: id, sweepIds: options.sweepIds, ...proved });
  const { metric } = options;
  return {
    ...found,
    ...(metric !== undefined && { metric }),
    leftOut,
    table: await proveTable(database, query, provable),
  };
}
