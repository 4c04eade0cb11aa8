import type { MethodName } from "#trainer/spec/method.ts";
import type { MethodValues } from "../../sweep/plannedEnvironment.ts";

const range = (low: number, high: number): MethodValues => ({ clipping: { low, high } });
const ranges = [{}, range(0.03, 0.04), range(0.0003, 0.0004)];
const tries = [{}, { sampling: { maxTries: 2 } }];

/**
 * Settings that ARLArena's paper and scripts are known to have tried (its Table 2), published ones first. Its complete
 * grids are unpublished; methods without an entry have one setting.
 */
export const grids: { readonly [Name in MethodName]?: readonly MethodValues[] } = {
  gspo: ranges,
  sapo: [{}, { clipping: { tauPositive: 2, tauNegative: 2.1 } }, { clipping: { tauPositive: 3, tauNegative: 3.15 } }],
  dapoGrpo: tries,
  dapoGigpo: tries,
  sampo: ranges,
};
