import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { PolicySize } from "#trainer/spec/policy.ts";
import { readAt } from "#packages/base";
import { mean } from "#packages/statistics";
import { findExtremes } from "../extremes.ts";
import { allBut } from "../settings.ts";
import { compareCollapses, compareDifferences, compareMeans, compareTimes, type Change, type Part } from "../sides.ts";
import { isStatement, type StudiedRun } from "../studiedRun.ts";
import { asMeasured, levelAt, side, type Claim } from "./claim.ts";

const guide = "A Practitioner's Guide";
const share = "budget.split.demonstrationShare";

export const practitionerClaims: readonly Claim[] = [
  {
    id: "complexity",
    claim:
      "More rooms, more objects and longer quests lower success, and extra objects lower it more than extra rooms.",
    source: `${guide}, Table 1 (TextWorld)`,
    preset: "complexity-textworld",
    note: "In the preset, longer quests also have a higher turn limit.",
    test: (runs) => {
      const compare = (name: string, path: string, also: readonly string[] = []) => {
        const { lowest, highest } = findExtremes(runs, { context: allBut(path, ...also), level: levelAt(path) });
        const question = `Is mean success in the final window higher with few ${name} than with many?`;
        const sides = [side("fewest", lowest, {}), side("most", highest, {})] as const;
        return compareMeans(question, sides, { read: asMeasured, context: allBut(path, ...also) });
      };
      return [
        compare("rooms", "environment.rooms"),
        compare("objects", "environment.objects"),
        compare("steps of the quest", "environment.questLength", ["environment.maxTurns"]),
        compareGrowth(runs),
      ];
    },
  },
  {
    id: "modelSize",
    claim: "Larger policies reach higher success than smaller policies.",
    source: `${guide}, Table 3 (1.5B and 7B)`,
    preset: "model-size-textworld",
    note: "The compared sizes are those of the built-in policies. All sizes have the same demonstrations and learning rate.",
    test: (runs) => {
      const context = allBut("policy.size");
      const { lowest, highest } = findExtremes(runs, { context, level: sizeOf });
      const sides = [side("largest", highest, {}), side("smallest", lowest, {})] as const;
      const question = "Is mean success in the final window higher with the largest policy than with the smallest?";
      return [compareMeans(question, sides, { read: asMeasured, context })];
    },
  },
  {
    id: "horizon",
    claim:
      "A higher turn limit raises success until the limit is about twice the quest's length. A still higher limit helps little.",
    source: `${guide}, Table 4 (TextWorld, 6, 8, 12 and 16 turns)`,
    preset: "horizon-textworld",
    note: "Training and evaluation have the same turn limit.",
    test: (runs) => {
      const measure = { read: asMeasured, context: allBut("environment.maxTurns") };
      const of = (name: string, isIn: (turnsPerStep: number) => boolean) => ({
        name,
        runs: runs.filter((run) => isIn(turnsPerStepOf(run))),
      });
      const [few, twice] = [of("fewer turns", (x) => x < 2), of("twice the steps", (x) => x >= 2 && x < 2.5)];
      const many = of("more turns", (x) => x >= 2.5);
      return [
        compareMeans(
          "Is mean success in the final window higher with a turn limit of twice the quest's steps than with fewer turns?",
          [twice, few],
          measure,
        ),
        compareDifferences(
          "Does success increase more up to a turn limit of twice the quest's steps than beyond this limit?",
          [twice, few, many, twice],
          measure,
        ),
      ];
    },
  },
  {
    id: "prior",
    claim: "Demonstrations of another domain before RL can lower success.",
    source: `${guide}, SFT (priors of another domain)`,
    preset: "prior-textworld",
    rule: "any",
    note: "Both groups have the same number of demonstrations, because small policies learn nothing without demonstrations.",
    test: (runs) => {
      const context = allBut("initialisation.environments");
      const shown = { "initialisation.kind": "demonstrations" };
      const own = runs.filter(({ settings }) => readAt(settings, shownPath) !== "others");
      const sides = [
        side("own environment", own, shown),
        side("other environments", runs, { ...shown, [shownPath]: "others" }),
      ] as const;
      return [
        compareMeans(
          "Is mean success in the final window higher after demonstrations of the training environment than of other environments?",
          sides,
          { read: asMeasured, context },
        ),
        compareCollapses(
          "Do more runs collapse after demonstrations of other environments than of the training environment?",
          [sides[1], sides[0]],
          context,
        ),
      ];
    },
  },
  {
    id: "transfer",
    claim: "Training in a simple environment raises success in a more complex one.",
    source: `${guide}, Tables 5 and 6 (TextWorld, SWE-Gym)`,
    preset: "transfer-textworld",
    note: "An environment is more complex if it has more rooms, objects, quest steps, boxes, modules, functions or hops, or larger rooms, and none of these is smaller.",
    test: (runs) => [
      compareTimes(
        "Is success in the more complex environments higher after training in the simple environment than before?",
        runs.flatMap((run) => changeElsewhere(run, isMoreComplex)),
      ),
    ],
  },
  {
    id: "largerRooms",
    claim: "Training in Sokoban rooms of 6×6 with one box carries to rooms of 8×8 with two boxes.",
    source: "RAGEN, README of its code",
    preset: "transfer-sokoban-large",
    test: (runs) => [
      compareTimes(
        "Is success in 8×8 with two boxes higher after training in 6×6 with one box than before?",
        runs.flatMap((run) => changeElsewhere(run, (one, own) => isRoom(one, 8, 2) && isRoom(own, 6, 1))),
      ),
    ],
  },
  {
    id: "mixture",
    claim: "Training on a mixture of complexities transfers better than training on a single complexity.",
    source: `${guide}, Tables 5 to 8`,
    preset: "curriculum-sokoban",
    note: "Success is the mean over all environments listed under Evaluate elsewhere.",
    test: (runs) => {
      const isOf = (id: string) => (run: StudiedRun) => readAt(run.settings, "environment.id") === id;
      const mixed = runs.filter(isOf("mixture"));
      const single = runs.filter((run) => !isOf("mixture")(run) && !isOf("curriculum")(run));
      return [
        compareMeans(
          "Is mean success in other environments higher after training on a mixture than on one of its environments?",
          [
            { name: "mixture", runs: mixed },
            { name: "one environment", runs: single },
          ],
          { read: meanElsewhere, context: allBut("environment"), unit: "fraction" },
        ),
      ];
    },
  },
  {
    id: "density",
    claim: "Denser rewards give higher success than sparse rewards.",
    source: `${guide}, Table 11`,
    preset: "reward-density-textworld",
    test: (runs) => [
      compareMeans(
        "Is mean success in the final window higher with a reward for every quest step than with a reward only at the quest's end?",
        [
          side("dense", runs, { "environment.reward": "dense" }),
          side("sparse", runs, { "environment.reward": "sparse" }),
        ],
        { read: asMeasured, context: allBut("environment.reward") },
      ),
    ],
  },
  {
    id: "split",
    claim:
      "At equal cost, splitting the budget between demonstrations and reinforcement learning gives the highest success.",
    source: `${guide}, Table 9`,
    preset: "sft-rl-split",
    note: "All splits with both demonstrations and reinforcement learning count as one group.",
    test: (runs) => {
      const measure = { read: asMeasured, context: allBut(share) };
      const of = (name: string, isIn: (x: number) => boolean) => side(name, runs, { [share]: isIn });
      const both = of("both", (x) => x > 0 && x < 1);
      const alone = [of("reinforcement learning alone", (x) => x === 0), of("demonstrations alone", (x) => x === 1)];
      return alone.map((other) => {
        const question = `Is mean success in the final window higher with a split than with ${other.name}?`;
        return compareMeans(question, [both, other], measure);
      });
    },
  },
];

const shownPath = "initialisation.environments";

/** Returns the index of a built-in policy's size, from the smallest; NaN for a pretrained model. */
function sizeOf({ settings }: StudiedRun): number {
  const place = PolicySize.options.findIndex((size) => size === readAt(settings, "policy.size"));
  return place < 0 || readAt(settings, "policy.pretrained") !== undefined ? NaN : place;
}

function turnsPerStepOf(run: StudiedRun): number {
  return levelAt("environment.maxTurns")(run) / levelAt("environment.questLength")(run);
}

const complexities = ["rooms", "objects", "questLength", "numBoxes", "size", "files", "functionsPerFile", "hops"];

/**
 * Returns success after and before training, as means over evaluation environments that are wanted beside the training
 * environment; empty without such evaluations.
 */
function changeElsewhere(run: StudiedRun, isWanted: (one: object, own: object) => boolean): Change[] {
  const { settings, elsewhere } = run;
  if (!elsewhere || isStatement(settings)) return [];
  const values = elsewhereOf(settings).flatMap(({ name, environment }) => {
    const value = elsewhere.get(name);
    return value && isWanted(environment, settings.environment) ? [value] : [];
  });
  if (values.length === 0) return [];
  return [{ run, after: mean(values.map(({ after }) => after)), before: mean(values.map(({ before }) => before)) }];
}

/** Returns the mean success after training over all other environments; NaN if evaluated in none. */
function meanElsewhere({ elsewhere }: StudiedRun): number {
  return mean([...(elsewhere?.values() ?? [])].map(({ after }) => after));
}

function isMoreComplex(one: object, other: object): boolean {
  const differences = complexities.flatMap((name) => {
    const [more, less] = [readAt(one, name), readAt(other, name)];
    return typeof more === "number" && typeof less === "number" ? [more - less] : [];
  });
  const isSameKind = readAt(one, "id") === readAt(other, "id");
  return isSameKind && differences.every((x) => x >= 0) && differences.some((x) => x > 0);
}

function isRoom(one: object, size: number, numBoxes: number): boolean {
  return readAt(one, "id") === "sokoban" && readAt(one, "size") === size && readAt(one, "numBoxes") === numBoxes;
}

/** Tests if success is higher with more rooms than with more objects, each increased from the smallest. */
function compareGrowth(runs: readonly StudiedRun[]): Part {
  const [rooms, objects] = ["environment.rooms", "environment.objects"] as const;
  const context = allBut(rooms, objects);
  const minRooms = new Set(findExtremes(runs, { context, level: levelAt(rooms) }).lowest);
  const minObjects = new Set(findExtremes(runs, { context, level: levelAt(objects) }).lowest);
  const sides = [
    { name: "more rooms", runs: runs.filter((run) => minObjects.has(run) && !minRooms.has(run)) },
    { name: "more objects", runs: runs.filter((run) => minRooms.has(run) && !minObjects.has(run)) },
  ] as const;
  const question = "Is mean success in the final window higher with extra rooms than with extra objects?";
  return compareMeans(question, sides, { read: asMeasured, context });
}
