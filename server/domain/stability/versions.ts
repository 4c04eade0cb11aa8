import { AppError } from "#server/domain/errors.ts";
import { shippedConfig, versionOf, type DetectorConfig } from "./config.ts";

/** Rules as they were frozen: nothing in them was chosen by runs that began later. */
export type FrozenRules = { version: string; config: DetectorConfig; frozenAt: Date };

/** The newest last. Older ones stay, so that runs that were made under them can be judged by them. */
export const frozenRules: readonly FrozenRules[] = [
  freeze(firstRules(shippedConfig), "2026-11-22T08:49:43Z"),
  freeze(shippedConfig, "2026-11-23T03:30:00Z"),
];

/** The second differ in nothing but their guards, which are given the metrics that they name. */
function firstRules(config: DetectorConfig): DetectorConfig {
  const { areFed: _, ...guards } = config.guards;
  return { ...config, version: 1, guards };
}

function freeze(config: DetectorConfig, at: string): FrozenRules {
  return { version: versionOf(config), config, frozenAt: new Date(at) };
}

/** Throws `bad_input` for a version that is not among them. */
export function findRules(version: string): FrozenRules {
  const found = frozenRules.find((rules) => rules.version === version);
  if (found) return found;
  const known = frozenRules.map((rules) => rules.version).join(", ");
  throw new AppError("bad_input", `rules: no version ${JSON.stringify(version)}; there are ${known}`);
}
