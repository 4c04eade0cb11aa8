import type { Column } from "../hyperparameters/column.ts";
import { groupBy } from "#packages/base";
import { wilsonInterval } from "#packages/statistics";
import { type Axes, levelIndices, type PhaseAxis, type PhaseCell, phaseFeatures, toPhaseAxis } from "./axis.ts";
import { fitFirth, type LogisticFit } from "./firth.ts";
import { rankNextCells, type NextCell } from "./nextCells.ts";

export type PhaseDiagram = {
  /** Level of the splitting column; empty if there is a single diagram. */
  group: string;
  cells: readonly PhaseCell[];
  /** Fitted collapse probability; undefined if `whyNoFit` is set. */
  fit?: LogisticFit;
  whyNoFit?: string;
  next: readonly NextCell[];
};

export type PhaseStudy = { x: PhaseAxis; y: PhaseAxis; diagrams: readonly PhaseDiagram[]; numWithout: number };

export type PhaseInput = {
  x: Column;
  y: Column;
  /** One diagram per level of this column. */
  by?: Column;
  /** True for a collapse in hindsight, shape (N,); null without a label. */
  hasCollapsed: readonly (boolean | null)[];
};

const minRuns = 8;

/** Computes collapse rates over two settings; undefined if an axis does not vary. */
export function studyPhases({ x: across, y: up, by, hasCollapsed }: PhaseInput): PhaseStudy | undefined {
  const [x, y] = [toPhaseAxis(across), toPhaseAxis(up)];
  if (!x || !y) return undefined;
  const [xs, ys] = [levelIndices(x, across.values), levelIndices(y, up.values)];
  const judged = [...hasCollapsed.keys()].filter(
    (run) => hasCollapsed[run] !== null && (xs[run] ?? -1) >= 0 && (ys[run] ?? -1) >= 0,
  );
  const groups = groupBy(judged, (run) => String(by?.values[run] ?? ""));
  const diagrams = Array.from(groups, ([group, runs]): PhaseDiagram => {
    const cells = Array.from(groupBy(runs, (run) => `${xs[run]},${ys[run]}`).values(), (members): PhaseCell => {
      const numCollapsed = members.filter((run) => hasCollapsed[run]).length;
      const [first = 0] = members;
      const interval = wilsonInterval(numCollapsed, members.length);
      return { x: xs[first] ?? 0, y: ys[first] ?? 0, runs: members, numCollapsed, interval };
    });
    return { group, cells, ...fitCells({ x, y }, cells) };
  });
  return { x, y, diagrams, numWithout: hasCollapsed.length - judged.length };
}

function fitCells(axes: Axes, cells: readonly PhaseCell[]): Pick<PhaseDiagram, "fit" | "whyNoFit" | "next"> {
  const numRuns = cells.reduce((sum, { runs }) => sum + runs.length, 0);
  const numCollapsed = cells.reduce((sum, cell) => sum + cell.numCollapsed, 0);
  const none = (whyNoFit: string) => ({ whyNoFit, next: [] });
  if (!axes.x.coordinates && !axes.y.coordinates)
    return none("Both axes are categorical, so no boundary can be fitted.");
  if (numRuns < minRuns)
    return none(`Fitting a boundary needs at least ${minRuns} judged runs, but there are only ${numRuns}.`);
  if (numCollapsed === 0)
    return none(`None of ${numRuns} runs collapsed, so the boundary of collapse lies outside these settings.`);
  if (numCollapsed === numRuns)
    return none(`All ${numRuns} runs collapsed, so the boundary of collapse lies outside these settings.`);
  const fit = fitFirth(
    cells.map(({ x, y, runs, numCollapsed: numEvents }) => ({
      features: phaseFeatures(axes, x, y),
      numRuns: runs.length,
      numEvents,
    })),
  );
  if (!fit) return none("The two axes always change together in these runs, so no boundary can be fitted.");
  return { fit, next: rankNextCells(axes, cells, fit) };
}
