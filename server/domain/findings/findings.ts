import { compareCollapses, compareDifferences, compareMeans, type Part, type Side } from "./sides.ts";
import type { FactorName, StudiedRun } from "./studiedRun.ts";

export type Finding = {
  id: string;
  /** As the paper has it. */
  claim: string;
  source: string;
  outcome: "supported" | "contradicted" | "notEnough";
  parts: readonly Part[];
  /** What the parts have to do for the claim. */
  rule: "all" | "any";
};

type Claim = Omit<Finding, "outcome" | "parts"> & { test: (runs: readonly StudiedRun[]) => Part[] };

/**
 * The paper's claims on one's own runs. A claim holds when all its parts (or any, where it says so) are supported, and
 * is contradicted when any is contradicted; runs that cannot tell leave it open. Each part compares runs that differ in
 * the named dimension alone.
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

type Wanted = Partial<Record<FactorName, string | readonly string[]>>;

function side(name: string, runs: readonly StudiedRun[], wanted: Wanted): Side {
  const fits = ({ levels }: StudiedRun) =>
    Object.entries(wanted).every(([factor, own]) => {
      const has = levels[factor as FactorName];
      return typeof own === "string" ? has === own : own.includes(has);
    });
  return { name, runs: runs.filter(fits) };
}

const plain = { advantage: "group", sampling: "all" } as const;
const tolerant = ["sapo", "cispo"] as const;
const final = ({ value }: StudiedRun) => value;
const early = (run: StudiedRun) => run.early;

const claims: readonly Claim[] = [
  {
    id: "sequenceClipping",
    claim: "Clipping the ratio of a whole sequence prevents collapse.",
    source: "ARLArena §4.1 (GSPO)",
    rule: "all",
    test: (runs) => [
      compareCollapses("Do fewer collapse with sequence-level clipping than with tolerant clipping?", [
        side("tolerant", runs, { ...plain, clipping: tolerant }),
        side("sequence", runs, { ...plain, clipping: "sequence" }),
      ]),
    ],
  },
  {
    id: "tolerantClipping",
    claim: "Tolerant clipping gains early, then collapses.",
    source: "ARLArena §4.1, Figure 3 (SAPO, CISPO)",
    rule: "all",
    test: (runs) => {
      const sides = [
        side("tolerant", runs, { ...plain, clipping: tolerant }),
        side("token clip", runs, { ...plain, clipping: "token", aggregation: "tokenMean" }),
      ] as const;
      return [
        compareMeans("Is success in the first third higher with tolerant clipping?", sides, early),
        compareCollapses("Do more collapse with tolerant clipping?", sides),
      ];
    },
  },
  {
    id: "maskRescues",
    claim: "Masking stale sequences rescues SAPO and CISPO.",
    source: "ARLArena §4.1, Table 4",
    rule: "any",
    test: (runs) => {
      const masked = side("masked", runs, { ...plain, clipping: ["sapo+mask", "cispo+mask"] });
      const bare = side("unmasked", runs, { ...plain, clipping: tolerant });
      return [
        compareMeans("Is the final window higher with the mask?", [masked, bare], final),
        compareCollapses("Do more collapse without it?", [bare, masked]),
      ];
    },
  },
  {
    id: "hierarchicalAdvantage",
    claim: "Hierarchical (step-level) advantages help.",
    source: "ARLArena §4.2 (GiGPO)",
    rule: "all",
    test: (runs) => [
      compareMeans(
        "Is the final window higher with GiGPO's advantage than with the group's?",
        [
          side("GiGPO", runs, { advantage: "gigpo", clipping: "token", sampling: "all" }),
          side("group", runs, { ...plain, clipping: "token", aggregation: "tokenMean" }),
        ],
        final,
      ),
    ],
  },
  {
    id: "filteringInteraction",
    claim: "Dynamic filtering needs an advantage that keeps the format signal: it helps GiGPO and hurts GRPO.",
    source: "ARLArena §4.3 (DAPO + GRPO, DAPO + GiGPO)",
    rule: "all",
    test: (runs) => [
      compareDifferences(
        "Does filtering change the final window more with GiGPO's advantage than with the group's?",
        [
          side("GiGPO, filtered", runs, { advantage: "gigpo", sampling: "dynamic", clipping: "token" }),
          side("GiGPO, all", runs, { advantage: "gigpo", sampling: "all", clipping: "token" }),
          side("group, filtered", runs, { advantage: "group", sampling: "dynamic", clipping: "token" }),
          side("group, all", runs, { ...plain, clipping: "token", aggregation: "tokenMean" }),
        ],
        final,
      ),
    ],
  },
  {
    id: "staleness",
    claim: "The staler the data of an update, the worse.",
    source: "ARLArena Table 5",
    rule: "all",
    test: (runs) => {
      const levels = runs.map(({ staleness }) => staleness);
      const [least, most] = [Math.min(...levels), Math.max(...levels)];
      const of = (name: string, at: number) => ({
        name,
        runs: least === most ? [] : runs.filter(({ staleness }) => staleness === at),
      });
      return [
        compareMeans(
          "Is the final window higher with the freshest data than with the stalest?",
          [of("freshest", least), of("stalest", most)],
          final,
        ),
      ];
    },
  },
  {
    id: "sampoBest",
    claim: "SAMPO is the best method, and a stable one.",
    source: "ARLArena Table 3",
    rule: "all",
    test: (runs) => {
      const own = { name: "SAMPO", runs: runs.filter(({ method }) => method === "SAMPO") };
      const others = [...new Set(runs.map(({ method }) => method))].filter((method) => method !== "SAMPO");
      const ranked = others
        .map((name) => ({ name, runs: runs.filter(({ method }) => method === name) }))
        .toSorted((a, b) => meanOf(b) - meanOf(a));
      const best = ranked[0] ?? { name: "best other method", runs: [] };
      const rest = { name: "all others", runs: runs.filter(({ method }) => method !== "SAMPO") };
      return [
        compareMeans("Is SAMPO's final window higher than the best other method's?", [own, best], final),
        compareCollapses("Do more of the others collapse?", [rest, own]),
      ];
    },
  },
];

function meanOf({ runs }: Side): number {
  const values = runs.map(final).filter(Number.isFinite);
  return values.length === 0 ? -Infinity : values.reduce((sum, x) => sum + x, 0) / values.length;
}
