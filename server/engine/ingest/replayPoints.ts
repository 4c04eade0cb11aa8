import type { Replayed } from "#server/db/analysis/detections.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import {
  shippedConfig,
  makeStatuses,
  toEffective,
  causesOnly,
  lookingBack,
  advancing,
  startStanding,
  statusesOf,
  withRates,
  type Point,
} from "#packages/detector";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { finishInTurns } from "./finishInTurns.ts";

/** Stored cell and end of a run; an unfinished run gets no hindsight label. */
type Circumstances = { spec: unknown; isOver: boolean; hasDiverged: boolean };

/**
 * Replays a run from its start under the rules; `points` are as logged. Undefined if iterations do not ascend. A long
 * run takes a second, with other work of this process in between.
 */
export async function replayPoints(
  points: readonly Point[],
  { spec, isOver, hasDiverged }: Circumstances,
): Promise<Replayed | undefined> {
  const effective = toEffective(samplingOf(parseStoredSpec(spec), isOver ? points.length : undefined));
  const causes = makeStatuses(causesOnly(shippedConfig), effective);
  const reading = advancing(startStanding(effective, points), points, isOver ? causes.watch : undefined);
  const advanced = await finishInTurns(reading);
  if (advanced === undefined) return undefined;
  const { standing, events } = advanced;
  if (!isOver) return { standing, events, hindsight: null };
  const whole = statusesOf(standing, points);
  const statuses = whole && { whole, causes: causes.statuses };
  const hindsight = await finishInTurns(lookingBack(withRates(points), { effective, hasDiverged, statuses }));
  return { standing, events, hindsight };
}
