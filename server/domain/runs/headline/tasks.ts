import { canonicalJson } from "#trainer/spec/canonical.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";

/**
 * Key of the task on which a run's metric is measured: environment, its settings, and the set of held-out tasks.
 * Results of different tasks are not compared. A reward changes training, but not the task of a success rate.
 */
export function taskOf(spec: StoredSpec, metric: string): string {
  const { environment } = spec;
  if (isImported(spec)) return canonicalJson({ environment });
  const measured =
    "reward" in environment && metric.endsWith("uccessRate") ? { ...environment, reward: null } : environment;
  const isHeldOut = metric.startsWith("evaluation/");
  return canonicalJson({ environment: measured, ...(isHeldOut && { numEpisodes: spec.evaluation.numEpisodes }) });
}

/** Names the task of each specification: "Sokoban", or "Sokoban, room size 6" if room sizes differ. */
export function nameTasks(specs: readonly StoredSpec[], metric: string): string[] {
  const firsts = new Map(specs.toReversed().map((spec) => [taskOf(spec, metric), spec]));
  const own = [...firsts].flatMap(([task, spec]) => (isImported(spec) ? [] : [{ task, spec }]));
  const labels = labelEnvironments(own.map(({ spec }) => spec.environment));
  const counts = new Set(own.map(({ spec }) => spec.evaluation.numEpisodes));
  const titles = new Map(
    own.map(({ task, spec }, i) => {
      const set = counts.size > 1 ? `, ${spec.evaluation.numEpisodes} evaluation episodes` : "";
      return [task, `${shortLabel(labels[i] ?? "")}${set}`];
    }),
  );
  return specs.map((spec) => {
    return titles.get(taskOf(spec, metric)) ?? titleOfEnvironment(nameOfEnvironment(spec.environment));
  });
}

/** Removes from a configuration's label the parts that its task's name already states. */
export function withoutTask(label: string, task: string): string {
  const stated = new Set(task.split(", "));
  return label
    .split(", ")
    .filter((part) => !stated.has(part))
    .join(", ");
}
