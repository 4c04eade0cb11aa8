import { canonicalJson } from "#trainer/spec/canonical.ts";
import { titleOf } from "#server/domain/import/planImport.ts";
import { isImported, type StoredSpec } from "#server/domain/import/storedSpec.ts";
import { labelEnvironments } from "#server/domain/sweep/labels.ts";
import type { RunStatus } from "#server/domain/runStatus.ts";
import type { Curve } from "#server/domain/series/series.ts";

/** What tables are made from: a sweep's cells and one curve per run. */
export type TableInput = {
  sweepName: string;
  planHash?: string;
  /** Metric key of the curves. */
  metric: string;
  cells: readonly TableCellInput[];
  curves: readonly RunCurve[];
};

export type TableCellInput = { index: number; method: string; label: string; spec: StoredSpec };
/** `status`, where known, lets a table say which of its numbers are provisional. */
export type RunCurve = Curve & { runId: string; cellIndex: number; seed: number; status?: RunStatus };

/** A cell with its environment and the rest of its label told apart, and its runs. */
export type PlacedCell<C extends OfCell = RunCurve, Cell extends TableCellInput = TableCellInput> = Cell & {
  environment: string;
  axes: string;
  curves: C[];
};

type OfCell = { cellIndex: number; seed: number };
type Placeable<C, Cell> = { cells: readonly Cell[]; curves: readonly C[] };

/** Cells in their order, each with its curves in order of seed. */
export function placeCells<C extends OfCell, Cell extends TableCellInput>({
  cells,
  curves,
}: Placeable<C, Cell>): PlacedCell<C, Cell>[] {
  const own = cells.flatMap(({ spec }) => (isImported(spec) ? [] : [spec.environment]));
  const distinct = new Map(own.map((environment) => [canonicalJson(environment), environment]));
  const labels = labelEnvironments([...distinct.values()]);
  const labelOf = new Map([...distinct.keys()].map((key, i) => [key, labels[i] ?? ""]));
  // Of an imported run's environment nothing is known but its name.
  const environmentOf = ({ environment }: StoredSpec) =>
    labelOf.get(canonicalJson(environment)) ?? titleOf(environment.id);
  const curvesOf = new Map(cells.map(({ index }): [number, C[]] => [index, []]));
  for (const curve of curves) curvesOf.get(curve.cellIndex)?.push(curve);
  return cells
    .toSorted((a, b) => a.index - b.index)
    .map((cell) => {
      const environment = environmentOf(cell.spec);
      const own = (curvesOf.get(cell.index) ?? []).toSorted((a, b) => a.seed - b.seed);
      return { ...cell, environment, axes: withoutEnvironment(cell.label, environment), curves: own };
    });
}

/** Cell labels are "environment · axes" where a sweep has several environments, else axes alone. */
function withoutEnvironment(label: string, environment: string): string {
  if (label === environment) return "";
  return label.startsWith(`${environment} · `) ? label.slice(environment.length + " · ".length) : label;
}
