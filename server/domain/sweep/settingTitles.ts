import { hyperparameters } from "./hyperparameters.ts";

/** What the schemas have no title for, because it chooses among them. */
const kindTitles: Readonly<Record<string, string>> = {
  "environment.id": "Environment",
  "initialisation.kind": "Start",
  "method.clipping.kind": "Clipping",
  "method.clipping.sequenceMask": "Sequence mask",
  "method.advantage.kind": "Advantage",
  "method.advantage.similarity": "Similarity of states",
  "method.advantage.turns": "Advantage over turns",
  "method.sampling.kind": "Dynamic sampling",
  "method.correction.weight": "Correction weight",
  "method.correction.weight.kind": "Kind of correction weight",
  "method.correction.reject": "Rejection",
  "method.correction.step": "Step correction",
  "method.correction.step.kind": "Kind of step correction",
  "rollout.lag.kind": "Kind of lag",
};

let titles: ReadonlyMap<string, string> | undefined;

/** The name of a setting, by its dotted path in a specification; the path itself where it has none. */
export function titleOfSetting(path: string): string {
  titles ??= new Map([
    ...Object.entries(kindTitles),
    ...hyperparameters().map(({ path: known, title }) => [known, title] as const),
  ]);
  return titles.get(path) ?? path;
}
