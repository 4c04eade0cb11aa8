import { toMetricValue, type RunEvent } from "#trainer/spec/event.ts";
import type { ForeignRun } from "./foreignRun.ts";

type Origin = { specHash: string; code: string; atMs: number };

/** A foreign run as the event log it would have written: what reads our logs then reads it too. */
export function toEventLog({ points, originals, notes }: ForeignRun, { specHash, code, atMs }: Origin): string {
  const first = points[0]?.atMs ?? atMs;
  const last = points.at(-1)?.atMs ?? atMs;
  const events: RunEvent[] = [
    {
      v: 1,
      seq: 0,
      atMs: first,
      type: "started",
      specHash,
      code,
      host: "elsewhere",
      pid: 0,
      numParameters: 0,
      vocabularySize: 0,
      firstIteration: points[0]?.iteration ?? 0,
    },
    ...points.map((point, i): RunEvent => {
      const values = Object.entries(point.values).map(([key, value]) => [key, toMetricValue(value)] as const);
      return {
        v: 1,
        seq: i + 1,
        atMs: point.atMs ?? atMs,
        type: "metrics",
        iteration: point.iteration,
        optimizerStep: point.iteration,
        values: Object.fromEntries(values),
        ...(i === 0 && Object.keys(originals).length > 0 && { originals: { ...originals } }),
      };
    }),
    ...notes.map((text, i): RunEvent => {
      return { v: 1, seq: points.length + 1 + i, atMs: last, type: "note", level: "warning", about: "reading", text };
    }),
    {
      v: 1,
      seq: points.length + 1 + notes.length,
      atMs: last,
      type: "done",
      exit: "completed",
      reason: "the end of the imported file",
      numMetricLines: points.length,
    },
  ];
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}
