import { allButSteps, findExtremes, stalenessSides } from "../extremes.ts";
import { allBut } from "../settings.ts";
import { compareCollapses, compareMeans, type Part } from "../sides.ts";
import type { StudiedRun } from "../studiedRun.ts";
import { final, levelAt, plain, side, tolerant, type Claim } from "./claim.ts";

const mask = "method.clipping.sequenceMask";
const allButMask = allBut(mask);
const masks = ["sapo+mask", "cispo+mask"] as const;

/** Claims of ARLArena's Tables 2, 4 and 5. */
export const settingClaims: readonly Claim[] = [
  {
    id: "imitation",
    claim: "Behaviour cloning before RL raises success.",
    source: "ARLArena Table 2 (behaviour cloning)",
    preset: "paper-table2-sokoban",
    test: (runs) => [
      compareMeans(
        "Is mean success in the final window higher after cloning demonstrations than without it?",
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
    claim: "A penalty for invalid actions raises success.",
    source: "ARLArena Table 2 (format penalty)",
    preset: "paper-table2-sokoban",
    test: (runs) => [compareWithout(runs, "reward.invalidActionPenalty", "the penalty")],
  },
  {
    id: "klPenalty",
    claim: "A KL penalty towards the reference policy raises success.",
    source: "ARLArena Table 2 (KL, k3)",
    preset: "paper-table2-sokoban",
    test: (runs) => [compareWithout(runs, "update.klCoef", "the KL penalty")],
  },
  {
    id: "clipRange",
    claim: "Sequence-level clipping needs a small clip range (1e-3): a wider or narrower range lowers success.",
    source: "ARLArena Table 2 (GSPO, 1e-2, 1e-3 and 1e-4)",
    preset: "paper-table2-sokoban",
    test: (runs) => {
      const of = (name: string, isIn: (low: number) => boolean) =>
        side(name, runs, { ...plain, clipping: "sequence", "method.clipping.low": isIn });
      const middle = of("1e-3", (low) => low >= 1e-3 && low < 1e-2);
      const measure = { read: final, context: allBut("method.clipping.low", "method.clipping.high") };
      return [of("1e-2", (low) => low >= 1e-2), of("1e-4", (low) => low < 1e-3)].map((other) => {
        const question = `Is mean success in the final window higher with a clip range of 1e-3 than with ${other.name}?`;
        return compareMeans(question, [middle, other], measure);
      });
    },
  },
  {
    id: "temperatures",
    claim: "Higher temperatures of SAPO's gate lower success.",
    source: "ARLArena Table 2 (SAPO, τ 1 to 3)",
    preset: "paper-table2-sokoban",
    test: (runs) => {
      const gated = runs.filter(({ levels }) => levels.clipping === "sapo");
      const context = allBut("method.clipping.tauPositive", "method.clipping.tauNegative");
      const { lowest, highest } = findExtremes(gated, { context, level: levelAt("method.clipping.tauPositive") });
      const question =
        "Is mean success in the final window higher with the lowest gate temperatures than with the highest?";
      return [
        compareMeans(question, [side("lowest", lowest, {}), side("highest", highest, {})], { read: final, context }),
      ];
    },
  },
  {
    id: "tries",
    claim: "More generation tries of dynamic sampling raise success.",
    source: "ARLArena Table 2 (DAPO, 2 and 3 tries)",
    preset: "paper-table2-sokoban",
    test: (runs) => {
      const resampled = runs.filter(({ levels }) => levels.sampling === "dynamic");
      const context = allBut("method.sampling.maxTries");
      const { lowest, highest } = findExtremes(resampled, { context, level: levelAt("method.sampling.maxTries") });
      const question =
        "Is mean success in the final window higher with the largest number of generation tries than with the smallest?";
      return [
        compareMeans(question, [side("most", highest, {}), side("fewest", lowest, {})], { read: final, context }),
      ];
    },
  },
  {
    id: "maskRescues",
    claim: "Masking stale sequences keeps SAPO and CISPO from collapsing.",
    source: "ARLArena §4.1, Table 4",
    preset: "paper-table4-sokoban",
    rule: "any",
    test: (runs) => {
      const masked = side("masked", runs, { ...plain, clipping: masks });
      const bare = side("unmasked", runs, { ...plain, clipping: tolerant });
      return [
        compareMeans(
          "Is mean success in the final window higher with the sequence mask than without it?",
          [masked, bare],
          { read: final, context: allButMask },
        ),
        compareCollapses("Do more runs collapse without the sequence mask than with it?", [bare, masked], allButMask),
      ];
    },
  },
  {
    id: "onlyMaskRescues",
    claim: "A stronger KL penalty or larger minibatches help SAPO and CISPO less than the sequence mask.",
    source: "ARLArena Table 4",
    preset: "paper-table4-sokoban",
    test: (runs) => [
      compareRescues(runs, "update.klCoef", { name: "stronger KL", remedy: "a stronger KL penalty" }),
      compareRescues(runs, "update.minibatchRows", { name: "larger minibatches", remedy: "larger minibatches" }),
    ],
  },
  {
    id: "staleness",
    claim: "The staler the data of an update, the lower the success.",
    source: "ARLArena Table 5",
    preset: "staleness-sokoban",
    note: "Staleness is measured as the logged number of optimizer steps per iteration. The compared runs differ only in epochs and minibatch size.",
    test: (runs) => {
      const { freshest, stalest } = stalenessSides(runs);
      const question = "Is mean success in the final window higher with the freshest data than with the stalest?";
      const sides = [side("freshest", freshest, {}), side("stalest", stalest, {})] as const;
      return [compareMeans(question, sides, { read: final, context: allButSteps })];
    },
  },
];

/** Tests if success is higher with a setting above 0 than at 0. */
function compareWithout(runs: readonly StudiedRun[], path: string, noun: string): Part {
  const question = `Is mean success in the final window higher with ${noun} than without it?`;
  const sides = [
    side("with", runs, { [path]: (x) => x > 0 }),
    side("without", runs, { [path]: (x) => x === 0 }),
  ] as const;
  return compareMeans(question, sides, { read: final, context: allBut(path) });
}

/** Compares sequence masking at a setting's lowest level with no masking at its highest. */
function compareRescues(
  runs: readonly StudiedRun[],
  path: string,
  { name, remedy }: { name: string; remedy: string },
): Part {
  const question = `Is mean success in the final window higher with the sequence mask than with ${remedy}?`;
  const { runs: all } = side("tolerant", runs, { ...plain, clipping: [...tolerant, ...masks] });
  const context = allBut(mask, path);
  const { lowest, highest } = findExtremes(all, { context, level: levelAt(path) });
  const sides = [side("masked", lowest, { clipping: masks }), side(name, highest, { clipping: tolerant })] as const;
  return compareMeans(question, sides, { read: final, context });
}
