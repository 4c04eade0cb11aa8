import type { ModelOrigin } from "#trainer/spec/event.ts";

export type BegunWith = ModelOrigin & { attempts: number[] };

/** Distinct pretrained models of a run's attempts: a run resumes from a checkpoint only with the same model. */
export function prepareModels(
  attempts: readonly { number: number; started: { model?: ModelOrigin | undefined } | null }[],
): BegunWith[] {
  const found = new Map<string, BegunWith>();
  for (const { number, started } of attempts) {
    const model = started?.model;
    if (!model) continue;
    const key = JSON.stringify([model.name, model.commit, model.sha256]);
    const known = found.get(key) ?? { ...model, attempts: [] };
    found.set(key, { ...known, attempts: [...known.attempts, number] });
  }
  return [...found.values()];
}
