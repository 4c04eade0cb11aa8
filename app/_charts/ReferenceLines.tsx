import type { PlotArea } from "./FigureDrawing.tsx";
import { baselineDash } from "#server/domain/series/dashes.ts";
import { cutName } from "./lineEnds.ts";
import { placeLineNames } from "./placeLineNames.ts";
import type { DrawnReference } from "./prepareReferences.ts";

/** Pixels from a line to the middle of its name above it. */
const lift = 8;

type Props = {
  references: readonly DrawnReference[];
  plot: PlotArea;
  /** True: names are drawn above the level, or below it without room, at the right end of the plot. False: names are beside the plot. */
  isNamed: boolean;
};

/** Horizontal reference levels across the plot. */
export function ReferenceLines({ references, plot, isNamed }: Props) {
  const right = plot.x + plot.width;
  const ends = references.map(({ id, label, short, y }) => {
    const isWhole = cutName(label, plot.width) === label;
    return { id, label: isWhole ? label : short, x: right, y: y - lift };
  });
  return (
    <g>
      {references.map(({ id, color, y }) => (
        <path
          key={id}
          d={`M${plot.x} ${y.toFixed(1)}H${right}`}
          fill="none"
          stroke={color}
          strokeWidth={1.5}
          strokeDasharray={baselineDash}
        />
      ))}
      {(isNamed ? placeLineNames(ends, plot).names : []).map(({ id, label, at }) => (
        <text
          key={id}
          x={right - 3}
          y={at + 4}
          fontSize={11}
          textAnchor="end"
          fill="var(--text)"
          stroke="var(--surface)"
          strokeWidth={3}
          paintOrder="stroke"
        >
          {label}
          <title>{references.find((one) => one.id === id)?.label}</title>
        </text>
      ))}
    </g>
  );
}
