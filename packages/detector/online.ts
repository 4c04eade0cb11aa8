import { z } from "zod";
import { fromMetricValue, MetricValue, toMetricValue } from "#trainer/spec/event.ts";
import {
  contradictScales,
  findScaledRates,
  toShares,
  type RateScale,
  finish,
  type Interruptible,
} from "#packages/base";
import { shippedConfig } from "./config.ts";
import { makeDetector, type DetectorState, type Measured, type StepReading } from "./detector.ts";
import type { CollapseEvent } from "./event.ts";
import { annotations, isRead, type Point } from "./signals/point.ts";
import { statuses, type Status } from "./verdict/status.ts";
import type { EffectiveEpisodes } from "./signals/trackers.ts";

/**
 * Detector state of a live run. External trainers log an iteration in several lines, so the newest point may still be
 * incomplete. The stored state is therefore the state before the newest point.
 */
export type OnlineMemory = {
  before: DetectorState;
  newest: Point | null;
  effective: EffectiveEpisodes;
  /** Scales of success rates that are not logged as fractions, by metric key. */
  scales: Readonly<Record<string, RateScale>>;
};

export type StatusChange = { iteration: number; status: Status };

export type Standing = {
  memory: OnlineMemory;
  status: Status;
  index: number | null;
  iteration: number;
  numSteps: number;
  /** Statuses with the iterations at which they began, ascending, including the first status. */
  changes: readonly StatusChange[];
  /** Keys of the logged metrics that the rules read. */
  keys: readonly string[];
};

/** Result before the first point; the scales of success rates are inferred from the known `points`. */
export function startStanding(effective: EffectiveEpisodes, points: readonly Point[] = []): Standing {
  const before = makeDetector(effective).start();
  const memory = { before, newest: null, effective, scales: scalesOf(points) };
  return { memory, status: "warmup", index: null, iteration: 0, numSteps: 0, changes: [], keys: [] };
}

function scalesOf(points: readonly Point[]): OnlineMemory["scales"] {
  return Object.fromEntries(findScaledRates(points).map(({ key, scale }) => [key, scale]));
}

/** Converts success rates to fractions. Values that cannot be rates get another key, which the rules ignore. */
export function withRates(points: readonly Point[]): readonly Point[] {
  const scales = new Map(Object.entries(scalesOf(points)));
  return scales.size === 0 ? points : points.map((point) => ({ ...point, values: ratesOf(point.values, scales) }));
}

function ratesOf(values: Point["values"], scales: ReadonlyMap<string, RateScale>): Point["values"] {
  return scales.size === 0 ? values : toShares(values, scales, (key) => `${key} (no rate)`);
}

export type Advance = {
  standing: Standing;
  /** First iteration whose stored events are replaced by `events`. */
  from: number;
  events: CollapseEvent[];
};

/** Runs `advancing` without interruption. @testing */
export function advance(standing: Standing, lines: readonly Point[]): Advance | undefined {
  return finish(advancing(standing, lines));
}

/** Steps between two pauses, about ten milliseconds. */
const stepsAtOnce = 500;

/**
 * Advances the detector's result by further log lines. Undefined if the run must be replayed from its start, because
 * a line precedes the newest iteration or contradicts the scale of a success rate. Passing lines one by one or at
 * once gives equal results.
 */
export function* advancing(
  standing: Standing,
  lines: readonly Point[],
  watch?: (measured: Measured) => void,
): Interruptible<Advance | undefined> {
  const { effective, scales } = standing.memory;
  const scaleOf = new Map(Object.entries(scales));
  const detector = makeDetector(effective, shippedConfig, watch);
  const keys = new Set(standing.keys);
  const points: Point[] = standing.memory.newest ? [standing.memory.newest] : [];
  for (const line of lines) {
    if (contradictScales(line.values, scaleOf)) return undefined;
    const values = onlyRelevant(ratesOf(line.values, scaleOf));
    let isEmpty = true;
    for (const key in values) {
      keys.add(key);
      isEmpty = false;
    }
    if (isEmpty) continue;
    const last = points.at(-1);
    if (last && line.iteration < last.iteration) return undefined;
    const marks = line.annotations ?? (last?.iteration === line.iteration ? last.annotations : undefined);
    if (last?.iteration === line.iteration) points.pop();
    const joined = last?.iteration === line.iteration ? { ...last.values, ...values } : values;
    points.push({ iteration: line.iteration, values: joined, ...(marks && { annotations: marks }) });
  }
  const [first] = points;
  const newest = points.at(-1);
  if (!first || !newest) return { standing, from: Infinity, events: [] };

  let before = standing.memory.before;
  let state = before;
  let reading: StepReading | undefined;
  const changes = standing.changes.filter(({ iteration }) => iteration < first.iteration);
  const events: CollapseEvent[] = [];
  for (const [i, point] of points.entries()) {
    if (i % stepsAtOnce === stepsAtOnce - 1) yield;
    before = state;
    const taken = detector.next(state, point);
    state = taken.state;
    events.push(...taken.events);
    reading = taken.reading ?? reading;
    if (taken.reading && changes.at(-1)?.status !== taken.reading.status) {
      changes.push({ iteration: point.iteration, status: taken.reading.status });
    }
  }
  return {
    standing: {
      memory: { before, newest, effective, scales },
      status: reading?.status ?? standing.status,
      index: reading?.index ?? standing.index,
      iteration: newest.iteration,
      numSteps: state.step + 1,
      changes,
      keys: [...keys].sort(),
    },
    from: first.iteration,
    events,
  };
}

/** Returns the status at each point of a replayed run; undefined if points without read metrics have no status. */
export function statusesOf({ numSteps, changes }: Standing, points: readonly Point[]): Status[] | undefined {
  if (numSteps !== points.length) return undefined;
  let at = -1;
  return points.map(({ iteration }) => {
    while ((changes[at + 1]?.iteration ?? Infinity) <= iteration) at += 1;
    return changes[at]?.status ?? "warmup";
  });
}

function onlyRelevant(values: Point["values"]): Point["values"] {
  if (areRead(values)) return values;
  const relevant: Record<string, number> = {};
  for (const key in values) if (isRead(key)) relevant[key] = values[key] ?? NaN;
  return relevant;
}

function areRead(values: Point["values"]): boolean {
  for (const key in values) if (!isRead(key)) return false;
  return true;
}

export function toStoredMemory({ before, newest, effective, scales }: OnlineMemory): unknown {
  const values = Object.entries(newest?.values ?? {}).map(([key, value]) => [key, toMetricValue(value)]);
  return {
    before,
    newest: newest && { ...newest, values: Object.fromEntries(values) },
    effective,
    scales,
  };
}

const StoredMemory = z.object({
  // The stored state is not validated, because a state of another rules version is never read: its run is replayed.
  before: z.custom<DetectorState>((value) => typeof value === "object" && value !== null && "status" in value),
  newest: z
    .object({
      iteration: z.int(),
      values: z.record(z.string(), MetricValue),
      annotations: z.array(z.enum(annotations)).exactOptional(),
    })
    .nullable(),
  effective: z.object({ training: z.number(), heldOut: z.number(), iterations: z.int().exactOptional() }),
  scales: z.record(z.string(), z.enum(["share", "percent", "none"])).default({}),
});

export function parseMemory(stored: unknown): OnlineMemory {
  const { before, newest, effective, scales } = StoredMemory.parse(stored);
  const values = Object.entries(newest?.values ?? {}).map(([key, value]) => [key, fromMetricValue(value)] as const);
  return {
    before,
    newest: newest && { ...newest, values: Object.fromEntries(values) },
    effective,
    scales,
  };
}

export const StatusChanges = z.array(z.object({ iteration: z.int(), status: z.enum(statuses) }));
