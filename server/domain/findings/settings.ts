import { canonicalJson } from "#trainer/spec/canonical.ts";
import { actingMethod } from "#server/domain/sweep/acting.ts";
import { dropAt } from "#server/domain/sweep/path.ts";
import type { StudiedRun } from "./studiedRun.ts";

/** Names all that two runs have to share for their difference to be what a claim is about alone. */
export type Context = (run: StudiedRun) => string;

/**
 * All but what stands at some dotted paths of a cell: `method.clipping`, `update.klCoef`. Texts are kept, since the runs of
 * a cell have one method and one object of settings.
 */
export function allBut(...paths: readonly string[]): Context {
  const drop = (tree: object): object => paths.reduce((rest, path) => dropAt({ ...rest }, path), tree);
  const settingsText = remember((settings: StudiedRun["settings"]) => canonicalJson(drop(settings)));
  const methodText = remember((point: StudiedRun["point"]) => {
    // How KL and entropy are aggregated follows from the clipping: nobody chose it.
    const { penaltyAggregation: _, ...method } = actingMethod(point);
    return canonicalJson(drop({ method }));
  });
  return ({ settings, point }) => `${settingsText(settings)} ${methodText(point)}`;
}

/** Everything: runs that share it are seeds of one configuration. */
export const allSettings = allBut();

export const allButMethod = allBut("method");

function remember<Key extends object>(make: (key: Key) => string): (key: Key) => string {
  const known = new WeakMap<Key, string>();
  return (key) => {
    const text = known.get(key) ?? make(key);
    known.set(key, text);
    return text;
  };
}
