/** A difference with its 95 % interval; NaN where a number is missing. */
type Effect = { difference: number; interval: { low: number; high: number } };

type Props = Effect & {
  /** Maximum of the axis, which extends from −reach to reach, in the difference's unit. */
  reach: number;
};

const height = 12;

/** Draws a difference as a mark on an axis around zero, and its 95 % interval, if any, as a bar. */
export function EffectBar({ difference, interval: { low, high }, reach }: Props) {
  const x = (value: number) => 50 + (48 * value) / reach;
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      className="my-1 h-3 w-full max-w-md rounded-sm bg-sunken"
    >
      <rect x={49.85} width={0.3} height={height} fill="var(--muted)" />
      {Number.isFinite(low) && <rect x={x(low)} width={x(high) - x(low)} y={4} height={4} fill="var(--edge)" />}
      <rect x={x(difference) - 0.5} width={1} y={1} height={10} fill="var(--text)" />
    </svg>
  );
}

/** Returns the largest absolute value of differences and interval ends; undefined if none is above 0. */
export function findReach(parts: readonly Effect[]): number | undefined {
  const ends = parts.flatMap(({ difference, interval }) => [difference, interval.low, interval.high]);
  const reach = Math.max(0, ...ends.filter(Number.isFinite).map(Math.abs));
  return reach > 0 ? reach : undefined;
}
