import type { BareTable, Table } from "#packages/tables";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import type { Facts, Parts } from "./facts.ts";
import type { OptionsOf } from "./questionOptions.ts";
import type { QuestionId, questions } from "./questions.ts";

type FactsFor<Id extends QuestionId> = Facts &
  Pick<Parts, Extract<(typeof questions)[Id]["needs"][number], keyof Parts>>;

/** Options of a question, with the usual metric if none was chosen. */
export type OptionsFor<Id extends QuestionId> = Omit<OptionsOf<Id>, "dependent" | "metric"> &
  ("metric" extends keyof OptionsOf<Id> ? { metric: string } : unknown);

export type Answered = {
  /** Result in a sentence, above table and figures; empty or absent if there is none yet. */
  sentence?: string;
  /** The proof is added, and, if absent, the question's name as label and the sweeps as provenance. */
  table: BareTable & Partial<Table>;
  longCsv: string;
  /** Options by which the proof computes the table again, with chosen defaults. */
  proved?: Readonly<Record<string, unknown>>;
  /** False if the table may still change after all runs have ended, or has numbers of former code. */
  isFinal?: boolean;
  /** Runs that the table leaves out, if others than the facts say. */
  leftOut?: LeftOut | null;
};

/** Computes the answer to a question from facts that one reader has read. */
export type Answering<Id extends QuestionId, Found extends Answered = Answered> = {
  /** Curves to read. Called with all other facts; `curvesOf` returns none yet. */
  curves?(facts: FactsFor<Id>, options: OptionsFor<Id>): readonly Selection[];
  /** Metrics whose curves would fill the memory: they are read one after another, and only their readings are kept. */
  readings?(facts: FactsFor<Id>, options: OptionsFor<Id>): readonly string[];
  answer(facts: FactsFor<Id>, options: OptionsFor<Id>): Found;
};

type Selection = { runIds: readonly string[]; keys: readonly string[] };
