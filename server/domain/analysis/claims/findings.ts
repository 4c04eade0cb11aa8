import type { Claim } from "./stated/claim.ts";
import type { Part } from "./sides.ts";
import type { StudiedRun } from "./studiedRun.ts";
import { methodClaims } from "./stated/methods.ts";
import { practitionerClaims } from "./stated/practitioners.ts";
import { settingClaims } from "./stated/settings.ts";

export type Finding = Omit<Claim, "test"> & {
  /**
   * Result of testing a claim. `chance`: every test has enough runs, but at least one difference is not significant.
   */
  outcome: "supported" | "contradicted" | "chance" | "notEnough";
  parts: readonly Part[];
};

/**
 * Tests the papers' claims on the user's runs. A claim consists of one or more statistical tests. It is contradicted
 * if any test contradicts it, and supported if all tests (for some claims, any test) support it. Otherwise it stays
 * open.
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

/** Claim that is still open, and the sweeps whose runs would decide it. */
export type Answering = { claimId: string; sweepIds: readonly string[] };

type Judged = Pick<Finding, "id" | "outcome" | "parts">;

/**
 * Lists claims for which the chosen sweeps have too few runs, but which are decided once other sweeps are added. For
 * each, lists those other sweeps whose runs the tests compare, in the order of `sweepOf`.
 * @param sweepOf sweep of each run studied
 */
export function listAnswering(
  { alone, together }: { alone: readonly Judged[]; together: readonly Judged[] },
  sweepOf: ReadonlyMap<string, string>,
  chosen: readonly string[],
): Answering[] {
  const isOpen = new Set(alone.filter(({ outcome }) => outcome === "notEnough").map(({ id }) => id));
  return together
    .filter(({ id, outcome }) => isOpen.has(id) && outcome !== "notEnough")
    .flatMap(({ id, parts }) => {
      const runIds = new Set(parts.flatMap(({ sides }) => sides.flatMap((side) => side.runIds)));
      const sweeps = [...sweepOf].flatMap(([runId, sweepId]) => (runIds.has(runId) ? [sweepId] : []));
      const others = [...new Set(sweeps)].filter((sweepId) => !chosen.includes(sweepId));
      return others.length > 0 ? [{ claimId: id, sweepIds: others }] : [];
    });
}

/**
 * Claims of the papers that can be tested. Each test compares runs that differ only in the named setting, unless the
 * claim's note lists more differences.
 */
const claims: readonly Claim[] = [...methodClaims, ...settingClaims, ...practitionerClaims];
