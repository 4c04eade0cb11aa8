import type { Replayed } from "#server/db/detections.ts";
import { parseStoredSpec } from "#server/domain/import/storedSpec.ts";
import { shippedConfig } from "#server/domain/stability/config.ts";
import { makeStatuses, toEffective } from "#server/domain/stability/detector.ts";
import { causesOnly } from "#server/domain/stability/evaluation/causesOnly.ts";
import { lookingBack } from "#server/domain/stability/label/hindsight.ts";
import { samplingOf } from "#server/domain/stability/logs/samplingOf.ts";
import { advancing, startStanding, statusesOf, withRates } from "#server/domain/stability/online.ts";
import type { Point } from "#server/domain/stability/signals/point.ts";
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
