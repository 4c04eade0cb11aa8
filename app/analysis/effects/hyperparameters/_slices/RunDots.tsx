import { memo } from "react";
import type { Scale } from "#app/_charts/FigureDrawing.tsx";
import type { Looks } from "../_study/looks.ts";
import type { Positions } from "./prepareSlice.ts";

type Along = Pick<Positions, "positions" | "isStepped">;
type Props = {
  points: { x: Along; y: Along };
  scales: { x: Scale; y: Scale };
  looks: Looks;
  isBrushed: readonly boolean[];
};

const radius = 3;
/** Distance in pixels to each side of a level over which its dots are spread; half of it on the y-axis. */
const spread = 22;

/** Draws a dot per run, as one SVG path per colour. Runs outside the brushes are faint. */
export const RunDots = memo(function RunDots({ points, scales, looks, isBrushed }: Props) {
  const paths = looks.looks.map(() => "");
  let outside = "";
  for (const [run, look] of looks.lookOf.entries()) {
    const [left, top] = [points.x.positions[run] ?? null, points.y.positions[run] ?? null];
    if (left === null || top === null) continue;
    const cx = scales.x(left) + (points.x.isStepped ? spread * offsetOf(run, 0.7548777) : 0);
    const cy = scales.y(top) + (points.y.isStepped ? (spread / 2) * offsetOf(run, 0.5698403) : 0);
    const dot = `M${(cx - radius).toFixed(1)} ${cy.toFixed(1)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
    if (isBrushed[run]) paths[look] = (paths[look] ?? "") + dot;
    else outside += dot;
  }
  return (
    <g>
      <path d={outside} fill="var(--line)" />
      {paths.map((path, i) => (
        <path
          key={looks.looks[i]?.label}
          d={path}
          fill={looks.looks[i]?.color}
          stroke="var(--surface)"
          strokeWidth={0.5}
        />
      ))}
    </g>
  );
});

/** Returns a run's offset from −1 to 1, evenly distributed and the same in all figures (Roberts's R2 sequence). */
function offsetOf(run: number, step: number): number {
  return 2 * ((run * step) % 1) - 1;
}
