import { tryJson } from "#trainer/spec/tryJson.ts";
import { fromMetricValue, readRunEvent, type RunEvent } from "#trainer/spec/event.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";
import type { LogLine } from "./settle.ts";

/** Converts events' measurements to log lines. An attempt's first line has the iteration at which the log restarts. */
export function readEventLines(events: readonly RunEvent[]): LogLine[] {
  const lines: LogLine[] = [];
  let firstIteration: number | undefined;
  for (const event of events) {
    if (event.type === "started") firstIteration = event.firstIteration;
    if (event.type !== "metrics") continue;
    const known = Object.entries(event.values).filter(([key]) => !countsEpochs(key));
    if (known.length === 0) continue;
    const values = Object.fromEntries(known.map(([key, value]) => [key, fromMetricValue(value)]));
    // Iteration 0 is measured before training, so the log of an attempt that begins at iteration 1 starts at 0.
    const restartFrom =
      firstIteration === undefined ? undefined : firstIteration <= 1 ? 0 : Math.min(firstIteration, event.iteration);
    lines.push({
      step: event.iteration,
      values,
      atMs: event.atMs,
      ...(restartFrom !== undefined && { restartFrom }),
    });
    firstIteration = undefined;
  }
  return lines;
}

/** Parses an event of a run; undefined for an invalid line. The last line of a killed process may be cut off. */
export function parseEvent(line: string): RunEvent | undefined {
  // This cheap test comes before parsing, because an external trainer may print many lines, and these lack the key.
  if (!line.includes('"type"')) return undefined;
  const found = readRunEvent(tryJson(line));
  return found.success ? found.data : undefined;
}
