import { writeCaption, writeNotes, type Facts } from "./caption.ts";
import { metricsOf, type FullOptions } from "./options.ts";
import { listPanels, type Panel } from "./panels.ts";
import type { LaidRow, RowKind } from "./rows.ts";

/** Properties of a results table besides its options: kind of rows, columns and wording. */
export type Form = {
  rows: RowKind;
  listPanels: (rows: readonly LaidRow[], environments: readonly string[], options: FullOptions) => Panel[];
  label: (facts: Facts) => string;
  caption: (facts: Facts) => string;
  notes: (facts: Facts) => string[];
  /** True if table rows with few seeds get a mark. */
  hasCaveats: boolean;
};

/** Form of a table whose rows and columns are defined by its options alone. */
export const freeForm: Form = {
  rows: "joined",
  listPanels,
  label: ({ wording, options }) => wording.label || ["table", ...metricsOf(options)].join("-"),
  caption: writeCaption,
  notes: writeNotes,
  hasCaveats: true,
};
