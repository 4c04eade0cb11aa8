import { expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import type { EpisodeRecord, GroupRecord } from "./rollout.ts";
import { withoutStale } from "./staleness.ts";

const episode = (version: number, episodeReward: number): EpisodeRecord => ({
  turns: [],
  episodeReward,
  isSuccess: episodeReward > 0,
  score: 0,
  taskType: undefined,
  version,
});
const family = await makeTaskFamily(SokobanSpec.parse({ id: "sokoban" }));
const groups: GroupRecord[] = [
  {
    seed: 3,
    episodes: [episode(9, 1), episode(5, 2), episode(8, 0)],
    rewards: [1, 2, 0],
    successes: [true, true, false],
    part: { name: "sokoban", family },
  },
  { seed: 4, episodes: [episode(1, 1)], rewards: [1], successes: [true], part: { name: "webshop", family } },
];

it("removes old episodes and empty groups, and keeps the component environment of each group", () => {
  const lag = { kind: "uniform", max: 8, discardBeyond: 2 } as const;
  expect(withoutStale(groups, { newest: 10, lag })).toEqual([
    { ...groups[0], episodes: [episode(9, 1), episode(8, 0)], rewards: [1, 0], successes: [true, false] },
  ]);
  expect(withoutStale(groups, { newest: 10, lag: { kind: "uniform", max: 8 } })).toBe(groups);
});
