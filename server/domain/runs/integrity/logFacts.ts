import { tryJson } from "#trainer/spec/tryJson.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";

export type Silence = { afterIteration: number; ms: number };

export type LogFacts = {
  numMetricLines: number;
  numPoints: number;
  /** Number of line numbers missing between the first and the last line. */
  numMissingLines: number;
  /** Number of metric lines that were logged after a line of a later iteration. */
  numLate: number;
  silences: readonly Silence[];
};

/** Counts without the database; like ingest, skips invalid and repeated lines. */
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
    // Epochs of behaviour cloning are not iterations.
    if (keys.every(countsEpochs)) continue;
    if (event.iteration < latest) numLate += 1;
    latest = Math.max(latest, event.iteration);
  }
  return { numMetricLines, numPoints, numMissingLines, numLate, silences };
}

function parse(line: string): RunEvent | undefined {
  return RunEvent.safeParse(tryJson(line)).data;
}
