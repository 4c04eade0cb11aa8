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
 * Detector state of a live run. Other trainers log an iteration in several lines, so the newest point may still grow;
 * the stored state is the one before it.
 */
export type OnlineMemory = {
  before: DetectorState;
  newest: Point | null;
  effective: EffectiveEpisodes;
  /** Scales of success rates that are not logged as fractions, by key. */
  scales: Readonly<Record<string, RateScale>>;
};

export type StatusChange = { iteration: number; status: Status };

/** Detector state of a run. */
export type Standing = {
  memory: OnlineMemory;
  status: Status;
  index: number | null;
  iteration: number;
  numSteps: number;
  /** Iterations at which the status changed, ascending, the first included. */
  changes: readonly StatusChange[];
  /** Logged metrics that the rules read. */
  keys: readonly string[];
};

/**
 * Detector state of a run before its first point; `points` are known values, from which the scale of success rates is
 * detected.
 */
export function startStanding(effective: EffectiveEpisodes, points: readonly Point[] = []): Standing {
  const before = makeDetector(effective).start();
  const memory = { before, newest: null, effective, scales: scalesOf(points) };
  return { memory, status: "warmup", index: null, iteration: 0, numSteps: 0, changes: [], keys: [] };
}

function scalesOf(points: readonly Point[]): OnlineMemory["scales"] {
  return Object.fromEntries(findScaledRates(points).map(({ key, scale }) => [key, scale]));
}

/** Converts success rates of points to fractions, whatever the run logs; values that are no rates are dropped. */
export function withRates(points: readonly Point[]): readonly Point[] {
  const scales = new Map(Object.entries(scalesOf(points)));
  return scales.size === 0 ? points : points.map((point) => ({ ...point, values: ratesOf(point.values, scales) }));
}

function ratesOf(values: Point["values"], scales: ReadonlyMap<string, RateScale>): Point["values"] {
  return scales.size === 0 ? values : toShares(values, scales, (key) => `${key} (no rate)`);
}

export type Advance = {
  standing: Standing;
  /** Iteration from which on these events replace the stored ones. */
  from: number;
  events: CollapseEvent[];
};

/** Runs `advancing` without interruption. @testing */
export function advance(standing: Standing, lines: readonly Point[]): Advance | undefined {
  return finish(advancing(standing, lines));
}

/** Number of steps between two pauses, about ten milliseconds of work. */
const stepsAtOnce = 500;

/**
 * Advances by further lines. Undefined if the run must be replayed from its start: a line precedes the newest
 * iteration, or shows that success is logged in percent. Line by line or all at once, the result is the same.
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

/**
 * Status at each point of a replayed run; undefined if some points have no metric that the rules read, and therefore no
 * status.
 */
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

/** Encodes the detector state as JSON; the newest point may contain non-finite values. */
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
  // Not validated: a state that another version of the rules wrote is never read, because its run is replayed.
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
