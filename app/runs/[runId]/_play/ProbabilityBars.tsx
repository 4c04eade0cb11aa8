import { classes } from "#app/_ui/classes.ts";

/** `key` is set where labels may repeat, as for byte-level tokens. */
export type Bar = { key?: number; label: string; probability: number; isMarked: boolean };

/** Probabilities as text and as bars on one scale. */
export function ProbabilityBars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  return (
    <ol aria-label={label} className="flex max-h-64 flex-col gap-0.5 overflow-y-auto">
      {bars.map(({ key, label, probability, isMarked }) => (
        <li key={key ?? label} className="grid grid-cols-[minmax(0,1fr)_3.5rem] items-center gap-2 font-mono text-xs">
          <span className="relative min-w-0 rounded-sm px-1 leading-5">
            <span
              aria-hidden="true"
              className={classes("absolute inset-y-0 left-0 rounded-sm", isMarked ? "bg-accent/35" : "bg-edge/25")}
              style={{ width: `${100 * probability}%` }}
            />
            <span className={classes("relative break-words", isMarked && "font-semibold")}>{label}</span>
          </span>
          <span className="text-right tabular-nums">{formatShare(probability)}</span>
        </li>
      ))}
    </ol>
  );
}

function formatShare(x: number): string {
  if (Number.isNaN(x)) return "NaN";
  return x > 0 && x < 0.0005 ? "<0.1 %" : `${(100 * x).toFixed(1)} %`;
}
