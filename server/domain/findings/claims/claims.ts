import type { Claim } from "./claim.ts";
import { methodClaims } from "./methods.ts";
import { practitionerClaims } from "./practitioners.ts";
import { settingClaims } from "./settings.ts";

/** Each part compares runs of equal settings that differ in what it names alone, unless a note says more. */
export const claims: readonly Claim[] = [...methodClaims, ...settingClaims, ...practitionerClaims];
