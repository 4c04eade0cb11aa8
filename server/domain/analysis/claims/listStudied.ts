import { isCollapse } from "#packages/detector";
import { type Curve, finalWindow, mean } from "#packages/statistics";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isStated, pointOf, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { Facts, Parts } from "../facts.ts";
import { countOnce } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

/** Numbers of excluded runs, and, as `numStated`, of included runs whose method a user has entered. */
export type Unstudied = {
  numStated: number;
  numForeign: number;
  numOpen: number;
  /** Number of finished runs without a label in hindsight, such as runs cancelled before they logged a metric. */
  numSilent: number;
  /** Number of runs that are left out because an included run has the same configuration and seed. */
  numRepeated: number;
};

export type Labelled = Facts & Pick<Parts, "configurations">;

/** Selects the curves of a metric that `listStudied` reads. */
export const curvesOfStudied = ({ runs }: Facts, { metric }: { metric: string }) => [
  { runIds: runs.flatMap(({ run, detection }) => (detection?.hindsight ? [run.id] : [])), keys: [metric] },
];

/** Returns the finished runs whose four dimensions are known, from a plan or because a user entered them. */
export function listStudied(facts: Labelled, metric: string): Unstudied & { runs: StudiedRun[] } {
  const labelled = facts.runs.flatMap(({ run, cell, detection }) => {
    const [label, spec] = [detection?.hindsight?.label, facts.configurations.get(cell.id)];
    return label && spec ? [{ run, cell, label, spec }] : [];
  });
  // All runs of a cell share one settings object, because results of comparisons are cached by that object.
  const settings = new Map<number, StudiedRun["settings"]>();
  const runs = labelled.flatMap(({ run, cell, spec, label }): StudiedRun[] => {
    const method = pointOf(spec);
    if (method === undefined) return [];
    const curve = facts.curvesOf(run.id).get(metric);
    const cellSettings = settings.get(cell.id) ?? settingsOf(spec, cell.sweepId);
    settings.set(cell.id, cellSettings);
    const value = curve ? finalWindow(curve).value : NaN;
    return [
      {
        runId: run.id,
        seed: run.seed,
        drawn: { addedAt: run.addedAt, startedAt: run.startedAt },
        cell: String(cell.id),
        method: cell.method,
        point: method,
        levels: factorLevels(method),
        environment: cell.environment,
        settings: cellSettings,
        numSteps: NaN,
        value,
        rawValue: value,
        early: curve ? firstThird(curve) : NaN,
        hasCollapsed: isCollapse(label),
        ...(label.kind === "ambiguous" && { isUnclear: true as const }),
        ...(label.kind === "notJudged" && { isUnjudged: true as const }),
        ...(isStated(spec) && { isStated: true as const }),
      },
    ];
  });
  const rest = facts.runs.filter(({ detection }) => !detection?.hindsight);
  const numOpen = rest.filter(({ run }) => !isOver(run.status)).length;
  const once = countOnce(runs);
  return {
    runs: once,
    numOpen,
    numSilent: rest.length - numOpen,
    numStated: once.filter((run) => run.isStated).length,
    numForeign: labelled.length - runs.length,
    numRepeated: runs.length - once.length,
  };
}

function settingsOf(spec: StoredSpec, sweepId: string): StudiedRun["settings"] {
  if (isImported(spec)) return { ...spec.stated?.settings, environment: spec.environment, importedAs: sweepId };
  const { method: _, execution: _how, ...rest } = spec;
  return rest;
}

function firstThird({ iterations, values }: Curve): number {
  const trained = Array.from(values).filter((x, i) => (iterations[i] ?? 0) > 0 && Number.isFinite(x));
  return mean(trained.slice(0, Math.max(1, Math.ceil(trained.length / 3))));
}
