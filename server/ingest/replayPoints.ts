import type { Replayed } from "#server/db/detections.ts";
import { parseStoredSpec } from "#server/domain/import/storedSpec.ts";
import { toEffective } from "#server/domain/stability/detector.ts";
import { lookBack } from "#server/domain/stability/label/hindsight.ts";
import { samplingOf } from "#server/domain/stability/logs/samplingOf.ts";
import { advance, startStanding, statusesOf, withRates } from "#server/domain/stability/online.ts";
import type { Point } from "#server/domain/stability/signals/point.ts";

/** A run's cell as it is stored, and how it ended; of one that goes on nothing is said in hindsight. */
type Circumstances = { spec: unknown; isOver: boolean; hasDiverged: boolean };

/** What the rules say of a run from its start: `points` as they were logged. Undefined where iterations do not ascend. */
export function replayPoints(
  points: readonly Point[],
  { spec, isOver, hasDiverged }: Circumstances,
): Replayed | undefined {
  const effective = toEffective(samplingOf(parseStoredSpec(spec)));
  const advanced = advance(startStanding(effective, points), points);
  if (advanced === undefined) return undefined;
  const { standing, events } = advanced;
  if (!isOver) return { standing, events, hindsight: null };
  const statuses = statusesOf(standing, points);
  return { standing, events, hindsight: lookBack(withRates(points), { effective, hasDiverged, statuses }) };
}
