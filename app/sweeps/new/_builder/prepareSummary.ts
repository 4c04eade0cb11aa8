import type { EstimateBasis, Prices } from "#server/api/fleet/costs.ts";
import { findTooLittleMemory, type GpuNode, type Processor } from "#server/domain/fleet/nodes/machine.ts";
import { type Calibration, calibrationOf } from "#server/domain/plan/sweep/estimate/calibration.ts";
import { estimateHours, estimateMinutes } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { listDoubts } from "#server/domain/plan/sweep/doubts.ts";
import type { Expansion } from "#server/domain/plan/sweep/expand/expand.ts";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { formatPrice } from "#packages/base";
import { listGpuNotes, prepareModels } from "./prepareModel.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";

export type Summary = ReturnType<typeof prepareSummary>;

/** `absent`: execution providers that no node supports, with the reasons. */
export type Means = {
  slots: number;
  absent: Readonly<Record<string, string>>;
  facts?: readonly ModelFacts[];
  /** Warnings about the commands of other trainers. */
  doubts?: readonly string[];
  nodes: readonly (GpuNode & { processor: Processor | null })[];
} & EstimateBasis;

const maxCells = 8;

export function prepareSummary({ plan, expansion }: { plan: SweepPlan; expansion: Expansion }, means: Means) {
  const { cells, runs, notes, maxNumRuns } = expansion;
  const doubts = listDoubts({ ...plan, cells });
  return {
    runs: maxNumRuns === undefined ? formatCount(runs.length, "run") : `up to ${formatCount(maxNumRuns, "run")}`,
    product:
      maxNumRuns === undefined
        ? `${formatCount(cells.length, "cell")} × ${formatCount(plan.seeds.length, "seed")}`
        : `hyperparameter search with ${formatCount(runs.length, "run")} at once`,
    // The user must confirm doubts before the launch.
    doubts: [...doubts.flatMap(({ text, isAsked }) => (isAsked ? text : [])), ...new Set(means.doubts)],
    time: describeTime({ plan, expansion }, means),
    models: prepareModels(means.facts ?? []),
    notes: [
      ...listAbsent(expansion, means),
      ...listTooLarge(expansion, means),
      ...listGpuNotes(means.facts ?? [], means.nodes),
      ...new Set(notes.map(({ text }) => text)),
      ...doubts.flatMap(({ text, isAsked }) => (isAsked ? [] : text)),
    ],
    methods: [...new Set(cells.map(({ method }) => method))],
    cells: cells.slice(0, maxCells).map(({ index, method, label }) => ({ index, method, label: shortLabel(label) })),
    numMoreCells: Math.max(0, cells.length - maxCells),
  };
}

function listAbsent({ cells }: Expansion, { absent }: Means): string[] {
  const asked = cells.flatMap(({ spec }) => (spec.trainer === undefined ? [spec.execution.provider] : []));
  return [...new Set(asked)].flatMap((provider) => {
    const why = absent[provider];
    return why === undefined
      ? []
      : [`${provider} is not available on any node, so runs that need it would wait (${why}).`];
  });
}

/** Returns a warning if runs may need more memory than the largest node has: they would be killed. */
function listTooLarge({ cells }: Expansion, { nodes }: Means): string[] {
  const asked = cells.flatMap(({ spec }) => (spec.trainer === undefined ? [spec.execution.memoryLimitMb] : []));
  const maxMb = Math.max(0, ...asked);
  const little = findTooLittleMemory(nodes, maxMb);
  if (little === undefined) return [];
  return [
    `Runs may use up to ${Math.round(maxMb).toLocaleString("en")} MB of memory, but the largest node has ${Math.round(little.largestMb).toLocaleString("en")} MB.`,
  ];
}

function describeTime({ plan, expansion }: { plan: SweepPlan; expansion: Expansion }, means: Means): string {
  const { slots, calibrations, prices, facts = [] } = means;
  const sizes = facts.flatMap(({ pretrained, numParameters }) =>
    numParameters === null ? [] : [[pretrained, numParameters] as const],
  );
  const known = { calibrations, models: { ...means.models, ...Object.fromEntries(sizes) } };
  const others = new Set(expansion.cells.flatMap(({ spec }) => spec.trainer?.name ?? []));
  if (others.size > 0) return `trained by ${[...others].join(", ")}, whose speed is unknown`;
  const minutes = estimateMinutes(expansion, { slots, ...known });
  if (Number.isNaN(minutes)) return "duration unknown, because the size of the pretrained model is unknown";
  const step = minutes < 10 ? 1 : minutes < 60 ? 5 : 30;
  const rounded = Math.max(1, Math.round(minutes / step) * step);
  const time = `roughly ${formatDuration(rounded * 60_000)} on ${formatCount(slots, "slot")}`;
  const slotHours = estimateHours(expansion, known) * (plan.placement?.slots ?? 1);
  const cost = prices === null ? "" : ` for ${describeCost(slotHours, prices)}`;
  return `${time}${cost}${describePast(expansion, calibrations)}`;
}

/** Formats the cost of slot-hours as a range between the lowest and the highest price, with two significant digits. */
function describeCost(slotHours: number, { low, high }: Prices): string {
  const [least, most] = [low, high].map((price) => formatPrice(Number((slotHours * price).toPrecision(2))));
  return least === most ? `about ${least}` : `${least} to ${most}`;
}

function describePast({ cells }: Expansion, calibrations: readonly Calibration[]): string {
  const past = new Set(cells.flatMap(({ spec }) => calibrationOf(spec, calibrations) ?? []));
  if (past.size === 0) return ", estimated from the settings; the true duration may be half or twice as long";
  const factor = (worst: number) => worst.toPrecision(2);
  const low = Math.min(...[...past].map(({ low, median }) => low / median));
  const high = Math.max(...[...past].map(({ high, median }) => high / median));
  const numRuns = [...past].reduce((sum, one) => sum + one.numRuns, 0);
  return `; 90 % of ${formatCount(numRuns, "past run")} took ${factor(low)} to ${factor(high)} times the estimate`;
}
