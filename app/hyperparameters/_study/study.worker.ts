import { studyImportance, type ImportanceStudy } from "#server/domain/importance/study.ts";
import type { Column } from "#server/domain/importance/column.ts";
import { prepareRanks, type Ranked, type RankedTable } from "../_rank/prepareRanks.ts";
import type { StudyColumn } from "./prepareStudy.ts";

/** Slow computations off the main thread: random forests, and bootstraps of ranks. */
export type Question =
  { kind: "importance"; columns: readonly Column[]; outcome: StudyColumn } | ({ kind: "ranks" } & Ranked);

export type Answers = { importance: ImportanceStudy; ranks: RankedTable[] };

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  postMessage(answer(data));
});

function answer(question: Question): Answers[Question["kind"]] {
  if (question.kind === "ranks") return prepareRanks(question);
  const { columns, outcome } = question;
  const targets = outcome.values.map((value) => (typeof value === "number" ? value : null));
  return studyImportance(columns, targets);
}
