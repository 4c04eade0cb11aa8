import { findExtremes } from "../extremes.ts";
import { allBut } from "../settings.ts";
import { compareCollapses, compareMeans, type Part } from "../sides.ts";
import { allButSteps, stalenessSides } from "../staleness.ts";
import type { StudiedRun } from "../studiedRun.ts";
import { final, levelAt, plain, side, tolerant, type Claim } from "./claim.ts";

const mask = "method.clipping.sequenceMask";
/** Settings of one clipping except its sequence mask. */
const allButMask = allBut(mask);
const masks = ["sapo+mask", "cispo+mask"] as const;

/** Claims of ARLArena on single settings: its Tables 2, 4 and 5. */
export const settingClaims: readonly Claim[] = [
  {
    id: "imitation",
    claim: "A start from imitation helps.",
    source: "ARLArena Table 2 (behaviour cloning)",
    preset: "paper-table2-sokoban",
    rule: "all",
    test: (runs) => [
      compareMeans(
        "Is the final window higher after demonstrations than from scratch?",
        [
          side("demonstrations", runs, { "initialisation.kind": ["demonstrations", "rejection"] }),
          side("scratch", runs, { "initialisation.kind": "scratch" }),
        ],
        { read: final, context: allBut("initialisation") },
      ),
    ],
  },
  {
    id: "formatPenalty",
    claim: "A penalty for invalid actions helps.",
    source: "ARLArena Table 2 (format penalty)",
    preset: "paper-table2-sokoban",
    rule: "all",
    test: (runs) => [
      compareWithout(runs, "reward.invalidActionPenalty", "Is the final window higher with the penalty than without?"),
    ],
  },
  {
    id: "klPenalty",
    claim: "A KL term towards the reference policy helps.",
    source: "ARLArena Table 2 (KL, k3)",
    preset: "paper-table2-sokoban",
    rule: "all",
    test: (runs) => [
      compareWithout(runs, "update.klCoef", "Is the final window higher with the KL term than without?"),
    ],
  },
  {
    id: "clipRange",
    claim: "A sequence's ratio has a clip range of its own scale: a wider one is worse, and so is a narrower one.",
    source: "ARLArena Table 2 (GSPO, 1e-2, 1e-3 and 1e-4)",
    preset: "paper-table2-sokoban",
    rule: "all",
    test: (runs) => {
      const of = (name: string, isIn: (low: number) => boolean) =>
        side(name, runs, { ...plain, clipping: "sequence", "method.clipping.low": isIn });
      const middle = of("1e-3", (low) => low >= 1e-3 && low < 1e-2);
      const measure = { read: final, context: allBut("method.clipping.low", "method.clipping.high") };
      return [
        compareMeans("Is 1e-3 better than 1e-2?", [middle, of("1e-2", (low) => low >= 1e-2)], measure),
        compareMeans("Is 1e-3 better than 1e-4?", [middle, of("1e-4", (low) => low < 1e-3)], measure),
      ];
    },
  },
  {
    id: "temperatures",
    claim: "Higher temperatures of SAPO's gate hurt.",
    source: "ARLArena Table 2 (SAPO, τ 1 to 3)",
    preset: "paper-table2-sokoban",
    rule: "all",
    test: (runs) => {
      const gated = runs.filter(({ levels }) => levels.clipping === "sapo");
      const context = allBut("method.clipping.tauPositive", "method.clipping.tauNegative");
      const { lowest, highest } = findExtremes(gated, { context, level: levelAt("method.clipping.tauPositive") });
      const question = "Is the final window higher with the lowest temperatures than with the highest?";
      return [
        compareMeans(question, [side("lowest", lowest, {}), side("highest", highest, {})], { read: final, context }),
      ];
    },
  },
  {
    id: "tries",
    claim: "More tries of dynamic sampling help.",
    source: "ARLArena Table 2 (DAPO, 2 and 3 tries)",
    preset: "paper-table2-sokoban",
    rule: "all",
    test: (runs) => {
      const resampled = runs.filter(({ levels }) => levels.sampling === "dynamic");
      const context = allBut("method.sampling.maxTries");
      const { lowest, highest } = findExtremes(resampled, { context, level: levelAt("method.sampling.maxTries") });
      const question = "Is the final window higher with the most tries than with the fewest?";
      return [
        compareMeans(question, [side("most", highest, {}), side("fewest", lowest, {})], { read: final, context }),
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
      const masked = side("masked", runs, { ...plain, clipping: masks });
      const bare = side("unmasked", runs, { ...plain, clipping: tolerant });
      return [
        compareMeans("Is the final window higher with the mask?", [masked, bare], { read: final, context: allButMask }),
        compareCollapses("Do more collapse without it?", [bare, masked], allButMask),
      ];
    },
  },
  {
    id: "onlyMaskRescues",
    claim: "A stronger KL term or larger minibatches do not rescue SAPO and CISPO as masking does.",
    source: "ARLArena Table 4",
    preset: "paper-table4-sokoban",
    rule: "all",
    test: (runs) => [
      compareRescues(runs, "update.klCoef", "Is the final window higher with the mask than with a stronger KL term?"),
      compareRescues(runs, "update.minibatchRows", "Is it higher with the mask than with larger minibatches?"),
    ],
  },
  {
    id: "staleness",
    claim: "The staler the data of an update, the worse.",
    source: "ARLArena Table 5",
    preset: "staleness-sokoban",
    rule: "all",
    note: "Staleness is optimizer steps per iteration, as logged; runs compared differ in epochs and minibatch alone.",
    test: (runs) => {
      const { freshest, stalest } = stalenessSides(runs);
      const question = "Is the final window higher with the freshest data than with the stalest?";
      const sides = [side("freshest", freshest, {}), side("stalest", stalest, {})] as const;
      return [compareMeans(question, sides, { read: final, context: allButSteps })];
    },
  },
];

/** Compares values above 0 with 0, other settings equal. */
function compareWithout(runs: readonly StudiedRun[], path: string, question: string): Part {
  const sides = [
    side("with", runs, { [path]: (x) => x > 0 }),
    side("without", runs, { [path]: (x) => x === 0 }),
  ] as const;
  return compareMeans(question, sides, { read: final, context: allBut(path) });
}

/** Compares masked runs at the lowest level of a setting with unmasked ones at its highest. */
function compareRescues(runs: readonly StudiedRun[], path: string, question: string): Part {
  const clippings = [...tolerant, ...masks];
  const { runs: all } = side("tolerant", runs, { ...plain, clipping: clippings });
  const context = allBut(mask, path);
  const { lowest, highest } = findExtremes(all, { context, level: levelAt(path) });
  const sides = [
    side("masked", lowest, { clipping: masks }),
    side(path === "update.klCoef" ? "stronger KL" : "larger minibatches", highest, { clipping: tolerant }),
  ] as const;
  return compareMeans(question, sides, { read: final, context });
}
