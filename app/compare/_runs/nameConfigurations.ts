import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { labelsThatDiffer } from "#server/domain/sweep/shownLabels.ts";
import type { ComparedConfiguration } from "#server/db/comparedRuns.ts";

/** Names the configurations: adds the sweep, and the seed of a single run, if they are needed to tell them apart. */
export function nameConfigurations(
  configurations: readonly Pick<ComparedConfiguration, "cellId" | "sweepName" | "method" | "label" | "runs" | "spec">[],
): ReadonlyMap<number, string> {
  const areSeveralSweeps = new Set(configurations.map(({ sweepName }) => sweepName)).size > 1;
  const areSeveralEnvironments = new Set(configurations.map(({ spec }) => spec.environment.id)).size > 1;
  const labels = labelsThatDiffer(configurations.map(({ label }) => label));
  return new Map(
    configurations.map(({ cellId, sweepName, method, spec, runs: [first, ...others] }, i) => [
      cellId,
      [
        method,
        labels[i] ?? "",
        ...(first && others.length === 0 ? [`seed ${first.seed}`] : []),
        ...(areSeveralEnvironments ? [titleOfEnvironment(spec.environment.id)] : []),
        ...(areSeveralSweeps ? [sweepName] : []),
      ]
        .filter((part) => part !== "")
        .join(" · "),
    ]),
  );
}
