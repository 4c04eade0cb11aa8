import type { ChartBand } from "#server/domain/runs/series/chartData.ts";
import { groupBy } from "#packages/base";
import { formatCount } from "./format.ts";
import type { LegendEntry, RunName } from "./names.ts";
import type { Point } from "./segments.ts";

/** A tick on the line of a mean at which seeds begin or end. The cursor announces its label. */
export type SeedEdgeMark = { id: string; color: string; x: number; y: number; label: string };

export function prepareSeedEdges(
  rows: readonly { entry: LegendEntry; band: Pick<ChartBand, "edges"> }[],
  lines: readonly { id: string; weight: string; segments: readonly Point[][] }[],
  runs: ReadonlyMap<string, RunName>,
): SeedEdgeMark[] {
  return rows.flatMap(({ entry: { id, color, label }, band: { edges } }) => {
    if (edges.length === 0) return [];
    const points = lines
      .filter((line) => line.id === id && (line.weight === "line" || line.weight === "partial"))
      .flatMap(({ segments }) => segments.flat());
    return [...groupBy(edges, ({ kind, iteration }) => `${kind} ${iteration}`).values()].flatMap((same) => {
      const [edge] = same;
      const at = edge && points.find(({ x }) => x === edge.iteration);
      if (!edge || !at) return [];
      const seeds = same.flatMap(({ runId }) => runs.get(runId)?.seed ?? []).sort((a, b) => a - b);
      const areOver = same.every(({ runId }) => runs.get(runId)?.isOver !== false);
      return [{ id, color, x: at.x, y: at.y, label: `${label}: ${say(seeds, edge.kind, areOver)}` }];
    });
  });
}

function say(seeds: readonly number[], kind: "begins" | "ends", areOver: boolean): string {
  const who = `${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}`;
  const isOne = seeds.length === 1;
  if (kind === "begins") return `${who} ${isOne ? "begins" : "begin"} here`;
  if (!areOver) return `${who} ${isOne ? "has" : "have"} reached this iteration`;
  return `${who} ${isOne ? "ends" : "end"} here`;
}

export function formatSeedEdges(marks: readonly SeedEdgeMark[]): string[] {
  if (marks.length === 0) return [];
  return [
    `lines are paler where a mean covers fewer seeds; ${formatCount(marks.length, "tick")} where seeds begin or end`,
  ];
}
