import { groupBy } from "#server/domain/groupBy.ts";
import type { PlotArea, Scale } from "./FigureDrawing.tsx";
import { isBehind, useLiftedLine } from "./liftedLine.tsx";
import type { Whisker } from "./prepareChart.ts";

type Props = {
  whiskers: readonly Whisker[];
  toX: Scale;
  toY: Scale;
  plot: PlotArea;
  /** Width in pixels beside the plot. */ lane: number;
};

/** Intervals at the last points of lines. Intervals of lines that end together are side by side, highest value first. */
export function Whiskers({ whiskers, toX, toY, plot, lane }: Props) {
  const [lifted] = useLiftedLine();
  const step = lane / Math.max(1, whiskers.length);
  const together = groupBy(whiskers, ({ x }) => Math.round(toX(x) / 4));
  return (
    <g aria-hidden="true">
      {[...together.values()].flatMap((same) =>
        same
          .toSorted((a, b) => b.y - a.y)
          .map(({ id, color, x, y, low, high }, i) => {
            const at = Math.min(toX(x), plot.x + plot.width) + 4 + i * step;
            const [top, bottom] = [toY(high), toY(low)];
            const cap = Math.min(2, step / 2);
            return (
              <g key={id} opacity={isBehind(id, lifted) ? 0.2 : 1}>
                <path
                  d={`M${at - cap} ${top.toFixed(1)}h${2 * cap}M${at} ${top.toFixed(1)}V${bottom.toFixed(1)}m${-cap} 0h${2 * cap}`}
                  fill="none"
                  stroke={color}
                  strokeWidth={Math.min(1.25, step / 2)}
                />
                <circle cx={at} cy={toY(y)} r={Math.min(2, step / 2)} fill={color} />
              </g>
            );
          }),
      )}
    </g>
  );
}
