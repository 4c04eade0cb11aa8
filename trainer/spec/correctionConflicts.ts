import type { Correction } from "./correction.ts";
import type { CellSpec } from "./run.ts";
import { clippingTraits, sequenceMaskOf } from "./traits.ts";

type Conflict = { path: string; message: string };

type Objective = Pick<CellSpec, "method"> & { update: Pick<CellSpec["update"], "truncatedImportance"> };

/** Finds combinations of off-policy correction and clipping that are meaningless or redundant. */
export function correctionConflictsOf({ method, update }: Objective): Conflict[] {
  const { clipping, correction } = method;
  const found: Conflict[] = [];
  const refuse = (path: string, message: string): void => void found.push({ path: `method.${path}`, message });
  if (clipping.kind === "token" && clipping.twoSided !== undefined) {
    if (clipping.dual !== null) {
      refuse("clipping.twoSided", `replaces the dual clip: set dual, which is ${clipping.dual}, to null`);
    }
    if (clipping.twoSided < 1 + clipping.high) {
      refuse(
        "clipping.twoSided",
        `is ${clipping.twoSided}, must be at least ${1 + clipping.high}, the end of the clip range`,
      );
    }
  }
  if (!correction) return found;
  const { proximal, weight, reject } = correction;
  if (update.truncatedImportance !== null) {
    const message = `is ${update.truncatedImportance}, but the method's correction already weights the same tokens: set one of the two to null`;
    found.push({ path: "update.truncatedImportance", message });
  }
  if (weight && proximal === "sampler" && clipping.kind !== "score") {
    refuse(
      "correction.weight",
      `${clipping.kind} clipping already uses the ratio to the sampler, so a weight would apply it twice; only score clipping can have a weight`,
    );
  }
  if (weight && "anchor" in clipping && clipping.anchor === "sampler") {
    refuse(
      "correction.weight",
      `${clipping.kind} clipping already uses the ratio to the sampler, so a weight would apply it twice`,
    );
  }
  if (weight && clippingTraits[clipping.kind].takesWeights && weight.level !== "token") {
    refuse(
      "correction.weight.level",
      `is ${weight.level}, must be token: ${clipping.kind} clipping itself multiplies the weights of a row's tokens`,
    );
  }
  if (sequenceMaskOf(clipping) && reject.some(({ kind }) => kind === "drift")) {
    refuse("correction.reject", "the clipping has a sequence mask, which is a rejection by drift; keep one of them");
  }
  for (const [path, { low, high }] of boundsOf(correction)) {
    if (low !== null && high !== null && low > high) refuse(path, `low (${low}) must be at most high (${high})`);
    if (low === null && high === null) refuse(path, "needs low, high or both");
  }
  return found;
}

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
