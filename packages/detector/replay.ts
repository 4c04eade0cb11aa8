import type { Detector, StepReading } from "./detector.ts";
import type { CollapseEvent } from "./event.ts";
import type { Point } from "./signals/point.ts";
import type { Status } from "./verdict/status.ts";

export type Replay = { readings: StepReading[]; events: CollapseEvent[] };

/** Runs the detector from a run's start, which is simpler than repairing a state after a resume or late point. */
export function replay(detector: Detector, points: readonly Point[]): Replay {
  let state = detector.start();
  const readings: StepReading[] = [];
  const events: CollapseEvent[] = [];
  for (const point of points) {
    const taken = detector.next(state, point);
    state = taken.state;
    if (taken.reading) readings.push(taken.reading);
    events.push(...taken.events);
  }
  return { readings, events };
}

/** Returns each status, including the first, with the iteration at which it began. */
export function statusChanges(readings: readonly StepReading[]): { iteration: number; status: Status }[] {
  return readings.flatMap(({ iteration, status }, i) =>
    i === 0 || readings[i - 1]?.status !== status ? [{ iteration, status }] : [],
  );
}
