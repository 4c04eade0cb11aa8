type Props = {
  iterations: readonly number[];
  values: readonly number[];
  /** End of the axis, in iterations. */
  last: number;
  /** Maximum over all configurations; the axis starts at 0. */
  highest: number;
  color: string;
};

const size = { width: 200, height: 26 };

/** The mean over training as a small curve without axes. */
export function Sparkline({ iterations, values, last, highest, color }: Props) {
  const to = Math.max(last, iterations.at(-1) ?? 0, 1);
  const points = iterations.map((x, i) => {
    const y = Math.max(0, values[i] ?? 0) / (highest || 1);
    return `${((x / to) * size.width).toFixed(1)},${(size.height - 2 - y * (size.height - 4)).toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      height={size.height}
      aria-hidden="true"
      className="block w-full max-w-96"
    >
      <line
        x1="0"
        x2={size.width}
        y1={size.height - 1}
        y2={size.height - 1}
        stroke="var(--line)"
        vectorEffect="non-scaling-stroke"
      />
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke={color}
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
