"use client";
import type { PlotArea } from "./FigureDrawing.tsx";
import { labelSize } from "./axes.ts";
import { isBehind, useLiftedLine } from "./liftedLine.tsx";
import { type EndOfLine, placeLineNames, shortNames } from "./lineEnds.ts";

type Props = {
  /** Last point of each line, in pixels, with the line's look. */
  ends: readonly (EndOfLine & { color: string; dash?: string | undefined })[];
  plot: PlotArea;
  /** Width in pixels right of the plot for whiskers and line names. */
  room: number;
  /** Pixels of `room`, next to the plot, that the interval whiskers occupy. */
  taken?: number;
};

/** Maximum vertical distance in pixels between a line's end and its name. A steeper leader would look like data. */
const longestLeader = 9;

/** Line names right of the plot, in the order of the lines' ends; hovering one highlights its line in all charts. */
export function LineNames({ ends, plot, room, taken = 0 }: Props) {
  const [lifted, lift] = useLiftedLine();
  const looks = new Map(ends.map((end) => [end.id, end]));
  const edge = plot.x + plot.width;
  const { names, numLeft } = placeLineNames(ends, plot);
  const short = shortNames(names, room - taken);
  const left = edge + taken;
  return (
    <g>
      {names.map(({ id, label, x, y, at }, i) => (
        <g
          key={id}
          opacity={isBehind(id, lifted) ? 0.35 : 1}
          onPointerEnter={() => lift(id)}
          onPointerLeave={() => lift()}
        >
          {taken === 0 && x >= edge - 4 && Math.abs(at - y) <= longestLeader && (
            <path
              d={`M${edge + 3} ${y.toFixed(1)}L${edge + 8} ${at.toFixed(1)}`}
              stroke="var(--edge)"
              strokeWidth={0.8}
            />
          )}
          <path
            d={`M${left + 9} ${at.toFixed(1)}h10`}
            stroke={looks.get(id)?.color}
            strokeWidth={2.5}
            strokeDasharray={looks.get(id)?.dash}
          />
          <text x={left + 22} y={at + 4} fontSize={labelSize} fill="var(--text)">
            {short[i]}
            <title>{label}</title>
          </text>
        </g>
      ))}
      {numLeft > 0 && (
        <text x={left + 22} y={plot.y + plot.height - 3} fontSize={labelSize} fill="var(--muted)">
          and {numLeft} more
        </text>
      )}
    </g>
  );
}
