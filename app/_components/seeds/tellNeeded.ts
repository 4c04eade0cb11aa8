import type { Needed } from "#server/domain/runs/neededSeeds.ts";

/** "To decide between GRPO and SAPO (power 80 %): 31 seeds each at the observed difference, 9 at 10 points.". */
export function tellNeeded(names: readonly string[], { n, atObserved, atTenPoints }: Needed): string {
  const what = names.length > 0 ? ` between ${names.join(" and ")}` : "";
  const write = (seeds: number | null) => (seeds === null ? "more than 1,000" : String(seeds));
  const each = names.length > 0 ? "seeds each" : "runs in each group";
  const points = atTenPoints === undefined ? "" : `, ${write(atTenPoints)} at 10 points`;
  return `To decide${what} (power 80 %): ${write(atObserved)} ${each} at the observed difference${points}; ${Math.floor(n + 1e-9)} now.`;
}
