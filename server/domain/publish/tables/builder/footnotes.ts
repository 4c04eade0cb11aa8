import { isOver, reasonWords } from "#server/domain/runs/runStatus.ts";
import type { Panel } from "./panels.ts";
import type { BuilderRun } from "./input.ts";
import type { FullOptions } from "./options.ts";
import { groupBy } from "#packages/base";

/** Remarks on the seeds of a cell; empty if all finished normally. */
export function remarkOn(
  runs: readonly BuilderRun[],
  panel: Panel,
  { rule, repeated }: { rule: FullOptions["rule"]; repeated: readonly number[] },
): string {
  const hasValue = (run: BuilderRun) => Number.isFinite(panel.value(run));
  const missing = runs.filter((run) => !hasValue(run));
  const counted = runs.filter(hasValue);
  const diverged = counted.filter(isDiverged);
  const stopped = counted.filter((run) => !isDiverged(run) && (run.status === "failed" || run.status === "cancelled"));
  const open = counted.filter(({ status }) => !isOver(status));
  const holed = counted.filter(
    ({ readings }) => rule === "final" && (readings.get(panel.metricKey)?.final.numNonFinite ?? 0) > 0,
  );
  return [
    sentence("Not counted, because there is no value", missing, explainMissing),
    sentence("Diverged, counted up to the last finite value", diverged, describeIteration),
    sentence(
      "Stopped early, counted with the measurements so far",
      stopped,
      (run) => `${describeReason(run)}, ${describeIteration(run)}`,
    ),
    sentence("Provisional, still training", open, describeIteration),
    sentence("Counted without their non-finite evaluations", holed, () => ""),
    repeated.length > 0 ? `Trained twice, and only the first run counted: ${listSeeds(repeated)}.` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function isDiverged({ reason }: BuilderRun): boolean {
  return reason === "diverged";
}

/** True if every run of a cell diverged, which replaces a missing value. */
export function hasDiverged(runs: readonly BuilderRun[]): boolean {
  return runs.length > 0 && runs.every(isDiverged);
}

/** Groups seeds by the way they ended: "seeds 1, 2 (killed), seed 4 (running)". */
function sentence(lead: string, runs: readonly BuilderRun[], say: (run: BuilderRun) => string): string {
  if (runs.length === 0) return "";
  const parts = [...groupBy(runs, say)].map(
    ([story, alike]) => listSeeds(alike.map(({ seed }) => seed)) + (story === "" ? "" : ` (${story})`),
  );
  return `${lead}: ${parts.join(", ")}.`;
}

function listSeeds(seeds: readonly number[]): string {
  return `seed${seeds.length === 1 ? "" : "s"} ${[...new Set(seeds)].join(", ")}`;
}

function explainMissing(run: BuilderRun): string {
  if (!isOver(run.status)) return run.status === "pending" ? "not started" : "not measured yet";
  return run.status === "finished" ? "nothing logged" : describeReason(run);
}

function describeReason({ status, reason }: BuilderRun): string {
  return reason === null ? status : reasonWords[reason].title.toLowerCase();
}

function describeIteration({ iteration }: BuilderRun): string {
  return `iteration ${iteration}`;
}

/** Makes marks in order of first use: a, b, … z, aa, ab, …; equal remarks share a mark. */
export function makeMarks(): { markOf: (text: string) => string; list: () => { mark: string; text: string }[] } {
  const marks = new Map<string, string>();
  return {
    markOf(text) {
      const known = marks.get(text);
      if (known !== undefined) return known;
      const mark = toLetters(marks.size);
      marks.set(text, mark);
      return mark;
    },
    list: () => [...marks].map(([text, mark]) => ({ mark, text })),
  };
}

function toLetters(index: number): string {
  const letter = String.fromCodePoint(97 + (index % 26));
  return index < 26 ? letter : toLetters(Math.floor(index / 26) - 1) + letter;
}
