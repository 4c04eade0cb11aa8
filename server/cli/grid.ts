import { addSeeds, takeBackSeeds } from "#server/db/addSeeds.ts";
import type { Database } from "#server/db/client.ts";
import { readIntegrity } from "#server/db/integrity.ts";
import { setSweepIntent } from "#server/db/sweeps.ts";
import { findSweep } from "./findSweep.ts";
import type { Outcome } from "./outcome.ts";
import { formatCount } from "#server/domain/words.ts";

/** Lets a sweep start no new run, or start them again; what runs runs on. */
export async function pause(database: Database, said: string, intent: "pause" | "run"): Promise<Outcome> {
  const { id } = await findSweep(database, said);
  await setSweepIntent(database, id, intent);
  const text = intent === "pause" ? `Sweep ${id} is paused: running runs go on` : `Sweep ${id} goes on`;
  return { text, json: { sweep: id, intent }, exitCode: 0 };
}

/** Fills the holes of a sweep's grid and gives every cell so many more seeds. */
export async function widen(database: Database, said: string, numNew: number): Promise<Outcome> {
  const { id } = await findSweep(database, said);
  const numRuns = await addSeeds(database, id, numNew);
  return {
    text: `${formatCount(numRuns, "run")} added to sweep ${id}`,
    json: { sweep: id, numRuns },
    exitCode: 0,
  };
}

/** Cancels the added runs of a sweep that are not over. */
export async function unwiden(database: Database, said: string): Promise<Outcome> {
  const { id } = await findSweep(database, said);
  const numRuns = await takeBackSeeds(database, id);
  return {
    text: `${formatCount(numRuns, "added run is", "added runs are")} being cancelled; sweep ${id} is then what it was before`,
    json: { sweep: id, numRuns },
    exitCode: 0,
  };
}

/** Whether what is stored of a run is what it wrote; exit code 1 when it is not. */
export async function check(database: Database, runId: string): Promise<Outcome> {
  const report = await readIntegrity(database, runId);
  const { iterations, points, problems, verdict, attempts } = report;
  const words = { whole: "whole", open: "sound so far", broken: "NOT WHOLE" };
  const lines = [
    `Run ${runId}: ${words[verdict]}`,
    `iterations: ${iterations.stored} of ${iterations.expected}, ${iterations.superseded} superseded`,
    `points: ${points.stored} stored, about ${points.superseded} superseded, ${points.nonFinite} not finite`,
    ...attempts.map(({ number, numWritten, numLines, log }) => {
      const late = log && log.numLate > 0 ? `, ${log.numLate} late` : "";
      return `attempt ${number}: ${formatCount(numLines, "line")} stored, ${numWritten ?? "no last line that says how many"} written${late}`;
    }),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
  return { text: lines.join("\n"), json: { run: runId, ...report }, exitCode: verdict === "broken" ? 1 : 0 };
}
