import { allBut, allButMethod } from "../settings.ts";
import { compareCollapses, compareDifferences, compareMeans, type Part, type Side } from "../sides.ts";
import type { StudiedRun } from "../studiedRun.ts";
import { early, final, plain, side, tolerant, type Claim } from "./claim.ts";

/** Compared methods differ in one dimension unless a note lists more. */
export const methodClaims: readonly Claim[] = [
  {
    id: "sequenceClipping",
    claim: "Clipping the importance ratio of the whole sequence prevents collapse.",
    source: "ARLArena §4.1 (GSPO)",
    preset: "paper-table3-sokoban",
    note: "Sequence-level clipping also fixes the loss aggregation (a mean over sequences), so both dimensions differ.",
    test: (runs) => [
      compareCollapses(
        "Do fewer runs collapse with sequence-level clipping than with tolerant clipping?",
        [
          side("tolerant", runs, { ...plain, clipping: tolerant }),
          side("sequence", runs, { ...plain, clipping: "sequence" }),
        ],
        allBut("method.clipping", "method.aggregation"),
      ),
    ],
  },
  {
    id: "tolerantClipping",
    claim: "With tolerant clipping, success rises early and then collapses.",
    source: "ARLArena §4.1, Figure 3 (SAPO, CISPO)",
    preset: "paper-table3-sokoban",
    test: (runs) => {
      const context = allBut("method.clipping");
      const sides = [
        side("tolerant", runs, { ...plain, clipping: tolerant }),
        side("token clip", runs, { ...plain, clipping: "token" }),
      ] as const;
      return [
        compareMeans(
          "Is mean success over the first third of training higher with tolerant clipping than with token clipping?",
          sides,
          { read: early, context },
        ),
        compareCollapses("Do more runs collapse with tolerant clipping than with token clipping?", sides, context),
      ];
    },
  },
  {
    id: "hierarchicalAdvantage",
    claim: "Hierarchical (step-level) advantages raise success.",
    source: "ARLArena §4.2 (GiGPO)",
    preset: "paper-table3-sokoban",
    test: (runs) => [compareAdvantage(runs, "GiGPO", "gigpo")],
  },
  {
    id: "certaintyAdvantage",
    claim: "Scaling advantages by the policy's certainty (entropy) raises success.",
    source: "ARLArena §4.2, Table 3 (EMPG)",
    preset: "paper-table3-sokoban",
    note: "In the paper, EMPG does better than GRPO on WebShop, and worse than GRPO on ALFWorld and Sokoban.",
    test: (runs) => [compareAdvantage(runs, "EMPG", "empg")],
  },
  {
    id: "filteringInteraction",
    claim: "Dynamic filtering helps GiGPO and hurts GRPO, because it needs an advantage that keeps the format signal.",
    source: "ARLArena §4.3 (DAPO + GRPO, DAPO + GiGPO)",
    preset: "paper-table3-sokoban",
    test: (runs) => {
      const of = (name: string, advantage: string, sampling: string) =>
        side(name, runs, { advantage, sampling, clipping: "token" });
      const [withGigpo, gigpo] = [of("GiGPO, filtered", "gigpo", "dynamic"), of("GiGPO, unfiltered", "gigpo", "all")];
      const [withGroup, group] = [
        of("group-relative, filtered", "group", "dynamic"),
        of("group-relative, unfiltered", "group", "all"),
      ];
      const alone = { read: final, context: allBut("method.sampling") };
      return [
        compareMeans(
          "With GiGPO's advantage, is mean success in the final window higher with dynamic filtering of groups than without it?",
          [withGigpo, gigpo],
          alone,
        ),
        compareMeans(
          "With the group-relative advantage, is mean success in the final window higher without dynamic filtering than with it?",
          [group, withGroup],
          alone,
        ),
        compareDifferences(
          "Does dynamic filtering raise mean success in the final window more with GiGPO's advantage than with the group-relative advantage?",
          [withGigpo, gigpo, withGroup, group],
          { read: final, context: allBut("method.advantage", "method.sampling") },
        ),
      ];
    },
  },
  {
    id: "turnMeanHurts",
    claim: "Averaging the loss first per turn and then over turns gives lower success than one mean over all tokens.",
    source: "ARLArena §4.4 (GRPO_ST)",
    preset: "paper-table3-sokoban",
    test: (runs) => [
      compareMeans(
        "Is mean success in the final window higher with a token mean than with a turn mean?",
        [
          side("token mean", runs, { ...plain, clipping: "token", aggregation: "tokenMean" }),
          side("turn mean", runs, { ...plain, clipping: "token", aggregation: "seqMeanTokenMean" }),
        ],
        { read: final, context: allBut("method.aggregation") },
      ),
    ],
  },
  {
    id: "criticBeatsGroups",
    claim: "PPO with a critic reaches higher success than the group-relative methods GRPO and RLOO.",
    source: "A Practitioner's Guide, algorithms (PPO, GRPO, RLOO)",
    preset: "paper-algorithms-textworld",
    test: (runs) => {
      const of = (name: string, advantage: string) =>
        side(name, runs, { advantage, clipping: "token", sampling: "all" });
      const measure = { read: final, context: allBut("method.advantage") };
      return [of("GRPO", "group"), of("RLOO", "rloo")].map((other) => {
        const question = `Is mean success in the final window higher with PPO than with ${other.name}?`;
        return compareMeans(question, [of("PPO", "gae"), other], measure);
      });
    },
  },
  {
    id: "sampoBest",
    claim: "SAMPO reaches the highest success of all methods, and is stable.",
    source: "ARLArena Table 3",
    preset: "paper-table3-sokoban",
    note: "SAMPO differs from most methods in several dimensions at once. The test shows whether it is better, not why.",
    test: (runs) => {
      const of = (name: string) => ({ name, runs: runs.filter(({ method }) => method === name) });
      const sampo = of("SAMPO");
      const others = [...new Set(runs.map(({ method }) => method))].filter((method) => method !== sampo.name);
      const question = "Is SAMPO's mean success in the final window higher than that of the best other method?";
      const compare = (other: Side) => compareMeans(question, [sampo, other], { read: final, context: allButMethod });
      // The best other method is the one, among those with comparable runs, over which SAMPO leads by least.
      const [closest = compare({ name: "best other method", runs: [] })] = others
        .map((name) => compare(of(name)))
        .filter(({ numContexts }) => numContexts > 0)
        .toSorted((a, b) => a.difference - b.difference);
      const rest = { name: "all others", runs: runs.filter(({ method }) => method !== sampo.name) };
      return [
        closest,
        compareCollapses("Do more runs of the other methods collapse than of SAMPO?", [rest, sampo], allButMethod),
      ];
    },
  },
];

function compareAdvantage(runs: readonly StudiedRun[], name: string, advantage: string): Part {
  return compareMeans(
    `Is mean success in the final window higher with ${name}'s advantage than with the group-relative advantage?`,
    [
      side(name, runs, { advantage, clipping: "token", sampling: "all" }),
      side("group-relative", runs, { ...plain, clipping: "token" }),
    ],
    { read: final, context: allBut("method.advantage") },
  );
}
