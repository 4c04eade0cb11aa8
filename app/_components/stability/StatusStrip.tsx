import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { type Alarm, nameAlarm, nameOutcome, type Outcome, type Status, statuses } from "#packages/detector";
import { states } from "#app/_ui/states.ts";

type Props = {
  changes: readonly { iteration: number; status: Status }[];
  last: number;
  /** Length of the run in iterations, drawn as the strip's full width. */
  length: number;
  collapseStep?: number | undefined;
};

const round = (x: number): number => Number(x.toFixed(2));

/**
 * Draws the detector's states over a run's iterations as a strip; a notch marks the collapse in hindsight. A status has
 * one path, because the rectangles of all changes were half of a page's elements.
 */
export function StatusStrip({ changes, last, length, collapseStep }: Props) {
  const x = (iteration: number) => (100 * iteration) / Math.max(1, length);
  return (
    <svg
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      className="h-3 w-full min-w-40 rounded-sm bg-sunken"
      role="img"
      aria-label={changes.map(({ iteration, status }) => `${states[status].title} from ${iteration}`).join(", ")}
    >
      {statuses.map((status) => {
        const path = changes.map((change, i) => {
          const from = x(change.iteration);
          const width = Math.max(0.3, x(changes[i + 1]?.iteration ?? last) - from);
          return change.status === status ? `M${round(from)} 0h${round(width)}v10h${round(-width)}z` : "";
        });
        const d = path.join("");
        return d && <path key={status} d={d} fill={states[status].color} opacity={opacityOf(status)} />;
      })}
      {collapseStep !== undefined && <rect x={x(collapseStep)} width={0.7} height={10} fill="var(--text)" />}
    </svg>
  );
}

/** Opacity of a state in strips and their legend: states without an alarm are paler. */
export function opacityOf(status: Status): number {
  return status === "healthy" || status === "warmup" ? 0.55 : 1;
}

export function AlarmPill({ alarm }: { alarm: Alarm }) {
  return <StatusPill {...states[alarm.word]}>{nameAlarm(alarm)}</StatusPill>;
}

export function HindsightPill({ hindsight }: { hindsight: Omit<Outcome, "fall"> }) {
  return <StatusPill {...states[hindsight.word]}>{nameOutcome(hindsight)}</StatusPill>;
}
