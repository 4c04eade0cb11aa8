import { AppError } from "#packages/base";
import { shippedConfig, versionOf, type DetectorConfig } from "./config.ts";

/** Version of the detector's rules that was frozen at a date, so that no later run influenced it. */
export type FrozenRules = { version: string; config: DetectorConfig; frozenAt: Date };

/** All frozen rules, newest last. Old versions are applied to runs of their time. */
export const frozenRules: readonly FrozenRules[] = [
  freeze(firstRules(secondRules(thirdRules(fourthRules(shippedConfig)))), "2026-11-22T08:49:43Z"),
  freeze(secondRules(thirdRules(fourthRules(shippedConfig))), "2026-11-23T03:30:00Z"),
  freeze(thirdRules(fourthRules(shippedConfig)), "2026-11-23T09:12:00Z"),
  freeze(fourthRules(shippedConfig), "2026-11-25T19:30:00Z"),
  freeze(shippedConfig, "2026-11-28T20:00:00Z"),
];

/** Derives the fourth version from the fifth, which expects KL to grow in proportion to time. */
function fourthRules(fifth: DetectorConfig): DetectorConfig {
  const { growing: _, ...fourth } = fifth;
  return { ...fourth, version: 4 };
}

/** Derives the third version from the fourth, which reports the state of short runs earlier. */
function thirdRules(fourth: DetectorConfig): DetectorConfig {
  const { early: _, ...third } = fourth;
  return { ...third, version: 3 };
}

/** Derives the first version from the second, which passes to the guards all metrics that they read. */
function firstRules(second: DetectorConfig): DetectorConfig {
  const { areFed: _, ...guards } = second.guards;
  return { ...second, version: 1, guards };
}

/**
 * Derives the second version from the third, which requires larger losses and has higher limits for a stale sampler.
 */
function secondRules(third: DetectorConfig): DetectorConfig {
  const { stale: _, ...guards } = third.guards;
  const performance: DetectorConfig["performance"] = {
    ...third.performance,
    warning: [3, 0.15],
    unstable: [4, 0.4],
  };
  return { ...third, version: 2, performance, guards };
}

function freeze(config: DetectorConfig, at: string): FrozenRules {
  return { version: versionOf(config), config, frozenAt: new Date(at) };
}

/** Finds frozen rules by their version. Throws `bad_input` for an unknown version. */
export function findRules(version: string): FrozenRules {
  const found = frozenRules.find((rules) => rules.version === version);
  if (found) return found;
  const known = frozenRules.map((rules) => rules.version).join(", ");
  throw new AppError("bad_input", `rules: no version ${JSON.stringify(version)}; there are ${known}`);
}
