import { labelSize, linesOf, nameLine, slant, widthOf, type LabelledTick } from "./axes.ts";

type Props = {
  labels: readonly LabelledTick[];
  /** Passed to the chart's ticks for labels below the x-axis: keeps the last label inside the figure. */
  figureWidth?: number;
  /** From recharts: the tick's position in pixels, and its value. */
  x?: number;
  y?: number;
  payload?: { value: number };
};

/** Label of a tick, below the x-axis or beside the y-axis. */
export function AxisLabel({ labels, figureWidth, x = 0, y = 0, payload }: Props) {
  const { text = "", isSlanted = false } = labels.find(({ value }) => value === payload?.value) ?? {};
  const isBelow = figureWidth !== undefined;
  return (
    <text
      x={isBelow && !isSlanted ? Math.min(x, figureWidth - widthOf(text) / 2) : x}
      y={isBelow ? y + 8 : y + 4}
      textAnchor={isBelow && !isSlanted ? "middle" : "end"}
      transform={isSlanted ? `rotate(${-(slant * 180) / Math.PI} ${x} ${y + 4})` : undefined}
      fontSize={labelSize}
      fill="var(--muted)"
    >
      {text}
    </text>
  );
}

type NameProps = { text: string | undefined; x: number; y: number; isUpright?: boolean };

/** Name of an axis, where the page does not show it. */
export function AxisName({ text, x, y, isUpright = false }: NameProps) {
  if (text === undefined) return null;
  // An x-axis is wide enough for its name on one line.
  const lines = isUpright ? linesOf(text) : [text];
  return (
    <text
      transform={`translate(${x} ${y})${isUpright ? " rotate(-90)" : ""}`}
      textAnchor="middle"
      fontSize={labelSize}
      fill="var(--text)"
    >
      {lines.map((line, i) => (
        <tspan key={line} x={0} y={i * nameLine}>
          {line}
        </tspan>
      ))}
    </text>
  );
}
