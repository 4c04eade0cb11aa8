import type { Header } from "@tanstack/react-table";
import { classes } from "#app/_ui/classes.ts";
import type { GridColumn, GridRow } from "./gridColumn.ts";
import type { gridFeatures } from "./gridFeatures.ts";

type Props<Item> = {
  headers: readonly Header<typeof gridFeatures, GridRow<Item>>[];
  columns: readonly GridColumn<Item>[];
};

/** Names of columns: a click sorts by one, with shift by several; the edge makes it wider. */
export function GridHead<Item>({ headers, columns }: Props<Item>) {
  return (
    <div role="rowgroup" className="sticky top-0 z-20">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-9 [grid-template-columns:var(--grid-columns)] border-b border-line bg-sunken text-sm"
      >
        {headers.map((header, i) => {
          const column = columns[i];
          const sorted = header.column.getIsSorted();
          return (
            <div
              key={header.id}
              role="columnheader"
              aria-colindex={i + 1}
              aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
              className={classes(
                "relative flex min-w-0 items-center gap-2 bg-sunken px-2 font-medium",
                i === 0 && "sticky left-0 z-10 border-r border-line",
              )}
            >
              <button
                type="button"
                title={column?.hint || column?.title}
                onClick={header.column.getToggleSortingHandler()}
                className={classes("min-w-0 flex-1 truncate rounded", column?.isNumber ? "text-right" : "text-left")}
              >
                {column?.title}
                {sorted && <span aria-hidden="true">{sorted === "asc" ? " ↑" : " ↓"}</span>}
              </button>
              <span
                aria-hidden="true"
                onMouseDown={header.getResizeHandler()}
                onTouchStart={header.getResizeHandler()}
                onDoubleClick={() => header.column.resetSize()}
                className={classes(
                  "absolute inset-y-1.5 right-0 w-1.5 cursor-col-resize touch-none border-r border-edge/40 hover:border-accent",
                  header.column.getIsResizing() && "border-accent",
                )}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
