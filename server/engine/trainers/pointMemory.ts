import { toCatalogueUnit } from "#packages/trainers";
import type { TrackedMetric } from "#server/domain/trainers/mlflow/store.ts";

/** A stored measurement: its value in the studio's unit for the metric, and its time if known. */
export type StoredPoint = { step: number; timestampMs: number | undefined; value: number };

/** Stored measurements: `load` reads those of a metric key, and need not be called if there are none (`isEmpty`). */
export type StoredPoints = { load: (key: string) => Promise<readonly StoredPoint[]>; isEmpty: boolean };

/** Returns the new measurements, in order. Two are equal if key, step, time and value are equal. */
export type Sift = (metrics: readonly TrackedMetric[]) => Promise<TrackedMetric[]>;

type Memory = { newestMs: number; atNewest: Set<string>; all: Set<string> | undefined };

/**
 * Makes a filter for repeated measurements. Per key it remembers those of the latest time, which suffices while clocks
 * go forward. For an earlier time, `load` reads all of the key once, by the trainer's own key.
 */
export function makePointMemory({ load, isEmpty }: StoredPoints): Sift {
  const memories = new Map<string, Memory>();
  const recall = async (key: string): Promise<Memory> => {
    const points = isEmpty ? [] : await load(key);
    const newestMs = points.reduce((newest, { timestampMs = -Infinity }) => Math.max(newest, timestampMs), -Infinity);
    const newest = points.filter(({ timestampMs }) => timestampMs === newestMs);
    // If a stored measurement has no time, there is no latest time, and all measurements must be remembered.
    const isVague = points.some(({ timestampMs }) => timestampMs === undefined);
    const all = isVague ? new Set(points.map(identityOf)) : undefined;
    const memory = { newestMs: isVague ? Infinity : newestMs, atNewest: new Set(newest.map(identityOf)), all };
    memories.set(key, memory);
    return memory;
  };
  const isNew = (metric: TrackedMetric, memory: Memory): boolean => {
    const point = toPoint(metric);
    const identity = identityOf(point);
    if (metric.timestampMs > memory.newestMs) {
      memory.newestMs = metric.timestampMs;
      memory.atNewest = new Set([identity]);
    } else if (metric.timestampMs === memory.newestMs) {
      if (memory.atNewest.has(identity)) return false;
      memory.atNewest.add(identity);
    } else if (memory.all?.has(identity) || memory.all?.has(identityOf({ ...point, timestampMs: undefined }))) {
      return false;
    }
    memory.all?.add(identity);
    return true;
  };
  return async (metrics) => {
    const fresh: TrackedMetric[] = [];
    for (const metric of metrics) {
      const { key, timestampMs } = metric;
      // A promise per measurement would take a third of a batch's time, so `recall` is awaited only for a new key.
      const memory = memories.get(key) ?? (await recall(key));
      if (timestampMs < memory.newestMs && memory.all === undefined) {
        // Measurements accepted earlier in this call are not yet stored.
        const pending = fresh.filter((one) => one.key === key).map(toPoint);
        memory.all = new Set([...(await load(key)), ...pending].map(identityOf));
      }
      if (isNew(metric, memory)) fresh.push(metric);
    }
    return fresh;
  };
}

function toPoint({ key, step, timestampMs, value }: TrackedMetric): StoredPoint {
  return { step, timestampMs, value: toCatalogueUnit(key, value) };
}

function identityOf({ step, timestampMs, value }: StoredPoint): string {
  return `${step} ${timestampMs ?? "?"} ${value}`;
}
