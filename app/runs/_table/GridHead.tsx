import type { Header } from "@tanstack/react-table";
import { useState, type ButtonHTMLAttributes } from "react";
import { classes } from "#app/_ui/classes.ts";
import type { GridColumn, gridFeatures, GridRow } from "./gridColumn.ts";

type Props<Item> = {
  headers: readonly Header<typeof gridFeatures, GridRow<Item>>[];
  columns: readonly GridColumn<Item>[];
  /** Moves a column to another's place; undefined if the order is fixed. The first column stays. */
  onMove?: ((from: number, to: number) => void) | undefined;
};

/** Column headers: a click sorts by one column, with Shift by several; the edge resizes. Dragging, or Shift and an arrow key, moves a column. */
export function GridHead<Item>({ headers, columns, onMove }: Props<Item>) {
  const { movesOf, target } = useMoves(columns.length, onMove);
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
                target === i && "shadow-[inset_2px_0_0_var(--accent)]",
              )}
            >
              <button
                type="button"
                {...movesOf(i)}
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

/** Drag-and-drop props of a header, and the current drop target. */
function useMoves(numColumns: number, onMove: Props<unknown>["onMove"]) {
  const [from, setFrom] = useState<number>();
  const [target, setTarget] = useState<number>();
  const move = (source: number, to: number) => {
    if (onMove && to >= 1 && to < numColumns && to !== source) onMove(source, to);
  };
  const forget = () => {
    setFrom(undefined);
    setTarget(undefined);
  };
  const movesOf = (i: number): ButtonHTMLAttributes<HTMLButtonElement> => {
    if (!onMove || i === 0) return {};
    return {
      draggable: true,
      "aria-keyshortcuts": "Shift+ArrowLeft Shift+ArrowRight",
      onKeyDown: (event) => {
        const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
        if (!event.shiftKey || step === 0) return;
        event.preventDefault();
        const { currentTarget } = event;
        move(i, i + step);
        // The element moves with its column, and would lose the focus.
        requestAnimationFrame(() => currentTarget.focus());
      },
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = "move";
        setFrom(i);
      },
      onDragOver: (event) => {
        if (from === undefined) return;
        event.preventDefault();
        setTarget(i);
      },
      onDrop: (event) => {
        event.preventDefault();
        if (from !== undefined) move(from, i);
        forget();
      },
      onDragEnd: forget,
    };
  };
  return { movesOf, target: from === undefined ? undefined : target };
}
