"use client";
import type { PlotArea } from "./FigureDrawing.tsx";
import { useLiftedLine } from "./liftedLine.tsx";
import { shortNames } from "./lineEnds.ts";
import { placeLineNames, type EndOfLine } from "./placeLineNames.ts";

type Props = {
  /** In pixels. */
  ends: readonly (EndOfLine & { color: string })[];
  plot: PlotArea;
  /** Pixels right of the plot. */
  room: number;
};

/** Names at the ends of lines; pointing at one lifts its line everywhere. */
export function LineNames({ ends, plot, room }: Props) {
  const [lifted, lift] = useLiftedLine();
  const colors = new Map(ends.map(({ id, color }) => [id, color]));
  const right = plot.x + plot.width;
  const isInside = (x: number) => x < right - 4;
  const { names, numLeft } = placeLineNames(ends, plot);
  const short = shortNames(names, room);
  return (
    <g>
      {names.map(({ id, label, x, y, at }, i) => (
        <g
          key={id}
          opacity={lifted === null || lifted === id ? 1 : 0.35}
          onPointerEnter={() => lift(id)}
          onPointerLeave={() => lift(null)}
        >
          <path
            d={`M${Math.min(right, x).toFixed(1)} ${y.toFixed(1)}H${right + 2}L${right + 8} ${at.toFixed(1)}h4`}
            fill="none"
            stroke={colors.get(id)}
            strokeWidth={isInside(x) ? 0.8 : 1.2}
            strokeDasharray={isInside(x) ? "1 2" : undefined}
          />
          <text x={right + 14} y={at + 4} fontSize={11} fill="var(--text)">
            {short[i]}
            <title>{label}</title>
          </text>
        </g>
      ))}
      {numLeft > 0 && (
        <text x={right + 14} y={plot.y + plot.height - 3} fontSize={11} fill="var(--muted)">
          and {numLeft} more
        </text>
      )}
    </g>
  );
}
