import { Fragment, type ReactNode } from "react";
import {
  type Column,
  type Row,
  type Table,
  type TableCell,
  columnGroups,
  isTextColumn,
  markBest,
  toParts,
} from "#packages/tables";
import { classes } from "#app/_ui/classes.ts";
import { keepTogether } from "#app/_ui/keepTogether.ts";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import { Cell, HeadCell, Table as Frame } from "#app/_ui/Table.tsx";

const marks = { best: "font-bold", second: "underline underline-offset-2", none: "" } as const;
const arrows = { up: " ↑", down: " ↓", none: "" } as const;

/**
 * A last column that only the page has, such as links, with a cell per row, or `none`. On narrow screens a cell
 * is a line below its row.
 */
export type Beside = { header: string; cells: readonly ReactNode[]; none: ReactNode };
type Props = { table: Table; children?: ReactNode; beside?: Beside };

/**
 * Shows a results table with the same numbers, rounding and marks (best, second best) as its exported files.
 * `children`: further lines below the folded notes.
 */
export function TableView({ table, children, beside }: Props) {
  const marked = markBest(table);
  const { columns, rows } = table;
  const shared = sharedCaveat(rows);
  const align = columns.map((_, c) => (isTextColumn(rows, c) ? "" : "text-right"));
  return (
    <figure>
      <Frame caption={table.caption}>
        <thead>
          <GroupHeads columns={columns} />
          <tr>
            {columns.map(({ key, header, unit, better }, c) => (
              <HeadCell key={key} className={classes("max-sm:px-1", align[c])}>
                {keepTogether(header)}
                {unit && ` (${unit})`}
                {arrows[better]}
              </HeadCell>
            ))}
            {beside && <HeadCell className="max-sm:hidden">{beside.header}</HeadCell>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <Fragment key={`${row.runIds.join()} ${r}`}>
              <Heading row={row} before={rows[r - 1]} span={columns.length + (beside ? 1 : 0)} />
              <tr className={classes(row.isOurs && "bg-sunken", row.isReference && "text-muted italic")}>
                {columns.map((column, c) => (
                  <Cell
                    key={column.key}
                    className={classes(
                      "whitespace-nowrap max-sm:px-1 max-sm:text-xs",
                      align[c],
                      // Narrow screens wrap names, so that the first results are visible.
                      !align[c] && isLong(row.cells[c], column, c) && "max-sm:whitespace-normal",
                      row.isChange && "border-t-0 pt-0 text-xs text-muted",
                      row.isChange && c === 0 && "pl-8",
                    )}
                  >
                    {isMethod(column) && !row.isChange && !row.isReference && (
                      <MethodDot name={methodOf(row.cells[c])} names={methodsOf(table, c)} />
                    )}
                    <CellText cell={row.cells[c]} column={column} mark={marks[marked[r]?.[c] ?? "none"]} />
                    {c === 0 && !row.isChange && <Badges row={row} hasCaveat={shared === undefined} />}
                  </Cell>
                ))}
                {beside && <Cell className="max-sm:hidden">{beside.cells[r] ?? beside.none}</Cell>}
              </tr>
              {beside?.cells[r] !== undefined && (
                <LineBelow header={beside.header} cell={beside.cells[r]} span={columns.length} />
              )}
            </Fragment>
          ))}
        </tbody>
      </Frame>
      {shared && <p className="mt-2 text-xs text-warn">For every row: {shared.sentence}.</p>}
      <Notes table={table}>{children}</Notes>
    </figure>
  );
}

function LineBelow({ header, cell, span }: { header: string; cell: ReactNode; span: number }) {
  return (
    <tr className="sm:hidden">
      <td colSpan={span} className="px-1 pb-2 text-xs">
        {header}: {cell}
      </td>
    </tr>
  );
}

/** Returns the caveat about the number of seeds if it applies to all rows; it is then shown once, below the table. */
function sharedCaveat(rows: readonly Row[]): Row["caveat"] {
  const counted = rows.filter(({ isReference, isChange }) => !isReference && !isChange);
  const [first] = counted;
  const isShared = counted.length > 1 && counted.every(({ caveat }) => caveat?.sentence === first?.caveat?.sentence);
  return isShared ? first?.caveat : undefined;
}

function Badges({ row, hasCaveat }: { row: Row; hasCaveat: boolean }) {
  return (
    <>
      {row.isOurs && (
        <span className="ml-2 rounded-full border border-line px-1.5 text-xs font-normal text-muted">ours</span>
      )}
      {hasCaveat && row.caveat && (
        <span
          title={row.caveat.sentence}
          className="ml-2 rounded-full border border-warn/50 px-1.5 text-xs font-normal text-warn max-sm:hidden"
        >
          {row.caveat.word}
        </span>
      )}
    </>
  );
}

/** Caption and footnotes; how the table was computed is folded. */
function Notes({ table, children }: { table: Table; children?: ReactNode }) {
  const { caption, footnotes = [], notes, provenance } = table;
  const { planHash } = provenance;
  return (
    <figcaption className="mt-2 max-w-4xl space-y-1 text-xs text-muted">
      <p>{caption}</p>
      {footnotes.map(({ mark, text }) => (
        <p key={mark}>
          <sup>{mark}</sup> {text}
        </p>
      ))}
      {(notes.length > 0 || planHash || children) && (
        <details>
          <summary className="w-fit cursor-pointer">How this table was computed</summary>
          <div className="mt-1 space-y-1">
            {notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
            {planHash && (
              <p>
                Plan <code>{planHash}</code>
              </p>
            )}
            {children}
          </div>
        </details>
      )}
    </figcaption>
  );
}

function GroupHeads({ columns }: { columns: readonly Column[] }) {
  const groups = columnGroups(columns);
  if (groups.length === 0) return null;
  return (
    <tr>
      {groups.map(({ name, from, span }) =>
        name === "" ? (
          // A plain table cell replaces a column heading without text, which screen readers would announce as empty.
          <td key={from} colSpan={span} />
        ) : (
          <th
            key={from}
            colSpan={span}
            scope="colgroup"
            className="border-b border-line px-3 pt-2 pb-1 text-center text-xs font-medium"
          >
            {name}
          </th>
        ),
      )}
    </tr>
  );
}

function Heading({ row, before, span }: { row: Row; before: Row | undefined; span: number }) {
  if (row.heading === undefined || row.heading === before?.heading) return null;
  return (
    <tr>
      <th colSpan={span} scope="rowgroup" className="border-t border-line px-3 pt-2 pb-1 text-xs font-medium italic">
        {row.heading}
      </th>
    </tr>
  );
}

function CellText({ cell, column, mark }: { cell: TableCell | undefined; column: Column; mark: string }) {
  const parts = toParts(cell, column);
  switch (parts.kind) {
    case "missing":
      return (
        <span className="text-muted">
          {parts.isDiverged ? "nan" : "–"}
          <Signs signs={parts.marks} />
        </span>
      );
    case "text":
      return parts.text;
    case "change":
      return toMinus(parts.text) + (parts.isPercent ? "%" : "");
    case "number": {
      const { spread, stars, numCollapsed, marks: footnoteMarks } = parts;
      const behind = [parts.partOf, parts.change].filter(Boolean);
      const beside = spread.kind === "none" ? "" : toMinus(spread.text);
      return (
        <>
          <span className={mark}>{toMinus(parts.text)}</span>
          <span className={classes(spread.kind !== "none" && "max-sm:block")}>
            {spread.kind !== "none" && (
              <span className="text-muted"> {spread.kind === "plusMinus" ? `± ${beside}` : beside}</span>
            )}
            <Signs
              signs={[
                ...(stars === "" ? [] : [stars]),
                ...(numCollapsed > 0 ? [`†${numCollapsed}`] : []),
                ...footnoteMarks,
              ]}
            />
            {behind.length > 0 && <span className="text-muted"> ({behind.join(", ")})</span>}
          </span>
        </>
      );
    }
  }
}

/** Writes the minus sign of text; files keep the hyphen. */
function toMinus(number: string): string {
  return number.replaceAll("-", "−");
}

function Signs({ signs }: { signs: readonly string[] }) {
  return signs.length > 0 && <sup className="ml-px">{signs.join(",")}</sup>;
}

/** True for columns whose texts begin with a method, which has a colour. */
function isMethod({ key }: Column): boolean {
  return key === "method" || key === "configuration";
}

/** False for the name of a method alone, which stays on the line of its dot, and for short texts right of the names. */
function isLong(cell: TableCell | undefined, column: Column, index: number): boolean {
  if (isMethod(column)) return textOf(cell).includes(" · ");
  return index === 0 || textOf(cell).length > maxUnbroken;
}

/** Maximum characters of a text right of the names that stays on one line. */
const maxUnbroken = 20;

function methodsOf({ rows }: Table, column: number): string[] {
  return rows.flatMap(({ isChange, isReference, cells }) => (isChange || isReference ? [] : [methodOf(cells[column])]));
}

/** Returns the method of a configuration such as "GRPO · Learning rate 0.001". */
function methodOf(cell: TableCell | undefined): string {
  return textOf(cell).split(" · ")[0] ?? "";
}

function textOf(cell: TableCell | undefined): string {
  return cell?.kind === "text" ? cell.text : "";
}
