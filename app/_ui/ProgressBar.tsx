import { classes } from "./classes.ts";
import type { Tone } from "./StatusPill.tsx";

export type ProgressPart = { label: string; count: number; tone: Tone };

// Finished runs are grey instead of a colour for success, because they may have collapsed.
const fills: Record<Tone, string> = {
  neutral: "bg-edge/50",
  accent: "bg-accent",
  good: "bg-edge",
  warn: "bg-warn",
  bad: "bg-bad",
};

/** A bar with coloured segments side by side, such as runs per state; the remainder up to `total` stays empty. */
export function ProgressBar({ label, parts, total }: { label: string; parts: readonly ProgressPart[]; total: number }) {
  const done = parts.reduce((sum, part) => sum + part.count, 0);
  const counts = parts.filter((part) => part.count > 0).map((part) => `${part.count} ${part.label}`);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={`${counts.join(", ") || "none"} of ${total}`}
      className="flex h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      {parts.map((part) => (
        <div
          key={part.label}
          className={classes("h-full transition-[width]", fills[part.tone])}
          style={{ width: `${total > 0 ? (100 * part.count) / total : 0}%` }}
        />
      ))}
    </div>
  );
}
