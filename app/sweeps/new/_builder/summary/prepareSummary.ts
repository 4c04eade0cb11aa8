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
  const minutes = estimateMinutes(expansion, { slots });
  const step = minutes < 10 ? 1 : minutes < 60 ? 5 : 30;
  const rounded = Math.max(1, Math.round(minutes / step) * step);
  return {
    runs: formatCount(runs.length, "run"),
    product: `${formatCount(cells.length, "cell")} × ${formatCount(plan.seeds.length, "seed")}`,
    time: `roughly ${formatDuration(rounded * 60_000)} on ${formatCount(slots, "slot")}`,
    notes: [...new Set(notes.map(({ text }) => text))],
    methods: [...new Set(cells.map(({ method }) => method))],
    cells: cells.slice(0, mostCells).map(({ index, method, label }) => ({ index, method, label })),
    numMoreCells: Math.max(0, cells.length - mostCells),
  };
}
