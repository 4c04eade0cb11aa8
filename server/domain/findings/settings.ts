import { canonicalJson, contentHash } from "#trainer/spec/canonical.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { actingMethod } from "../sweep/acting.ts";
import type { FactorName, StudiedRun } from "./studiedRun.ts";

/** What a configuration shares with others that differ from it in method alone. How a run is carried out changes no value. */
export function settingsOf(spec: CellSpec): Pick<StudiedRun, "setting" | "settingButSteps"> {
  const shared = { ...spec, method: undefined, execution: undefined };
  const update = { ...spec.update, epochs: undefined, minibatchRows: undefined };
  return { setting: contentHash(shared), settingButSteps: contentHash({ ...shared, update }) };
}

/** Names all that two runs have to share for their difference to be one of the named dimensions alone. */
export type Context = (run: StudiedRun) => string;

export function allBut(...named: readonly FactorName[]): Context {
  return ({ setting, point }) => {
    const rest = Object.entries(actingMethod(point)).filter(([factor]) => !named.some((name) => name === factor));
    return canonicalJson([setting, Object.fromEntries(rest)]);
  };
}

/** Of one clipping with and without its sequence mask, all its other parameters equal. */
export function allButMask({ setting, point }: StudiedRun): string {
  const { clipping, ...rest } = actingMethod(point);
  return canonicalJson([setting, { ...rest, clipping: { ...clipping, sequenceMask: null } }]);
}

export function allButMethod({ setting }: StudiedRun): string {
  return setting;
}

export function allButSteps({ settingButSteps, point }: StudiedRun): string {
  return canonicalJson([settingButSteps, actingMethod(point)]);
}
