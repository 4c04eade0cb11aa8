import { canonicalJson } from "#trainer/spec/canonical.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels.ts";
import type { BuilderCell, BuilderInput, BuilderRun } from "./input.ts";

/** A cell with its runs and its label split into environment and axes. */
export type PlacedCell = BuilderCell & { environment: string; axes: string; runs: BuilderRun[] };

/** Cells in order, each with its runs by seed. */
export function placeCells({ cells, runs }: Pick<BuilderInput, "cells" | "runs">): PlacedCell[] {
  const ours = cells.flatMap(({ spec }) => (isImported(spec) ? [] : [spec.environment]));
  const distinct = new Map(ours.map((environment) => [canonicalJson(environment), environment]));
  const labels = labelEnvironments([...distinct.values()]);
  const labelOf = new Map([...distinct.keys()].map((key, i) => [key, labels[i] ?? ""]));
  // The environment of an imported run is known only by name.
  const environmentOf = ({ environment }: StoredSpec) =>
    labelOf.get(canonicalJson(environment)) ?? titleOfEnvironment(nameOfEnvironment(environment));
  const runsOf = new Map(cells.map(({ index }): [number, BuilderRun[]] => [index, []]));
  for (const run of runs) runsOf.get(run.cellIndex)?.push(run);
  return cells
    .toSorted((a, b) => a.index - b.index)
    .map((cell) => {
      const environment = environmentOf(cell.spec);
      const seeds = (runsOf.get(cell.index) ?? []).toSorted((a, b) => a.seed - b.seed);
      return { ...cell, environment, axes: withoutEnvironment(cell.label, environment), runs: seeds };
    });
}

/** Cell labels are "environment · axes" if a sweep has several environments, else only axes. */
function withoutEnvironment(label: string, environment: string): string {
  if (label === environment) return "";
  return label.startsWith(`${environment} · `) ? label.slice(environment.length + " · ".length) : label;
}
