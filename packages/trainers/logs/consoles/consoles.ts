import type { Dialect } from "../../names/dialects.ts";
import { makeArealConsole } from "./areal.ts";
import type { ConsoleReader } from "./console.ts";
import { makeNemoRlConsole } from "./nemoRl.ts";
import { makeOpenRlhfConsole } from "./openRlhf.ts";
import { makePrimeRlConsole } from "./primeRl.ts";
import { makeRollConsole } from "./roll.ts";
import { makeSkyRlConsole } from "./skyRl.ts";
import { makeSlimeConsole } from "./slime.ts";

/** Trainers with their own console format, besides verl and TRL. */
export const consoles = {
  openRlhfConsole: { dialect: "openRlhf", make: makeOpenRlhfConsole },
  skyRlConsole: { dialect: "skyRl", make: makeSkyRlConsole },
  slimeConsole: { dialect: "slime", make: makeSlimeConsole },
  nemoRlConsole: { dialect: "nemoRl", make: makeNemoRlConsole },
  primeRlConsole: { dialect: "primeRl", make: makePrimeRlConsole },
  rollConsole: { dialect: "roll", make: makeRollConsole },
  arealConsole: { dialect: "areal", make: makeArealConsole },
} as const satisfies Record<string, { dialect: Dialect; make: () => ConsoleReader }>;

export type ConsoleKind = keyof typeof consoles;
export const consoleKinds = Object.keys(consoles).filter(isConsoleKind);

export function isConsoleKind(kind: string): kind is ConsoleKind {
  return Object.hasOwn(consoles, kind);
}
