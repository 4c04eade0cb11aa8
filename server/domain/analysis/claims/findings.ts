import type { Claim } from "./stated/claim.ts";
import { claims } from "./stated/claims.ts";
import type { Part } from "./sides.ts";
import type { StudiedRun } from "./studiedRun.ts";

export type Finding = Omit<Claim, "test"> & {
  /** `chance`: every part has enough runs, but some differences are not significant. */
  outcome: "supported" | "contradicted" | "chance" | "notEnough";
  parts: readonly Part[];
};

/**
 * Evaluates the papers' claims on the user's runs. A claim is supported when all its parts (or any, by its rule) are,
 * and contradicted when any part is. Otherwise it stays open.
 */
export function evaluateFindings(runs: readonly StudiedRun[]): Finding[] {
  return claims.map(({ test, ...claim }) => {
    const parts = test(runs);
    const outcome = judge(claim.rule, parts);
    return { ...claim, outcome, parts };
  });
}

function judge(rule: Claim["rule"], parts: readonly Part[]): Finding["outcome"] {
  const outcomes = parts.map(({ outcome }) => outcome);
  if (outcomes.includes("contradicted")) return "contradicted";
  const isSupported = rule === "all" ? outcomes.every((one) => one === "supported") : outcomes.includes("supported");
  if (isSupported) return "supported";
  return outcomes.includes("tooFew") ? "notEnough" : "chance";
}
