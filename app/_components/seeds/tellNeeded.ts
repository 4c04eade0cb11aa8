import type { Needed } from "#server/domain/runs/neededSeeds.ts";

/** "To decide between GRPO and SAPO with power 80 %, the observed difference needs 31 seeds each, one of 10 points 9; there are 3.". */
export function tellNeeded(names: readonly string[], { n, atObserved, atTenPoints }: Needed): string {
  const what = names.length > 0 ? ` between ${names.join(" and ")}` : "";
  const write = (seeds: number | null) => (seeds === null ? "more than 1,000" : String(seeds));
  const each = names.length > 0 ? "seeds each" : "runs in each group";
  const points = atTenPoints === undefined ? "" : `, one of 10 points ${write(atTenPoints)}`;
  return `To decide${what} with power 80 %, the observed difference needs ${write(atObserved)} ${each}${points}; there are ${Math.floor(n + 1e-9)}.`;
}
