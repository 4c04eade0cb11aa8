import { type ColumnSizingState, createColumnHelper, type Header, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ButtonHTMLAttributes, type CSSProperties, memo, useEffect, useMemo, useRef, useState } from "react";
import type { Order } from "#server/domain/runs/table/scope.ts";
import { type GridColumn, gridFeatures, type GridRow } from "./gridColumn.ts";
import { classes } from "#app/_ui/classes.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";

const rowHeight = 36;

type Props<Item> = {
  label: string;
  columns: readonly GridColumn<Item>[];
  numRows: number;
  itemAt: (index: number) => Item | undefined;
  /** Called with the indices of the first and last rendered row when they change. */
  onRange: (first: number, last: number) => void;
  order: Order;
  onOrder: (order: Order) => void;
  /** Moves a column from one index to another; undefined if the order of columns is fixed. */
  onMove?: (from: number, to: number) => void;
  sizing: ColumnSizingState;
  onSizing: (sizing: ColumnSizingState) => void;
  active: number;
  isSelected: (item: Item) => boolean;
  onPick: (index: number) => void;
};

/** A table of any length that renders only its visible rows. All columns except the first scroll sideways. */
export function VirtualGrid<Item>(props: Props<Item>) {
  const { columns, numRows, active } = props;
  const { scroller, items, height, data } = useRowsInSight(props);
  const table = useGridTable(props, data);
  const headers = table.getFlatHeaders();
  // On a narrow screen the width of the first, fixed column is limited, so that other columns are visible too.
  const widths = headers.map((header, i) => (i === 0 ? `min(${header.getSize()}px, 45vw)` : `${header.getSize()}px`));
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={props.label}
      aria-rowcount={numRows + 1}
      aria-colcount={columns.length}
      tabIndex={0}
      className="relative h-[calc(100dvh-14rem)] min-h-80 overflow-auto rounded-lg border border-line bg-surface contain-strict"
      style={{ "--grid-columns": [...widths, "1fr"].join(" ") } as CSSProperties}
    >
      <div className="w-max min-w-full">
        <GridHead headers={headers} columns={columns} onMove={props.onMove} />
        <div role="rowgroup" className="relative" style={{ height }}>
          {table.getRowModel().rows.map(({ original: { index, item } }, i) => (
            <GridLine
              key={index}
              index={index}
              top={items[i]?.start ?? index * rowHeight}
              item={item}
              columns={columns}
              isActive={index === active}
              isSelected={item !== undefined && props.isSelected(item)}
              onPick={props.onPick}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Returns the rows to render, that is, the visible ones with a margin, and scrolls the active row into view. */
function useRowsInSight<Item>({ numRows, itemAt, onRange, active }: Props<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: numRows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: rowHeight,
    initialRect: { width: 1200, height: 800 },
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onRange(first, last), [onRange, first, last]);
  useEffect(() => {
    if (active >= 0) virtualizer.scrollToIndex(active);
  }, [virtualizer, active]);
  const data = useMemo(
    () => items.map(({ index }): GridRow<Item> => ({ index, item: itemAt(index) })),
    // The virtualizer makes a new list at every render, so the memo depends on the first and last index.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [first, last, numRows, itemAt],
  );
  return { scroller, items, height: virtualizer.getTotalSize(), data };
}

/** Returns the table's state: column widths and sort order. The server sorts the rows. */
function useGridTable<Item>({ columns, order, onOrder, sizing, onSizing }: Props<Item>, data: GridRow<Item>[]) {
  const definitions = useMemo(() => toDefinitions(columns), [columns]);
  const sorting = order.map(({ field, isDescending }) => ({ id: field, desc: isDescending }));
  return useTable({
    features: gridFeatures,
    columns: definitions,
    data,
    getRowId: ({ index }) => String(index),
    columnResizeMode: "onChange",
    manualSorting: true,
    maxMultiSortColCount: 4,
    state: { sorting, columnSizing: sizing },
    onSortingChange: (change) => {
      const after = typeof change === "function" ? change(sorting) : change;
      onOrder(after.map(({ id, desc }) => ({ field: id, isDescending: desc })));
    },
    onColumnSizingChange: (change) => onSizing(typeof change === "function" ? change(sizing) : change),
  });
}

function toDefinitions<Item>(columns: readonly GridColumn<Item>[]) {
  const helper = createColumnHelper<typeof gridFeatures, GridRow<Item>>();
  return columns.map(({ key, width, isNumber }) =>
    // The first click on a numeric column sorts in descending order.
    helper.accessor(({ item }): unknown => item, {
      id: key,
      size: width,
      minSize: 48,
      maxSize: 600,
      sortDescFirst: isNumber,
    }),
  );
}

type DrawLineProps<Item> = {
  index: number;
  /** Distance in pixels from the top of the table's first row. */
  top: number;
  /** Data of the row; undefined while they load. */
  item: Item | undefined;
  columns: readonly GridColumn<Item>[];
  isActive: boolean;
  isSelected: boolean;
  onPick: (index: number) => void;
};

/** A row of the table. It is memoized, because otherwise scrolling would render forty rows per frame. */
const GridLine = memo(drawLine) as typeof drawLine;

function drawLine<Item>({ index, top, item, columns, isActive, isSelected, onPick }: DrawLineProps<Item>) {
  const ground = isSelected
    ? "bg-[color-mix(in_srgb,var(--accent)_10%,var(--surface))]"
    : isActive
      ? "bg-sunken"
      : "bg-surface";
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      onClick={() => onPick(index)}
      className={classes(
        "group absolute inset-x-0 grid h-9 [grid-template-columns:var(--grid-columns)] border-b border-line",
        ground,
        isActive && "outline-2 -outline-offset-2 outline-accent",
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map((column, i) => (
        <div
          key={column.key}
          role="gridcell"
          aria-colindex={i + 1}
          className={classes(
            "flex min-w-0 items-center overflow-hidden px-2 whitespace-nowrap",
            column.isNumber && "justify-end",
            i === 0 && "sticky left-0 z-10 border-r border-line",
            i === 0 && ground,
          )}
        >
          {item === undefined ? <Skeleton className="h-3 w-2/3" /> : column.cell(item, index)}
        </div>
      ))}
    </div>
  );
}

type GridHeadProps<Item> = {
  headers: readonly Header<typeof gridFeatures, GridRow<Item>>[];
  columns: readonly GridColumn<Item>[];
  onMove?: ((from: number, to: number) => void) | undefined;
};

/** Header row: a click sorts (with Shift, by several columns); dragging, or Shift and an arrow key, moves a column. */
function GridHead<Item>({ headers, columns, onMove }: GridHeadProps<Item>) {
  const { movesOf, target } = useMoves(columns.length, onMove);
  return (
    <div role="rowgroup" className="sticky top-0 z-20">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-9 [grid-template-columns:var(--grid-columns)] border-b border-line bg-sunken text-xs leading-4"
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
                className={classes("min-h-6 min-w-0 flex-1 rounded", column?.isNumber ? "text-right" : "text-left")}
              >
                <span className="line-clamp-2">
                  {column?.title}
                  {sorted && <span aria-hidden="true">{sorted === "asc" ? " ↑" : " ↓"}</span>}
                </span>
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

function useMoves(numColumns: number, onMove: GridHeadProps<unknown>["onMove"]) {
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
        // The header element moves with its column and would lose the focus without this call.
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
