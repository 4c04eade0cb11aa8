import { appendFile, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openGroups } from "#trainer/run/keeping/groupFile.ts";
import { groupFiles, type GroupToken, summariseGroup } from "#trainer/spec/keptGroup.ts";
import { readGroup, readGroupIndex } from "./groups.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "groups-"));
});
afterAll(() => rm(home, { recursive: true }));

const none = { id: null, samplerLogProb: null, oldLogProb: null, logProb: null, ratio: null, advantage: null };
const noLoss = { weight: null, loss: null, gradient: null, fate: null } as const;

/** Two episodes of one turn with two response tokens, whose second one is clipped. */
function tokensOf(iteration: number): GroupToken[] {
  return [0, 1].flatMap((episode) => {
    const place = { episode, turn: 0, reward: episode, return: episode, behind: 2 };
    const token = { ...place, ...none, ...noLoss, role: "response", advantage: episode - 0.5, logProb: -1.5 } as const;
    return [
      { ...place, ...none, ...noLoss, role: "prompt", text: `look ${iteration}` },
      { ...token, text: "go", id: 7, ratio: NaN, fate: "used" },
      { ...token, text: "north", id: 8, ratio: 1.25, fate: "clippedHigh" },
    ];
  });
}

async function write(...iterations: number[]): Promise<string> {
  const folder = await mkdtemp(join(home, "attempt-"));
  const file = openGroups(folder);
  for (const iteration of iterations) {
    const described = { iteration, group: 3, task: 40 + iteration, successes: [false, true] };
    file.write([{ head: summariseGroup(described, tokensOf(iteration)), tokens: tokensOf(iteration) }]);
  }
  return folder;
}

it("lists the groups of all attempts, and reads one by its range of bytes", async () => {
  const attempts = [await write(5, 10), await write(10, 15)].map((folder, i) => ({ number: i + 1, folder }));
  const { groups, numUnreadable } = await readGroupIndex(attempts);
  expect(groups.map(({ iteration, attempt }) => [iteration, attempt])).toEqual([
    [5, 1],
    [10, 2],
    [15, 2],
  ]);
  expect(numUnreadable).toBe(0);
  expect(groups[1]).toMatchObject({ task: 50, returns: [0, 1], advantages: [-0.5, 0.5], clipped: 0.5, masked: 0 });
  const { episodes } = await readGroup(attempts[1]?.folder ?? "", { attempt: 2, iteration: 15, group: 3 });
  expect(episodes).toHaveLength(2);
  expect(episodes[1]).toMatchObject({
    behind: 2,
    turns: [
      {
        prompt: "look 15",
        reward: 1,
        tokens: { text: ["go", "north"], id: [7, 8], ratio: [null, 1.25], logProb: [-1.5, -1.5], loss: [null, null] },
      },
    ],
  });
});

it("shows a rejected response apart from the response of the same turn that was executed", async () => {
  const folder = await mkdtemp(join(home, "attempt-"));
  const tokens = [...tokensOf(5), ...tokensOf(5)].toSorted((a, b) => a.episode - b.episode);
  const head = summariseGroup({ iteration: 5, group: 3, task: 1, successes: [false, true] }, tokens);
  openGroups(folder).write([{ head, tokens }]);
  const { episodes } = await readGroup(folder, { attempt: 1, iteration: 5, group: 3 });
  for (const { turns } of episodes) {
    expect(turns.map(({ prompt, tokens: { text } }) => [prompt, text])).toEqual([
      ["look 5", ["go", "north"]],
      ["look 5", ["go", "north"]],
    ]);
  }
});

it("waits for tokens that are still being copied, and counts what is no group", async () => {
  const folder = await write(5, 10);
  const attempts = [{ number: 1, folder }];
  await appendFile(join(folder, groupFiles.index), '{"v":9}\n{"v":1,"iter');
  expect(await readGroupIndex(attempts)).toMatchObject({ groups: [{ iteration: 5 }, {}], numUnreadable: 1 });
  await truncate(join(folder, groupFiles.tokens), 100);
  expect((await readGroupIndex(attempts)).groups).toEqual([]);
  await expect(readGroup(folder, { attempt: 1, iteration: 10, group: 3 })).rejects.toThrow(
    "no group 3 of iteration 10",
  );
});
