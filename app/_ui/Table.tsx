import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from "react";
import { classes } from "./classes.ts";

/** A table that scrolls sideways on narrow screens instead of widening the page. */
export function Table({ caption, children, className }: { caption: string; children: ReactNode; className?: string }) {
  return (
    <div
      role="region"
      aria-label={caption}
      tabIndex={0}
      className={classes(
        "scroll-hint overflow-x-auto rounded-lg border border-line bg-surface [--ground:var(--surface)]",
        className,
      )}
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  );
}

type HeadItem = ReactNode | { number: ReactNode };

/** Header row of a table: column titles, right-aligned for numeric columns; an item that is false is omitted. */
export function Head({ cells }: { cells: readonly HeadItem[] }) {
  return (
    <thead>
      <tr>
        {cells.map((cell, i) => {
          if (typeof cell === "object" && cell !== null && "number" in cell) {
            return (
              <HeadCell key={i} className="text-right">
                {cell.number}
              </HeadCell>
            );
          }
          return typeof cell === "string" ? <HeadCell key={i}>{cell}</HeadCell> : cell;
        })}
      </tr>
    </thead>
  );
}

type RecordsProps = {
  caption: string;
  columns: readonly (string | { number: string })[];
  rows: readonly { key: number; cells: readonly ReactNode[] }[];
};

/** Table of few rows and many columns. On narrow screens each row is a list with a line per column. */
export function RecordTable({ caption, columns, rows }: RecordsProps) {
  const named = columns.map((column) =>
    typeof column === "string" ? { title: column, align: "" } : { title: column.number, align: "sm:text-right" },
  );
  return (
    <Table caption={caption}>
      <thead className="max-sm:sr-only">
        <tr>
          {named.map(({ title, align }) => (
            <HeadCell key={title} className={align}>
              {title}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key} className="max-sm:block max-sm:border-line max-sm:py-2 max-sm:not-first:border-t">
            {named.map(({ title, align }, i) => (
              <Cell key={title} className={classes("max-sm:flex max-sm:gap-3 max-sm:border-0 max-sm:py-1", align)}>
                <span aria-hidden className="w-28 shrink-0 text-xs/6 text-muted sm:hidden">
                  {title}
                </span>
                <span>{cells[i]}</span>
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

type GridProps = {
  caption: string;
  corner: string;
  columns: readonly string[];
  columnClassName?: string;
  rows: readonly { title: string; cells: readonly ReactNode[] }[];
  rowClassName?: string;
};

/** Table with a heading per row and per column, such as a heat map over two settings. */
export function GridTable({ caption, corner, columns, columnClassName, rows, rowClassName }: GridProps) {
  const heading = classes("border-t border-line px-3 py-1 text-left text-sm font-medium", rowClassName);
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          <HeadCell>{corner}</HeadCell>
          {columns.map((column, i) => (
            <HeadCell key={i} className={classes("text-right", columnClassName)}>
              {column}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ title, cells }, i) => (
          <tr key={i}>
            <th scope="row" className={heading}>
              {title}
            </th>
            {cells}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function HeadCell({ className, ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return (
    <th
      scope="col"
      className={classes("border-b border-line px-3 py-2 text-xs font-medium text-muted", className)}
      {...rest}
    />
  );
}

export function Cell({ className, ...rest }: TdHTMLAttributes<HTMLTableCellElement>) {
  return <td className={classes("border-t border-line px-3 py-2 align-middle", className)} {...rest} />;
}

/** Header of a column of buttons, whose name only screen readers announce. */
export function ActionsHead({ className }: { className?: string }) {
  return (
    // `relative` keeps the visually hidden text inside the table; without it the page would scroll sideways.
    <HeadCell className={classes("relative", className)}>
      <span className="sr-only">Actions</span>
    </HeadCell>
  );
}
