import type { Correction } from "./correction.ts";
import type { CellSpec } from "./run.ts";
import { clippingTraits, sequenceMaskOf } from "./traits.ts";

type Conflict = { path: string; message: string };

/** Combinations of correction and clipping that are meaningless or redundant. */
export function correctionConflictsOf({ method, update }: CellSpec): Conflict[] {
  const { clipping, correction } = method;
  const found: Conflict[] = [];
  const refuse = (path: string, message: string): void => void found.push({ path: `method.${path}`, message });
  if (clipping.kind === "token" && clipping.twoSided !== undefined) {
    if (clipping.dual !== null) {
      refuse(
        "clipping.twoSided",
        `${clipping.twoSided} takes the place of the dual clip, which is ${clipping.dual}; set dual to null`,
      );
    }
    if (clipping.twoSided < 1 + clipping.high) {
      refuse("clipping.twoSided", `${clipping.twoSided} is inside the clip range, which ends at ${1 + clipping.high}`);
    }
  }
  if (!correction) return found;
  const { proximal, weight, reject } = correction;
  if (update.truncatedImportance !== null) {
    const message = `${update.truncatedImportance} and the method's correction both weigh the sampler's tokens; set one to null`;
    found.push({ path: "update.truncatedImportance", message });
  }
  if (weight && proximal === "sampler" && clipping.kind !== "score") {
    refuse(
      "correction.weight",
      `the ratio of ${clipping.kind} clipping is to the sampler already: a weight would count it twice; only score clipping takes one`,
    );
  }
  if (weight && "anchor" in clipping && clipping.anchor === "sampler") {
    refuse(
      "correction.weight",
      `the ratio of ${clipping.kind} clipping is to the sampler already: a weight would count it twice`,
    );
  }
  if (weight && clippingTraits[clipping.kind].takesWeights && weight.level !== "token") {
    refuse(
      "correction.weight.level",
      `${weight.level}: ${clipping.kind} clipping multiplies the weights of a row's tokens itself; the level must be token`,
    );
  }
  if (sequenceMaskOf(clipping) && reject.some(({ kind }) => kind === "drift")) {
    refuse("correction.reject", "the clipping has a sequence mask, which is a rejection by drift; keep one of them");
  }
  for (const [path, { low, high }] of boundsOf(correction)) {
    if (low !== null && high !== null && low > high) refuse(path, `nothing is between ${low} and ${high}`);
    if (low === null && high === null) refuse(path, "a bound is needed, low or high");
  }
  return found;
}

/** All bounds of a correction with the paths of their fields. */
function boundsOf({
  weight,
  reject,
}: Correction): [path: string, bounds: { low: number | null; high: number | null }][] {
  return [
    ...(weight && weight.kind !== "raw" ? [["correction.weight", weight] as [string, typeof weight]] : []),
    ...reject.flatMap((rejection, i): [string, { low: number | null; high: number | null }][] =>
      "low" in rejection ? [[`correction.reject[${i}]`, rejection]] : [],
    ),
  ];
}
