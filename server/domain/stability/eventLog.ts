import { countsEpochs, fromMetricValue, RunEvent } from "#trainer/spec/event.ts";
import { isRelevant, joinPoints, type Point } from "./point.ts";

/** The points of a trainer's log, `events.jsonl`: attempts joined, cloning epochs and torn lines left out. */
export function parseEventLog(text: string): Point[] {
  const lines: (Point & { isRestart?: boolean })[] = [];
  let isRestart = false;
  for (const line of text.split("\n")) {
    const event = parseEvent(line);
    if (event?.type === "started") isRestart = lines.length > 0;
    if (event?.type !== "metrics") continue;
    const known = Object.entries(event.values).filter(([key]) => !countsEpochs(key));
    const values = Object.fromEntries(known.map(([key, value]) => [key, fromMetricValue(value)]));
    const point = { iteration: event.iteration, values };
    if (!isRelevant(point)) continue;
    lines.push({ ...point, isRestart });
    isRestart = false;
  }
  return joinPoints(lines);
}

/** Undefined for a line that is none: the last of a killed process may be torn. */
export function parseEvent(line: string): RunEvent | undefined {
  if (line.trim() === "") return undefined;
  try {
    const found = RunEvent.safeParse(JSON.parse(line));
    return found.success ? found.data : undefined;
  } catch {
    return undefined;
  }
}
