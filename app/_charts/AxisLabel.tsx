import { labelSize, linesOf, nameLine, slant, widthOf, type LabelledTick } from "./axes.ts";

type Props = {
  labels: readonly LabelledTick[];
  /** For labels below the x-axis: the last one would be cut at the edge. The chart passes its `width` to a tick. */
  figureWidth?: number;
  /** From the chart: where the tick is, in pixels, and its value. */
  x?: number;
  y?: number;
  payload?: { value: number };
};

/** A tick's label, below the x-axis or beside the y-axis. */
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

/** What an axis shows, where the page does not name it. */
export function AxisName({ text, x, y, isUpright = false }: NameProps) {
  if (text === undefined) return null;
  // A page is wide enough for the name of an axis below.
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
