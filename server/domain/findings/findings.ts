import { claims, type Claim } from "./claims.ts";
import type { Part } from "./sides.ts";
import type { StudiedRun } from "./studiedRun.ts";

export type Finding = Omit<Claim, "test"> & {
  outcome: "supported" | "contradicted" | "notEnough";
  parts: readonly Part[];
};

/**
 * The paper's claims on the user's runs. A claim holds when all its parts (or any, where it says so) are supported, and
 * is contradicted when any is contradicted; runs that cannot tell leave it open.
 */
export function evaluateFindings(runs: readonly StudiedRun[]): Finding[] {
  return claims.map(({ test, ...claim }) => {
    const parts = test(runs);
    const outcomes = parts.map(({ outcome }) => outcome);
    const isSupported =
      claim.rule === "all" ? outcomes.every((one) => one === "supported") : outcomes.includes("supported");
    const outcome = outcomes.includes("contradicted") ? "contradicted" : isSupported ? "supported" : "notEnough";
    return { ...claim, outcome, parts };
  });
}
