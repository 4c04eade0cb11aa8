import { toCatalogueUnit } from "#server/domain/external/canonical.ts";
import type { TrackedMetric } from "#server/domain/mlflow/store.ts";

/** A point that is stored: its value in the catalogue's unit; its time, where it is known. */
export type StoredPoint = { step: number; timestampMs: number | undefined; value: number };

/** Which of these points, in their order, were never given before: a point is its key, step, time and value. */
export type Sift = (metrics: readonly TrackedMetric[]) => Promise<TrackedMetric[]>;

type Memory = { newestMs: number; atNewest: Set<string>; all: Set<string> | undefined };

/**
 * Tells repeated points from new ones. Of each key the points of its newest moment are remembered, which is enough while
 * clocks go forward; only a point from before it has the key's stored points looked through (`load`, by the trainer's
 * own key), once.
 */
export function makePointMemory({
  load,
  isEmpty,
}: {
  load: (key: string) => Promise<readonly StoredPoint[]>;
  isEmpty: boolean;
}): Sift {
  const memories = new Map<string, Memory>();
  const recall = async (key: string): Promise<Memory> => {
    const points = isEmpty ? [] : await load(key);
    const newestMs = points.reduce((newest, { timestampMs = -Infinity }) => Math.max(newest, timestampMs), -Infinity);
    const newest = points.filter(({ timestampMs }) => timestampMs === newestMs);
    // Where a time is not known, no moment can be called the newest.
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
      // Awaited only where there is something to wait for: a promise a point is a third of what a batch costs.
      const memory = memories.get(key) ?? (await recall(key));
      if (timestampMs < memory.newestMs && memory.all === undefined) {
        // What this call has taken so far is not stored yet.
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
