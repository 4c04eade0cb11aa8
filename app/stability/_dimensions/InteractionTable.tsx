import type { InteractionGrid } from "#server/domain/effects/report.ts";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { factorTitles, nameLevel } from "./prepareDimensions.ts";

/** Heat map of means over two dimensions' levels with the number of runs; rows that are not parallel indicate an interaction. */
export function InteractionTable({ grid }: { grid: InteractionGrid }) {
  const [a, b] = grid.factors;
  const means = grid.cells.flat().flatMap((cell) => (cell ? [cell.mean] : []));
  const [low, high] = [Math.min(...means), Math.max(...means)];
  const shade = (mean: number) => (high > low ? Math.round((45 * (mean - low)) / (high - low)) : 0);
  return (
    <Table caption={`${factorTitles[a]} by ${factorTitles[b]}`}>
      <thead>
        <tr>
          <HeadCell>
            {factorTitles[a]} ╲ {factorTitles[b]}
          </HeadCell>
          {grid.columns.map((column) => (
            <HeadCell key={column} className="text-right">
              {nameLevel(b, column)}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {grid.rows.map((row, r) => (
          <tr key={row}>
            <th scope="row" className="border-t border-line px-3 py-1 text-left text-sm font-medium">
              {nameLevel(a, row)}
            </th>
            {grid.columns.map((column, c) => {
              const cell = grid.cells[r]?.[c];
              return (
                <Cell
                  key={column}
                  className="py-1 text-right text-sm whitespace-nowrap"
                  style={
                    cell
                      ? { background: `color-mix(in srgb, var(--accent) ${shade(cell.mean)}%, transparent)` }
                      : undefined
                  }
                >
                  {cell ? (
                    <>
                      {cell.mean.toPrecision(3)} ({cell.n})
                    </>
                  ) : (
                    <span className="text-muted">not run</span>
                  )}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
