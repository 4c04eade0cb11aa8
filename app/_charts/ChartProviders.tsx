"use client";
import type { ReactNode } from "react";
import type { XAxis } from "#server/domain/runs/series/chartData.ts";
import { ChartAxisProvider, ChartReferencesProvider } from "./chartContext.tsx";
import { ChartRestartsProvider } from "./chartRestarts.tsx";
import { CursorProvider } from "./cursor.tsx";
import { FigureSourceProvider } from "./figureSource.tsx";
import type { ChartScope } from "./useLiveCharts.ts";

type Props = {
  scope: ChartScope;
  keys: string[];
  /** Configurations of the charts; exported figures name their sweeps. */
  cells: readonly { sweepName: string }[];
  x?: XAxis;
  children: ReactNode;
};

/** Provides the data and the cursor that all charts of a page or section share. */
export function ChartProviders({ scope, keys, cells, x = "iteration", children }: Props) {
  return (
    <FigureSourceProvider names={cells.map(({ sweepName }) => sweepName)}>
      <CursorProvider>
        <ChartRestartsProvider scope={scope} keys={keys}>
          <ChartReferencesProvider scope={scope} keys={keys}>
            <ChartAxisProvider scope={scope} kind={x}>
              {children}
            </ChartAxisProvider>
          </ChartReferencesProvider>
        </ChartRestartsProvider>
      </CursorProvider>
    </FigureSourceProvider>
  );
}
