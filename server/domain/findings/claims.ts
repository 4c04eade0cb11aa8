import type { Side } from "./matchSides.ts";
import { allBut, allButMask, allButMethod } from "./settings.ts";
import { compareCollapses, compareDifferences, compareMeans, type Part } from "./sides.ts";
import { stalenessSides } from "./staleness.ts";
import type { FactorName, StudiedRun } from "./studiedRun.ts";

export type Claim = {
  id: string;
  /** As the paper has it. */
  claim: string;
  source: string;
  /** Preset whose runs can tell. */
  preset: string;
  /** What the parts have to do for the claim. */
  rule: "all" | "any";
  /** Where the sides differ in more than the claim names, in what. */
  note?: string;
  test: (runs: readonly StudiedRun[]) => Part[];
};

type Wanted = Partial<Record<FactorName, string | readonly string[]>>;

function side(name: string, runs: readonly StudiedRun[], wanted: Wanted): Side {
  const fits = ({ levels }: StudiedRun) =>
    Object.entries(wanted).every(([factor, accepted]) => {
      const has = levels[factor as FactorName];
      return typeof accepted === "string" ? has === accepted : accepted.includes(has);
    });
  return { name, runs: runs.filter(fits) };
}

const plain = { advantage: "group", sampling: "all" } as const;
const tolerant = ["sapo", "cispo"] as const;
const final = ({ value }: StudiedRun) => value;
const early = (run: StudiedRun) => run.early;

/** Each part compares runs of equal settings that differ in the dimension it names alone, unless a note says more. */
export const claims: readonly Claim[] = [
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
        allBut("clipping", "aggregation"),
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
      const context = allBut("clipping");
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
    id: "maskRescues",
    claim: "Masking stale sequences rescues SAPO and CISPO.",
    source: "ARLArena §4.1, Table 4",
    preset: "paper-table4-sokoban",
    rule: "any",
    test: (runs) => {
      const masked = side("masked", runs, { ...plain, clipping: ["sapo+mask", "cispo+mask"] });
      const bare = side("unmasked", runs, { ...plain, clipping: tolerant });
      return [
        compareMeans("Is the final window higher with the mask?", [masked, bare], { read: final, context: allButMask }),
        compareCollapses("Do more collapse without it?", [bare, masked], allButMask),
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
        { read: final, context: allBut("advantage") },
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
      const alone = { read: final, context: allBut("sampling") };
      return [
        compareMeans("With GiGPO's advantage, is the final window higher with filtering?", [withGigpo, gigpo], alone),
        compareMeans("With the group's, is it higher without filtering?", [group, withGroup], alone),
        compareDifferences(
          "Does filtering change the final window more with GiGPO's advantage than with the group's?",
          [withGigpo, gigpo, withGroup, group],
          { read: final, context: allBut("advantage", "sampling") },
        ),
      ];
    },
  },
  {
    id: "staleness",
    claim: "The staler the data of an update, the worse.",
    source: "ARLArena Table 5",
    preset: "staleness-sokoban",
    rule: "all",
    note: "Staleness is optimiser steps per iteration, as logged; runs compared differ in epochs and mini-batch alone.",
    test: (runs) => {
      const { freshest, stalest, context } = stalenessSides(runs);
      return [
        compareMeans(
          "Is the final window higher with the freshest data than with the stalest?",
          [
            { name: "freshest", runs: freshest },
            { name: "stalest", runs: stalest },
          ],
          { read: final, context },
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
        { read: final, context: allBut("aggregation") },
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
      const context = allBut("advantage");
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
      // The best other method is the one that SAMPO is least ahead of where both were run.
      const [closest = compare({ name: "best other method", runs: [] })] = others
        .map((name) => compare(of(name)))
        .filter(({ numContexts }) => numContexts > 0)
        .toSorted((a, b) => a.difference - b.difference);
      const rest = { name: "all others", runs: runs.filter(({ method }) => method !== sampo.name) };
      return [closest, compareCollapses("Do more of the others collapse?", [rest, sampo], allButMethod)];
    },
  },
];
