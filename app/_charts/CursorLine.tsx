import { toFraction } from "./axes.ts";
import { CursorReadout } from "./CursorReadout.tsx";
import type { ChartModel } from "./prepareChart.ts";
import type { Reading } from "./valuesAt.ts";

type LineProps = {
  model: ChartModel;
  iteration: number;
  readings: readonly Reading[];
  remarks: readonly string[];
  /** True if the pointer is over this chart, which then prints the values. */
  isOwner: boolean;
};

/** Vertical line at an iteration with a dot on every curve. */
export function CursorLine({ model, iteration, readings, remarks, isOwner }: LineProps) {
  return (
    <>
      <div
        className="pointer-events-none absolute inset-y-0 w-px bg-muted/70"
        style={{ left: toPercent(iteration, model) }}
      />
      {readings.map(({ entry, iteration: x, value }) => (
        <Dot key={entry.id} model={model} x={x} y={value} color={entry.color} />
      ))}
      {isOwner && (
        <CursorReadout
          axis={model.x.name}
          iteration={iteration}
          readings={readings}
          remarks={remarks}
          side={toPercent(iteration, model)}
          isLeft={toFraction(iteration, model.x.domain, "linear") > 0.5}
        />
      )}
    </>
  );
}

/** Position of an iteration, in percent from the left edge of the plot. */
export function toPercent(x: number, model: ChartModel): string {
  return `${100 * toFraction(x, model.x.domain, "linear")}%`;
}

function Dot({ model, x, y, color }: { model: ChartModel; x: number; y: number; color: string }) {
  const height = toFraction(y, model.y.domain, model.y.scale);
  const width = toFraction(x, model.x.domain, "linear");
  if (!(height >= 0 && height <= 1 && width >= 0 && width <= 1)) return null;
  return (
    <div
      className="pointer-events-none absolute size-2 -translate-1/2 rounded-full border border-surface"
      style={{ left: `${100 * width}%`, top: `${100 * (1 - height)}%`, background: color }}
    />
  );
}
