import { expect, it } from "vitest";
import { readRollouts, toGroups } from "./groups.ts";

const row = (more: object) => `${JSON.stringify({ prompt: "What?", completion: "That.", ...more })}\n`;

it("reads prime-rl's rows, whose step is in the path, and groups them by example", () => {
  const text = [0, 1].map((reward) => row({ example_id: 7, reward, advantage: reward - 0.5 })).join("");
  const { runs, notes } = readRollouts("run/rollouts/step_12/train_rollouts.jsonl", text) ?? {};
  expect(notes).toEqual([]);
  expect(runs?.[0]?.lines).toEqual([{ step: 12, values: { "rollouts/number": 2 } }]);
  expect(runs?.[0]?.groups?.map(({ head }) => head)).toMatchObject([
    { iteration: 12, returns: [0, 1], advantages: [-0.5, 0.5], successes: [null, null], clipped: null, masked: null },
  ]);
  expect(readRollouts("rollouts.jsonl", text)).toBeUndefined();
});

it("leaves the return empty where a file has several reward columns, and counts lines that are no rollouts", () => {
  const text = `${row({ step: 3, advantage: 1, format_reward: 1, accuracy_reward: 0 })}{"step":3}\n`;
  const { runs, unread } = readRollouts("completions_00003.parquet", text) ?? {};
  expect(runs?.[0]?.groups?.map(({ head }) => [head.returns, head.advantages])).toEqual([[[null], [1]]]);
  expect(unread?.count).toBe(1);
});

it("keeps eight groups of a step, and says so", () => {
  const rollouts = Array.from({ length: 20 }, (_, i) => ({
    step: 1,
    task: String(Math.floor(i / 2)),
    turns: [{ prompt: "a", response: "b c", reward: i }],
    return: i,
    advantage: null,
    isSuccess: null,
    behind: null,
  }));
  const { groups, notes } = toGroups(rollouts);
  expect(groups.map(({ head }) => [head.group, head.returns, head.numTokens])).toEqual(
    Array.from({ length: 8 }, (_, group) => [group, [2 * group, 2 * group + 1], [2, 2]]),
  );
  expect(notes).toEqual(["the first 8 groups of each step are imported"]);
});
