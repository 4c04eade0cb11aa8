import { writeCaption, writeNotes, type Facts } from "./caption.ts";
import { metricsOf, type FullOptions } from "./options.ts";
import { listPanels, type Panel } from "./panels.ts";
import type { LaidRow, RowKind } from "./rows.ts";

/** What a table is made of beside its options: which rows, which columns of numbers, which words. */
export type Form = {
  rows: RowKind;
  listPanels: (rows: readonly LaidRow[], environments: readonly string[], options: FullOptions) => Panel[];
  label: (facts: Facts) => string;
  caption: (facts: Facts) => string;
  notes: (facts: Facts) => string[];
  /** Whether rows of few seeds are marked as such. */
  hasCaveats: boolean;
};

/** The table whose options say all. */
export const freeForm: Form = {
  rows: "joined",
  listPanels,
  label: ({ wording, options }) => wording.label || ["table", ...metricsOf(options)].join("-"),
  caption: writeCaption,
  notes: writeNotes,
  hasCaveats: true,
};
