"use client";
import { classes } from "../_ui/classes.ts";
import { Skeleton } from "../_ui/Skeleton.tsx";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import type { ChartMoves } from "./ChartMenuPanel.tsx";
import type { ChartPart } from "./chartParts.ts";
import { MetricChart } from "./MetricChart.tsx";
import type { LegendEntry, RunName } from "./names.ts";
import type { ChartSettings, ChartSize } from "./settings.ts";

type Props = {
  /** Metrics in the order of their charts. */
  keys: readonly string[];
  charts: readonly Chart[];
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  /** Charts of each metric, with shared axes. */
  parts: readonly (ChartPart | undefined)[];
  /** Called with a new choice or order of metrics. */
  onKeys: (keys: string[]) => void;
};

/** Charts side by side, with placeholders for charts that are loading. */
export function ChartGrid({ keys, charts, parts, onKeys, ...shared }: Props) {
  const { height, columns } = chartSizeLooks[shared.settings.size];
  return (
    <div className={classes("grid gap-3", columns)}>
      {keys.map((key) => {
        const chart = charts.find((one) => one.key === key);
        if (!chart) return <Skeleton key={key} className="h-72" />;
        const moves = movesOf(key, keys, onKeys);
        return parts.map((part) => (
          <MetricChart key={`${key} ${part?.name}`} {...{ chart, height, moves, part }} {...shared} />
        ));
      })}
    </div>
  );
}

function movesOf(key: string, keys: readonly string[], onKeys: (keys: string[]) => void): ChartMoves {
  const at = keys.indexOf(key);
  const others = keys.filter((one) => one !== key);
  const moveTo = (place: number) => () => onKeys(others.toSpliced(place, 0, key));
  return {
    onEarlier: at > 0 ? moveTo(at - 1) : undefined,
    onLater: at < keys.length - 1 ? moveTo(at + 1) : undefined,
    onRemove: keys.length > 1 ? () => onKeys(others) : undefined,
  };
}

/** Plot height and chart columns by the chosen size. */
const chartSizeLooks: Record<ChartSize, { height: number; columns: string }> = {
  small: { height: 150, columns: "grid-cols-[repeat(auto-fill,minmax(min(19rem,100%),1fr))]" },
  usual: { height: 220, columns: "grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))]" },
  large: { height: 400, columns: "grid-cols-[repeat(auto-fill,minmax(min(44rem,100%),1fr))]" },
};
