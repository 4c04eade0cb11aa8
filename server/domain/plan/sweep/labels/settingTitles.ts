import { hyperparameters } from "../settings/hyperparameters.ts";

/** Titles that the schemas do not contain: for unions of schemas, optional objects, and fields of external runs. */
const kindTitles: Readonly<Record<string, string>> = {
  "budget.split": "Split of the budget",
  "environment.id": "Environment",
  "execution.groups": "Kept groups",
  "execution.keep": "Kept checkpoints",
  "execution.keep.every": "Kept checkpoints, interval (iterations)",
  "initialisation.kind": "Start",
  "initialisation.run": "Origin",
  "initialisation.origin": "Origin's specification",
  "method.clipping.kind": "Clipping",
  "method.clipping.sequenceMask": "Sequence mask",
  "method.advantage.kind": "Advantage",
  "method.advantage.similarity": "State similarity",
  "method.advantage.turns": "Advantage over turns",
  "method.sampling.kind": "Dynamic sampling",
  "method.correction.weight": "Correction weight",
  "method.correction.weight.kind": "Correction weight, kind",
  "method.correction.reject": "Rejection",
  "method.correction.step": "Step correction",
  "method.correction.step.kind": "Step correction, kind",
  "rollout.lag": "Sampler lag",
  "rollout.lag.kind": "Kind of lag",
  "rollout.samplerNoise": "Sampler noise",
  "sampling.groupSize": "Group size (external runs)",
  "sampling.numEpisodes": "Episodes per iteration (external runs)",
  "sampling.numHeldOut": "Evaluation episodes (external runs)",
  "trainer.name": "Trainer",
};

let titles: ReadonlyMap<string, string> | undefined;

export function titleOfSetting(path: string): string {
  titles ??= new Map([
    ...Object.entries(kindTitles),
    ...hyperparameters().map(({ path: known, title }) => [known, title] as const),
  ]);
  return titles.get(path) ?? path;
}
