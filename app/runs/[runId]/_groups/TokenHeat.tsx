"use client";
import { tokenBins } from "#trainer/spec/tokenBins.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { type HeatColumn, type HeatName, heatTicks, listCells, sayHeat, toHeatRows } from "./prepareHeat.ts";

const names = { logRatio: "Log-ratio of all trained tokens", advantage: "Advantage of all trained tokens" } as const;

type Props = { name: HeatName; columns: readonly HeatColumn[] };

/** Heat map over the kept iterations: each column shows how its tokens spread over fixed bins. */
export function TokenHeat({ name, columns }: Props) {
  const cells = listCells(name, columns);
  const numBins = tokenBins[name].length + 1;
  const largest = Math.max(...cells.map(({ share }) => share));
  return (
    <SvgFigure
      title={names[name]}
      caption={sayHeat(name, columns)}
      x={{
        label: "Iteration",
        domain: [0, columns.length],
        ticks: columns.map((_, i) => i + 0.5),
        format: (at) => String(columns[Math.floor(at)]?.from ?? ""),
      }}
      y={{
        label: name === "logRatio" ? "Log ratio, new to old policy" : "Advantage",
        domain: [0, numBins],
        ...heatTicks(name),
      }}
      data={toHeatRows(name, columns)}
    >
      {({ x, y }) =>
        cells.map(({ column, bin, share, words }) => (
          <rect
            key={`${column} ${bin}`}
            x={x(column)}
            y={y(bin + 1)}
            width={x(column + 1) - x(column)}
            height={y(bin) - y(bin + 1)}
            fill="var(--accent)"
            // The square root keeps rare values visible.
            fillOpacity={Math.max(0.06, Math.sqrt(share / largest))}
          >
            <title>{words}</title>
          </rect>
        ))
      }
    </SvgFigure>
  );
}
