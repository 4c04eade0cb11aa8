import { canonicalJson } from "#trainer/spec/canonical.ts";
import { actingMethod } from "#server/domain/plan/sweep/methods/acting.ts";
import { dropAt, groupBy } from "#packages/base";
import type { StudiedRun } from "./studiedRun.ts";

/** Returns a key of the settings that runs must share for a fair comparison. */
export type Context = (run: StudiedRun) => string;

/**
 * Makes a key of a run's settings except those at dotted paths, such as `method.clipping`. Keys are cached, because
 * runs of a cell share one method and one settings object.
 */
export function allBut(...paths: readonly string[]): Context {
  const drop = (tree: object): object => paths.reduce((rest, path) => dropAt({ ...rest }, path), tree);
  const settingsText = remember((settings: StudiedRun["settings"]) => canonicalJson(drop(settings)));
  const methodText = remember((point: StudiedRun["point"]) => {
    // The penalty's aggregation is dropped, because it follows from the clipping and users do not set it.
    const { penaltyAggregation: _, ...method } = actingMethod(point);
    return canonicalJson(drop({ method }));
  });
  return ({ settings, point }) => `${settingsText(settings)} ${methodText(point)}`;
}

/** Runs with equal keys are seeds of one configuration. */
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

/** Keeps the first run of each configuration and seed: repeated values add no evidence. */
export function countOnce(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, (run) => `${allSettings(run)} ${run.seed}`).values()].flatMap((same) => same.slice(0, 1));
}
