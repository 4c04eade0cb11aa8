import { canonicalJson, contentHash } from "#trainer/spec/canonical.ts";
import type { Method } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { actingMethod } from "#server/domain/sweep/acting.ts";
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
  return share("setting", (acting) =>
    Object.fromEntries(Object.entries(acting).filter(([factor]) => !named.some((name) => name === factor))),
  );
}

/** Of one clipping with and without its sequence mask, all its other parameters equal. */
export const allButMask = share("setting", ({ clipping, ...rest }) => {
  return { ...rest, clipping: { ...clipping, sequenceMask: null } };
});

export const allButMethod: Context = ({ setting }) => setting;

export const allButSteps = share("settingButSteps", (acting) => acting);

/** A setting and a part of the method that acts; the texts of points are kept, since the runs of a cell have one. */
function share(setting: "setting" | "settingButSteps", partOf: (acting: Method) => object): Context {
  const known = new WeakMap<Method, string>();
  return (run) => {
    // How KL and entropy are aggregated follows from the clipping: nobody chose it.
    const { penaltyAggregation: _, ...acting } = actingMethod(run.point);
    const text = known.get(run.point) ?? canonicalJson(partOf(acting));
    known.set(run.point, text);
    return `${run[setting]} ${text}`;
  };
}
