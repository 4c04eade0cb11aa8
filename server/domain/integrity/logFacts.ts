import { RunEvent } from "#trainer/spec/event.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";

/** A time in which an attempt logged nothing. */
export type Silence = { afterIteration: number; ms: number };

/** What an attempt's log says by itself, counted apart from what was stored of it. */
export type LogFacts = {
  numMetricLines: number;
  numPoints: number;
  /** Numbers that no line has, between the first line and the last. */
  numMissingLines: number;
  /** Metric lines that came after those of a later iteration. */
  numLate: number;
  silences: readonly Silence[];
};

/** Counts a log anew, line by line. What is no event, and what repeats a line, counts as little as it does for the reader. */
export async function countLog(lines: AsyncIterable<string>): Promise<LogFacts> {
  let [numMetricLines, numPoints, numMissingLines, numLate] = [0, 0, 0, 0];
  let [lastSeq, latest] = [-1, 0];
  let lastAtMs: number | null = null;
  const silences: Silence[] = [];
  for await (const line of lines) {
    const event = parse(line);
    if (event === undefined || event.seq <= lastSeq) continue;
    numMissingLines += event.seq - lastSeq - 1;
    lastSeq = event.seq;
    if (lastAtMs !== null) silences.push({ afterIteration: latest, ms: event.atMs - lastAtMs });
    lastAtMs = event.atMs;
    if (event.type !== "metrics") continue;
    numMetricLines += 1;
    const keys = Object.keys(event.values);
    numPoints += keys.length;
    // Epochs of cloning are counted on an axis of their own.
    if (keys.every(countsEpochs)) continue;
    if (event.iteration < latest) numLate += 1;
    latest = Math.max(latest, event.iteration);
  }
  return { numMetricLines, numPoints, numMissingLines, numLate, silences };
}

function parse(line: string): RunEvent | undefined {
  try {
    return RunEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
