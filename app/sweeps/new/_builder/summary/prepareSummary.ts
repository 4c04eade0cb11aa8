import { estimateMinutes } from "#server/domain/sweep/estimate.ts";
import type { Expansion } from "#server/domain/sweep/expand.ts";
import type { SweepPlan } from "#server/domain/sweep/schema.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";

export type Summary = {
  runs: string;
  product: string;
  time: string;
  notes: readonly string[];
  methods: readonly string[];
  cells: readonly { index: number; method: string; label: string }[];
  numMoreCells: number;
};

const mostCells = 8;

/** What a valid plan amounts to, before it is launched. */
export function prepareSummary({ plan, expansion }: { plan: SweepPlan; expansion: Expansion }, slots: number): Summary {
  const { cells, runs, notes } = expansion;
  return {
    runs: formatCount(runs.length, "run"),
    product: `${formatCount(cells.length, "cell")} × ${formatCount(plan.seeds.length, "seed")}`,
    time: describeTime(expansion, slots),
    notes: [...new Set(notes.map(({ text }) => text))],
    methods: [...new Set(cells.map(({ method }) => method))],
    cells: cells.slice(0, mostCells).map(({ index, method, label }) => ({ index, method, label })),
    numMoreCells: Math.max(0, cells.length - mostCells),
  };
}

/** How long the built-in trainer takes; of another trainer nothing is known. */
function describeTime(expansion: Expansion, slots: number): string {
  const others = new Set(expansion.cells.flatMap(({ spec }) => spec.trainer?.name ?? []));
  if (others.size > 0) return `carried out by ${[...others].join(", ")}, whose speed is not known here`;
  const minutes = estimateMinutes(expansion, { slots });
  const step = minutes < 10 ? 1 : minutes < 60 ? 5 : 30;
  const rounded = Math.max(1, Math.round(minutes / step) * step);
  return `roughly ${formatDuration(rounded * 60_000)} on ${formatCount(slots, "slot")}`;
}
