export { columnGroups, isTextColumn, markBest, toParts } from "./cellParts.ts";
export {
  intervalCell,
  numberCell,
  numberColumn,
  pColumn,
  plainFormat,
  shareColumn,
  textCell,
  textColumn,
} from "./columns.ts";
export { type CsvValue, toCsvText } from "./csv.ts";
export { formatOf, type TableFormat, tableFormats } from "./formats.ts";
export { escapeHtml, toHtml } from "./html.ts";
export { toMarkdown } from "./markdown.ts";
export {
  type BareTable,
  type Column,
  type Estimate,
  estimateCell,
  listRunIds,
  provenanceOf,
  rankValue,
  type Row,
  sortRows,
  type Table,
  type TableCell,
} from "./table.ts";
