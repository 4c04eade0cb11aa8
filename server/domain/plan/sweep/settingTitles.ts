import { type DimensionId, dimensionTexts } from "./dimensionTexts.ts";
import { hyperparameters } from "./hyperparameters.ts";

/** Titles missing from the schemas: unions of schemas, optional objects, and fields of external runs. */
const kindTitles: Readonly<Record<string, string>> = {
  "budget.split": "Split of the budget",
  "environment.id": "Environment",
  "execution.keep": "Kept states",
  "execution.keep.every": "Kept states, every (iterations)",
  "initialisation.kind": "Start",
  "initialisation.run": "Origin",
  "initialisation.origin": "Specification of the origin",
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
  "rollout.lag": "Lag of the sampler",
  "rollout.lag.kind": "Kind of lag",
  "rollout.samplerNoise": "Noise of the sampler",
  "sampling.groupSize": "Group size (external runs)",
  "sampling.numEpisodes": "Episodes per iteration (external runs)",
  "sampling.numHeldOut": "Evaluation episodes (external runs)",
  "trainer.name": "Trainer",
};

let titles: ReadonlyMap<string, string> | undefined;

/** Title of a setting by its dotted path; the path itself if it has none. */
export function titleOfSetting(path: string): string {
  titles ??= new Map([
    ...Object.entries(kindTitles),
    ...hyperparameters().map(({ path: known, title }) => [known, title] as const),
  ]);
  return titles.get(path) ?? path;
}

const additionWords: Readonly<Record<string, string>> = { mask: ", masked", correction: ", corrected" };

/**
 * Title of a level from `factorLevels` ("sequence+mask") in the words of the builder's cards: "Turn clip, masked".
 * Other trainers' levels keep their own name.
 */
export function titleOfLevel(dimension: DimensionId, level: string): string {
  const [id = "", ...additions] = level.split("+");
  const known = dimensionTexts.find((one) => one.id === dimension)?.levels.find((one) => one.id === id);
  return (known?.title ?? id) + additions.map((one) => additionWords[one] ?? `, ${one}`).join("");
}
