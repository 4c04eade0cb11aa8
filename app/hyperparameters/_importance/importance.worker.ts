import { studyImportance, type ImportanceStudy } from "#server/domain/importance/study.ts";
import type { Column } from "#server/domain/importance/column.ts";

export type ImportanceQuestion = { id: number; columns: readonly Column[]; outcome: readonly (number | null)[] };
export type ImportanceAnswer = { id: number; study: ImportanceStudy };

// A forest takes longer than a page may be held up.
addEventListener("message", ({ data }: MessageEvent<ImportanceQuestion>) => {
  const { id, columns, outcome } = data;
  postMessage({ id, study: studyImportance(columns, outcome) } satisfies ImportanceAnswer);
});
