import type { Claim } from "./claim.ts";
import { methodClaims } from "./methods.ts";
import { practitionerClaims } from "./practitioners.ts";
import { settingClaims } from "./settings.ts";

/** Each part compares runs that differ only in the setting it names, unless a note lists more. */
export const claims: readonly Claim[] = [...methodClaims, ...settingClaims, ...practitionerClaims];
