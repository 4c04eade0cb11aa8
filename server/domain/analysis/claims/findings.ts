import type { Claim } from "./stated/claim.ts";
import type { Part } from "./sides.ts";
import type { StudiedRun } from "./studiedRun.ts";
import { methodClaims } from "./stated/methods.ts";
import { practitionerClaims } from "./stated/practitioners.ts";
import { settingClaims } from "./stated/settings.ts";

export type Finding = Omit<Claim, "test" | "rule"> & {
  rule: "all" | "any";
  /** `chance`: every test has enough runs, but at least one difference is not significant. */
  outcome: "supported" | "contradicted" | "chance" | "notEnough";
  parts: readonly Part[];
};

/**
 * Tests the papers' claims on the user's runs. A claim is contradicted if any test contradicts it, and supported if all
 * tests (for some claims, any test) support it.
 */
export function evaluateFindings(runs: readonly StudiedRun[]): Finding[] {
  return claims.map(({ test, ...claim }) => {
    const rule: Finding["rule"] = claim.rule ?? "all";
    const parts = test(runs);
    return { ...claim, rule, outcome: judge(rule, parts), parts };
  });
}

function judge(rule: Finding["rule"], parts: readonly Part[]): Finding["outcome"] {
  const outcomes = parts.map(({ outcome }) => outcome);
  if (outcomes.includes("contradicted")) return "contradicted";
  const isSupported = rule === "all" ? outcomes.every((one) => one === "supported") : outcomes.includes("supported");
  if (isSupported) return "supported";
  return outcomes.includes("tooFew") ? "notEnough" : "chance";
}

/** Open claim, and the sweeps whose runs would decide it. */
export type Answering = { claimId: string; sweepIds: readonly string[] };

type Judged = Pick<Finding, "id" | "outcome" | "parts">;

/**
 * Lists claims that have too few runs in the chosen sweeps but are decided once others are added, with those sweeps in
 * the order of `sweepOf` (sweep by run).
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

/** Each test compares runs that differ only in the named setting, unless the claim's note lists more. */
const claims: readonly Claim[] = [...methodClaims, ...settingClaims, ...practitionerClaims];
