import { fraction, type Metric } from "./entry.ts";

/**
 * Classes of tokens (strata) of ARLArena Fig. 4: sign of the advantage × importance ratio above or below 1 × entropy
 * under the old policy above or below the iteration's median.
 */
export const strata = [
  "positiveAboveHigh",
  "positiveAboveLow",
  "positiveBelowHigh",
  "positiveBelowLow",
  "negativeAboveHigh",
  "negativeAboveLow",
  "negativeBelowHigh",
  "negativeBelowLow",
] as const;
export type Stratum = (typeof strata)[number];

/** Bins of turn numbers (from 1) with one curve each. Later turns share bins. */
export const turnBins = ["1", "2", "3", "4", "5", "6", "7", "8", "9-12", "13-16", "17-32", "33+"] as const;

function byStratum<Group extends string>(group: Group, title: string, meaning: string) {
  return keyed(group, strata, (stratum) => {
    const [sign = "", ratio = "", entropy = ""] = stratum.split(/(?=[A-Z])/);
    const words = `A ${sign === "positive" ? ">" : "<"} 0, ratio ${ratio === "Above" ? "≥" : "<"} 1, entropy ${entropy.toLowerCase()}`;
    const entropies = "High entropy is above the iteration's median.";
    return fraction(`${title}: ${words}`, "none", `${meaning} with ${words}. ${entropies}`);
  });
}

function byTurn<Group extends string>(group: Group, title: string, meaning: string) {
  return keyed(group, turnBins, (bin) => ({
    title: `${title}, turn ${bin}`,
    unit: "nats/token" as const,
    min: 0 as const,
    better: "none" as const,
    meaning: `${meaning} in turn ${bin} of an episode.`,
  }));
}

function keyed<Group extends string, Name extends string>(
  group: Group,
  names: readonly Name[],
  make: (name: Name) => Metric,
): Record<`${Group}/${Name}`, Metric> {
  return Object.fromEntries(names.map((name) => [`${group}/${name}`, make(name)])) as Record<
    `${Group}/${Name}`,
    Metric
  >;
}
/** Metrics by stratum (fractions of tokens and of KL), and by turn of the episode (KL and entropy). */
export const partMetrics = {
  ...byStratum(
    "strataTokens",
    "Share of tokens",
    "Among response tokens with a non-zero advantage, the share of tokens",
  ),
  ...byStratum("strataOutOfRange", "Out of range", "Among response tokens outside the clip range, the share of tokens"),
  ...byStratum("strataKl", "Share of KL", "Share of the KL to the reference policy that comes from tokens"),
  ...byTurn("turnKl", "KL to reference", "k3 estimate of the KL to the reference policy"),
  ...byTurn("turnEntropy", "Entropy", "Mean token entropy of the policy that sampled the rollouts"),
} as const satisfies Record<string, Metric>;
