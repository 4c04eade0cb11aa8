import type { Side } from "../matchSides.ts";
import { allBut, allButMethod } from "../settings.ts";
import { compareCollapses, compareDifferences, compareMeans } from "../sides.ts";
import { early, final, plain, side, tolerant, type Claim } from "./claim.ts";

/** Claims of ARLArena and the second paper on methods that differ in one dimension, unless a note lists more. */
export const methodClaims: readonly Claim[] = [
  {
    id: "sequenceClipping",
    claim: "Clipping the ratio of a whole sequence prevents collapse.",
    source: "ARLArena §4.1 (GSPO)",
    preset: "paper-table3-sokoban",
    rule: "all",
    note: "A ratio of a whole sequence is averaged by sequence, so the loss aggregation changes with the clipping.",
    test: (runs) => [
      compareCollapses(
        "Do fewer collapse with sequence-level clipping than with tolerant clipping?",
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
    claim: "Tolerant clipping gains early, then collapses.",
    source: "ARLArena §4.1, Figure 3 (SAPO, CISPO)",
    preset: "paper-table3-sokoban",
    rule: "all",
    test: (runs) => {
      const context = allBut("method.clipping");
      const sides = [
        side("tolerant", runs, { ...plain, clipping: tolerant }),
        side("token clip", runs, { ...plain, clipping: "token" }),
      ] as const;
      return [
        compareMeans("Is success in the first third higher with tolerant clipping?", sides, { read: early, context }),
        compareCollapses("Do more collapse with tolerant clipping?", sides, context),
      ];
    },
  },
  {
    id: "hierarchicalAdvantage",
    claim: "Hierarchical (step-level) advantages help.",
    source: "ARLArena §4.2 (GiGPO)",
    preset: "paper-table3-sokoban",
    rule: "all",
    test: (runs) => [
      compareMeans(
        "Is the final window higher with GiGPO's advantage than with the group's?",
        [
          side("GiGPO", runs, { advantage: "gigpo", clipping: "token", sampling: "all" }),
          side("group", runs, { ...plain, clipping: "token" }),
        ],
        { read: final, context: allBut("method.advantage") },
      ),
    ],
  },
  {
    id: "certaintyAdvantage",
    claim: "Advantages scaled by the policy's certainty help.",
    source: "ARLArena §4.2, Table 3 (EMPG)",
    preset: "paper-table3-sokoban",
    rule: "all",
    note: "In the paper EMPG gains on WebShop and loses on ALFWorld and Sokoban.",
    test: (runs) => [
      compareMeans(
        "Is the final window higher with EMPG's advantage than with the group's?",
        [
          side("EMPG", runs, { advantage: "empg", clipping: "token", sampling: "all" }),
          side("group", runs, { ...plain, clipping: "token" }),
        ],
        { read: final, context: allBut("method.advantage") },
      ),
    ],
  },
  {
    id: "filteringInteraction",
    claim: "Dynamic filtering needs an advantage that keeps the format signal: it helps GiGPO and hurts GRPO.",
    source: "ARLArena §4.3 (DAPO + GRPO, DAPO + GiGPO)",
    preset: "paper-table3-sokoban",
    rule: "all",
    test: (runs) => {
      const of = (name: string, advantage: string, sampling: string) =>
        side(name, runs, { advantage, sampling, clipping: "token" });
      const [withGigpo, gigpo] = [of("GiGPO, filtered", "gigpo", "dynamic"), of("GiGPO, all", "gigpo", "all")];
      const [withGroup, group] = [of("group, filtered", "group", "dynamic"), of("group, all", "group", "all")];
      const alone = { read: final, context: allBut("method.sampling") };
      return [
        compareMeans("With GiGPO's advantage, is the final window higher with filtering?", [withGigpo, gigpo], alone),
        compareMeans("With the group's, is it higher without filtering?", [group, withGroup], alone),
        compareDifferences(
          "Does filtering change the final window more with GiGPO's advantage than with the group's?",
          [withGigpo, gigpo, withGroup, group],
          { read: final, context: allBut("method.advantage", "method.sampling") },
        ),
      ];
    },
  },
  {
    id: "turnMeanHurts",
    claim: "A mean by turn first, then over turns, hurts.",
    source: "ARLArena §4.4 (GRPO_ST)",
    preset: "paper-table3-sokoban",
    rule: "all",
    test: (runs) => [
      compareMeans(
        "Is the final window higher with a mean over all tokens?",
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
    claim: "PPO with a critic learns where methods that compare within groups learn less.",
    source: "A Practitioner's Guide, algorithms (PPO, GRPO, RLOO)",
    preset: "paper-algorithms-textworld",
    rule: "all",
    test: (runs) => {
      const of = (name: string, advantage: string) =>
        side(name, runs, { advantage, clipping: "token", sampling: "all" });
      const context = allBut("method.advantage");
      const [ppo, grpo, rloo] = [of("PPO", "gae"), of("GRPO", "group"), of("RLOO", "rloo")];
      return [
        compareMeans("Is the final window higher with PPO than with GRPO?", [ppo, grpo], { read: final, context }),
        compareMeans("Is it higher than with RLOO?", [ppo, rloo], { read: final, context }),
      ];
    },
  },
  {
    id: "sampoBest",
    claim: "SAMPO is the best method, and a stable one.",
    source: "ARLArena Table 3",
    preset: "paper-table3-sokoban",
    rule: "all",
    note: "SAMPO differs from most methods in several dimensions at once: this tells that it is better, not why.",
    test: (runs) => {
      const of = (name: string) => ({ name, runs: runs.filter(({ method }) => method === name) });
      const sampo = of("SAMPO");
      const others = [...new Set(runs.map(({ method }) => method))].filter((method) => method !== sampo.name);
      const question = "Is SAMPO's final window higher than the best other method's?";
      const compare = (other: Side) => compareMeans(question, [sampo, other], { read: final, context: allButMethod });
      // The best other method: the one with the smallest lead of SAMPO where both were run.
      const [closest = compare({ name: "best other method", runs: [] })] = others
        .map((name) => compare(of(name)))
        .filter(({ numContexts }) => numContexts > 0)
        .toSorted((a, b) => a.difference - b.difference);
      const rest = { name: "all others", runs: runs.filter(({ method }) => method !== sampo.name) };
      return [closest, compareCollapses("Do more of the others collapse?", [rest, sampo], allButMethod)];
    },
  },
];
