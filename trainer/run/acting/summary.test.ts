import { expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { GroupRecord } from "./rollout.ts";
import { describeRollouts } from "./summary.ts";

const family = await makeTaskFamily(EnvironmentSpec.parse({ id: "sokoban" }));

const groupOf = (name: string, seed: number): GroupRecord => ({
  seed,
  episodes: [{ turns: [], episodeReward: 0, isSuccess: false, score: 0, taskType: undefined }],
  rewards: [0],
  successes: [false],
  part: { name, family },
});

const fractionsOf = (generated: GroupRecord[], kept: GroupRecord[]) => {
  const collection = { generated, kept, numTries: 1, environmentMs: 0, lossScale: 1 };
  const { values } = describeRollouts(collection, { numRows: 0, hasScore: false, isControlled: false });
  return Object.fromEntries(Object.entries(values).filter(([key]) => key.endsWith("Fraction") && key.includes("/in/")));
};

it("says which fraction of the groups each part of a mixture has before and after the group filter", () => {
  const generated = [groupOf("easy", 1), groupOf("easy", 2), groupOf("easy", 3), groupOf("shop", 4)];
  expect(fractionsOf(generated, [groupOf("easy", 1), groupOf("shop", 4)])).toEqual({
    "rollout/in/easy/generatedFraction": 0.75,
    "rollout/in/easy/keptFraction": 0.5,
    "rollout/in/shop/generatedFraction": 0.25,
    "rollout/in/shop/keptFraction": 0.5,
  });
  // If the filter drops all groups, there are no fractions after it.
  expect(fractionsOf(generated, [])).toEqual({
    "rollout/in/easy/generatedFraction": 0.75,
    "rollout/in/shop/generatedFraction": 0.25,
  });
  // A phase of a curriculum has all groups.
  expect(fractionsOf([groupOf("easy", 1)], [groupOf("easy", 1)])).toEqual({});
  expect(describeMetric("rollout/in/shop/keptFraction")).toMatchObject({ unit: "fraction", better: "none" });
});
