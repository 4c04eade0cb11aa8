import { memo } from "react";
import { classes } from "#app/_ui/classes.ts";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import type { GridColumn } from "./gridColumn.ts";

type Props<Item> = {
  index: number;
  /** Pixels from the top of all rows. */
  top: number;
  /** Undefined while it loads. */
  item: Item | undefined;
  columns: readonly GridColumn<Item>[];
  isActive: boolean;
  isSelected: boolean;
  onPick: (index: number) => void;
};

/** A row of the grid. Memoized: otherwise scrolling would render forty rows per frame. */
export const GridLine = memo(drawLine) as typeof drawLine;

function drawLine<Item>({ index, top, item, columns, isActive, isSelected, onPick }: Props<Item>) {
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
