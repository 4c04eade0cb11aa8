import type { RunMark } from "#server/domain/runs/series/chartData.ts";
import type { NonFiniteMark } from "#packages/statistics";
import { formatCount } from "./format.ts";
import type { LegendEntry, RunName, XAxisName } from "./names.ts";

/** A glyph at the edge of the plot for a value that is not finite. */
export type Mark = { x: number; kind: NonFiniteMark["kind"]; color: string; label: string };

export const glyphs: Record<NonFiniteMark["kind"], { sign: string; name: string; edge: "top" | "bottom" }> = {
  NaN: { sign: "⊗", name: "NaN", edge: "bottom" },
  Infinity: { sign: "▲", name: "+∞", edge: "top" },
  "-Infinity": { sign: "▼", name: "−∞", edge: "bottom" },
};

export function prepareMarks(
  values: readonly RunMark[],
  { runs, axis }: { runs: ReadonlyMap<string, RunName>; axis: XAxisName },
  entryOf: ReadonlyMap<number, LegendEntry>,
): Mark[] {
  return values.flatMap(({ runId, iteration, kind }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    if (!entry) return [];
    const label = `${glyphs[kind].name} at ${axis.toLowerCase()} ${iteration}: ${entry.label}, seed ${run.seed}`;
    return [{ x: iteration, kind, color: entry.color, label }];
  });
}

/** "7 values not finite (5 NaN, 2 +∞): marked at their step, left out of means". */
export function formatMarks(marks: readonly Mark[], numUnlisted: number): string[] {
  if (marks.length === 0) return [];
  const kinds = (["NaN", "Infinity", "-Infinity"] as const).flatMap((kind) => {
    const count = marks.filter((mark) => mark.kind === kind).length;
    return count > 0 ? [`${count} ${glyphs[kind].name}`] : [];
  });
  const sentence = `${formatCount(marks.length, "value")} not finite (${kinds.join(", ")}): marked at their step, not in means`;
  return numUnlisted === 0
    ? [sentence]
    : [sentence, `${formatCount(numUnlisted, "more value")} not finite, not marked`];
}
