import type { Row, TableCell } from "../table.ts";
import { averager } from "./average.ts";
import { methodCell, textCell } from "./columnParts.ts";
import type { Numbers } from "./compute.ts";
import type { FullWording, ReferenceRow } from "./options.ts";

/** Cells of a row by column key; columns without a panel stay empty. */
type Keyed = ReadonlyMap<string, TableCell>;

/** Typed rows, each under its source: they have no runs and are not ranked. */
export function toReferenceRows({ panels, formats, averaged, layout }: Numbers, wording: FullWording) {
  return (keys: readonly string[]): Row[] =>
    wording.references.map((reference): Row => {
      const cells = panels.map((_, c) => toCell(reference.values[c], formats[c]?.shift ?? 0));
      const average = averager(panels, averaged, layout.options.averageOf)(cells);
      const keyed: Keyed = new Map([
        ["method", methodCell(reference.method)],
        ["average", average],
        ...panels.map(({ key }, c): [string, TableCell] => [key, cells[c] ?? { kind: "missing" }]),
      ]);
      return {
        cells: keys.map((key) => keyed.get(key) ?? textCell("")),
        runIds: [],
        heading: `${reference.source} (typed in, not run here)`,
        isReference: true,
      };
    });
}

/** Typed as displayed: 62.36 in a percent column is the fraction .6236. */
function toCell(value: ReferenceRow["values"][number] | undefined, shift: number): TableCell {
  return value === null || value === undefined ? { kind: "missing" } : { kind: "number", value: value / 10 ** shift };
}
