import { withChanges, type Point } from "#packages/detector";
import { parseEvent, readEventLines, settle } from "#packages/trainers";

/**
 * Points of a trainer's log, `events.jsonl`: attempts joined, cloning epochs and torn lines dropped, external changes
 * marked.
 */
export function parseEventLog(text: string): readonly Point[] {
  const events = text.split("\n").flatMap((line) => parseEvent(line) ?? []);
  const points = settle(readEventLines(events)).steps.map(({ step, values }) => ({ iteration: step, values }));
  return withChanges(
    points,
    events.flatMap((event) => (event.type === "event" ? [event.iteration] : [])),
  );
}
