import { markBest } from "#server/domain/tables/marks.ts";
import { formatNumber } from "#server/domain/tables/number.ts";
import type { Column, Table, TableCell } from "#server/domain/tables/table.ts";
import { colourIndex } from "#server/domain/sweep/colours.ts";
import { classes } from "#app/_ui/classes.ts";
import { methodColour } from "#app/_ui/methodColour.ts";
import { Cell, HeadCell, Table as Frame } from "#app/_ui/Table.tsx";

const marks = { best: "font-bold", second: "underline underline-offset-2", none: "" } as const;
const arrows = { up: " ↑", down: " ↓", none: "" } as const;

/** A table model as a page shows it: the same numbers, roundings and marks as its exports. */
export function TableView({ table }: { table: Table }) {
  const marked = markBest(table);
  return (
    <figure>
      <Frame caption={table.caption}>
        <thead>
          <tr>
            {table.columns.map(({ key, header, unit, better }, c) => (
              <HeadCell key={key} className={isText(table, c) ? "" : "text-right"}>
                {header}
                {unit && ` (${unit})`}
                {arrows[better]}
              </HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(({ cells, runIds }, r) => (
            <tr key={runIds.join() || r}>
              {table.columns.map((column, c) => (
                <Cell key={column.key} className={classes("whitespace-nowrap", !isText(table, c) && "text-right")}>
                  {column.key === "method" && <MethodDot name={cells[c]} all={table} column={c} />}
                  <CellText cell={cells[c]} column={column} mark={marks[marked[r]?.[c] ?? "none"]} />
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </Frame>
      <figcaption className="mt-2 max-w-prose text-xs text-muted">
        {table.caption}
        {table.notes.map((note) => (
          <span key={note} className="mt-1 block">
            {note}
          </span>
        ))}
        {table.provenance.planHash && (
          <span className="mt-1 block">
            Plan <code>{table.provenance.planHash}</code>
          </span>
        )}
      </figcaption>
    </figure>
  );
}

function CellText({ cell, column, mark }: { cell: TableCell | undefined; column: Column; mark: string }) {
  switch (cell?.kind) {
    case undefined:
    case "missing":
      return <span className="text-muted">–</span>;
    case "text":
      return cell.text;
    case "number":
      return <span className={mark}>{formatNumber(cell.value, column.format)}</span>;
    case "meanStd":
      return (
        <>
          <span className={mark}>{formatNumber(cell.mean, column.format)}</span>
          {!Number.isNaN(cell.std) && <span className="text-muted"> ± {formatNumber(cell.std, column.format)}</span>}
        </>
      );
  }
}

/** The method's colour, as in the charts. */
function MethodDot({ name, all, column }: { name: TableCell | undefined; all: Table; column: number }) {
  const textOf = (cell: TableCell | undefined) => (cell?.kind === "text" ? cell.text : "");
  const names = all.rows.map(({ cells }) => textOf(cells[column]));
  const background = methodColour(colourIndex(textOf(name), names));
  return <span aria-hidden="true" className="mr-2 inline-block size-2.5 rounded-full" style={{ background }} />;
}

function isText({ rows }: Table, column: number): boolean {
  return rows.some(({ cells }) => cells[column]?.kind === "text");
}
