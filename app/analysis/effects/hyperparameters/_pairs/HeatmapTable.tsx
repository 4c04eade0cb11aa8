"use client";
import { useMemo } from "react";
import { formatValue } from "#app/_charts/format.ts";
import { shadeColor } from "#app/_components/shadeColor.ts";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { prepareHeatmap } from "./prepareHeatmap.ts";

type Props = { down: StudyColumn; across: StudyColumn; outcome: StudyColumn };

/** Heat map of means over two hyperparameters, darker for higher values; combinations without runs stay empty. */
export function HeatmapTable({ down, across, outcome }: Props) {
  const map = useMemo(() => prepareHeatmap(down, across, outcome), [down, across, outcome]);
  const shade = (value: number) => (map.high > map.low ? (value - map.low) / (map.high - map.low) : 0);
  return (
    <>
      <Table caption={`${outcome.title} by ${down.title} and ${across.title}`}>
        <thead>
          <tr>
            <HeadCell>
              {down.title} ╲ {across.title}
            </HeadCell>
            {map.columns.map((column) => (
              <HeadCell key={column} className="text-right whitespace-nowrap">
                {column}
              </HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {map.rows.map((row, r) => (
            <tr key={row}>
              <th
                scope="row"
                className="border-t border-line px-3 py-1 text-left text-sm font-medium whitespace-nowrap"
              >
                {row}
              </th>
              {map.columns.map((column, c) => {
                const cell = map.cells[r]?.[c];
                return (
                  <Cell
                    key={column}
                    className="py-1.5 text-right text-sm whitespace-nowrap"
                    style={cell && { background: shadeColor("accent", shade(cell.mean)) }}
                  >
                    {cell ? (
                      <>
                        {formatValue(cell.mean)} <span className="text-xs">({cell.n})</span>
                      </>
                    ) : (
                      <span className="text-xs text-muted">not run</span>
                    )}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </Table>
      <p className="mt-2 max-w-4xl text-xs text-muted">
        Means with the number of runs in parentheses. Nothing is interpolated
        {map.isBinned && "; where values are many, six bins of equal width"}.
      </p>
    </>
  );
}
